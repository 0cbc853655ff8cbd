package view

import (
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// MaxNodes bounds how many nodes a page has, its functions' included. Functions whose
// bodies exceed it are left out; their calls cannot be unfolded.
const MaxNodes = 1_000_000

// maxText bounds the attributes' texts, in bytes.
const maxText = 400

// texts is a list without duplicates, to which rows refer by index.
type texts struct {
	list  []string
	index map[string]int
}

func (t *texts) of(s string) int {
	i, ok := t.index[s]
	if !ok {
		if t.index == nil {
			t.index = map[string]int{}
		}
		i = len(t.list)
		t.index[s] = i
		t.list = append(t.list, s)
	}
	return i
}

// A drawn is a graph as the page reads it.
type drawn struct {
	Title  string  `json:"title"`
	Kind   string  `json:"kind"` // "graph", "function", "run" or "program"
	Nodes  columns `json:"nodes"`
	Frames []row   `json:"frames,omitempty"` // name and parent; the first is the root
	Note   string  `json:"note,omitempty"`
	Values values  `json:"values"`
	// Before is the graph that a run's is compared with, and Loops says how its loops are run.
	Before int         `json:"before,omitempty"`
	Loops  []loopDrawn `json:"loops,omitempty"`
	// Signatures are of the graph of a SavedModel.
	Signatures []signature `json:"signatures,omitempty"`
	// Constant lists the Enters of loop invariants, of a program.
	Constant []int `json:"constant,omitempty"`
}

// A loopDrawn is how a loop is run.
type loopDrawn struct {
	Frame  string `json:"frame"`
	Unit   bool   `json:"unit"`
	Form   string `json:"form,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// A row is a tuple.
type row []any

// documented is an operation's documentation.
type documented struct {
	Summary string   `json:"summary,omitempty"`
	Text    string   `json:"text,omitempty"`
	Inputs  []string `json:"inputs,omitempty"`
	Outputs []string `json:"outputs,omitempty"`
}

// add adds nodes of a graph, and then the functions that they call, and those that these
// call.
func (p *Page) add(title, kind string, g *graph.Graph, nodes []*graph.Node) {
	type waiting struct {
		at   *int // the place of a call that waits for the function's place
		call *registry.Func
		g    *graph.Graph
	}
	var queue []waiting
	one := func(title, kind string, g *graph.Graph, nodes []*graph.Node) {
		for _, c := range p.draw(title, kind, g, nodes) {
			queue = append(queue, waiting{c.at, c.f, g})
		}
	}
	one(title, kind, g, nodes)
	bodies := map[string]int{} // of this graph's library
	for i := 0; i < len(queue); i++ {
		w := queue[i]
		key := w.call.String()
		place, ok := bodies[key]
		if !ok {
			place = -1
			if body, err := w.g.Instantiate(w.call); err == nil {
				title := (&registry.Func{Name: w.call.Name, Attrs: body.Attrs}).String()
				same, known := bodies[title]
				switch {
				case known:
					place = same
				case p.nodes+body.Graph.NumNodes() > MaxNodes:
					p.omitted++
				default:
					place = len(p.graphs)
					bodies[title] = place
					one(title, "function", body.Graph, body.Graph.Nodes())
				}
			}
			bodies[key] = place
		}
		*w.at = place
	}
}

// A call is a function that a node calls.
type call struct {
	at *int
	f  *registry.Func
}

// draw adds one graph, and returns the calls in it.
func (p *Page) draw(title, kind string, g *graph.Graph, nodes []*graph.Node) (calls []call) {
	d := &drawn{Title: title, Kind: kind, Nodes: newColumns(len(nodes))}
	p.graphs = append(p.graphs, d)
	p.nodes += len(nodes)
	place := make(map[*graph.Node]int, len(nodes))
	for i, n := range nodes {
		place[n] = i
	}
	at := func(n *graph.Node) int {
		if i, ok := place[n]; ok {
			return i
		}
		return -1
	}
	frameOf := func(*graph.Node) int { return 0 }
	if frames, err := g.Frames(); err != nil {
		d.Note = "frames cannot be determined: " + err.Error()
	} else if len(frames.Frames) > 1 {
		ids := map[*graph.Node]int{}
		for i, n := range g.Nodes() {
			ids[n] = i
		}
		for _, f := range frames.Frames {
			d.Frames = append(d.Frames, row{f.Name, f.Parent})
		}
		frameOf = func(n *graph.Node) int {
			i, ok := ids[n]
			if !ok {
				return 0
			}
			if in := frames.Entered[i]; in >= 0 {
				return in
			}
			return frames.FrameOf[i]
		}
	}
	for i, n := range nodes {
		c := &d.Nodes
		c.add(n.Name(), p.texts.of(n.Type()), p.texts.of(n.Device()), frameOf(n))
		for k, in := range n.Inputs() {
			c.Inputs.put(at(in.Op), in.Index)
			if n.IsBackEdge(k) {
				c.back(k)
			}
		}
		for _, from := range n.Controls() {
			c.Controls.put(at(from))
		}
		shapes := n.OutputShapes()
		for k, dt := range n.OutputTypes() {
			c.Outputs.put(p.texts.of(typeText(dt, shapes[k])))
		}
		for _, a := range n.Attrs() {
			if strings.HasPrefix(a.Name, "_") && a.Name != "_class" {
				continue
			}
			c.Attrs.put(p.texts.of(a.Name), p.texts.of(attrText(&a.Value)))
			if a.Value.Tensor != nil && n.Type() == "Const" {
				d.Values.add(i, a.Value.Tensor)
			}
		}
		for _, f := range n.Functions() {
			calls = append(calls, call{c.call(), f})
		}
		p.document(n)
	}
	return calls
}

// typeText returns an output's type and shape.
func typeText(dt tensor.DType, s shape.Shape) string {
	if s.Rank() == 0 {
		return dt.String()
	}
	return dt.String() + " " + s.String()
}

// attrText returns an attribute's value, shortened.
func attrText(v *registry.AttrValue) string {
	if t := v.Tensor; t != nil && t.NumElements() > 64 {
		return t.DType().String() + " " + strings.Join(strings.Fields(strings.ReplaceAll(dims(t.Shape()), ",", ", ")), " ")
	}
	s := v.String()
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + "…"
	}
	return s
}

// document adds what is known of a node's operation.
func (p *Page) document(n *graph.Node) {
	if _, ok := p.ops[n.Type()]; ok {
		return
	}
	var d documented
	if def := n.Def(); def != nil {
		d = documented{Summary: def.Summary, Text: def.Description}
		for i := range def.Inputs {
			d.Inputs = append(d.Inputs, def.Inputs[i].Name)
		}
		for i := range def.Outputs {
			d.Outputs = append(d.Outputs, def.Outputs[i].Name)
		}
	}
	p.ops[n.Type()] = d
}
