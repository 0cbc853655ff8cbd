package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve/config"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// layers is what a signature of a SavedModel runs, functions in place of what calls
// them, summed up by layers: operations whose names have the first scope in common, apart
// from those that all have.
type layers struct {
	key        string
	operations int // without arguments, results and variables
	variables  int
	parameters int64 // elements of variables whose shapes are known
	bytes      int64
	unknown    int // variables whose shapes are not
	list       []*layer
	edges      map[[2]*layer]bool
	inputs     map[[2]string]bool // the name of a signature's input, and of a layer that takes it
}

type layer struct {
	name       string
	operations int
	parameters int64
	output     string // type and shape of the last result that others take
}

// shownSignature returns the one that show sums up: the one named, or the default, or the
// first; "" if there is none that computes anything.
func shownSignature(signatures map[string]troupe.Signature, key string) (string, error) {
	own := ofUser(signatures)
	if _, ok := own[key]; ok {
		return key, nil
	}
	if key != "" {
		_, _, err := signatureOfKey(&troupe.SavedModel{Signatures: signatures}, key)
		return "", err
	}
	if _, ok := own[defaultSignature]; ok {
		return defaultSignature, nil
	}
	for _, key := range sorted.Keys(own) {
		if names, _ := resultsOf(own[key]); len(names) > 0 {
			return key, nil
		}
	}
	return "", nil
}

// endsOf returns the tensors of a signature's inputs and outputs, and what it runs.
func endsOf(g *troupe.Graph, sig troupe.Signature) (spec compile.Spec, err error) {
	for k, infos := range []map[string]troupe.TensorInfo{sig.Inputs, sig.Outputs} {
		for _, name := range sorted.Keys(infos) {
			info := infos[name]
			switch {
			case info.Name == "": // made of several tensors
			case isOperation(info):
				op, err := findOperation(g, info.Name)
				if err != nil {
					return spec, err
				}
				spec.Targets = append(spec.Targets, op)
			default:
				o, err := findOutput(g, info.Name)
				if err != nil {
					return spec, err
				}
				if k == 0 {
					spec.Feeds = append(spec.Feeds, o)
				} else {
					spec.Fetches = append(spec.Fetches, o)
				}
			}
		}
	}
	return spec, nil
}

// signatureProgram compiles a signature, without units, so that each node stands for itself.
func signatureProgram(ctx context.Context, g *troupe.Graph, sig troupe.Signature) (*nodes.Program, error) {
	spec, err := endsOf(g, sig)
	if err != nil {
		return nil, err
	}
	spec.NoUnits = true
	return compile.Graph(ctx, g, spec)
}

// newLayers sums up a signature.
func newLayers(ctx context.Context, g *troupe.Graph, key string, sig troupe.Signature) (*layers, error) {
	p, err := signatureProgram(ctx, g, sig)
	if err != nil {
		return nil, err
	}
	var defs []*graph.Node
	for _, def := range p.Nodes() {
		if def != nil {
			defs = append(defs, def)
		}
	}
	l := &layers{key: key, edges: map[[2]*layer]bool{}, inputs: map[[2]string]bool{}}
	known := map[string]*layer{}
	of := map[*graph.Node]*layer{}
	common := commonScope(defs)
	for _, n := range flowOrder(defs) {
		if isVariable(n) {
			l.variable(n)
			continue
		}
		if passes(n) || mustBeFed(n) {
			continue
		}
		name, _, scoped := strings.Cut(strings.TrimPrefix(n.Name(), common), "/")
		if !scoped {
			name = "(others)"
		}
		at := known[name]
		if at == nil {
			at = &layer{name: name}
			known[name] = at
			l.list = append(l.list, at)
		}
		at.operations++
		l.operations++
		of[n] = at
		for i := range n.NumOutputs() {
			if t := n.OutputTypes()[i]; t != tensor.Resource {
				at.output = fmt.Sprintf("%v %v", t, n.Output(i).Shape())
			}
		}
	}
	l.connect(defs, of)
	infos := map[string]string{} // of a tensor of the graph, the signature's name
	for name, info := range sig.Inputs {
		infos[info.Name] = name
	}
	for _, n := range defs {
		for _, in := range n.Inputs() {
			if name, ok := infos[source(in).String()]; ok && of[n] != nil {
				l.inputs[[2]string{name, of[n].name}] = true
			}
		}
	}
	return l, nil
}

// commonScope returns the scope that all operations of a model are in, as "sequential/".
func commonScope(defs []*graph.Node) (common string) {
	first := true
	for _, n := range defs {
		name := n.Name()
		if isVariable(n) || passes(n) || mustBeFed(n) || n.Class() == graph.ClassConstant || !strings.Contains(name, "/") {
			continue
		}
		scope := name[:strings.LastIndexByte(name, '/')+1]
		if first {
			common, first = scope, false
			continue
		}
		for !strings.HasPrefix(scope, common) {
			common = common[:strings.LastIndexByte(strings.TrimSuffix(common, "/"), '/')+1]
		}
	}
	return common
}

// passes reports whether a node only forwards what it gets, as calls leave behind.
func passes(n *graph.Node) bool {
	switch n.Type() {
	case "Identity", "IdentityN", "NoOp", "_Arg", "_Retval":
		return true
	}
	return false
}

// source returns what an input stands for, past nodes that hand on.
func source(o graph.Output) graph.Output {
	for passes(o.Op) && o.Op.NumInputs() > o.Index {
		o = o.Op.Inputs()[o.Index]
	}
	return o
}

