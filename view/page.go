package view

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/tensor"
)

//go:embed page.html
var pageText string

//go:embed page.js
var script string

//go:embed page.css
var style string

// frame returns the page up to its title, from there to its data, and what follows these.
var frame = sync.OnceValue(func() [3]string {
	text := strings.NewReplacer(
		"{{policy}}", "default-src 'none'; script-src '"+digest(script)+"'; style-src '"+digest(style)+"'; base-uri 'none'; form-action 'none'",
		"{{style}}", style,
		"{{script}}", script,
	).Replace(pageText)
	head, text, _ := strings.Cut(text, "{{title}}")
	middle, tail, _ := strings.Cut(text, "{{data}}")
	return [3]string{head, middle, tail}
})

// digest returns the source expression of a policy that allows one inline element.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// A Page is what a page shows: graphs, the first of which it opens with. It is not safe
// for concurrent use.
type Page struct {
	title   string
	graphs  []*drawn
	texts   texts
	ops     map[string]documented
	nodes   int            // in all graphs
	bodies  map[string]int // functions by graph and instance: their place in graphs, -1 for those that are not shown
	omitted int            // functions that were left out

	latest int           // the graph that was added last, but for functions
	first  []*graph.Node // of the first graph

	runs       []*played
	recordings []int // how many runs there are with each
	programs   map[profile.Program]int
	other      map[string]json.RawMessage // of an earlier page
}

// New returns an empty page.
func New(title string) *Page {
	return &Page{title: title, ops: map[string]documented{}, bodies: map[string]int{}}
}

// AddGraph adds a graph under a title, and the bodies of the functions that it calls.
func (p *Page) AddGraph(title string, g *graph.Graph) {
	p.latest = len(p.graphs)
	if p.latest == 0 {
		p.first = g.Nodes()
	}
	p.add(title, "graph", g, g.Nodes())
}

// AddRun adds nodes of a graph, those that a run executes once passes have rewritten it.
// Those that the first graph does not have, by name and operation, are marked as new. A
// note, if it is not "", is shown next to the graph: say, the run's units.
func (p *Page) AddRun(title string, g *graph.Graph, nodes []*graph.Node, note string) {
	at := len(p.graphs)
	p.latest = at
	p.add(title, "run", g, nodes)
	if d := p.graphs[at]; d.Note != "" {
		d.Note += "\n" + note
	} else {
		d.Note = note
	}
}

// AddPass adds nodes of a graph after a pass, as [Page.AddRun] does. Marked as new are those
// that the graph before it, which AddRun, AddPass or AddGraph has added last, does not have.
func (p *Page) AddPass(title string, g *graph.Graph, nodes []*graph.Node, note string) {
	before := p.latest
	p.AddRun(title, g, nodes, note)
	p.graphs[p.latest].Before = before
}

// AddLoops says how the loops of the graph that was added last are run: as units, with their
// forms, or by tokens, and why.
func (p *Page) AddLoops(plan nodes.Plan) {
	d := p.graphs[p.latest]
	for _, l := range plan.Loops {
		d.Loops = append(d.Loops, loopDrawn{l.Frame, l.Unit, cut(l.Form, maxForm), l.Reason})
	}
}

// AddValues adds the values of variables, by their shared names or, without one, their nodes'
// names, to the variables of the graph that was added first.
func (p *Page) AddValues(values map[string]*tensor.Tensor) {
	if len(p.graphs) == 0 {
		return
	}
	d := p.graphs[0]
	for i, n := range p.first {
		switch n.Type() {
		case "VarHandleOp", "VariableV2", "Variable":
		default:
			continue
		}
		name := n.Name()
		for _, a := range n.Attrs() {
			if a.Name == "shared_name" && a.Value.S != "" {
				name = a.Value.S
			}
		}
		t := values[name]
		if t == nil {
			continue
		}
		d.Values.add(i, t)
	}
}

// maxForm bounds the text of a loop's form.
const maxForm = 20_000

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "\n…"
}

// form is of the data. It changes with what a script could not read that knows another form.
const form = 2

// data returns what the page reads.
func (p *Page) data() map[string]any {
	data := map[string]any{
		"form": form, "title": p.title, "texts": p.texts.list, "graphs": p.graphs, "ops": p.ops, "omitted": p.omitted,
	}
	if len(p.runs) > 0 {
		data["runs"], data["recordings"] = p.runs, p.recordings
	}
	if p.other != nil {
		data["other"] = p.other
	}
	return data
}

// Write writes the page: about 100 kB, and what the graphs take.
func (p *Page) Write(w io.Writer) error {
	data, err := json.Marshal(p.data())
	if err != nil {
		return err
	}
	f := frame()
	for _, part := range []string{f[0], html.EscapeString(p.title), f[1], string(data), f[2]} { // json.Marshal escapes <, > and &
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}

// Assets returns the page's script and style sheet, and Digest the source expression of a
// Content-Security-Policy that allows an inline element with such a text: for pages that
// show pages of this package in a frame, which their own policy must allow.
func Assets() (js, css string) { return script, style }

// Digest returns the source expression of a policy that allows one inline element; see
// [Assets].
func Digest(text string) string { return digest(text) }
