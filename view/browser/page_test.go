package browser

import (
	"archive/zip"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/view"
)

var chromium = flag.String("chromium", "", "the browser to test with, instead of the first of chromium, chromium-browser and google-chrome in the PATH")

var allocator context.Context // nil: there is no browser

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withBrowser(m.Run))
}

func withBrowser(run func() int) int {
	path := *chromium
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path == "" {
			path, _ = exec.LookPath(name)
		}
	}
	if path != "" {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1300, 900))
		exec, stop := chromedp.NewExecAllocator(context.Background(), options...)
		defer stop()
		var end context.CancelFunc
		allocator, end = chromedp.NewContext(exec)
		defer end()
		if err := chromedp.Run(allocator); err != nil {
			fmt.Fprintln(os.Stderr, "the browser does not start:", err)
			return 1
		}
	}
	return run()
}

// A tab has a page open, and collects what the browser reports as wrong with it.
type tab struct {
	*testing.T
	ctx    context.Context
	url    string
	mu     sync.Mutex
	errors []string
}

// open opens a page that write has filled.
func open(t *testing.T, title string, fill func(*view.Page)) *tab {
	t.Helper()
	p := view.New(title)
	fill(p)
	file := filepath.Join(t.TempDir(), "page.html")
	w, err := os.Create(file)
	if err == nil {
		err = p.Write(w)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return openFile(t, "file://"+file)
}

// load loads a page, and waits until it is ready.
func (b *tab) load(url string) {
	b.Helper()
	b.url = url
	b.do(chromedp.Navigate(url), chromedp.Poll(`document.documentElement.dataset.ready === "yes"`, nil, chromedp.WithPollingInterval(20*time.Millisecond)))
}

// openFile opens a page, or, if it is about:blank, a tab that actions prepare.
func openFile(t *testing.T, url string, prepare ...chromedp.Action) *tab {
	t.Helper()
	return openFor(t, 30*time.Second, url, prepare...)
}

// openFor is openFile with a bound for all that is done with the tab.
func openFor(t *testing.T, limit time.Duration, url string, prepare ...chromedp.Action) *tab {
	t.Helper()
	if allocator == nil {
		t.Skip("there is no Chromium")
	}
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	ctx, stop := context.WithTimeout(ctx, limit) // ends a browser that hangs
	t.Cleanup(stop)
	b := &tab{T: t, ctx: ctx, url: url}
	chromedp.ListenTarget(ctx, func(e any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			b.errors = append(b.errors, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError {
				b.errors = append(b.errors, "console.error")
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError {
				b.errors = append(b.errors, e.Entry.Text)
			}
		}
	})
	if b.do(prepare...); url != "about:blank" {
		b.load(url)
	}
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, e := range b.errors {
			t.Errorf("the browser reports %s", e)
		}
	})
	return b
}

func (b *tab) do(actions ...chromedp.Action) {
	b.Helper()
	if err := chromedp.Run(b.ctx, actions...); err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.Fatal(err, b.errors)
	}
}

func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// eval returns the value of an expression in the page.
func eval[T any](b *tab, js string) (v T) {
	b.Helper()
	b.do(chromedp.Evaluate(js, &v))
	return v
}

// items returns what is shown: for each item its label, indented by how deep it is, with
// + or - where it is folded or unfolded.
func (b *tab) items() []string {
	b.Helper()
	return eval[[]string](b, `[...document.querySelectorAll('.item')].map(g => {
		let depth = 0
		for (let at = g.item.above; at.above; at = at.above) depth++
		const open = g.getAttribute('aria-expanded')
		return '  '.repeat(depth) + (open === 'true' ? '- ' : open === 'false' ? '+ ' : '') + g.item.label
	}).sort()`)
}

// toggle folds or unfolds the item with a label by a click on its button.
func (b *tab) toggle(label string) {
	b.Helper()
	b.click(label, ".toggle")
}

