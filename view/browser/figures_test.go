package browser

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/view"
	"github.com/troupe-go/troupe/wire"
)

var (
	figures     = flag.Bool("figures", false, "TestFigures measures how large graphs open and move")
	figureSizes = flag.String("sizes", "1000,10000,50000", "numbers of nodes of the graphs that TestFigures makes")
	figureFiles = flag.String("graphs", "", "files of graphs that TestFigures opens in addition, separated by commas")
	tensorboard = flag.String("tensorboard", "", "the command tensorboard, whose graph page TestFigures measures on the same files")
	netron      = flag.String("netron", "", "the command netron, whose page TestFigures measures on the same files")
	patience    = flag.Duration("patience", time.Minute, "how long TestFigures waits for a picture")
)

// TestFigures measures the time from the navigation to the first picture, frames a second
// while the drawing is dragged, and on Troupe's page how long a click takes that unfolds. The row
// (empty) is a page without anything, for what the machine can do at the moment.
//
// The programs tensorboard and netron are those of the Python packages of these names;
// TensorBoard needs no TensorFlow for it, but a setuptools below version 81. A "-" is no
// picture within -patience.
//
//	go -C view/browser test . -run TestFigures -figures -v -timeout 1h [-tensorboard FILE -netron FILE]
func TestFigures(t *testing.T) {
	if !*figures {
		t.Skip("without -figures")
	}
	dir := t.TempDir()
	type graph struct{ name, file string }
	var graphs []graph
	for _, s := range strings.Split(*figureSizes, ",") {
		var n int
		if fmt.Sscan(s, &n); n <= 0 {
			continue
		}
		for _, shape := range []struct {
			name string
			make func(n int) string
		}{{"layered", layered}, {"network", network}} {
			file := filepath.Join(dir, fmt.Sprintf("%s-%d.pb", shape.name, n))
			w, err := os.Create(file)
			if err == nil {
				_, err = graphOf(t, shape.make(n)).WriteTo(w)
				w.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			graphs = append(graphs, graph{shape.name, file})
		}
	}
	if *figureFiles != "" {
		for _, file := range strings.Split(*figureFiles, ",") {
			graphs = append(graphs, graph{strings.TrimSuffix(filepath.Base(file), ".pb"), file})
		}
	}
	t.Logf("%-10s %-26s %6s %9s %7s", "page", "graph", "nodes", "first ms", "frames/s")
	empty := filepath.Join(dir, "empty.html")
	if err := os.WriteFile(empty, []byte("<!doctype html><html data-ready=yes>"), 0o666); err != nil {
		t.Fatal(err)
	}
	ready := `document.documentElement.dataset.ready === 'yes'`
	for _, gr := range graphs {
		def, err := os.ReadFile(gr.file)
		if err != nil {
			t.Fatal(err)
		}
		g := troupe.NewGraph()
		if err := g.Import(def, ""); err != nil {
			t.Fatal(err)
		}
		t.Run(fmt.Sprint(gr.name, " ", g.NumNodes()), func(t *testing.T) {
			row := func(name string, f figure, more string) {
				first := "-"
				if f.first > 0 {
					first = fmt.Sprintf("%.0f", f.first)
				}
				t.Logf("%-10s %-26s %6d %9s %7.1f %s", name, gr.name, g.NumNodes(), first, f.frames, more)
			}
			file := filepath.Join(t.TempDir(), "page.html")
			p := view.New(gr.name)
			p.AddGraph(gr.name, g)
			w, err := os.Create(file)
			if err == nil {
				err = p.Write(w)
				w.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			_, f := measure(t, "file://"+empty, ready, 0.42)
			row("(empty)", f, "")
			b, f := measure(t, "file://"+file, ready, 0.42)
			if b == nil || f.first == 0 {
				t.Fatal("the page does not open")
			}
			box := unfolds(b, `[...document.querySelectorAll('.item')].filter(g => g.item.kind !== 'leaf' && !g.item.open).sort((a, b) => Math.abs(a.item.count - 1000) - Math.abs(b.item.count - 1000))[0]`)
			all := timed(b, `document.getElementById('unfold').click()`)
			shown := eval[int](b, `document.querySelectorAll('.item').length`)
			edges := eval[int](b, `document.querySelectorAll('.edge').length`)
			row("troupe", f, fmt.Sprintf("unfolding a box %.0f ms, all %.0f ms, then %d items and %d edges with %.1f frames/s", box, all, shown, edges, drag(b, 0.42)))
			if *tensorboard != "" {
				logs := t.TempDir()
				if err := os.WriteFile(filepath.Join(logs, "events.out.tfevents.1.graph"), eventFile(def), 0o666); err != nil {
					t.Fatal(err)
				}
				port := freePort(t)
				start(t, port, *tensorboard, "--load_fast=false", "--logdir", logs, "--host", "127.0.0.1", "--port", port)
				b, f := measure(t, "http://127.0.0.1:"+port+"/#graphs", deep+` && !!deep('g.node') && !deep('.container.loading')`, 0.6)
				b.forgive()
				row("tensorboard", f, "")
			}
			if *netron != "" {
				port := freePort(t)
				start(t, port, *netron, "--host", "127.0.0.1", "--port", port, gr.file)
				b, f := measure(t, "http://127.0.0.1:"+port+"/", `!!document.querySelector('#target svg g.node') && !!document.querySelector('body.default')`, 0.5)
				b.forgive()
				row("netron", f, "")
			}
		})
	}
}

// layered is a graph without scopes: layers of 50 nodes, each of which has up to three
// inputs from the last four layers.
func layered(n int) string {
	const wide = 50
	r := rand.New(rand.NewPCG(1, uint64(n)))
	var b strings.Builder
	for i := range n {
		from := func() string { return fmt.Sprint("n", max(0, i/wide*wide-1-r.IntN(min(4*wide, i/wide*wide)))) }
		switch k := r.IntN(4); {
		case i < wide:
			fmt.Fprintf(&b, "n%d = Placeholder() {dtype=DT_FLOAT}\n", i)
		case k == 0:
			fmt.Fprintf(&b, "n%d = Neg(%s)\n", i, from())
		case k < 3:
			fmt.Fprintf(&b, "n%d = AddV2(%s, %s)\n", i, from(), from())
		default:
			fmt.Fprintf(&b, "n%d = AddN(%s, %s, %s) {N=3, T=DT_FLOAT}\n", i, from(), from(), from())
		}
	}
	return b.String()
}

// network is a graph with scopes, as real networks have them: stages of blocks of 50
// nodes, branches that meet within a block, and a residual from a block to the next.
func network(n int) string {
	var b strings.Builder
	b.WriteString("input = Placeholder() {dtype=DT_FLOAT}\n")
	count, last := 1, "input"
	for block := 0; count < n; block++ {
		scope := fmt.Sprintf("model/stage_%d/block_%d/", block/20, block%20)
		var ends []string
		for branch := range 4 {
			at := last
			for layer := range 3 {
				s := fmt.Sprintf("%sbranch_%d/dense_%d/", scope, branch, layer)
				fmt.Fprintf(&b, "%[1]sweights = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [1,1] values: 1>}\n%[1]sMatMul = MatMul(%[2]s, %[1]sweights)\n%[1]sbias = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [1] values: 1>}\n%[1]sBiasAdd = BiasAdd(%[1]sMatMul, %[1]sbias)\n", s, at)
				at = s + "BiasAdd"
				count += 4
			}
			ends = append(ends, at)
		}
		fmt.Fprintf(&b, "%[1]sadd = AddN(%[2]s) {N=4, T=DT_FLOAT}\n%[1]sresidual = AddV2(%[1]sadd, %[3]s)\n", scope, strings.Join(ends, ", "), last)
		last = scope + "residual"
		count += 2
	}
	return b.String()
}

// A figure is what was measured of a page: milliseconds to the first picture (0: there was
// none in time) and frames a second while it is dragged.
type figure struct{ first, frames float64 }

// deep finds an element in shadow trees, too.
const deep = `(window.deep ||= s => {
	const visit = [document]
	while (visit.length) {
		const at = visit.pop(), found = at.querySelector(s)
		if (found) return found
		for (const e of at.querySelectorAll('*')) if (e.shadowRoot) visit.push(e.shadowRoot)
	}
	return null
})`

// measure opens a page, of which an expression says when it shows a picture, and drags it
// from a place in its width. The page is in the foreground, as others draw no frames.
func measure(t *testing.T, url, ready string, across float64) (*tab, figure) {
	t.Helper()
	b := openFor(t, *patience+30*time.Second, "about:blank", page.BringToFront())
	// The picture is there a frame after the page is ready.
	script := fmt.Sprintf(`document.cookie = 'consent=1'
	window.pictureAt = 0
	{
		const look = () => { let is = false; try { is = %s } catch { } if (is) requestAnimationFrame(() => { window.pictureAt = performance.now() }); else setTimeout(look, 5) }
		look()
	}`, ready)
	b.do(chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(script).Do(ctx)
		return err
	}), chromedp.Navigate(url))
	if err := chromedp.Run(b.ctx, chromedp.Poll(`window.pictureAt > 0`, nil, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(*patience))); err != nil {
		return b, figure{}
	}
	return b, figure{eval[float64](b, `window.pictureAt`), drag(b, across)}
}

