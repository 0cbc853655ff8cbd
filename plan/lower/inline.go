package lower

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// fits reports whether a body that is called where the task is can be laid out, and
// counts it if so: a function within itself never is.
func (l *lowering) fits(t *task, p *bodyPlan) bool {
	return !t.in.within(p.f.Name) && l.budget.take(p)
}

// inline plays the body of a function in a region: as nodes, or as a call where it
// does not fit.
func (l *lowering) inline(t *task, p *bodyPlan, r scope) (played, error) {
	if !l.fits(t, p) {
		return l.keep(p, r)
	}
	return l.lay(t, p, r)
}

// lay copies the nodes of a plan into a region. A node that waits for nothing
// waits for the region's pivot, and frames get names of their own.
func (l *lowering) lay(t *task, p *bodyPlan, r scope) (played, error) {
	in := &origin{function: p.f.Name, in: t.in, entire: p.how == entire, called: p.how == called}
	if p.how == parted && t.in != nil {
		in.called = t.in.called
	}
	copies := make([]*graph.Node, len(r.args)+len(p.nodes))
	for i, a := range r.args {
		copies[i] = a.Op
	}
	output := func(o graph.Output) graph.Output {
		if i := int(p.place[o.Op]); i >= len(r.args) {
			return graph.Output{Op: copies[i], Index: o.Index}
		} else {
			return r.args[i]
		}
	}
	var frames map[string]string
	var loops []*graph.Node // Merges whose back edges are open
	var groups colocation
	for _, n := range p.nodes {
		if err := l.count(); err != nil {
			return played{}, err
		}
		spec := graph.CopySpec{Name: l.e.UniqueName(under(r.name, n.Name())), Device: n.Device(), Function: p.f.Name}
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
			if c.Class() == graph.ClassRetval {
				c = c.Inputs()[0].Op
			}
			spec.Controls = append(spec.Controls, copies[p.place[c]])
		}
		if len(spec.Inputs)+len(spec.Controls) == 0 {
			spec.Controls = []*graph.Node{r.pivot}
		}
		spec.Attrs = groups.rename(n, spec.Name)
		if n.Class() == graph.ClassEnter {
			frame, ok := frames[n.FrameName()]
			if !ok {
				if frames == nil {
					frames = map[string]string{}
				}
				frame = l.frame(under(r.name, n.FrameName()))
				frames[n.FrameName()] = frame
			}
			if spec.Attrs == nil {
				spec.Attrs = n.Attrs()
			}
			spec.Attrs = spec.Attrs.With("frame_name", registry.StringAttr(frame))
		}
		c, err := l.e.AddCopy(n, spec)
		if err != nil {
			return played{}, err
		}
		copies[p.place[n]] = c
		if Lowers(c) && (l.stays == nil || !l.stays(c)) {
			l.queue = append(l.queue, &task{node: c, in: in})
		}
	}
	for _, n := range loops {
		for k, in := range n.Inputs() {
			if n.IsBackEdge(k) {
				if err := l.e.SetInput(copies[p.place[n]], k, output(in)); err != nil {
					return played{}, err
				}
			}
		}
	}
	var done played
	for _, res := range p.body.Results {
		done.results = append(done.results, output(res.Inputs()[0]))
	}
	for _, n := range p.effects {
		done.effects = append(done.effects, copies[p.place[n]])
	}
	for _, n := range p.loose {
		l.loose[t.node] = append(l.loose[t.node], copies[p.place[n]])
	}
	return done, nil
}

// entireAttr is set of what [lowering.keep] makes of a body that runs entirely.
const entireAttr = "_entire"

// Entirely reports whether the body of the function that a node calls runs entirely: not
// where a PartitionedCall calls it.
func Entirely(call *graph.Node) bool {
	v := call.Attrs().Find(entireAttr)
	return call.Class() == graph.ClassCall || v != nil && v.B
}

// keep leaves the call of a function a call, as the only node of the region.
func (l *lowering) keep(p *bodyPlan, r scope) (played, error) {
	var in, out []tensor.DType
	for _, a := range p.body.Args {
		in = append(in, a.OutputTypes()[0])
	}
	for _, res := range p.body.Results {
		out = append(out, res.InputTypes()[0])
	}
	attrs := graph.Attrs{"f": p.f, "Tin": in, "Tout": out}
	if p.how == entire {
		attrs[entireAttr] = true
	}
	n := l.add(graph.OpSpec{
		Type: "StatefulPartitionedCall", Name: r.name + "/call", Device: r.device,
		Input:               []graph.Input{graph.OutputList(r.args)},
		Attrs:               attrs,
		ControlDependencies: []*graph.Node{r.pivot},
	})
	if l.err != nil {
		return played{}, l.err
	}
	var done played
	if p.how != parted || len(p.effects) > 0 {
		done.effects = []*graph.Node{n}
	}
	for i := range out {
		done.results = append(done.results, n.Output(i))
	}
	return done, nil
}

// forward returns an input of a Merge that is no back edge.
func forward(merge *graph.Node) graph.Output {
	for k, in := range merge.Inputs() {
		if !merge.IsBackEdge(k) {
			return in
		}
	}
	return graph.Output{}
}