// click clicks on a part of an item.
func (b *tab) click(label, part string) {
	b.Helper()
	at := eval[[]float64](b, fmt.Sprintf(`(() => {
		const g = [...document.querySelectorAll('.item')].find(g => g.item.label === %q)
		const r = g.querySelector(%q).getBoundingClientRect()
		return [r.x + r.width / 2, r.y + Math.min(r.height / 2, 12)]
	})()`, label, part))
	b.do(chromedp.MouseClickXY(at[0], at[1]))
}

// press clicks on the first element that a selector finds.
func (b *tab) press(selector string) {
	b.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf(`document.querySelector(%q).click()`, selector), nil))
}

// search types a query.
func (b *tab) search(query string) {
	b.Helper()
	b.do(chromedp.Evaluate(fmt.Sprintf(`{ const s = document.getElementById('search'); s.value = %q; s.dispatchEvent(new Event('input')) }`, query), nil))
}

func (b *tab) text(id string) string {
	b.Helper()
	return eval[string](b, fmt.Sprintf(`document.getElementById(%q).innerText`, id))
}

func (b *tab) details() string {
	return eval[string](b, `document.getElementById('details').innerText`)
}

func graphOf(t *testing.T, text string) *troupe.Graph {
	t.Helper()
	g := troupe.NewGraph()
	if err := notation.Add(g, text); err != nil {
		t.Fatal(err)
	}
	return g
}

const small = `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [2,?]}
layer/dense/w = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [3] values: 1 2 3>}
layer/dense/mul = Mul(x, layer/dense/w)
layer/relu = Relu(layer/dense/mul)
y = Neg(layer/relu, ^x)
`

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w {
		t.Errorf("%s:\n%s\nwant:\n%s", what, g, w)
	}
}

func TestFolding(t *testing.T) {
	b := open(t, "small", func(p *view.Page) { p.AddGraph("graph", graphOf(t, small)) })
	unfolded := []string{"    mul", "    w", "  - dense", "  relu", "- layer", "x", "y"}
	equal(t, "a small graph opens unfolded", b.items(), unfolded)
	b.toggle("layer")
	equal(t, "folded", b.items(), []string{"+ layer", "x", "y"})
	if n := eval[string](b, `document.getElementById('drawing').dataset.edges`); n != "3" {
		t.Errorf("%s edges, want x to layer, layer to y, and the control edge from x to y", n)
	}
	b.toggle("layer")
	equal(t, "unfolded again", b.items(), unfolded)
	b.press("#fold")
	equal(t, "fold all", b.items(), []string{"+ layer", "x", "y"})
}

func TestDetails(t *testing.T) {
	b := open(t, "small", func(p *view.Page) { p.AddGraph("graph", graphOf(t, small)) })
	b.click("mul", "rect")
	d := b.details()
	for _, want := range []string{"layer/dense/mul", "Mul", "layer/relu", "x: float [2,?]", "z: float [2,3]"} {
		if !strings.Contains(d, want) {
			t.Errorf("details of mul lack %q:\n%s", want, d)
		}
	}
	b.click("w", "rect")
	if d := b.details(); !strings.Contains(d, "3 elements") || !strings.Contains(d, "1.0, 2.0, 3.0") {
		t.Errorf("details of w lack its value:\n%s", d)
	}
	b.do(chromedp.Evaluate(`[...document.querySelectorAll('#details button')].find(b => b.textContent === 'layer/dense/mul').click()`, nil))
	if d := b.details(); !strings.HasPrefix(d, "layer/dense/mul") {
		t.Errorf("the link to a consumer leads to\n%s", d)
	}
}

func TestSearch(t *testing.T) {
	b := open(t, "small", func(p *view.Page) { p.AddGraph("graph", graphOf(t, small)) })
	b.press("#fold")
	for _, c := range []struct{ query, want string }{
		{"dense", "layer/dense/w layer/dense/mul"},
		{"op:relu", "layer/relu"},
		{"op:rel", ""},
		{"shape:[3]", "layer/dense/w"},
		{"shape:[2, ?]", "x"},
		{"name:y", "layer/dense/w layer/dense/mul layer/relu y"},
		{"name:y op:neg", "y"},
	} {
		b.search(c.query)
		got := eval[[]string](b, `[...document.querySelectorAll('#found button')].map(b => b.textContent)`)
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("search for %q found %q, want %q", c.query, s, c.want)
		}
	}
	b.search("dense/mul")
	b.press("#found button")
	if items := strings.Join(b.items(), "\n"); !strings.Contains(items, "    mul") {
		t.Errorf("a click on what was found does not unfold its boxes:\n%s", items)
	}
}

