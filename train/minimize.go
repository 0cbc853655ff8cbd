package train

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// Options configures a goal. The zero Options is the default.
type Options struct {
	// Name distinguishes the goals of a model with several: it prefixes the names of the
	// nodes that the goal adds. One goal may have none.
	Name string
	// Variables is the list of variables that the goal changes; nil is all trainable
	// ones of the model at this point. The loss must depend on each, except on adopted
	// ones that are not listed here.
	Variables []*Variable
	// Clip changes gradients before they are applied; nil leaves them unchanged.
	Clip Clip
	// WeightDecay is the factor by which variables shrink in each update, in addition to
	// the gradient and multiplied by the learning rate; see [Update.Decay].
	WeightDecay float64
	// Accumulate is the number of batches whose mean gradient makes an update; 0 is 1.
	// Trailing batches too few for an update are dropped. Sparse gradients become dense.
	Accumulate int
	// Average is the decay of a moving average of each variable, such as 0.999; 0 is no
	// averages. It is bounded by (1+t)/(10+t) after t updates. See
	// [Trainer.SwapAverages].
	Average float64
	// Also are variables that each update sets to values computed before it, such as the
	// moving statistics of a normalization. The goal's other variables do not include them.
	Also []Assignment
}

// An Assignment is a value for a variable, of its type and shape.
type Assignment struct {
	Variable *Variable
	Value    tf.Output
}

// A Goal is a loss and the updates that minimize it.
type Goal struct {
	Loss tf.Output
	// Variables is what the goal changes.
	Variables []*Variable
	// Counter counts the updates made.
	Counter *Variable

	model      *Model
	begun      *Variable // counts updates before their first change; Counter after the last
	schedule   Schedule
	accumulate int
	prefix     string // of names: "", or a name and a slash
	scope      *op.Scope
	rate       tf.Output // of double; fed
	powers     map[powerOf]tf.Output
	count      tf.Output // updates with this one, a double
	first, add *tf.Operation
	update     *tf.Operation // with the last batch; it is the end of what the goal changes
}

type powerOf struct {
	base float64
	dt   tf.DataType
}

// Minimize adds the gradients of a scalar loss and the optimizer's updates of the
// variables. After an error it returns a goal that is not nil but cannot be used.
func (m *Model) Minimize(loss tf.Output, o Optimizer, options Options) *Goal {
	g := &Goal{Loss: loss, model: m, powers: map[powerOf]tf.Output{}}
	if m.Err() != nil {
		return g
	}
	if err := g.build(o, options); err != nil {
		m.scope.UpdateErr("Minimize", err)
		return g
	}
	m.goals = append(m.goals, g)
	return g
}

func (g *Goal) build(o Optimizer, options Options) error {
	m := g.model
	if err := g.check(o, options); err != nil {
		return err
	}
	g.scope = m.scope.SubScope("train").WithUniqueNames()
	s := g.scope
	g.rate = op.Placeholder(s.SubScope("rate"), tf.Double, op.PlaceholderShape(tf.ScalarShape()))
	grads, err := g.gradients(options.Variables != nil)
	if err != nil {
		return err
	}
	if g.accumulate > 1 {
		grads = g.accumulated(grads)
	}
	if options.Clip != nil {
		if err := clip(s.SubScope("clip").WithUniqueNames(), options.Clip, grads); err != nil {
			return err
		}
	}
	// Everything that reads a variable comes before everything that changes one.
	before := []*tf.Operation{g.Loss.Op, g.Counter.Value.Op}
	for _, v := range g.Variables {
		before = append(before, v.Value.Op)
	}
	for _, a := range options.Also {
		before = append(before, a.Variable.Value.Op, a.Value.Op)
	}
	for _, p := range grads {
		if p.Rows != nil {
			before = append(before, p.Rows.Values.Op, p.Rows.Indices.Op)
		} else {
			before = append(before, p.Dense.Op)
		}
	}
	if s.Err() != nil {
		return s.Err()
	}
	next := op.Add(s, g.Counter.Value, op.Const(s, int64(1)))
	g.count = op.Cast(s, next, tf.Double)
	ready := g.begun.set(s.WithControlDependencies(op.NoOp(s.WithControlDependencies(before...))), next)
	if s.Err() != nil {
		return s.Err()
	}
	after := s.WithControlDependencies(ready)
	var last []*tf.Operation
	for i, v := range g.Variables {
		u := &Update{Scope: after, Variable: v, goal: g, gradient: grads[i], name: nameOf(o)}
		u.Rate = op.Cast(s, g.rate, v.DType)
		u.Decay(options.WeightDecay)
		if o.Update(u); s.Err() != nil {
			return s.Err()
		}
		if len(u.last) == 0 {
			return status.Errorf(status.Internal, "%T did not update variable %s", o, v.Name)
		}
		last = append(last, u.last...)
		if options.Average != 0 {
			last = append(last, g.averaged(v, options.Average, u.last))
		}
	}
	for _, a := range options.Also {
		last = append(last, a.Variable.set(after, a.Value))
	}
	if s.Err() != nil {
		return s.Err()
	}
	g.update = g.Counter.set(s.WithControlDependencies(last...), next)
	return s.Err()
}

