package browser

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/view"
	"github.com/troupe-go/troupe/view/live"
	"github.com/troupe-go/troupe/view/playground"
)

// example records an example of the playground.
func example(t *testing.T, name string, explore bool) string {
	t.Helper()
	text, err := playground.Example(name)
	if err != nil {
		t.Fatal(err)
	}
	r := playground.Run(t.Context(), text)
	if explore {
		r = playground.Explore(t.Context(), text)
	}
	file := filepath.Join(t.TempDir(), name+".html")
	if err := os.WriteFile(file, []byte(r.Page), 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// moment moves the slider.
func (b *tab) moment(n int) {
	b.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf(`{ const s = document.getElementById('moment'); s.value = %d; s.dispatchEvent(new Event('input')) }`, n), nil))
}

// key presses a key on the page.
func (b *tab) key(k string) {
	b.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf(`document.body.dispatchEvent(new KeyboardEvent('keydown', { key: %q, bubbles: true }))`, k), nil))
}

func TestPlayer(t *testing.T) {
	b := openFile(t, example(t, "02-a-dead-branch", false))
	if got := b.text("now"); !strings.Contains(got, "nothing has run") {
		t.Errorf("at first: %s", got)
	}
	most := eval[int](b, `Number(document.getElementById('moment').max)`)
	if most < 9 {
		t.Fatalf("%d moments", most)
	}
	// Steps forward and back lead to the same.
	var seen []string
	for range most {
		b.press("#forward")
		seen = append(seen, b.text("now"))
	}
	all := strings.Join(seen, "\n")
	for _, want := range []string{"switch acts", "to output 0", "yes is dead", "merge acts", "[ 1. -2.]", "[1. 2.]"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not to be seen in the run", want)
		}
	}
	if !strings.Contains(seen[most-1], "The run has ended.") || !strings.Contains(seen[most-1], "0 live and 0 dead tokens") {
		t.Errorf("at the end: %s", seen[most-1])
	}
	for i := most - 2; i >= 0; i-- {
		b.key(",")
		if got := b.text("now"); got != seen[i] {
			t.Fatalf("back at moment %d:\n%s\nwant\n%s", i+1, got, seen[i])
		}
	}
	// Tokens are on the edges, dead ones too.
	b.moment(most / 2)
	found := false
	for m := range most {
		b.moment(m)
		if eval[int](b, `document.querySelectorAll('.token.dead').length`) > 0 {
			found = true
		}
	}
	if !found {
		t.Error("no dead token is ever drawn")
	}
	// A node lists its executions, which lead to their moments.
	b.click("no", "rect")
	if d := b.details(); !strings.Contains(d, "executions (1)") {
		t.Errorf("the details of a node lack its executions:\n%s", d)
	}
	b.do(chromedp.Evaluate(`document.querySelector('#details table.executions button').click()`, nil))
	if got := b.text("now"); !strings.Contains(got, "no starts") {
		t.Errorf("the execution leads to %s", got)
	}
	for _, view := range []string{"time", "messages", "order"} {
		b.press(`#views [data-view=` + view + `]`)
		if !eval[bool](b, `(() => { const c = document.getElementById('lanes-a'); return c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some(x => x) })()`) {
			t.Errorf("the chart %s is empty", view)
		}
	}
	b.do(chromedp.Evaluate(`document.getElementById('heat').click()`, nil))
	if n := eval[int](b, `[...document.querySelectorAll('.item > rect')].filter(r => r.style.fill).length`); n == 0 {
		t.Error("no node has the colour of its time")
	}
}

// Frames and iterations, calls of functions, failures.
func TestPlayerExamples(t *testing.T) {
	for name, wants := range map[string][]string{
		"04-nested-frames":                {"outer[2]/inner[1]"},
		"09-a-function-that-calls-itself": {"called by"},
		"10-an-error-in-a-loop":           {"part fails in L[2]", "Integer division by zero"},
	} {
		t.Run(name, func(t *testing.T) {
			b := openFile(t, example(t, name, false))
			var seen strings.Builder
			for m := range eval[int](b, `Number(document.getElementById('moment').max)`) {
				b.moment(m + 1)
				seen.WriteString(b.text("now") + "\n")
			}
			for _, want := range wants {
				if !strings.Contains(seen.String(), want) {
					t.Errorf("%q is not to be seen", want)
				}
			}
		})
	}
}