// Function bodies unfold in their calls, those in them too, and recursion only as far as
// it is unfolded.
func TestCalls(t *testing.T) {
	g := graphOf(t, `
x = Placeholder() {dtype=DT_FLOAT}
y = twice(x)
func inner(x: float) -> (y: float) {
  n = Neg(x) {T=DT_FLOAT}
  return y = n:y:0
}
func twice(x: float) -> (y: float) {
  a = inner(x)
  b = inner(a:y:0)
  return y = b:y:0
}
`)
	b := open(t, "calls", func(p *view.Page) { p.AddGraph("graph", g) })
	equal(t, "at first", b.items(), []string{"+ y", "x"})
	b.toggle("y")
	equal(t, "the body of twice", b.items(), []string{"    + a", "    + b", "    x", "    y_RetVal", "  - twice", "- y", "x"})
}

// A SavedModel's page lists its signatures, and opens with the function behind the first,
// past functions that only call it, and with the scope that most of it is in.
func TestSignatures(t *testing.T) {
	g := graphOf(t, `
x = Placeholder() {dtype=DT_FLOAT}
call = wrapper(x)
saver/name = Const() {dtype=DT_STRING, value=Tensor<type: string shape: [] values: "file">}
func model(x: float) -> (y: float) {
  net/a = Neg(x) {T=DT_FLOAT}
  net/b = Abs(net/a:y:0) {T=DT_FLOAT}
  net/head/c = Exp(net/b:y:0) {T=DT_FLOAT}
  return y = net/head/c:y:0
}
func wrapper(x: float) -> (y: float) {
  inside = model(x)
  return y = inside:y:0
}
`)
	b := open(t, "model", func(p *view.Page) {
		p.AddGraph("graph", g)
		p.AddSignature("serving_default", []view.Port{{Name: "image", Tensor: "x:0", Type: "float [?]"}}, []view.Port{{Name: "score", Tensor: "call:0", Type: "float [?]"}, {Name: "<b>parts</b>", Type: "several"}})
	})
	items := strings.Join(b.items(), "\n")
	for _, want := range []string{"- call", "  - wrapper", "    - inside", "      - model", "        - net", "          + head"} {
		if !strings.Contains("\n"+items, "\n"+want) {
			t.Errorf("the page opens with\n%s\nwithout %q", items, want)
		}
	}
	if d := b.details(); !strings.HasPrefix(d, "serving_default") || !strings.Contains(d, "image") || !strings.Contains(d, "<b>parts</b>") {
		t.Errorf("at first the details are\n%s", d)
	}
	b.do(chromedp.Evaluate(`[...document.querySelectorAll('#details button')].find(b => b.textContent === 'score').click()`, nil))
	if d := b.details(); !strings.HasPrefix(d, "call\n") {
		t.Errorf("the output leads to\n%s", d)
	}
}

// Of a run's graph the nodes that the first graph does not have are marked.
func TestRun(t *testing.T) {
	b := open(t, "run", func(p *view.Page) {
		p.AddGraph("graph", graphOf(t, "x = Placeholder() {dtype=DT_FLOAT}\ny = Neg(x)"))
		run := graphOf(t, "x = Placeholder() {dtype=DT_FLOAT}\ny = Neg(x)\nz = Neg(x)\n")
		p.AddRun("run", run, run.Nodes(), "2 <b>loops</b>")
	})
	b.do(chromedp.Evaluate(`{ const s = document.getElementById('graph'); s.value = 1; s.dispatchEvent(new Event('change')) }`, nil))
	equal(t, "new nodes", eval[[]string](b, `[...document.querySelectorAll('.item.new')].map(g => g.item.label)`), []string{"z"})
	if d := b.details(); !strings.Contains(d, "2 <b>loops</b>") {
		t.Errorf("the run's note is not shown:\n%s", d)
	}
}

