package lower

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A lowering is the work of [Functions].
type lowering struct {
	g       *graph.Graph // the original
	e       *graph.Editor
	queue   []*task
	effects []*graph.Node
	outs    map[*graph.Node][]graph.Output
	done    map[*graph.Node]*graph.Node
	added   int
	sizes   map[string]int // of functions, by name and attributes
	err     error          // the first failure to add a node
}

// A task is a node to be lowered, and the functions whose bodies it came from.
type task struct {
	node   *graph.Node
	within []string
}

func (l *lowering) lower(t *task) error {
	f := lowerers[t.node.Type()]
	if f == nil {
		f = (*lowering).call
	}
	if err := f(l, t); err != nil {
		return err
	}
	return l.err
}

// feed makes what takes an output take a placeholder, which it answers. An
// output that is a placeholder stays.
func (l *lowering) feed(from graph.Output) (graph.Output, error) {
	if from.Op.Class() == graph.ClassPlaceholder && from.Op.NumInputs() == 0 {
		return from, nil
	}
	p := l.add(graph.OpSpec{Type: "Placeholder", Name: "feed", Attrs: graph.Attrs{"dtype": from.DataType().Base()}})
	if l.err != nil {
		return graph.Output{}, l.err
	}
	if from.Op.Class() == graph.ClassPlaceholder { // who waits for it waits for the feed
		l.relieve(from.Op, p)
	}
	return p.Output(0), l.e.Redirect(from, p.Output(0))
}

// add adds a node under a name made unique. Once one could not be added it
// answers any node.
func (l *lowering) add(spec graph.OpSpec) *graph.Node {
	if l.err != nil {
		return nil
	}
	spec.Name = l.e.UniqueName(spec.Name)
	n, err := l.e.Add(spec)
	l.err = err
	return n
}

// one adds a node of one output that matters.
func (l *lowering) one(op, name, device string, attrs graph.Attrs, controls []*graph.Node, inputs ...graph.Input) graph.Output {
	n := l.add(graph.OpSpec{Type: op, Name: name, Input: inputs, Attrs: attrs, ControlDependencies: controls, Device: device})
	return n.Output(0)
}

// wait adds a node that has run when others have.
func (l *lowering) wait(name, device string, on ...*graph.Node) *graph.Node {
	return l.add(graph.OpSpec{Type: "NoOp", Name: name, ControlDependencies: on, Device: device})
}

// A region is a part of the graph that runs as a whole or not at all: the body
// of a function, of a branch, of an iteration.
type region struct {
	name   string // of the node it comes from, to begin its nodes' names with
	device string // of nodes that ask for none
	args   []graph.Output
	// pivot runs, alive, if and only if the region does; what waits for nothing
	// else waits for it.
	pivot *graph.Node
}

// enter is the region of a node's inputs, of which none is there before all are.
func (l *lowering) enter(n *graph.Node) region {
	r := region{name: n.Name(), device: n.Device()}
	var ids []*graph.Node
	for _, in := range n.Inputs() {
		id := l.one("Identity", r.name+"/input", r.device, nil, n.Controls(), in)
		ids = append(ids, id.Op)
		r.args = append(r.args, id)
	}
	if l.err != nil {
		return r
	}
	if len(ids) == 1 {
		r.pivot = ids[0]
		return r
	}
	r.pivot = l.wait(r.name+"/begin", r.device, append(ids, n.Controls()...)...)
	for i, id := range r.args {
		r.args[i] = l.one("Identity", r.name+"/arg", r.device, nil, []*graph.Node{r.pivot}, id)
	}
	return r
}

// A played is what a body has become.
type played struct {
	results []graph.Output
	effects []*graph.Node // what is done when the body is, beside its results
}

// after is output i once the body is done.
func (l *lowering) after(p played, i int, r region) graph.Output {
	return l.one("Identity", r.name+"/output", r.device, nil, p.effects, p.results[i])
}

// inline plays the body of a function in a region.
func (l *lowering) inline(t *task, f *registry.Func, r region) (played, error) {
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
	for i, a := range body.Args {
		if want, got := a.OutputTypes()[0], r.args[i].DataType(); want != got.Base() {
			return p, status.Invalid("argument %d of function '%s' is %v, but is given %v", i, f.Name, want, got)
		}
		copies[a] = r.args[i].Op
	}
	output := func(o graph.Output) graph.Output {
		if o.Op.Class() == graph.ClassArg {
			return r.args[slices.Index(body.Args, o.Op)]
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

// keep leaves a call a call.
func (l *lowering) keep(f *registry.Func, body *graph.Body, r region) (played, error) {
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

// finish puts outputs in the place of a node's own, and what is done when they
// and last are in the place of the node.
func (l *lowering) finish(n *graph.Node, outs []graph.Output, last ...*graph.Node) error {
	for _, o := range outs {
		last = append(last, o.Op)
	}
	done := l.wait(n.Name()+"/end", n.Device(), last...)
	if l.err != nil {
		return l.err
	}
	for i, o := range outs {
		if err := l.e.Redirect(n.Output(i), o); err != nil {
			return err
		}
	}
	l.relieve(n, done)
	l.outs[n], l.done[n] = outs, done
	return l.e.Remove(n)
}

// relieve makes who waits for a node wait for another one.
func (l *lowering) relieve(n, by *graph.Node) {
	for _, e := range slices.Collect(n.Out()) {
		if e.IsControl() {
			l.check(l.e.RemoveControl(e.To.Op, n))
			l.check(l.e.AddControl(e.To.Op, by))
		}
	}
}

func (l *lowering) check(err error) {
	if l.err == nil {
		l.err = err
	}
}

// holds is a condition as a scalar that is true or false.
func (l *lowering) holds(v graph.Output, r region) graph.Output {
	if v.DataType() == tensor.Bool && v.Shape().NumDimensions() == 0 {
		return v
	}
	return l.one("ToBool", r.name+"/holds", r.device, nil, nil, v)
}

// function is an attribute of a node that names a function.
func function(n *graph.Node, attr string) *registry.Func { return n.Attrs().Find(attr).Func }

// at says which node an error is about.
func at(err error, n *graph.Node) error {
	e := *status.From(err)
	if e.Node == "" {
		e.Node, e.Op = n.Name(), n.Type()
	}
	return &e
}