// forgive forgets what the browser has reported: that fonts and counters of visitors, which
// other programs ask the network for, cannot be had, say.
func (b *tab) forgive() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.errors = nil
}

// drag drags with the mouse for two seconds and returns how many frames a second the page
// drew.
func drag(b *tab, across float64) float64 {
	b.Helper()
	at := eval[[]float64](b, fmt.Sprintf(`[innerWidth * %g, innerHeight * 0.55]`, across))
	mouse := func(kind input.MouseType, x, y float64) {
		p := input.DispatchMouseEvent(kind, x, y).WithButton(input.Left)
		if kind != input.MouseReleased {
			p = p.WithButtons(1)
		}
		b.do(p)
	}
	mouse(input.MousePressed, at[0], at[1])
	mouse(input.MouseMoved, at[0]+8, at[1]+8)
	b.do(chromedp.Evaluate(`{
		window.frames_ = 0
		window.framesFrom = performance.now()
		const count = () => { window.frames_++; window.framesTo = performance.now(); window.counting = requestAnimationFrame(count) }
		requestAnimationFrame(count)
	}`, nil))
	for begin := time.Now(); time.Since(begin) < 2*time.Second; {
		s := time.Since(begin).Seconds()
		mouse(input.MouseMoved, at[0]+200*s-100*s*s, at[1]-150*s+90*s*s)
		time.Sleep(4 * time.Millisecond)
	}
	rate := eval[float64](b, `(() => { cancelAnimationFrame(window.counting); return 1000 * window.frames_ / (window.framesTo - window.framesFrom) })()`)
	mouse(input.MouseReleased, at[0], at[1])
	return rate
}