// Keys lead along edges and unfold boxes.
func TestKeys(t *testing.T) {
	b := open(t, "small", func(p *view.Page) { p.AddGraph("graph", graphOf(t, small)) })
	b.press("#fold")
	b.click("x", "rect")
	key := func(k string) {
		b.do(chromedp.Evaluate(fmt.Sprintf(`(document.querySelector('.item.chosen') || document.getElementById('drawing')).dispatchEvent(new KeyboardEvent('keydown', { key: %q, bubbles: true, cancelable: true }))`, k), nil))
	}
	key("ArrowDown")
	if d := b.details(); !strings.HasPrefix(d, "layer") {
		t.Errorf("down from x leads to\n%s", d)
	}
	key(" ")
	equal(t, "unfolded", b.items(), []string{"  + dense", "  relu", "- layer", "x", "y"})
	key("ArrowRight")
	key(" ")
	equal(t, "unfolded further", b.items(), []string{"    mul", "    w", "  - dense", "  relu", "- layer", "x", "y"})
	if roles := eval[int](b, `document.querySelectorAll('.item[role=treeitem][aria-label]').length`); roles != 7 {
		t.Errorf("%d items have a role and a label", roles)
	}
}

// Names, attributes and titles are text.
func TestMarkup(t *testing.T) {
	evil := `</script><script>window.bad=1</script><img src=x onerror="window.bad=1"><!--`
	g := troupe.NewGraph()
	if _, err := g.AddOperation(troupe.OpSpec{Type: "Const", Name: "c", Attrs: map[string]any{"value": mustTensor(t, []string{evil, "]]>\u2028"}), "dtype": troupe.String}}); err != nil {
		t.Fatal(err)
	}
	b := open(t, evil, func(p *view.Page) { p.AddGraph(evil+"{{data}}", g) })
	b.click("c", "rect")
	if d := b.details(); !strings.Contains(d, evil[:9]) {
		t.Errorf("the value is not shown as text:\n%s", d)
	}
	if eval[bool](b, `'bad' in window || document.querySelectorAll('img').length > 0 || document.scripts.length !== 2`) {
		t.Error("text of the model became markup")
	}
	if got := eval[string](b, `document.title`); got != evil {
		t.Errorf("the title is %q", got)
	}
}