func (g *Goal) check(o Optimizer, options Options) error {
	m := g.model
	switch {
	case o == nil:
		return status.Invalid("no optimizer is given")
	case o.Schedule() == nil:
		return status.Invalid("%T has no learning rate", o)
	case g.Loss.Op == nil || g.Loss.Op.Graph() != m.graph:
		return status.Invalid("the loss is not of the model's graph")
	case g.Loss.Shape().NumDimensions() > 0:
		return status.Invalid("the loss %v is of shape %v, but must be a scalar", g.Loss, g.Loss.Shape())
	case options.Accumulate < 0:
		return status.Invalid("%d batches for an update", options.Accumulate)
	case !(options.Average >= 0 && options.Average < 1):
		return status.Invalid("a moving average that keeps %v, which must be in [0, 1)", options.Average)
	}
	g.schedule, g.accumulate = o.Schedule(), max(options.Accumulate, 1)
	if options.Name != "" {
		g.prefix = options.Name + "/"
	}
	for _, other := range m.goals {
		if other.prefix == g.prefix {
			return status.Invalid("the model has a goal %q already: give this one another Name", strings.TrimSuffix(g.prefix, "/"))
		}
	}
	if g.Variables = slices.Clone(options.Variables); g.Variables == nil {
		for _, v := range m.vars {
			if v.Trainable {
				g.Variables = append(g.Variables, v)
			}
		}
	}
	if len(g.Variables) == 0 {
		return status.Invalid("no variable to train")
	}
	seen := map[*Variable]bool{}
	for _, v := range g.Variables {
		switch {
		case v == nil || m.byName[v.Name] != v:
			return status.Invalid("there is a variable to train that is not the model's")
		case seen[v]:
			return status.Invalid("variable %s is to be trained twice", v.Name)
		}
		seen[v] = true
	}
	for _, a := range options.Also {
		switch {
		case a.Variable == nil || m.byName[a.Variable.Name] != a.Variable:
			return status.Invalid("Options.Also sets a variable that is not the model's")
		case seen[a.Variable]:
			return status.Invalid("Options.Also sets variable %s, which the goal trains or sets already", a.Variable.Name)
		case a.Value.Op == nil || a.Value.Op.Graph() != m.graph:
			return status.Invalid("Options.Also sets variable %s to an output that is not of the model's graph", a.Variable.Name)
		}
		seen[a.Variable] = true
	}
	g.Counter = m.counter(g.prefix + globalStep)
	begun := &Variable{Name: g.Counter.Name + "/begun", DType: tf.Int64, of: g.Counter}
	g.begun = m.add(begun, func(s *op.Scope, _ tf.DataType, _ []int64, _ int64) tf.Output {
		return op.Identity(s, g.Counter.Value)
	})
	return m.Err()
}

// gradients are those of the variables: dense, or rows of different indices. Of
// variables that were not chosen it leaves out those that the loss does not depend
// on, if they are adopted.
func (g *Goal) gradients(chosen bool) ([]gradient.Value, error) {
	var xs []graph.Output
	for _, v := range g.Variables {
		xs = append(append(xs, v.Handle), v.aliases...)
	}
	prefix := g.model.graph.UniqueName("gradients")
	parts, err := gradients.Add(g.model.graph, []graph.Output{g.Loss}, xs, gradients.Options{Prefix: prefix})
	if err != nil {
		return nil, err
	}
	b := graph.NewBuilder(g.model.graph).Scope(prefix + "/aliases")
	var vars []*Variable
	var grads []gradient.Value
	var none []string
	for _, v := range g.Variables {
		own := slices.DeleteFunc(parts[:1+len(v.aliases)], gradient.Value.None)
		parts = parts[1+len(v.aliases):]
		if len(own) == 0 {
			if chosen || !v.adopted {
				none = append(none, v.Name)
			}
			continue
		}
		sum := own[0]
		if len(own) > 1 {
			sum = gradient.Build(b).Sum(own)
		}
		if sum.Rows != nil {
			sum.Rows = g.distinct(sum.Rows)
		}
		vars, grads = append(vars, v), append(grads, sum)
	}
	if none != nil {
		return nil, status.Invalid("the loss does not depend on these variables: %s; say in Options.Variables which to train", strings.Join(none, ", "))
	}
	if len(vars) == 0 {
		return nil, status.Invalid("the loss depends on no variable")
	}
	g.Variables = vars
	g.scope.UpdateErr("Minimize", b.Err())
	return grads, g.scope.Err()
}

