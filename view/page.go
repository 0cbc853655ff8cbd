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
}

// New returns an empty page.
func New(title string) *Page {
	return &Page{title: title, ops: map[string]documented{}, bodies: map[string]int{}}
}

// AddGraph adds a graph under a title, and the bodies of the functions that it calls.
func (p *Page) AddGraph(title string, g *graph.Graph) {
	p.add(title, "graph", g, g.Nodes())
}

// AddRun adds nodes of a graph, those that a run executes once passes have rewritten it.
// Those that the first graph does not have, by name and operation, are marked as new. A
// note, if it is not "", is shown next to the graph: say, the run's units.
func (p *Page) AddRun(title string, g *graph.Graph, nodes []*graph.Node, note string) {
	at := len(p.graphs)
	p.add(title, "run", g, nodes)
	if d := p.graphs[at]; d.Note != "" {
		d.Note += "\n" + note
	} else {
		d.Note = note
	}
}

// Write writes the page: about 80 kB, and what the graphs take.
func (p *Page) Write(w io.Writer) error {
	data, err := json.Marshal(map[string]any{
		"title": p.title, "texts": p.texts.list, "graphs": p.graphs, "ops": p.ops, "omitted": p.omitted,
	})
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