func mustTensor(t *testing.T, v any) *troupe.Tensor {
	t.Helper()
	x, err := troupe.NewTensor(v)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// The policy allows no other script, and no request.
func TestPolicy(t *testing.T) {
	b := open(t, "policy", func(p *view.Page) { p.AddGraph("graph", graphOf(t, small)) })
	if eval[bool](b, `(() => {
		const s = document.createElement('script')
		s.textContent = 'window.bad = 1'
		document.body.append(s)
		return 'bad' in window
	})()`) {
		t.Error("another script was run")
	}
	var sent bool
	b.do(chromedp.Evaluate(`fetch('http://127.0.0.1:9/').then(() => true, () => false)`, &sent, awaited))
	refused := 0
	b.mu.Lock()
	for _, e := range b.errors {
		if strings.Contains(e, "Content Security Policy") {
			refused++
		}
	}
	b.errors = nil
	b.mu.Unlock()
	if sent || refused < 2 {
		t.Errorf("%d of a script and a request were refused by the policy", refused)
	}
}

// An address leads back to what was unfolded, chosen and in sight.
func TestPlace(t *testing.T) {
	b := open(t, "small", func(p *view.Page) { p.AddGraph("graph", graphOf(t, small)) })
	b.toggle("dense")
	b.click("relu", "rect")
	b.press("#in")
	b.do(chromedp.Poll(`location.hash.includes('relu')`, nil, chromedp.WithPollingInterval(20*time.Millisecond)))
	b.do(chromedp.Evaluate(`new Promise(done => setTimeout(done, 300))`, nil, awaited))
	hash := eval[string](b, `location.hash`)
	state := `[document.querySelector('.world').getAttribute('transform'), document.querySelector('.item.chosen').item.id]`
	was, items := eval[[]string](b, state), b.items()
	again := openFile(t, b.url+hash)
	equal(t, "place and choice", eval[[]string](again, state), was)
	equal(t, "items", again.items(), items)
}

// Of a large graph only what is unfolded is drawn, whether or not it has scopes.
func TestLarge(t *testing.T) {
	for _, c := range []struct{ title, scope string }{{"scopes", "block%d/layer%d/"}, {"flat", ""}} {
		t.Run(c.title, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("x0 = Placeholder() {dtype=DT_FLOAT}\n")
			last := "x0"
			for i := 1; i < 50_000; i++ {
				name := fmt.Sprint("n", i)
				if c.scope != "" {
					name = fmt.Sprintf(c.scope, i/2000, i/50%40) + name
				}
				fmt.Fprintf(&text, "%s = Neg(%s)\n", name, last)
				last = name
			}
			g := graphOf(t, text.String())
			b := open(t, c.title, func(p *view.Page) { p.AddGraph("graph", g) })
			if n := len(b.items()); n < 2 || n > 200 {
				t.Errorf("%d items are shown", n)
			}
			t.Logf("interactive after %.0f ms, drawn after %.0f ms", eval[float64](b, `performance.timing.domInteractive - performance.timing.navigationStart`), eval[float64](b, `performance.timing.domComplete - performance.timing.navigationStart`))
			b.search("n40321")
			b.press("#found button")
			if d := b.details(); !strings.Contains(d, "n40321") {
				t.Errorf("found:\n%s", d)
			}
			if n := len(b.items()); n > 300 {
				t.Errorf("%d items are shown after unfolding to one node", n)
			}
		})
	}
}

var cases = flag.String("cases", "../../conformance/testdata/control.zip,../../conformance/testdata/gradients.zip,../../conformance/testdata/models.zip", "the archives of recorded cases that TestCases opens, separated by commas")

// TestCases opens recorded graphs unfolded, as far as they are not too large, and with the
// bodies of functions: what is drawn is their nodes and edges.
//
//	go -C view/browser test . -run 'TestCases$' -every -v -timeout 1h
func TestCases(t *testing.T) {
	most := 12 // of an archive
	if *every {
		most = math.MaxInt
	}
	for _, archive := range strings.Split(*cases, ",") {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".zip"), func(t *testing.T) {
			names, graphs, refused := graphsOf(t, archive)
			if len(graphs) == 0 {
				t.Fatalf("no graph of %s loads, of %d", archive, refused)
			}
			step := max(1, len(graphs)/most)
			opened, nodes, bodies := 0, 0, 0
			for i := 0; i < len(graphs); i += step {
				t.Run(names[i], func(t *testing.T) {
					b := open(t, names[i], func(p *view.Page) { p.AddGraph("graph", graphs[i]) })
					for _, by := range []string{"scope", "frame", "device"} {
						eval[bool](b, fmt.Sprintf(`{ const s = document.getElementById('by'); s.value = %q; s.dispatchEvent(new Event('change')); true }`, by))
						b.complete("folded by "+by, graphs[i])
						b.press("#unfold")
						b.complete("unfolded by "+by, graphs[i])
					}
					opened, nodes, bodies = opened+1, nodes+graphs[i].NumNodes(), bodies+b.calls(graphs[i])
				})
			}
			t.Logf("%d graphs with %d nodes, and %d bodies of functions, were opened; %d are refused", opened, nodes, bodies, refused)
		})
	}
}

