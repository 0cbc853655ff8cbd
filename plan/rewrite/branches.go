package rewrite

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// branches takes out what a constant predicate decides. The output of a Switch that
// is always taken becomes an Identity of the value, which waits for what the Switch
// and the predicate waited for. What can never run loses its place as a target, and
// a Merge that only one input can reach becomes an Identity of that one; then nothing
// needs the dead branch, unless it is fetched: that fails as usual. What a Switch sent
// there alone has run before it, though: if that can fail, or does something, it goes on
// to run, as a target.
func branches(w *work) error {
	d := &deadness{outputs: map[graph.Output]bool{}, nodes: map[*graph.Node]bool{}}
	var switches []*graph.Node
	for _, n := range w.Nodes() {
		if err := w.Watch.Step(); err != nil {
			return err
		}
		taken, ok := decided(n)
		if !ok {
			continue
		}
		for i := range n.NumOutputs() {
			if i != taken {
				d.kill(n.Output(i))
			}
		}
		switches = append(switches, n)
		if err := w.take(n, taken); err != nil {
			return err
		}
	}
	if err := d.spread(w); err != nil {
		return err
	}
	w.Drop(func(t *graph.Node) bool { return d.nodes[t] })
	for _, m := range d.merges {
		if err := w.unmerge(m, d); err != nil {
			return err
		}
	}
	return w.witness(switches, d)
}

// witness makes targets of what only Switches needed whose dead sides are gone, if its
// running may be noticed. Who runs for one of these needs no mention.
func (w *work) witness(switches []*graph.Node, d *deadness) error {
	if len(switches) == 0 {
		return nil
	}
	met, err := w.Needed()
	if err != nil {
		return err
	}
	var stack []*graph.Node
	push := func(n *graph.Node) {
		if n != nil && !met[n.ID()] && !d.nodes[n] {
			met[n.ID()] = true
			stack = append(stack, n)
		}
	}
	for _, n := range switches {
		push(n)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := w.Watch.Steps(1 + n.NumInputs()); err != nil {
			return err
		}
		seen, err := w.noticed(n)
		if err != nil {
			return err
		}
		if seen {
			w.Target(n)
		}
		graph.InputNodes(n, push)
	}
	return nil
}

// noticed reports whether it makes a difference to a step that a node runs from which it
// gets nothing.
func (w *work) noticed(n *graph.Node) (bool, error) {
	switch n.Class() {
	case graph.ClassOther:
	case graph.ClassSend, graph.ClassRecv, graph.ClassCall, graph.ClassPlaceholder:
		return true, nil
	default:
		return false, nil
	}
	if !pure(n) {
		return true, nil
	}
	safe, err := w.cannotFail(n)
	return !safe, err
}

// decided returns the output of a Switch that is always taken, if a constant decides it.
func decided(n *graph.Node) (taken int, ok bool) {
	if n.Class() != graph.ClassSwitch || n.Type() == "RefSwitch" || n.Inputs()[0].DataType().IsRef() {
		return 0, false
	}
	t := constant(n.Inputs()[1].Op)
	if t == nil || len(t.Shape()) != 0 {
		return 0, false
	}
	v := tensor.ValueOf(t)
	switch t.DType() {
	case tensor.Bool:
		if tensor.At0[bool](&v) {
			return 1, true
		}
		return 0, true
	case tensor.Int32:
		i := int(tensor.At0[int32](&v))
		if i < 0 || i >= n.NumOutputs() {
			i = n.NumOutputs() - 1
		}
		return i, true
	}
	return 0, false
}

// take puts an Identity in place of a Switch's output.
func (w *work) take(n *graph.Node, taken int) error {
	used := w.IsFetched(n.Output(taken))
	for e := range n.Out() {
		used = used || e.From.Index == taken
	}
	if !used {
		return nil
	}
	id, err := w.Add(graph.OpSpec{
		Type: "Identity", Name: w.UniqueName(n.Name() + "/taken"), Device: n.Device(),
		Input: []graph.Input{n.Inputs()[0]}, ControlDependencies: gates(n),
	})
	if err != nil {
		return err
	}
	return w.Redirect(n.Output(taken), id.Output(0))
}

// A deadness is what never carries a live value.
type deadness struct {
	outputs map[graph.Output]bool
	nodes   map[*graph.Node]bool // none of whose outputs does, and who waits for them never runs
	queue   []graph.Output
	merges  []*graph.Node // that something dead leads to, each once
}

func (d *deadness) kill(o graph.Output) {
	if !d.outputs[o] {
		d.outputs[o] = true
		d.queue = append(d.queue, o)
	}
}

// spread finds all that is dead in consequence, as far as the frame reaches.
func (d *deadness) spread(w *work) error {
	met := map[*graph.Node]bool{}
	for len(d.queue) > 0 {
		o := d.queue[0]
		d.queue = d.queue[1:]
		for e := range o.Op.Out() {
			if err := w.Watch.Step(); err != nil {
				return err
			}
			c := e.To.Op
			switch {
			case e.IsControl() && !d.nodes[o.Op], !e.IsControl() && e.From.Index != o.Index, d.nodes[c]:
				continue
			}
			switch c.Class() {
			case graph.ClassMerge:
				if e.IsControl() {
					continue
				}
				if !met[c] {
					met[c] = true
					d.merges = append(d.merges, c)
				}
				if slices.ContainsFunc(c.Inputs(), func(in graph.Output) bool { return !d.outputs[in] }) {
					continue
				}
			case graph.ClassControlTrigger, graph.ClassEnter, graph.ClassExit, graph.ClassNextIteration, graph.ClassLoopCond,
				graph.ClassSend, graph.ClassRecv:
				continue
			}
			d.nodes[c] = true
			for i := range c.NumOutputs() {
				d.kill(c.Output(i))
			}
			if c.NumOutputs() == 0 {
				d.queue = append(d.queue, c.Output(graph.Control))
			}
		}
	}
	return nil
}

// unmerge makes a Merge that one input alone can reach an Identity.
func (w *work) unmerge(m *graph.Node, d *deadness) error {
	if d.nodes[m] || m.Type() != "Merge" || len(m.Controls()) > 0 {
		return nil
	}
	live := -1
	for i, in := range m.Inputs() {
		switch {
		case m.IsBackEdge(i):
			return nil
		case d.outputs[in]:
		case live >= 0:
			return nil
		default:
			live = i
		}
	}
	name, dt := m.Name(), m.OutputTypes()[1]
	index, err := tensor.NewTensor(int32(live))
	if err != nil || dt != tensor.Int32 {
		return err
	}
	id, err := w.Add(graph.OpSpec{Type: "Identity", Name: w.UniqueName(name), Device: m.Device(), Input: []graph.Input{m.Inputs()[live]}})
	if err != nil {
		return err
	}
	spec := constantSpec(index, []*graph.Node{id})
	spec.Name, spec.Device = w.UniqueName(name+"/index"), m.Device()
	c, err := w.Add(spec)
	if err != nil {
		return err
	}
	if err := w.Replace(m, id.Output(0), c.Output(0)); err != nil {
		return err
	}
	return w.Rename(id, name)
}
