package nodes

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/machine"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A play is a call of a function whose program is one unit, played within the step
// that calls: on its goroutine, in its arena, with its alarm. What is fed stays the
// caller's.
type play struct {
	program *Program
	machine *machine.Machine
	env     machine.Env
	out     []tensor.Value
}

func newPlay(p *Program) *play {
	y := &play{program: p, machine: machine.New(p.whole)}
	// What is fetched stays held until the function has ended: it may still be read,
	// and by what gives it up.
	y.env.Fetched = func(index int32, v tensor.Value) { y.out[index] = v }
	return y
}

// Run plays the function. It is for calls in which nothing may wait: whoever
// called goes on when it has returned.
func (k *recursiveCall) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	s, driven := ctx.Driver.(*Step)
	depth := ctx.Step.Depth
	if driven {
		depth += s.depth
	}
	if depth >= maxDepth {
		return tooDeep(k.f.Name)
	}
	p := k.callee.program.Load()
	if p == nil {
		var err error
		if p, err = k.of.program(ctx.Step.Context, k.f, k.callee); err != nil {
			return err
		}
	}
	if !driven || p.whole == nil {
		return k.apart(ctx, s, p, depth+1, in, out)
	}
	y, _ := k.callee.plays.Get().(*play)
	if y == nil {
		y = newPlay(p)
	}
	s.depth++
	y.env.Ctx, y.env.Alarm, y.env.Attend, y.env.Feeds, y.out = ctx, &s.alarm.rung, s.env.Attend, in, out
	if s.meter != nil {
		y.takeMeter(s.meter)
	}
	ok, err := y.run()
	s.depth--
	if s.meter != nil {
		y.returnMeter()
	}
	y.machine.End(!ok)
	if ok {
		handOver(out)
	} else {
		for i, v := range out {
			if out[i] = (tensor.Value{}); !v.Plain() {
				ctx.Arena.Drop(v)
			}
		}
	}
	y.env.Ctx, y.env.Alarm, y.env.Attend, y.env.Feeds, y.out = nil, nil, nil, nil, nil
	k.callee.plays.Put(y)
	if err == nil && !ok {
		err = s.Err() // it was told to stop
	}
	return err
}

// handOver gives up the tokens that hold what a function returns: whoever gets the
// node's outputs holds them. A tensor that is returned more than once, or with a view of
// it, is nobody's: who takes an output for its own, or takes back one that nobody wants,
// looks at that output alone.
func handOver(out []tensor.Value) {
	views := false
	for _, v := range out {
		if !v.Plain() {
			v.Unhold()
			views = views || v.IsView()
		}
	}
	if len(out) < 2 {
		return
	}
	if len(out) <= 8 {
		for i, v := range out[1:] {
			if v.Plain() {
				continue
			}
			for _, w := range out[:i+1] {
				if v.On(w) || w.On(v) {
					v.Share()
					break
				}
			}
		}
		return
	}
	if views {
		for _, v := range out {
			if !v.Plain() {
				v.Share()
			}
		}
		return
	}
	seen := make(map[tensor.Value]bool, len(out))
	for _, v := range out {
		if seen[v] && !v.Plain() {
			v.Share()
		}
		seen[v] = true
	}
}

// run plays the function's unit. Its error names the node in the function.
func (y *play) run() (ok bool, err error) {
	m := y.machine
	defer func() {
		if r := recover(); r != nil {
			ok, err = false, y.program.failed(kernel.Panicked(r), m.At(), m)
		}
	}()
	if ok = m.Run(&y.env); !ok {
		if f := m.Fault(); f != nil {
			err = y.program.failed(f.Err, f.Node, m)
		}
	}
	return ok, err
}

// failed returns the error of a node that a machine has played.
func (p *Program) failed(err error, node int32, m *machine.Machine) error {
	e := *status.From(err)
	if e.Node == "" && node >= 0 {
		e.Node, e.Op, e.Tag, e.Device = p.name(node), p.op(node), p.tag(nil, m), p.Device(node)
	}
	return &e
}

// apart plays the function as a step of its own, to its end.
func (k *recursiveCall) apart(ctx *kernel.Context, s *Step, p *Program, depth int, in, out []tensor.Value) error {
	shared := *ctx.Step
	shared.Depth = depth
	feeds := make([]tensor.Value, len(in))
	for i, v := range in {
		feeds[i] = v.Share()
	}
	o := Options{Budget: ctx.Arena.Budget, Units: true}
	if s != nil {
		o.Alarm, o.Poll = s.alarm, s.poll
		defer s.alarm.Ring() // it may have been rung for s
	}
	step := p.Begin(&shared, feeds, o)
	for a := step.Advance(); a != nil; a = step.Advance() {
		step.Complete(a, a.Run())
	}
	return step.End(out)
}