// timed returns the milliseconds from a script to the end of the second frame after it.
func timed(b *tab, js string) (ms float64) {
	b.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf(`new Promise(done => {
		const begin = performance.now();
		%s;
		requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)))
	})`, js), &ms, awaited))
	return ms
}

// unfolds returns how long it takes to unfold a box and all in it.
func unfolds(b *tab, box string) float64 {
	b.Helper()
	if !eval[bool](b, `!!(`+box+`)`) {
		return 0
	}
	return timed(b, `(`+box+`).querySelector('.toggle').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })); (`+box+`).querySelector('.toggle rect').dispatchEvent(new PointerEvent('pointerup', { bubbles: true }))`)
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// start starts a server, waits until it listens, and ends it with the test.
func start(t *testing.T, port, command string, args ...string) {
	t.Helper()
	c := exec.Command(command, args...)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	for begin := time.Now(); time.Since(begin) < *patience; time.Sleep(50 * time.Millisecond) {
		if conn, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			conn.Close()
			return
		}
	}
	t.Fatalf("%s does not listen", command)
}

// eventFile is a file of events that has a graph, as TensorBoard reads it.
func eventFile(def []byte) []byte {
	var out []byte
	sum := func(b []byte) uint32 {
		c := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
		return (c>>15 | c<<17) + 0xa282ead8
	}
	record := func(event []byte) {
		length := binary.LittleEndian.AppendUint64(nil, uint64(len(event)))
		out = append(out, length...)
		out = binary.LittleEndian.AppendUint32(out, sum(length))
		out = append(out, event...)
		out = binary.LittleEndian.AppendUint32(out, sum(event))
	}
	record(wire.AppendField(nil, 3, "brain.Event:2"))
	record(wire.AppendField(nil, 4, def))
	return out
}
