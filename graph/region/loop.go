package region

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// A LoopSpec says what a loop begins with.
type LoopSpec struct {
	// Frame is the name of the loop's frame, which no other loop in the same
	// frame may have.
	Frame string
	// ParallelIterations is how many iterations may be under way at once; 0
	// stands for what Enter does by default.
	ParallelIterations int64
	// Init is the first values of the variables, of which there is at least one.
	// They may be of the region of the loop or of one around it.
	Init []graph.Output
	// ControlDependencies are nodes of the region that the loop waits for.
	ControlDependencies []*graph.Node
	// Writer adds the loop's nodes; nil stands for that of the region.
	Writer Writer
}

// A Loop is a frame under construction:
//
//	Vars[i] = Merge(Enter(Init[i]), NextIteration(next[i]))
//	Current[i] = Identity(Switch(Vars[i], LoopCond(pred)):1)
//	result[i] = Exit(Switch(Vars[i], LoopCond(pred)):0)
type Loop struct {
	// Cond computes the condition, before each iteration and after the last, from
	// Vars.
	Cond *Region
	Vars []graph.Output
	// Body is an iteration; it takes Current to the values of the next one. Both
	// are there once [Loop.Test] has been called.
	Body    *Region
	Current []graph.Output

	outer    *Region
	writer   Writer
	frame    string
	attrs    graph.Attrs
	controls []*graph.Node
	going    graph.Output // the LoopCond
	results  []graph.Output
}

// Loop begins a loop in the region.
func (r *Region) Loop(spec LoopSpec) (*Loop, error) {
	if len(spec.Init) == 0 {
		return nil, status.Invalid("a loop needs at least one variable")
	}
	l := &Loop{outer: r, writer: spec.Writer, frame: spec.Frame, attrs: graph.Attrs{"frame_name": spec.Frame}, controls: spec.ControlDependencies}
	if l.writer == nil {
		l.writer = r.writer
	}
	if spec.ParallelIterations != 0 {
		l.attrs["parallel_iterations"] = spec.ParallelIterations
	}
	l.Cond = l.within(r, func(v graph.Output) (graph.Output, error) { return l.enter(v, true) })
	for _, v := range spec.Init {
		if err := l.begin(v); err != nil {
			return nil, err
		}
	}
	l.Cond.Pivot = l.Vars[0].Op
	return l, nil
}

// begin adds a variable for the condition.
func (l *Loop) begin(init graph.Output) error {
	in, err := l.enter(init, false)
	if err != nil {
		return err
	}
	merged, err := l.Cond.hold(Merge, "Merge", graph.OutputList{in, in})
	if err == nil {
		l.Vars = append(l.Vars, merged)
	}
	return err
}

// decide lets a variable go on to the body or leave.
func (l *Loop) decide(v graph.Output) error {
	turn, err := l.Body.hold(Switch, "Switch", v, l.going)
	if err != nil {
		return err
	}
	last, err := l.Body.one(Exit, "Exit", nil, turn)
	if err != nil {
		return err
	}
	l.outer.Own(last.Op)
	l.results = append(l.results, last)
	l.Current = append(l.Current, turn.Op.Output(1))
	return nil
}

// Var adds a variable to a loop whose body has begun and is the variable's number.
func (l *Loop) Var(init graph.Output) (int, error) {
	if l.Body == nil {
		return 0, status.Invalid("the loop's condition comes before variables of its body")
	}
	if err := l.begin(init); err != nil {
		return 0, err
	}
	i := len(l.Current)
	if err := l.decide(l.Vars[i]); err != nil {
		return 0, err
	}
	var err error
	l.Current[i], err = l.Body.one(Arg, "Identity", nil, l.Current[i])
	return i, err
}

// enter takes a value into the frame.
func (l *Loop) enter(v graph.Output, constant bool) (graph.Output, error) {
	attrs := graph.Attrs{"is_constant": constant}
	for name, value := range l.attrs {
		attrs[name] = value
	}
	op := "Enter"
	if constant {
		op = referring(op, v)
	}
	spec, err := l.outer.Place(graph.OpSpec{Type: op, Input: []graph.Input{v}, Attrs: attrs, ControlDependencies: l.controls})
	if err != nil {
		return graph.Output{}, err
	}
	in, err := l.writer.Write(Enter, spec)
	if err != nil {
		return graph.Output{}, err
	}
	l.Cond.Own(in)
	return in.Output(0), nil
}

// within returns a region of the frame.
func (l *Loop) within(parent *Region, carry func(graph.Output) (graph.Output, error)) *Region {
	r := parent.within(l, carry)
	r.writer = l.writer
	return r
}

// Test ends the condition, which is a scalar of type bool, and begins the body.
func (l *Loop) Test(pred graph.Output) error {
	var err error
	if l.going, err = l.Cond.one(Going, "LoopCond", nil, pred); err != nil {
		return err
	}
	// The body sees values of the condition, and constants, as they are.
	l.Body = l.within(l.Cond, func(v graph.Output) (graph.Output, error) { return v, nil })
	for _, v := range l.Vars {
		if err := l.decide(v); err != nil {
			return err
		}
	}
	for i, v := range l.Current {
		if l.Current[i], err = l.Body.one(Arg, "Identity", nil, v); err != nil {
			return err
		}
	}
	l.Body.Pivot = l.Current[0].Op
	return nil
}

// Close ends the body with the variables' next values, and is their last ones,
// which are of the region of the loop.
func (l *Loop) Close(next []graph.Output) ([]graph.Output, error) {
	if len(next) != len(l.Vars) {
		return nil, status.Invalid("the loop has %d variables, but its body gives %d", len(l.Vars), len(next))
	}
	for i, v := range next {
		back, err := l.Body.one(Next, "NextIteration", nil, v)
		if err != nil {
			return nil, err
		}
		if err := l.writer.Close(l.Vars[i].Op, back); err != nil {
			return nil, err
		}
	}
	return l.results, nil
}