// flowOrder is nodes in the order in which values reach them, back edges of loops apart.
func flowOrder(defs []*graph.Node) (order []*graph.Node) {
	type visit struct {
		n    *graph.Node
		next int
	}
	seen := map[*graph.Node]bool{}
	among := map[*graph.Node]bool{}
	for _, n := range defs {
		among[n] = true
	}
	for _, root := range defs {
		if seen[root] {
			continue
		}
		seen[root] = true
		open := []visit{{n: root}}
		for len(open) > 0 {
			v := &open[len(open)-1]
			if v.next == v.n.NumInputs() {
				order = append(order, v.n)
				open = open[:len(open)-1]
				continue
			}
			from := v.n.Inputs()[v.next].Op
			v.next++
			if among[from] && !seen[from] && !v.n.IsBackEdge(v.next-1) {
				seen[from] = true
				open = append(open, visit{n: from})
			}
		}
	}
	return order
}

// variable counts a variable.
func (l *layers) variable(n *graph.Node) {
	l.variables++
	elements, bytes := variableSize(n)
	if elements < 0 {
		l.unknown++
		return
	}
	l.parameters += elements
	l.bytes += bytes
}

// variableSize returns the elements and bytes of a variable, -1 if its shape is not known.
func variableSize(n *graph.Node) (elements, bytes int64) {
	t := n.Attrs().Find("dtype")
	if t == nil || len(n.OutputShapes()) == 0 {
		return -1, 0
	}
	shape := n.OutputShapes()[0] // of a reference; of a handle it is that of what is behind it
	if h := n.OutputHandles(); len(h) > 0 && len(h[0]) > 0 {
		shape = h[0][0].Shape
	}
	elements, err := shape.NumElements()
	if err != nil || !shape.Full() || elements < 0 {
		return -1, 0
	}
	return elements, elements * int64(t.Type.Size())
}

// connect finds which layer takes what of which, and whose the variables are.
func (l *layers) connect(defs []*graph.Node, of map[*graph.Node]*layer) {
	counted := map[*graph.Node]bool{}
	for _, n := range defs {
		to := of[n]
		if to == nil {
			continue
		}
		for _, in := range n.Inputs() {
			from := source(in).Op
			if isVariable(from) && !counted[from] {
				counted[from] = true
				if elements, _ := variableSize(from); elements > 0 {
					to.parameters += elements
				}
			}
			if at := of[from]; at != nil && at != to && from.Class() != graph.ClassConstant {
				l.edges[[2]*layer{at, to}] = true
			}
		}
	}
}

// mostLayers is how many layers are listed.
const mostLayers = 200

// write prints the summary as a table.
func (l *layers) write(w io.Writer) error {
	fmt.Fprintf(w, "%s runs %s in %s, with %s in %s, %s\n", plain.Line(l.key), count(l.operations, "operation"), count(len(l.list), "layer"),
		count(int(l.parameters), "parameter"), count(l.variables, "variable"), size(l.bytes))
	if l.unknown > 0 {
		fmt.Fprintf(w, "of %s the shape is not known\n", count(l.unknown, "variable"))
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "  LAYER\tOPERATIONS\tPARAMETERS\tOUTPUT")
	for i, x := range l.list {
		if i == mostLayers {
			fmt.Fprintf(t, "  and %d more\n", len(l.list)-i)
			break
		}
		fmt.Fprintf(t, "  %s\t%d\t%d\t%s\n", plain.Line(x.name), x.operations, x.parameters, x.output)
	}
	return t.Flush()
}

// writeDot draws layers, from top to bottom, in Graphviz's language.
func (l *layers) writeDot(w io.Writer) {
	fmt.Fprintf(w, "digraph {\n\tlabel=%q; fontname=\"sans-serif\"\n\tnode [shape=box, style=rounded, fontname=\"sans-serif\"]\n", l.key)
	for _, x := range l.list {
		label := x.name + "\n" + x.output
		if x.parameters > 0 {
			label += "\n" + count(int(x.parameters), "parameter")
		}
		fmt.Fprintf(w, "\t%q [label=%q]\n", "layer "+x.name, label)
	}
	for _, in := range sortedPairs(l.inputs) {
		fmt.Fprintf(w, "\t%q [label=%q, shape=plaintext]\n\t%q -> %q\n", "input "+in[0], in[0], "input "+in[0], "layer "+in[1])
	}
	for i, from := range l.list {
		for k, to := range l.list {
			if l.edges[[2]*layer{from, to}] {
				style := ""
				if k < i { // as of a loop
					style = " [constraint=false]"
				}
				fmt.Fprintf(w, "\t%q -> %q%s\n", "layer "+from.name, "layer "+to.name, style)
			}
		}
	}
	fmt.Fprintln(w, "}")
}

func sortedPairs(set map[[2]string]bool) [][2]string {
	var all [][2]string
	for p := range set {
		all = append(all, p)
	}
	sorted.By(all, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	return all
}

// size returns a number of bytes in the unit that suits it.
func size(n int64) string {
	x, unit := float64(n), 0
	for x >= 1024 && unit < len(config.Units)-1 {
		x, unit = x/1024, unit+1
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", x, config.Units[unit])
}

// layersOf sums up the signature of that key of a SavedModel's graph, nil if it has none
// that computes.
func (m *model) layersOf(ctx context.Context, key string) (*layers, error) {
	for _, g := range m.saved {
		if !slices.Equal(g.Tags, m.tags) {
			continue
		}
		key, err := shownSignature(g.Signatures, key)
		if err != nil || key == "" {
			return nil, err
		}
		l, err := newLayers(ctx, m.graph, key, g.Signatures[key])
		if err != nil {
			return nil, status.Within(err, "signature %s cannot be summed up", key)
		}
		return l, nil
	}
	return nil, nil
}
