package lower

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// inline plays the body of a function in a region: its nodes are copied, but for
// those that neither a result nor a side effect needs. A node that waits for
// nothing waits for the region's pivot, and frames get names of their own.
func (l *lowering) inline(t *task, f *registry.Func, r scope) (played, error) {
	var p played
	body, err := l.g.Instantiate(f)
	if err != nil {
		return p, err
	}
	if slices.Contains(t.within, f.Name) || l.added+l.size(f) > maxNodes {
		return l.keep(f, body, r)
	}
	if len(r.args) != len(body.Args) {
		return p, status.Invalid("function '%s' takes %d arguments, but is given %d", f.Name, len(body.Args), len(r.args))
	}
	within := append(slices.Clip(t.within), f.Name)
	copies := map[*graph.Node]*graph.Node{} // what a control edge from a node of the body becomes
	args := map[*graph.Node]graph.Output{}
	for i, a := range body.Args {
		if want, got := a.OutputTypes()[0], r.args[i].DataType(); want != got.Base() {
			return p, status.Invalid("argument %d of function '%s' is %v, but is given %v", i, f.Name, want, got)
		}
		args[a], copies[a] = r.args[i], r.args[i].Op
	}
	output := func(o graph.Output) graph.Output {
		if a, ok := args[o.Op]; ok {
			return a
		}
		return graph.Output{Op: copies[o.Op], Index: o.Index}
	}
	effects, ordered := effectsOf(body)
	needed := map[*graph.Node]bool{}
	graph.DepthFirst(slices.Concat(body.Results, effects), graph.InputNodes, func(n *graph.Node) { needed[n] = true }, nil)

	var loops []*graph.Node // Merges whose back edges are open
	for _, n := range body.Graph.Nodes() {
		if !needed[n] || copies[n] != nil {
			continue
		}
		if n.Class() == graph.ClassRetval {
			copies[n] = output(n.Inputs()[0]).Op
			continue
		}
		spec := graph.CopySpec{Name: l.e.UniqueName(r.name + "/" + n.Name()), Device: n.Device()}
		if spec.Device == "" {
			spec.Device = r.device
		}
		for k, in := range n.Inputs() {
			if n.IsBackEdge(k) {
				loops = append(loops, n)
				in = forward(n)
			}
			spec.Inputs = append(spec.Inputs, output(in))
		}
		for _, c := range n.Controls() {
			spec.Controls = append(spec.Controls, copies[c])
		}
		if len(spec.Inputs)+len(spec.Controls) == 0 {
			spec.Controls = []*graph.Node{r.pivot}
		}
		if n.Class() == graph.ClassEnter {
			spec.Attrs = withAttr(n.Attrs(), "frame_name", registry.StringAttr(r.name+"/"+n.FrameName()))
		}
		l.added++
		c, err := l.e.AddCopy(n, spec)
		if err != nil {
			return p, err
		}
		copies[n] = c
		if Lowers(c) {
			l.queue = append(l.queue, &task{node: c, within: within})
		}
	}
	for _, n := range loops {
		for k, in := range n.Inputs() {
			if n.IsBackEdge(k) {
				if err := l.e.SetInput(copies[n], k, output(in)); err != nil {
					return p, err
				}
			}
		}
	}
	for _, res := range body.Results {
		p.results = append(p.results, output(res.Inputs()[0]))
	}
	for _, n := range effects {
		l.effects = append(l.effects, copies[n])
		if ordered {
			p.effects = append(p.effects, copies[n])
		}
	}
	return p, nil
}

// keep leaves the call of a function a call, as the only node of the region.
func (l *lowering) keep(f *registry.Func, body *graph.Body, r scope) (played, error) {
	var in, out []tensor.DType
	for _, a := range body.Args {
		in = append(in, a.OutputTypes()[0])
	}
	for _, res := range body.Results {
		out = append(out, res.InputTypes()[0])
	}
	n := l.add(graph.OpSpec{
		Type: "StatefulPartitionedCall", Name: r.name + "/call", Device: r.device,
		Input:               []graph.Input{graph.OutputList(r.args)},
		Attrs:               graph.Attrs{"f": f, "Tin": in, "Tout": out},
		ControlDependencies: []*graph.Node{r.pivot},
	})
	if l.err != nil {
		return played{}, l.err
	}
	p := played{effects: []*graph.Node{n}}
	for i := range out {
		p.results = append(p.results, n.Output(i))
	}
	l.effects = append(l.effects, n)
	return p, nil
}

// size is how many nodes a function comes to, calls included; a call of itself
// counts as one. It is maxNodes for all that come to more.
func (l *lowering) size(f *registry.Func) int {
	key := f.String()
	if n, ok := l.sizes[key]; ok {
		return n
	}
	l.sizes[key] = 1
	body, err := l.g.Instantiate(f)
	if err != nil {
		return 1 // inlining tells
	}
	total := body.Graph.NumNodes()
	for _, n := range body.Graph.Nodes() {
		if !Lowers(n) {
			continue
		}
		for _, f := range n.Functions() {
			total = min(total+l.size(f), maxNodes)
		}
	}
	l.sizes[key] = total
	return total
}

// forward is an input of a Merge that is no back edge.
func forward(merge *graph.Node) graph.Output {
	for k, in := range merge.Inputs() {
		if !merge.IsBackEdge(k) {
			return in
		}
	}
	return graph.Output{}
}

// Effects is the nodes of a body that must run whatever is made of the results:
// those that it lists as control outputs, else those that are stateful.
func Effects(body *graph.Body) []*graph.Node {
	effects, _ := effectsOf(body)
	return effects
}

// effectsOf also says whether something can wait for the effects: not if they
// may be dead, or in a frame of the body.
func effectsOf(body *graph.Body) (effects []*graph.Node, ordered bool) {
	if len(body.Controls) > 0 {
		for _, c := range body.Controls {
			effects = append(effects, c.Op)
		}
		return effects, true
	}
	ordered = true
	for _, n := range body.Graph.Nodes() {
		switch {
		case n.Class() == graph.ClassArg || n.Class() == graph.ClassRetval:
		case n.Def().Stateful:
			effects = append(effects, n)
		case n.Class().ControlFlow():
			ordered = false
		}
	}
	return effects, ordered
}

func withAttr(attrs registry.Attrs, name string, v registry.AttrValue) registry.Attrs {
	attrs = slices.Clone(attrs)
	for i := range attrs {
		if attrs[i].Name == name {
			attrs[i].Value = v
		}
	}
	return attrs
}

// checkResults says whether a function returns what its node puts out.
func checkResults(n *graph.Node, f *registry.Func, results []graph.Output) error {
	types := n.OutputTypes()
	if len(results) != len(types) {
		return status.Invalid("function '%s' returns %d results, where %d are needed", f.Name, len(results), len(types))
	}
	for i, res := range results {
		if got := res.DataType().Base(); got != types[i] {
			return status.Invalid("result %d of function '%s' is %v, where %v is needed", i, f.Name, got, types[i])
		}
	}
	return nil
}
