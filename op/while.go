package op

import (
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// WhileAttr is an option of While.
type WhileAttr func(optionalAttr)

// WhileParallelIterations sets how many iterations may be under way at once,
// which is 10 by default.
func WhileParallelIterations(value int64) WhileAttr {
	return func(attrs optionalAttr) { attrs["parallel_iterations"] = value }
}

// While builds a loop: as long as cond holds of the loop's variables, body gives
// them new values. They begin as init; the results are their last values. There
// must be at least one.
//
//	results := op.While(s, []tf.Output{i, sum},
//		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], limit) },
//		func(s *op.Scope, v []tf.Output) []tf.Output {
//			return []tf.Output{op.Add(s, v[0], one), op.Add(s, v[1], v[0])}
//		})
//
// cond and body are called once, to build the loop's two parts, and add
// operations to the scope they are given, whose names are made unique. They may
// use outputs from outside the loop, which are then carried in, and contain
// further loops. What they add runs once for each time that the condition is
// computed and the body is executed, also if it depends on nothing. Control
// dependencies of scope hold up the loop as a whole. A variable keeps its type;
// its shape may change, so nothing is known of it before the graph runs.
//
// The loop is made of Enter, Merge, Switch, NextIteration and Exit operations.
// TensorFlow's binding has nothing like it.
func While(scope *Scope, init []tf.Output, cond func(s *Scope, v []tf.Output) tf.Output, body func(s *Scope, v []tf.Output) []tf.Output, optional ...WhileAttr) (results []tf.Output) {
	if scope.Err() != nil {
		return nil
	}
	parallel := with(optionalAttr{"parallel_iterations": int64(10)}, optional)["parallel_iterations"].(int64)
	switch {
	case parallel < 1:
		scope.UpdateErr("While", status.Invalid("parallel_iterations is %d, but must be at least 1", parallel))
		return nil
	case len(init) == 0:
		scope.UpdateErr("While", status.Invalid("a loop needs at least one variable"))
		return nil
	}
	l := newLoop(scope, parallel)
	frame := l.scope("", l.test)

	vars := make([]tf.Output, len(init))
	for i, v := range init {
		entered := l.enter(v, false)
		vars[i], _ = Merge(frame, []tf.Output{entered, entered})
	}
	if scope.Err() != nil {
		return nil
	}
	l.test.pivot = vars[0].Op
	going := LoopCond(frame, cond(l.scope("cond", l.test), vars))

	frame = l.scope("", l.work)
	current := make([]tf.Output, len(vars))
	for i, v := range vars {
		var last tf.Output
		last, current[i] = Switch(frame, v, going)
		results = append(results, l.exit(last))
	}
	for i, v := range current {
		current[i] = Identity(frame, v)
	}
	l.work.pivot = current[0].Op
	if scope.Err() != nil {
		return nil
	}
	next := body(l.scope("body", l.work), current)
	if scope.Err() == nil && len(next) != len(vars) {
		scope.UpdateErr("While", status.Invalid("the loop has %d variables, but its body gives %d", len(vars), len(next)))
	}
	for i := range vars {
		if scope.Err() != nil {
			return nil
		}
		if back := NextIteration(frame, next[i]); back.Op != nil {
			scope.UpdateErr("While", scope.graph.SetBackEdge(vars[i].Op, 1, back))
		}
	}
	if scope.Err() != nil {
		return nil
	}
	return results
}

// A loop is a frame under construction. Its operations belong to one of two
// regions, test and work.
type loop struct {
	frame    string
	parallel int64
	outside  *Scope // where Enter operations go: the namespace of the loop, in what encloses it
	test     *region
	work     *region
	// members is the operations whose outputs are in the frame, by id, with the
	// region they run in; nil for what is carried in and the same in all
	// iterations.
	members map[int]*region
	carried map[tf.Output]tf.Output
}

// A region is the part of a loop that computes the condition, or its body.
type region struct {
	loop *loop
	// pivot runs whenever the region does. What waits for nothing else in the
	// region waits for it: else it would run without the region, or not in its
	// iteration.
	pivot *tf.Operation
}

func newLoop(scope *Scope, parallel int64) *loop {
	outside := scope.SubScope("while").WithUniqueNames()
	l := &loop{
		frame:    outside.namespace,
		parallel: parallel,
		outside:  outside,
		members:  map[int]*region{},
		carried:  map[tf.Output]tf.Output{},
	}
	l.test, l.work = &region{loop: l}, &region{loop: l}
	return l
}

// scope is a scope for operations of a region.
func (l *loop) scope(namespace string, r *region) *Scope {
	s := *l.outside
	if namespace != "" {
		s = *s.SubScope(namespace)
	}
	s.controls, s.region = nil, r
	return &s
}

// enter takes an output into the frame.
func (l *loop) enter(v tf.Output, constant bool) tf.Output {
	in := Enter(l.outside, v, l.frame, EnterIsConstant(constant), EnterParallelIterations(l.parallel))
	if in.Op != nil {
		l.members[in.Op.ID()] = nil
	}
	return in
}

// exit takes an output out of the frame.
func (l *loop) exit(v tf.Output) tf.Output {
	out := Exit(l.scope("", l.work), v)
	if r := l.outside.region; r != nil && out.Op != nil {
		r.own(out.Op)
	}
	return out
}

// carry is v, or, if v is outside the frame, the same value inside it.
func (l *loop) carry(v tf.Output) tf.Output {
	v = v.Canonical()
	if _, ok := l.members[v.Op.ID()]; ok {
		return v
	}
	in, ok := l.carried[v]
	if !ok {
		in = l.enter(v, true)
		l.carried[v] = in
	}
	return in
}

// own makes an operation a member of the region.
func (r *region) own(op *tf.Operation) { r.loop.members[op.ID()] = r }

// place changes an operation that is to be added so that it runs in the region.
func (r *region) place(args *tf.OpSpec) error {
	waits := false // for something in the region
	for _, c := range args.ControlDependencies {
		if c == nil {
			continue
		}
		in, ok := r.loop.members[c.ID()]
		if !ok {
			return status.Invalid("'%s' waits for '%s', which is outside the loop '%s': let the loop wait for it", args.Name, c.Name(), r.loop.frame)
		}
		waits = waits || in == r
	}
	inside := func(v tf.Output) tf.Output {
		if v.Op == nil {
			return v
		}
		v = r.loop.carry(v)
		if v.Op != nil && r.loop.members[v.Op.ID()] == r {
			waits = true
		}
		return v
	}
	inputs := make([]tf.Input, len(args.Input))
	for i, in := range args.Input {
		switch in := in.(type) {
		case tf.Output:
			inputs[i] = inside(in)
		case tf.OutputList:
			list := make(tf.OutputList, len(in))
			for j, v := range in {
				list[j] = inside(v)
			}
			inputs[i] = list
		}
	}
	args.Input = inputs
	if !waits && r.pivot != nil {
		args.ControlDependencies = append(args.ControlDependencies, r.pivot)
	}
	return nil
}