// graphsOf loads the graphs of an archive of recorded cases: those of graphs, and those of
// models, which are unpacked. refused is how many do not load, which some cases are about.
func graphsOf(t *testing.T, archive string) (names []string, graphs []*troupe.Graph, refused int) {
	t.Helper()
	z, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := t.TempDir()
	if err := os.CopyFS(dir, z); err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		path, name := filepath.Join(dir, f.Name), filepath.Base(filepath.Dir(f.Name))
		var g *troupe.Graph
		switch filepath.Base(f.Name) {
		case "graph.pb":
			def, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			g = troupe.NewGraph()
			if err := g.Import(def, ""); err != nil {
				refused++
				continue
			}
		case "saved_model.pb":
			m, err := troupe.LoadSavedModel(filepath.Dir(path), []string{"serve"}, nil)
			if err != nil {
				refused++
				continue
			}
			t.Cleanup(func() { m.Session.Close() })
			g, name = m.Graph, filepath.Base(filepath.Dir(filepath.Dir(f.Name)))
		default:
			continue
		}
		names, graphs = append(names, name), append(graphs, g)
	}
	return names, graphs, refused
}

// complete checks that each node of a graph is drawn or in one of the boxes that are, and
// that an edge is drawn between two of these exactly if there is one in the graph.
func (b *tab) complete(what string, g *troupe.Graph) {
	b.Helper()
	in := eval[[]int](b, `(() => {
		const all = [...document.querySelectorAll('#drawing .item')].map(g => g.item).filter(i => !i.tree.within), at = new Map(all.map((item, k) => [item, k])), tree = all[0].tree
		return tree.graph.names.map((_, i) => {
			let item = tree.leafOf[i]
			while (item && !(at.has(item) && (item.kind === 'leaf' || !item.open))) item = item.parent
			return item ? at.get(item) : -1
		})
	})()`)
	if len(in) != g.NumNodes() {
		b.Errorf("%s: the page has %d nodes of %d", what, len(in), g.NumNodes())
		return
	}
	count := map[int]int{}
	for i, k := range in {
		if k < 0 {
			b.Errorf("%s: %q is not drawn, nor what it is in", what, g.Nodes()[i].Name())
		}
		count[k]++
	}
	counts := eval[[]int](b, `[...document.querySelectorAll('#drawing .item')].map(g => g.item).filter(i => !i.tree.within).map(i => i.kind !== 'leaf' && i.open ? 0 : i.count || 1)`)
	for k, n := range counts {
		if count[k] != n {
			b.Errorf("%s: a box is said to have %d nodes, and has %d", what, n, count[k])
		}
	}
	pairs := map[[2]int]bool{}
	for e := range g.Edges() {
		from, to := e.From.Op.ID(), e.To.Op.ID()
		if in[from] != in[to] || from == to {
			pairs[[2]int{in[from], in[to]}] = true
		}
	}
	if edges := eval[int](b, `document.querySelectorAll('#drawing .edge').length`); edges != len(pairs) {
		b.Errorf("%s: %d edges are drawn of %d", what, edges, len(pairs))
	}
}

// calls unfolds the first node that is drawn of each function, checks the number of nodes of
// its body, and returns how many there are.
func (b *tab) calls(g *troupe.Graph) int {
	b.Helper()
	got := eval[map[string]int](b, `(() => {
		const sizes = {}
		for (const call of [...document.querySelectorAll('#drawing .item.call')].slice(0, 20)) {
			const item = call.item
			if (item.tree.within || item.open || item.tree.graph.calls(item.node).every(f => f.title in sizes)) continue
			const again = [...document.querySelectorAll('#drawing .item')].find(g => g.item === item)
			again.querySelector('.toggle').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))
			again.querySelector('.toggle').dispatchEvent(new PointerEvent('pointerup', { bubbles: true }))
			for (const g of document.querySelectorAll('#drawing .item')) {
				const i = g.item
				if (i.tree.within === item && i.kind !== 'graph' && (i.kind === 'leaf' || !i.open)) sizes[i.tree.graph.title] = (sizes[i.tree.graph.title] || 0) + (i.count || 1)
			}
		}
		return sizes
	})()`)
	for name, n := range got {
		body, err := g.Instantiate(&registry.Func{Name: name})
		if err != nil {
			continue // with attributes, which are in the name
		}
		if body.Graph.NumNodes() != n {
			b.Errorf("the body of %s is drawn with %d nodes of %d", name, n, body.Graph.NumNodes())
		}
	}
	return len(got)
}

var every = flag.Bool("every", false, "TestCases opens every case, not some")