// distinct is rows of which those of the same index are summed up.
func (g *Goal) distinct(rows *gradient.IndexedSlices) *gradient.IndexedSlices {
	s := g.scope.SubScope("rows").WithUniqueNames()
	indices, place := op.Unique(s, rows.Indices)
	sums := op.UnsortedSegmentSum(s, rows.Values, place, op.Size(s, indices))
	return &gradient.IndexedSlices{Values: sums, Indices: indices, Shape: rows.Shape}
}

// dense is rows as a whole tensor.
func (g *Goal) dense(rows *gradient.IndexedSlices) tf.Output {
	if g.scope.Err() != nil {
		return tf.Output{}
	}
	b := graph.NewBuilder(g.model.graph).Scope("train/dense")
	t := gradient.Build(b).Dense(rows)
	g.scope.UpdateErr("Minimize", b.Err())
	return t
}

// accumulated are the means of gradients over several batches: targets first and add
// keep sums, and what is returned is of the sums and the last batch.
func (g *Goal) accumulated(grads []gradient.Value) []gradient.Value {
	s := g.scope.SubScope("accumulate").WithUniqueNames()
	var first, add []*tf.Operation
	means := make([]gradient.Value, len(grads))
	for i, v := range g.Variables {
		p := grads[i].Dense
		if grads[i].Rows != nil {
			p = g.dense(grads[i].Rows)
		}
		sum := &Variable{Name: v.Name + "/" + g.prefix + "sum", DType: v.DType, Shape: v.Shape, of: v}
		g.model.add(sum, Zeros)
		first = append(first, sum.set(s, p))
		add = append(add, sum.change(s, "Add", p))
		means[i].Dense = op.Div(s, op.AddV2(s, sum.Value, p), number(s, v.DType, float64(g.accumulate)))
	}
	if s.Err() == nil {
		g.first = op.NoOp(s.SubScope("first").WithControlDependencies(first...))
		g.add = op.NoOp(s.SubScope("add").WithControlDependencies(add...))
	}
	return means
}

// clip puts clipped gradients in place of the others.
func clip(s *op.Scope, f Clip, grads []gradient.Value) error {
	list := make([]tf.Output, len(grads))
	for i, p := range grads {
		if list[i] = p.Dense; p.Rows != nil {
			list[i] = p.Rows.Values
		}
	}
	clipped := f(s, list)
	if s.Err() != nil {
		return s.Err()
	}
	if len(clipped) != len(list) {
		return status.Invalid("Clip was given %d gradients and returned %d", len(list), len(clipped))
	}
	for i := range grads {
		if rows := grads[i].Rows; rows != nil {
			grads[i].Rows = &gradient.IndexedSlices{Values: clipped[i], Indices: rows.Indices, Shape: rows.Shape}
		} else {
			grads[i].Dense = clipped[i]
		}
	}
	return nil
}

// averaged adds the moving average of a variable, which is updated after it.
func (g *Goal) averaged(v *Variable, keep float64, updates []*tf.Operation) *tf.Operation {
	s := g.scope.SubScope("average").WithUniqueNames()
	if v.average == nil {
		average := &Variable{Name: v.Name + "/ExponentialMovingAverage", DType: v.DType, Shape: v.Shape, of: v}
		v.average = g.model.add(average, func(s *op.Scope, _ tf.DataType, _ []int64, _ int64) tf.Output {
			return op.Identity(s, v.Value)
		})
	}
	if s.Err() != nil {
		return nil
	}
	one := op.Const(s, 1.0)
	ten := op.Const(s, 10.0)
	before := op.Sub(s, g.count, one)
	kept := op.Minimum(s, op.Const(s, keep), op.Div(s, op.AddV2(s, before, one), op.AddV2(s, before, ten)))
	after := s.WithControlDependencies(updates...)
	now := after.AddOperation(readSpec(v)).Output(0)
	if s.Err() != nil {
		return nil
	}
	moved := op.Mul(after, op.Sub(after, now, v.average.Value), op.Cast(after, op.Sub(after, one, kept), v.DType))
	return v.average.change(after, "Add", moved)
}

// readSpec returns an operation that reads a variable when it runs.
func readSpec(v *Variable) tf.OpSpec {
	if v.isRef() {
		return tf.OpSpec{Type: "Identity", Input: []tf.Input{v.Handle}}
	}
	return tf.OpSpec{Type: "ReadVariableOp", Input: []tf.Input{v.Handle}, Attrs: map[string]any{"dtype": v.DType}}
}

// power is x to the power of the number of updates with this one.
func (g *Goal) power(x float64, dt tf.DataType) tf.Output {
	key := powerOf{x, dt}
	if p, ok := g.powers[key]; ok {
		return p
	}
	s := g.scope.SubScope("power").WithUniqueNames()
	p := op.Cast(s, op.Pow(s, op.Const(s, x), g.count), dt)
	g.powers[key] = p
	return p
}
