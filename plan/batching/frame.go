package batching

import (
	"context"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A framed is a while loop of Enter, Merge, Switch, NextIteration and Exit, as graphs of
// TensorFlow 1 have them, that is turned into a condition and a body:
//
//	variables   those of the loop, then what Enters of constants carry in
//	condition   what LoopCond needs
//	body        what NextIterations need
//
// That is the same loop if all that the body has runs only in iterations, behind the Switches of
// the loop, and if nothing but the variables leaves it.
type framed struct {
	*graph.WhileLoop
	enters []*graph.Node // of the variables, then of the constants
	gated  map[*graph.Node]bool
	test   map[*graph.Node]bool // what the condition needs
	args   []Arg
	def    []byte // a FunctionDefLibrary with the functions condition and body
}

// Names of the functions that are made of a loop.
const (
	frameCond = "condition"
	frameBody = "body"
)

// framesPass makes nodes of Op of loops of Enter and Exit. It leaves out those that it has been told
// of under the name of a While, which had effects.
func (f *finder) framesPass() plan.Pass {
	return plan.Pass{
		Name: "batch frames",
		When: func(p *plan.Program) bool {
			return slices.ContainsFunc(p.Nodes, func(n *graph.Node) bool { return n.Class() == graph.ClassEnter })
		},
		Run: f.batchFrames,
	}
}

// batchFrames replaces loops of Enter and Exit by nodes of Op. A graph whose frames are not those
// of loops stays as it is: what is wrong with it is told when it is run.
func (f *finder) batchFrames(ctx context.Context, p *plan.Program) error {
	varies := varying(p)
	e, err := p.Edit(ctx)
	if err != nil || e.NumNodes() == 0 {
		return err
	}
	g := e.Nodes()[0].Graph()
	frames, err := g.Frames()
	if err != nil {
		return status.FromContext(ctx)
	}
	loops, err := g.WhileLoops()
	if err != nil {
		return status.FromContext(ctx)
	}
	origin := map[graph.Output]graph.Output{}
	for _, n := range p.Nodes {
		for i := range n.NumOutputs() {
			origin[e.Output(n.Output(i))] = n.Output(i)
		}
	}
	for i, to := range e.Feeds {
		origin[to] = p.Feeds[i]
	}
	enters := map[int][]*graph.Node{} // by frame
	for i, n := range g.Nodes() {
		if to := frames.Entered[i]; to > 0 {
			enters[to] = append(enters[to], n)
		}
	}
	gates, tooDeep := outside(g.Nodes(), frames)
	var list []*framed
	for _, w := range loops {
		if err := status.FromContext(ctx); err != nil {
			return err
		}
		if f.told[w.Frame] {
			continue
		}
		l := &framed{WhileLoop: w, gated: map[*graph.Node]bool{}, test: map[*graph.Node]bool{}}
		finding := Finding{Loop: w.Frame}
		reason := l.check(e, frames, enters)
		if reason == "" {
			if reason = tooDeep; reason == "" {
				reason = l.together(gates)
			}
		}
		var made *Loop
		if reason == "" {
			var err error
			if made, err = l.build(ctx, g, origin, varies, &finding); err != nil {
				if ended := status.FromContext(ctx); ended != nil {
					return ended
				}
				reason = status.From(err).Message
			}
		}
		if finding.Reason = reason; f.found != nil {
			f.found(finding)
		}
		if reason == "" || finding.Open && made != nil {
			list = append(list, l)
		}
	}
	for _, l := range list {
		if err := l.replace(e); err != nil {
			return err
		}
	}
	return nil
}

// check reports why a loop is not one of a condition and a body. enters has the Enters of each frame.
func (l *framed) check(e *plan.Edit, frames *graph.Frames, enters map[int][]*graph.Node) (reason string) {
	own := map[*graph.Node]bool{l.LoopCond: true} // the nodes of variables, and LoopCond
	for _, v := range l.Vars {
		if v.Switch == nil {
			return "a variable that only the condition looks at: " + v.Merge.Name()
		}
		if c := v.Enter.Attrs().Find("is_constant"); c != nil && c.B {
			return "a variable that is a constant: " + v.Enter.Name()
		}
		l.enters = append(l.enters, v.Enter)
		for _, n := range append([]*graph.Node{v.Enter, v.Merge, v.Switch, v.NextIteration}, v.Exits...) {
			own[n] = true
		}
	}
	l.enters = append(l.enters, l.Invariants...)
	for _, n := range l.enters {
		own[n] = true
		if frames.FrameOf[n.ID()] != 0 {
			return "a loop inside another one"
		}
		if n.OutputTypes()[0].IsRef() {
			return "a reference: " + n.Type() + " " + n.Name()
		}
	}
	for _, n := range enters[frames.Entered[l.enters[0].ID()]] {
		if !own[n] {
			return "an Enter of another form: " + n.Name()
		}
	}
	for _, n := range append(l.enters[:len(l.enters):len(l.enters)], l.Nodes...) {
		if reason := l.node(e, n, own); reason != "" {
			return reason
		}
	}
	return l.gate()
}

// node reports why a loop with this node is not one of a condition and a body.
func (l *framed) node(e *plan.Edit, n *graph.Node, own map[*graph.Node]bool) string {
	switch n.Class() {
	case graph.ClassExit:
		if !own[n] {
			return "an Exit of what is no variable: " + n.Name()
		}
	default:
		if e.Keeps(n) {
			return "what the run asks for is in it: " + n.Name()
		}
	}
	if !own[n] {
		switch n.Class() {
		case graph.ClassEnter:
			return "a loop inside it: " + n.Type() + " " + n.Name()
		case graph.ClassNextIteration:
			return "a NextIteration of what is no variable: " + n.Name()
		case graph.ClassSend, graph.ClassRecv, graph.ClassControlTrigger:
			return "it has " + n.Type() + " " + n.Name()
		}
	} else if len(n.Controls()) > 0 && n.Class() != graph.ClassEnter {
		return "a control edge to " + n.Type() + " " + n.Name()
	}
	for edge := range n.Out() {
		if edge.IsControl() {
			continue
		}
		to, ok := edge.To.Op, true
		switch n.Class() {
		case graph.ClassLoopCond:
			ok = own[to]
		case graph.ClassMerge:
			ok = !own[n] || edge.From.Index == 0
		case graph.ClassSwitch:
			ok = !own[n] || edge.From.Index == 1 || own[to] && to.Class() == graph.ClassExit
		case graph.ClassEnter:
			ok = slices.Contains(l.Invariants, n) || own[to]
		}
		if !ok {
			return fmt.Sprintf("%s %s takes output %d of %s %s", to.Type(), to.Name(), edge.From.Index, n.Type(), n.Name())
		}
	}
	return ""
}

// gate finds what runs only where there is an iteration, and what the condition needs. It reports
// what the body needs and is neither, and could fail where there is no iteration.
func (l *framed) gate() (reason string) {
	stops, current := map[*graph.Node]bool{}, map[*graph.Node]bool{}
	var next []*graph.Node
	for _, v := range l.Vars {
		stops[v.Merge], stops[v.Switch], current[v.Switch] = true, true, true
		next = append(next, v.BodyOutput().Op)
	}
	for _, n := range l.Invariants {
		stops[n] = true
	}
	tell := func(format string, args ...any) {
		if reason == "" {
			reason = fmt.Sprintf(format, args...)
		}
	}
	inputs := func(n *graph.Node, yield func(*graph.Node)) {
		if !stops[n] {
			graph.InputNodes(n, yield)
		}
	}
	graph.DepthFirst([]*graph.Node{l.Condition().Op}, inputs, func(n *graph.Node) {
		if l.test[n] = true; current[n] {
			tell("the condition takes what a Switch of the loop puts out: %s", n.Name())
		}
	}, nil)
	graph.DepthFirst(next, inputs, nil, func(n *graph.Node) {
		if stops[n] {
			return
		}
		l.gated[n] = slices.ContainsFunc(n.Controls(), func(c *graph.Node) bool { return l.gated[c] }) ||
			slices.ContainsFunc(n.Inputs(), func(in graph.Output) bool { return l.gated[in.Op] || current[in.Op] })
		if c := n.Class(); !l.gated[n] && !l.test[n] && c != graph.ClassConstant && c != graph.ClassIdentity {
			tell("it runs also where there is no iteration: %s %s", n.Type(), n.Name())
		}
	})
	for k, v := range l.Vars {
		if !l.gated[next[k]] && !current[next[k]] {
			tell("it goes round also where there is no iteration: %s", v.NextIteration.Name())
		}
	}
	return reason
}

// outside returns in which branches of conditionals the nodes outside of loops are, and a reason if they
// are too deep within one another.
func outside(nodes []*graph.Node, frames *graph.Frames) (_ *branches, tooDeep string) {
	b := newBranches()
	entered := make([][]gate, len(frames.Frames)) // by frame
	for i, n := range nodes {                     // inputs before consumers, but for back edges
		switch {
		case n.Class() == graph.ClassExit && frames.Frames[frames.FrameOf[i]].Parent == 0:
			b.gates[n] = entered[frames.FrameOf[i]]
		case frames.FrameOf[i] != 0:
		case n.Class() == graph.ClassEnter:
			if reason := b.add(n); reason != "" {
				return &b, reason
			}
			if g := b.gates[n]; len(g) > len(entered[frames.Entered[i]]) {
				entered[frames.Entered[i]] = g
			}
		default:
			reason := b.add(n)
			if reason == "" {
				break
			} else if n.Class() != graph.ClassMerge {
				return &b, reason
			}
			for _, in := range n.Inputs() { // of another form: dead if all of its inputs are
				if g := b.of(in); len(g) > len(b.gates[n]) {
					b.gates[n] = g
				}
			}
		}
	}
	return &b, ""
}

// together reports a loop of which some variables could be dead and others not.
func (l *framed) together(gates *branches) string {
	for _, n := range l.enters {
		if !slices.Equal(gates.gates[n], gates.gates[l.enters[0]]) {
			return "not all that enters it is in the same branch of a conditional: " + n.Name()
		}
	}
	return ""
}

// build makes the functions of a loop, and the batch, which finding tells of. origin has the outputs of
// the program, varies its nodes whose outputs may differ between steps.
func (l *framed) build(ctx context.Context, g *graph.Graph, origin map[graph.Output]graph.Output, varies map[*graph.Node]bool, finding *Finding) (*Loop, error) {
	var inputs []graph.Output
	var types []tensor.DType
	for _, n := range l.enters {
		inputs, types = append(inputs, origin[n.Inputs()[0]]), append(types, n.OutputTypes()[0])
		finding.Variables = append(finding.Variables, n.Name())
	}
	l.args, finding.Open = argsOf(inputs, varies)
	var err error
	if l.def, err = l.functions(g); err != nil {
		return nil, err
	}
	library, err := WithFunctions(g, l.def)
	if err != nil {
		return nil, err
	}
	made, err := NewFramed(ctx, library, l.Frame, types, &registry.Func{Name: frameCond}, &registry.Func{Name: frameBody})
	if err != nil {
		return nil, err
	}
	finding.Batch, err = made.Build(l.args)
	return made, err
}

// WithFunctions returns a graph with the functions of another and those of a FunctionDefLibrary.
func WithFunctions(g *graph.Graph, def []byte) (*graph.Graph, error) {
	library := graph.NewWithFunctions(g)
	return library, library.AddLibrary(def)
}

// functions writes the condition and the body.
func (l *framed) functions(g *graph.Graph) ([]byte, error) {
	library := graph.New()
	next := make([]graph.Output, 0, len(l.enters))
	for _, v := range l.Vars {
		next = append(next, v.BodyOutput())
	}
	for _, n := range l.Invariants {
		next = append(next, n.Output(0))
	}
	for _, f := range []struct {
		name    string
		results []graph.Output
	}{{frameCond, []graph.Output{l.Condition()}}, {frameBody, next}} {
		made, err := l.function(g, f.name, f.results)
		if err != nil {
			return nil, err
		}
		if err := library.AddFunction(made, nil); err != nil {
			return nil, err
		}
	}
	return library.Library(), nil
}

// function makes a function of the loop's variables that returns these results.
func (l *framed) function(g *graph.Graph, name string, results []graph.Output) (*graph.Function, error) {
	body := graph.NewWithFunctions(g)
	spec := graph.FunctionSpec{Name: name}
	at := map[graph.Output]graph.Output{}
	args := map[*graph.Node]bool{}
	for i, enter := range l.enters {
		arg, err := body.AddOperation(graph.OpSpec{Type: "Placeholder", Name: body.UniqueName(g.UniqueName("argument")), Attrs: graph.Attrs{"dtype": enter.OutputTypes()[0]}})
		if err != nil {
			return nil, err
		}
		of := []graph.Output{enter.Output(0)}
		if i < len(l.Vars) {
			v := l.Vars[i]
			of = []graph.Output{v.Value(), v.BodyInput()}
		}
		for _, o := range of {
			at[o], args[o.Op] = arg.Output(0), true
		}
		spec.Inputs = append(spec.Inputs, arg.Output(0))
		spec.InputNames = append(spec.InputNames, fmt.Sprint("v", i))
	}
	var roots []*graph.Node
	for _, r := range results {
		roots = append(roots, r.Op)
	}
	var order []*graph.Node
	graph.DepthFirst(roots, func(n *graph.Node, yield func(*graph.Node)) {
		if !args[n] {
			graph.InputNodes(n, yield)
		}
	}, nil, func(n *graph.Node) {
		if !args[n] {
			order = append(order, n)
		}
	})
	copies := map[*graph.Node]*graph.Node{}
	spec.Nodes = []*graph.Node{}
	for _, n := range order {
		s := graph.CopySpec{Name: n.Name()}
		for _, in := range n.Inputs() {
			s.Inputs = append(s.Inputs, at[in])
		}
		for _, c := range n.Controls() {
			if copies[c] != nil { // not a node of a variable, for which a call has waited
				s.Controls = append(s.Controls, copies[c])
			}
		}
		c, err := body.AddCopy(n, s)
		if err != nil {
			return nil, err
		}
		copies[n] = c
		spec.Nodes = append(spec.Nodes, c)
		for i := range n.NumOutputs() {
			at[n.Output(i)] = c.Output(i)
		}
	}
	for i, r := range results {
		spec.Outputs = append(spec.Outputs, at[r])
		spec.OutputNames = append(spec.OutputNames, fmt.Sprint("r", i))
	}
	return body.MakeFunction(spec)
}

// replace puts a node of Op in place of the loop.
func (l *framed) replace(e *plan.Edit) error {
	attrs := attrsOf(l.args)
	attrs["cond"], attrs["body"], attrs["functions"] = &registry.Func{Name: frameCond}, &registry.Func{Name: frameBody}, string(l.def)
	attrs["frame"] = l.Frame
	var in graph.OutputList
	var controls []*graph.Node
	for _, n := range l.enters { // whose inputs may have become outputs of another loop's node
		in, controls = append(in, n.Inputs()[0]), append(controls, n.Controls()...)
	}
	by, err := e.Add(graph.OpSpec{Type: Op, Name: e.UniqueName(l.LoopCond.Name()), Input: []graph.Input{in}, ControlDependencies: controls, Attrs: attrs})
	if err != nil {
		return err
	}
	gone := map[*graph.Node]bool{}
	for i, v := range l.Vars {
		for _, exit := range v.Exits {
			if err := e.Replace(exit, by.Output(i)); err != nil {
				return err
			}
			gone[exit] = true
		}
	}
	rest := slices.DeleteFunc(slices.Concat(l.enters, l.Nodes), func(n *graph.Node) bool { return gone[n] })
	return e.Remove(rest...)
}
