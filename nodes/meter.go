package nodes

import (
	"cmp"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/unit/machine"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/tensor"
)

// What nodes take is recorded where they run, by a meter that the step takes from
// the recorder of whoever runs it; see package profile. Steps without one look
// whether they have one where they would look for a trace or a clock anyway.

// always is more kernel runs than a step has: with a meter every one is looked at.
const always = 1 << 62

// takeMeter lets the step record what its nodes take.
func (s *Step) takeMeter() {
	s.meter = s.ctx.Step.Profile.Take(s.p, -1)
	s.env.Meter, s.seen, s.left = s.meter, true, always
}

// runMetered is run, with the meter.
func (s *Step) runMetered(k kernel.Kernel, node int32, in, out []tensor.Value) error {
	m := s.meter
	if !m.Wants(node, 0) {
		m.Count(node, 1)
		return k.Run(&s.ctx, in, out)
	}
	iteration := int64(0)
	if s.unit != nil {
		iteration = s.unit.Iteration()
	} else if s.current.it != nil {
		iteration = int64(s.current.it.Index)
	}
	begin := m.Clock()
	err := k.Run(&s.ctx, in, out)
	end := m.Clock()
	m.Record(node, begin, end, iteration, m.Lane, out)
	if s.clock != nil && s.p.nodes[node].flags&flagCall == 0 {
		s.p.costs.note(node, end-begin)
	}
	return err
}

// meterUnit plays a unit and records what it took.
func (s *Step) meterUnit(m *machine.Machine) bool {
	frame := ""
	if f := m.Frame(); f > 0 {
		frame = s.p.statics[f].Name
	}
	begin := s.meter.Clock()
	ok := m.Run(&s.env)
	s.meter.PlayedUnit(frame, begin, s.meter.Clock())
	m.Report()
	return ok
}

// time notes when the activation begins and, when what it answers is called, when
// it ends.
func (a *Activation) time() (stop func()) {
	if a.meter != nil {
		a.begin = a.meter.Clock()
	}
	if a.tape != nil {
		a.tapeBegin = a.tape.Clock()
	}
	return func() {
		if a.meter != nil {
			a.end = a.meter.Clock()
		}
		if a.tape != nil {
			a.tapeEnd = a.tape.Clock()
		}
	}
}

// note records an activation that has run somewhere.
func (a *Activation) note() {
	thread := profile.Elsewhere
	switch {
	case a.Worker > 0:
		thread = profile.Worker0 + a.Worker
	case a.Worker == 0:
		thread = a.meter.Lane
	}
	iteration := int64(0)
	if a.awaited != nil {
		iteration = a.awaited.of.m.Iteration()
	} else {
		iteration = int64(a.it.Index)
	}
	a.meter.Record(a.node, a.begin, a.end, iteration, thread, a.out)
}

// takeMeter lets a call of a function record what its nodes take, on the
// goroutine of the meter around it.
func (y *play) takeMeter(around *profile.Meter) {
	m := around.Recorder().Take(y.program, around.Lane)
	ctx := y.env.Ctx
	y.env.Meter = m
	y.env.Run = func(k kernel.Kernel, node int32, in, out []tensor.Value) error {
		if !m.Wants(node, 0) {
			m.Count(node, 1)
			return k.Run(ctx, in, out)
		}
		begin := m.Clock()
		err := k.Run(ctx, in, out)
		m.Record(node, begin, m.Clock(), y.machine.Iteration(), m.Lane, out)
		return err
	}
}

func (y *play) returnMeter() {
	y.machine.Report()
	y.env.Meter.Return()
	y.env.Meter, y.env.Run = nil, nil
}

// Describe returns what profiles say of the nodes; see [profile.Program].
func (p *Program) Describe() []profile.Node {
	p.describing.Do(func() {
		p.described = make([]profile.Node, len(p.nodes))
		for i := range p.nodes {
			p.described[i] = p.describe(i)
		}
	})
	return p.described
}

func (p *Program) describe(i int) profile.Node {
	n := &p.nodes[i]
	d := profile.Node{
		Name: p.name(int32(i)), Op: p.op(int32(i)), Device: p.Device(int32(i)), Function: cmp.Or(p.labels[i].function, p.function),
		Inclusive: n.flags&flagCall != 0,
	}
	if n.frame > 0 {
		d.Frame = p.statics[n.frame].Name
	}
	if _, calls := n.kernel.(kernel.BlockingFunc); calls {
		d.Inclusive = true
	}
	for _, s := range p.sources[i] {
		d.Inputs = append(d.Inputs, profile.Input{Node: int(s.node), Port: int(s.port), Back: p.nodes[s.node].kind == kind.Next})
	}
	return d
}
