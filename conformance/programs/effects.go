package programs

import (
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// An Effects is a random graph of conditionals, loops and calls whose bodies count: each
// assignment has a counter of its own. It knows how often each runs if only some outputs
// are asked for; the rules are those of package plan/lower.
type Effects struct {
	Graph    *graph.Graph
	Init     []*graph.Node  // set the counters to zero
	Counters []graph.Output // their values

	root      *effectBody
	nodes     []*graph.Node // of the root's items
	handles   []graph.Output
	bodies    int
	functions []*graph.Function
	src       Source
}

// An Ask is what a step asks of the graph: fetches and targets, and how often each
// counter is added to then.
type Ask struct {
	Fetches []graph.Output
	Targets []*graph.Node
	Want    []int32
}

type effectKind int

const (
	effectIf effectKind = iota
	effectCase
	effectWhile
	effectCall
	effectByName
	effectKinds
)

// An effectBody is the body of a function, or the graph.
type effectBody struct {
	name    string
	items   []effectItem
	results []effectResult
	listed  []int // items that are control outputs
}

// An effectItem adds to a counter or is a node, and waits for earlier items.
type effectItem struct {
	counter int
	node    *effectNode // nil: it adds to the counter
	after   []int
}

// An effectNode is a node with bodies. A loop has as many outputs as arguments, and its
// second body is its condition, which waits for what its result waits for and compares
// how often the loop has turned.
type effectNode struct {
	kind   effectKind
	marked bool
	chosen int // the branch that runs, or how often the body does
	args   []effectValue
	outs   int
	bodies []*effectBody
}

// An effectValue is an output of an item that is a node, or an argument of the body.
type effectValue struct{ item, index int }

const effectArg = -1 // as item of a value

// An effectResult is a value once items have run.
type effectResult struct {
	value effectValue
	after []int
}

// NewEffects draws a graph, with bodies in one another to that depth.
func NewEffects(src Source, depth int) *Effects {
	e := &Effects{Graph: graph.New(), src: src}
	e.root = e.body(depth, 1, 0)
	for k := range e.countersOf(e.root) {
		h := e.add(e.Graph, "VarHandleOp", fmt.Sprintf("counter_%d", k), attrs{"dtype": tensor.Int32, "shape": graph.ScalarShape(), "shared_name": fmt.Sprintf("c%d", k)}).Output(0)
		zero := e.constant(e.Graph, int32(0))
		e.handles = append(e.handles, h)
		e.Init = append(e.Init, e.add(e.Graph, "AssignVariableOp", "", nil, h, zero))
		e.Counters = append(e.Counters, e.add(e.Graph, "ReadVariableOp", "", attrs{"dtype": tensor.Int32}, h).Output(0))
	}
	e.nodes = e.write(e.Graph, e.root, []graph.Output{e.constant(e.Graph, float32(1))}, e.handles)
	return e
}

// one says yes once in n times.
func (e *Effects) one(n int) bool { return e.src.Int("one of", 1, n) == 1 }

// some draws some of n items.
func (e *Effects) some(n int) (list []int) {
	for k := range n {
		if e.one(3) {
			list = append(list, k)
		}
	}
	return list
}

// body draws a body of some arguments and results.
func (e *Effects) body(depth, args, results int) *effectBody {
	b := &effectBody{name: fmt.Sprintf("effects_%d", e.bodies)}
	e.bodies++
	value := func() effectValue {
		if k := e.src.Int("value", -1, len(b.items)-1); k >= 0 && b.items[k].node != nil && b.items[k].node.outs > 0 {
			return effectValue{k, e.src.Int("output", 0, b.items[k].node.outs-1)}
		}
		return effectValue{effectArg, e.src.Int("argument", 0, args-1)}
	}
	for range e.src.Int("items", 1, 4) {
		item := effectItem{after: e.some(len(b.items))}
		if depth > 0 && e.one(2) {
			item.node = e.node(depth-1, value)
		}
		b.items = append(b.items, item)
	}
	for range results {
		b.results = append(b.results, effectResult{value(), e.some(len(b.items))})
	}
	if e.one(2) {
		b.listed = e.some(len(b.items))
	}
	return b
}

func (e *Effects) node(depth int, value func() effectValue) *effectNode {
	n := &effectNode{kind: effectKind(e.src.Int("kind", 0, int(effectKinds)-1)), marked: !e.one(3)}
	for range e.src.Int("arguments", 1, 3) {
		n.args = append(n.args, value())
	}
	n.outs = e.src.Int("outputs", 0, 3)
	bodies := 1
	switch n.kind {
	case effectIf:
		bodies = 2
	case effectCase:
		bodies = e.src.Int("branches", 1, 3)
	case effectWhile:
		n.outs = len(n.args)
	}
	for range bodies {
		n.bodies = append(n.bodies, e.body(depth, len(n.args), n.outs))
	}
	n.chosen = e.src.Int("chosen", 0, bodies-1)
	if n.kind == effectWhile {
		n.chosen = e.src.Int("turns", 0, 3)
		n.bodies = append(n.bodies, e.body(0, len(n.args), 1))
	}
	return n
}

// countersOf numbers the counters of a body, and of those in it; it is all of them.
func (e *Effects) countersOf(b *effectBody) (all []*effectItem) {
	var see func(b *effectBody)
	see = func(b *effectBody) {
		for k := range b.items {
			if n := b.items[k].node; n != nil {
				for _, inner := range n.bodies {
					see(inner)
				}
				continue
			}
			b.items[k].counter = len(all)
			all = append(all, &b.items[k])
		}
	}
	see(b)
	return all
}

func (e *Effects) add(g *graph.Graph, op, name string, a attrs, in ...any) *graph.Node {
	spec := graph.OpSpec{Type: op, Attrs: a}
	for _, x := range in {
		switch x := x.(type) {
		case graph.Output:
			spec.Input = append(spec.Input, x)
		case []graph.Output:
			spec.Input = append(spec.Input, graph.OutputList(x))
		case []*graph.Node:
			spec.ControlDependencies = x
		}
	}
	if spec.Name = name; name == "" {
		spec.Name = g.UniqueName(op)
	}
	n, err := g.AddOperation(spec)
	if err != nil {
		panic(fmt.Sprintf("programs: %s %s: %v", op, name, err))
	}
	return n
}

func (e *Effects) constant(g *graph.Graph, x any) graph.Output {
	t, err := tensor.NewTensor(x)
	if err != nil {
		panic(err)
	}
	return e.add(g, "Const", "", attrs{"value": t, "dtype": t.DType()}).Output(0)
}

// write adds the items of a body to a graph.
func (e *Effects) write(g *graph.Graph, b *effectBody, args, handles []graph.Output) (nodes []*graph.Node) {
	value := func(v effectValue) graph.Output {
		if v.item == effectArg {
			return args[v.index]
		}
		if b.items[v.item].node.kind == effectWhile {
			v.index++ // the first counts
		}
		return nodes[v.item].Output(v.index)
	}
	for k := range b.items {
		it := &b.items[k]
		after := picked(nodes, it.after)
		if it.node == nil {
			one := e.constant(g, int32(1))
			nodes = append(nodes, e.add(g, "AssignAddVariableOp", fmt.Sprintf("%s_count_%d", b.name, it.counter), nil, handles[it.counter], one, after))
			continue
		}
		n := it.node
		var in []graph.Output
		for _, v := range n.args {
			in = append(in, value(v))
		}
		in = append(in, handles...)
		out := make([]tensor.DType, n.outs)
		for i := range out {
			out[i] = tensor.Float
		}
		a := attrs{"Tin": typesOf(in), "Tout": out}
		if n.marked {
			a["_lower_using_switch_merge"] = true
		}
		var bodies []*registry.Func
		for i, inner := range n.bodies {
			bodies = append(bodies, e.write1(g, n, inner, i))
		}
		name := fmt.Sprintf("%s_node_%d", b.name, k)
		switch n.kind {
		case effectIf:
			a["else_branch"], a["then_branch"] = bodies[0], bodies[1]
			nodes = append(nodes, e.add(g, "If", name, a, e.constant(g, n.chosen == 1), in, after))
		case effectCase:
			a["branches"] = bodies
			nodes = append(nodes, e.add(g, "Case", name, a, e.constant(g, int32(n.chosen)), in, after))
		case effectWhile:
			in = append([]graph.Output{e.constant(g, int32(0))}, in...)
			a["T"], a["body"], a["cond"] = typesOf(in), bodies[0], bodies[1]
			delete(a, "Tin")
			delete(a, "Tout")
			nodes = append(nodes, e.add(g, "While", name, a, in, after))
		case effectCall:
			a["f"] = bodies[0]
			nodes = append(nodes, e.add(g, "StatefulPartitionedCall", name, a, in, after))
		case effectByName:
			var single []any
			for _, o := range in {
				single = append(single, o)
			}
			nodes = append(nodes, e.add(g, bodies[0].Name, name, nil, append(single, after)...))
		}
	}
	return nodes
}

// write1 adds the function of body i of a node, and those that it calls, to the library of
// a graph.
func (e *Effects) write1(g *graph.Graph, n *effectNode, b *effectBody, i int) *registry.Func {
	inner, before := graph.New(), len(e.functions)
	at := 0
	arg := func(dt tensor.DType) graph.Output {
		at++
		return e.add(inner, "_Arg", "", attrs{"T": dt, "index": int64(at - 1)}).Output(0)
	}
	var turn graph.Output
	if n.kind == effectWhile {
		turn = arg(tensor.Int32)
	}
	var args, handles []graph.Output
	for range n.args {
		args = append(args, arg(tensor.Float))
	}
	for range e.handles {
		handles = append(handles, arg(tensor.Resource))
	}
	nodes := e.write(inner, b, args, handles)
	var results []graph.Output
	for _, r := range b.results {
		v := args
		if r.value.item != effectArg {
			v = nil
			for k := range nodes[r.value.item].NumOutputs() {
				v = append(v, nodes[r.value.item].Output(k))
			}
			if b.items[r.value.item].node.kind == effectWhile {
				v = v[1:]
			}
		}
		results = append(results, e.add(inner, "Identity", "", nil, v[r.value.index], picked(nodes, r.after)).Output(0))
	}
	switch {
	case n.kind == effectWhile && i == 1:
		limit := e.constant(inner, int32(n.chosen))
		less := e.add(inner, "Less", "", nil, turn, limit, picked(nodes, b.results[0].after))
		results = []graph.Output{less.Output(0)}
	case n.kind == effectWhile:
		next := e.add(inner, "AddV2", "", nil, turn, e.constant(inner, int32(1)))
		results = append(append([]graph.Output{next.Output(0)}, results...), handles...)
	}
	for k, o := range results {
		e.add(inner, "_Retval", "", attrs{"T": o.DataType(), "index": int64(k)}, o)
	}
	body, err := graph.NewBody(inner)
	if err != nil {
		panic(err)
	}
	for _, k := range b.listed {
		body.Controls = append(body.Controls, graph.ControlOutput{Name: nodes[k].Name(), Op: nodes[k]})
	}
	f, err := body.Function(b.name, nil)
	e.functions = append(e.functions, f)
	for _, f := range e.functions[before:] { // those that it calls come before it
		if err == nil {
			err = g.AddFunction(f, nil)
		}
	}
	if err != nil {
		panic(fmt.Sprintf("programs: function %s: %v", b.name, err))
	}
	return &registry.Func{Name: b.name}
}

// picked is some of a list.
func picked(nodes []*graph.Node, which []int) (list []*graph.Node) {
	for _, k := range which {
		list = append(list, nodes[k])
	}
	return list
}