// Two schedules are shown next to each other, from where they part.
func TestParting(t *testing.T) {
	b := openFile(t, example(t, "05-a-race", true))
	if got := b.text("parting"); !strings.HasPrefix(got, "part at ") {
		t.Errorf("the two schedules are said to be %s", got)
	}
	if eval[bool](b, `document.getElementById('drawing-b').hasAttribute('hidden') || !document.querySelector('#drawing-b .item')`) {
		t.Error("the second run is not drawn")
	}
	now := b.text("now")
	left, right, ok := strings.Cut(now, "right: ")
	if !ok || left == right {
		t.Errorf("the two runs: %s", now)
	}
	b.moment(0)
	b.press("#part")
	if got := b.text("now"); got != now {
		t.Errorf("where they part: %s", got)
	}
}

// A run of an earlier page is compared with.
func TestEarlier(t *testing.T) {
	record := func(seed string) (*view.Page, *recording.Recording) {
		r := recording.New()
		g := graphOf(t, "x = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}\ny = Neg(x) {T=DT_FLOAT}\nz = Abs(x) {T=DT_FLOAT}\n")
		s, err := troupe.NewSession(g, &troupe.SessionOptions{Engine: seed, Rewrite: "none"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.RunContext(recording.With(t.Context(), r), nil, []troupe.Output{g.Operation("y").Output(0), g.Operation("z").Output(0)}, nil); err != nil {
			t.Fatal(err)
		}
		return view.New("run"), r
	}
	earlier, r := record("actors")
	if err := earlier.AddRecording("earlier", r); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := earlier.Write(&text); err != nil {
		t.Fatal(err)
	}
	b := open(t, "compare", func(p *view.Page) {
		if err := p.Compare(&text); err != nil {
			t.Fatal(err)
		}
		_, r := record("messages:3")
		if err := p.AddRecording("later", r); err != nil {
			t.Fatal(err)
		}
	})
	if got := b.text("now"); !strings.Contains(got, "left: later") || !strings.Contains(got, "right: earlier") {
		t.Errorf("the runs are %s", got)
	}
}

// Every recorded case of control flow, played to its end: all tokens are taken, unless the
// run failed.
func TestCasesPlayed(t *testing.T) {
	most := 12
	if *every {
		most = 1 << 30
	}
	cases, err := conformance.Load("../../conformance/testdata/control.zip")
	if err != nil {
		t.Fatal(err)
	}
	step := max(1, len(cases)/most)
	for i := 0; i < len(cases); i += step {
		c := cases[i]
		t.Run(c.Name, func(t *testing.T) {
			r := recording.New()
			if v := c.Run(recording.With(t.Context(), r), conformance.Config{Engine: "actors"}); v.Verdict != conformance.Passed {
				t.Fatal(v.Detail)
			}
			runs, _ := r.Runs()
			if len(runs) == 0 {
				return // the graph is refused: nothing runs
			}
			run := runs[len(runs)-1]
			b := open(t, c.Name, func(p *view.Page) {
				if err := p.AddRecording(c.Name, r); err != nil {
					t.Fatal(err)
				}
			})
			b.press("#last")
			got := b.text("now")
			failed := false
			for _, s := range run.Steps {
				failed = failed || s.Error != ""
			}
			if !failed && run.Left == 0 && !strings.Contains(got, "0 live and 0 dead tokens") {
				t.Errorf("at the end: %s", got)
			}
			if failed && !strings.Contains(got, strings.Split(run.Steps[0].Error, "\n")[0]) {
				t.Errorf("the error is not shown: %s", got)
			}
			b.press("#unfold")
			if run.Steps[0].Program.NumNodes() < 400 {
				if n := eval[int](b, `document.querySelectorAll('#drawing .item.leaf').length`); n != run.Steps[len(run.Steps)-1].Program.NumNodes() && n != run.Steps[0].Program.NumNodes() {
					t.Errorf("%d nodes are drawn of %d", n, run.Steps[0].Program.NumNodes())
				}
			}
		})
	}
}

// The live page shows a step that waits, and aborts it.
func TestLive(t *testing.T) {
	g := graphOf(t, `
q = FIFOQueueV2() {component_types=list(type)[DT_INT32], capacity=4, shared_name="<b>jobs"}
take = QueueDequeueV2(q) {component_types=list(type)[DT_INT32]}
y = Neg(take) {T=DT_INT32}
`)
	s, err := troupe.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	server := httptest.NewServer(live.Handler(live.Of(s), live.Options{Title: "<i>service", Token: "t o", Abort: true}))
	defer server.Close()
	defer server.CloseClientConnections()
	ended := make(chan error, 1)
	go func() {
		_, err := s.RunContext(context.Background(), nil, []troupe.Output{g.Operation("y").Output(0)}, nil)
		ended <- err
	}()
	b := openFile(t, server.URL+"/#token=t%20o")
	b.do(chromedp.Poll(`document.querySelector('.step') && document.querySelector('meter')`, nil, chromedp.WithPollingInterval(20*time.Millisecond)))
	page := b.text("sessions")
	for _, want := range []string{"session 1", `"take" (QueueDequeueV2) runs or waits`, "<b>jobs", "0 of 4"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	if got := b.text("title"); got != "<i>service" {
		t.Errorf("the title is %q", got)
	}
	b.do(chromedp.Evaluate(`window.confirm = () => true; document.querySelector('.step button').click()`, nil))
	if err := <-ended; troupe.CodeOf(err) != troupe.Aborted {
		t.Errorf("the step ended with %v", err)
	}
	b.do(chromedp.Poll(`document.querySelector('.failures li') && !document.querySelector('.step')`, nil, chromedp.WithPollingInterval(20*time.Millisecond)))
}

var built = flag.String("playground", "", "the playground's page, instead of one that is built")

// The playground runs, explores and steps through examples without a server.
func TestPlayground(t *testing.T) {
	if allocator == nil {
		t.Skip("there is no Chromium")
	}
	file := *built
	if file == "" {
		if testing.Short() {
			t.Skip("it takes a minute to build")
		}
		file = filepath.Join(t.TempDir(), "playground.html")
		if out, err := exec.Command("go", "run", "./playground", "-o", file).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	const most = 8_000_000 // of the program, compressed; in the page in base64
	if n := info.Size() * 3 / 4; n > most {
		t.Errorf("the program has %d bytes, compressed", n)
	}
	b := openFile(t, "file://"+file)
	b.do(chromedp.Poll(`document.documentElement.dataset.outcome === 'run'`, nil, chromedp.WithPollingInterval(50*time.Millisecond)))
	if got := b.text("outcome"); !strings.Contains(got, "exit:0 = 4") {
		t.Errorf("the first example comes to %s", got)
	}
	inFrame := func(js string) string {
		return eval[string](b, `(() => { const d = document.getElementById('frame').contentDocument; return String(`+js+`) })()`)
	}
	frameReady := `document.getElementById('frame').contentDocument && document.getElementById('frame').contentDocument.documentElement.dataset.ready === 'yes'`
	b.do(chromedp.Poll(frameReady, nil, chromedp.WithPollingInterval(50*time.Millisecond)))
	inFrame(`(d.getElementById('last').click(), '')`)
	if got := inFrame(`d.getElementById('now').innerText`); !strings.Contains(got, "The run has ended.") {
		t.Errorf("the run ends with %s", got)
	}
	b.do(chromedp.Evaluate(`{ const s = document.getElementById('example'); s.value = '06-a-deadlock'; document.documentElement.dataset.outcome = ''; s.dispatchEvent(new Event('change')) }`, nil),
		chromedp.Poll(`document.documentElement.dataset.outcome === 'explore'`, nil, chromedp.WithPollingInterval(50*time.Millisecond)))
	if got := b.text("outcome"); !strings.Contains(got, "A deadlock") {
		t.Errorf("the deadlock comes to %s", got)
	}
	// What is pasted is a graph or an error, and never markup.
	b.do(chromedp.Evaluate(`{ document.getElementById('text').value = '<img src=x onerror=alert(1)>'; document.documentElement.dataset.outcome = ''; document.getElementById('run').click() }`, nil),
		chromedp.Poll(`document.documentElement.dataset.outcome === 'run'`, nil, chromedp.WithPollingInterval(50*time.Millisecond)))
	if got := b.text("outcome"); !strings.Contains(got, "line 1") || eval[int](b, `document.querySelectorAll('img').length`) != 0 {
		t.Errorf("markup comes to %s", got)
	}
}

var shots = flag.Bool("shots", false, "write the goldens of screenshots anew")

// TestShots compares pictures of pages with goldens: means of brightness over fields of the
// window, as fonts differ from machine to machine.
func TestShots(t *testing.T) {
	pages := map[string]struct {
		url    string
		moment int
	}{
		"loop": {example(t, "01-a-loop", false), 30},
		"race": {example(t, "05-a-race", true), 6},
	}
	for name, at := range pages {
		for _, width := range []int64{1300, 700} {
			for _, scheme := range []string{"light", "dark"} {
				file := fmt.Sprintf("testdata/%s-%d-%s.png", name, width, scheme)
				t.Run(filepath.Base(file), func(t *testing.T) {
					b := openFile(t, "about:blank", chromedp.EmulateViewport(width, 900), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}))
					b.load(at.url)
					b.moment(at.moment)
					b.do(chromedp.Evaluate(`document.getElementById('fit').click()`, nil))
					var shot []byte
					b.do(page.BringToFront(), chromedp.CaptureScreenshot(&shot), chromedp.CaptureScreenshot(&shot)) // the first one draws a frame
					if dir := os.Getenv("SHOTS"); dir != "" {
						os.WriteFile(filepath.Join(dir, filepath.Base(file)), shot, 0o666)
					}
					got := fields(t, shot)
					if *shots {
						var out bytes.Buffer
						if err := png.Encode(&out, got); err != nil {
							t.Fatal(err)
						}
						if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
							t.Fatal(err)
						}
						return
					}
					r, err := os.Open(file)
					if err != nil {
						t.Fatal(err)
					}
					defer r.Close()
					want, err := png.Decode(r)
					if err != nil {
						t.Fatal(err)
					}
					sum := 0.0
					for y := range fieldsHigh {
						for x := range fieldsWide {
							sum += abs(float64(got.GrayAt(x, y).Y) - float64(color.GrayModel.Convert(want.At(x, y)).(color.Gray).Y))
						}
					}
					if mean := sum / (fieldsWide * fieldsHigh); mean > 8 {
						t.Errorf("the picture differs from %s by %.1f of 255 in the mean; -shots writes it anew", file, mean)
					}
				})
			}
		}
	}
}

const fieldsWide, fieldsHigh = 52, 36

func fields(t *testing.T, shot []byte) *image.Gray {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	size := full.Bounds()
	out := image.NewGray(image.Rect(0, 0, fieldsWide, fieldsHigh))
	for y := range fieldsHigh {
		for x := range fieldsWide {
			sum, n := 0, 0
			for v := size.Dy() * y / fieldsHigh; v < size.Dy()*(y+1)/fieldsHigh; v++ {
				for u := size.Dx() * x / fieldsWide; u < size.Dx()*(x+1)/fieldsWide; u++ {
					sum += int(color.GrayModel.Convert(full.At(u, v)).(color.Gray).Y)
					n++
				}
			}
			out.SetGray(x, y, color.Gray{uint8(sum / max(n, 1))})
		}
	}
	return out
}

func abs(x float64) float64 { return max(x, -x) }
