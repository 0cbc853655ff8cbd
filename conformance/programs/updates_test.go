package programs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// TestUpdates runs random optimizers: reads of variables, elementwise operations and updates,
// ordered variable by variable as functions of TensorFlow order them, some through nodes in
// between. What is fetched and what the variables hold then must have the bits that it has
// without rewriting.
func TestUpdates(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 300
		if testing.Short() {
			n = 100
		}
	}
	all, end := engines(t, "actors,actors/3,tokens,sequential,messages", memoryLimit)
	defer end()
	plain, stop := engines(t, "sequential", memoryLimit)
	defer stop()
	fused := 0
	for seed := *first; seed < *first+n; seed++ {
		o := newOptimizer(rand.New(rand.NewPCG(uint64(seed), 23)))
		want, _, failed := o.run(plain[0], rewrite.Options{})
		if errors.Is(failed, errUnclear) {
			t.Fatal(failed)
		}
		for _, e := range all {
			got, passes, err := o.run(e, rewrite.Options{Passes: rewrite.Default()})
			fused += passes
			wrong := ""
			switch {
			case (err != nil) != (failed != nil):
				wrong = fmt.Sprintf("error %v, want %v", err, failed)
			case err == nil && !slices.EqualFunc(got, want, sameBits):
				wrong = fmt.Sprintf("values %v, want %v", got, want)
			}
			if wrong != "" {
				t.Fatalf("seed %d on %s: %s\n%s", seed, e.label, wrong, notation.Format(o.g, notation.Options{}))
			}
		}
	}
	if fused < n/10 {
		t.Errorf("only %d updates are in passes, of %d graphs", fused, n)
	}
}

func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b
}

// An optimizer is a graph of updates.
type optimizer struct {
	g       *graph.Graph
	rng     *rand.Rand
	dt      tensor.DType
	dims    []int64
	init    []*graph.Node
	now     []graph.Output // values of the variables
	targets []*graph.Node
	fetches []graph.Output
}

func newOptimizer(rng *rand.Rand) *optimizer {
	o := &optimizer{g: graph.New(), rng: rng, dt: tensor.Float}
	if rng.IntN(4) == 0 {
		o.dt = tensor.Double
	}
	shapes := [][]int64{{3}, {2, 3}, {1, 3}, {40, 70}, {}}
	o.dims = shapes[rng.IntN(len(shapes))]
	var handles []graph.Output
	var names []string
	for i := range 1 + rng.IntN(4) {
		name, dims := fmt.Sprintf("v%d", i), o.dims
		if i > 0 && rng.IntN(5) == 0 {
			name = "v0" // two handles of one variable
		} else if rng.IntN(10) == 0 {
			dims = shapes[rng.IntN(len(shapes))]
		}
		h := o.add("VarHandleOp", "", map[string]any{"dtype": o.dt, "shape": o.declared(dims), "shared_name": name}, nil).Output(0)
		known := slices.Contains(names, name)
		handles, names = append(handles, h), append(names, name)
		if !known && rng.IntN(40) > 0 {
			o.init = append(o.init, o.add("AssignVariableOp", "", nil, nil, h, o.constant(dims)))
		}
	}
	values := []graph.Output{o.constant(o.dims), o.constant(nil)}
	if len(o.dims) > 0 {
		values = append(values, o.constant(o.dims[len(o.dims)-1:]))
	}
	lastWrite, reads := map[string]*graph.Node{}, map[string][]*graph.Node{}
	var nodes []*graph.Node
	after := func(list []*graph.Node) (some []*graph.Node) {
		for _, n := range list {
			if n != nil && rng.IntN(8) == 0 {
				n = o.add("NoOp", "", nil, []*graph.Node{n})
			}
			if n != nil {
				some = append(some, n)
			}
		}
		if len(nodes) > 0 && rng.IntN(6) == 0 {
			some = append(some, nodes[rng.IntN(len(nodes))])
		}
		return some
	}
	var rule []int // what an optimizer does next with what it has just written: reads, computes, updates
	value := func() graph.Output {
		if len(rule) > 0 || rng.IntN(2) == 0 {
			return values[len(values)-1]
		}
		return values[rng.IntN(len(values))]
	}
	k := 0
	for range 3 + rng.IntN(16) {
		what := rng.IntN(6)
		if len(rule) > 0 && rng.IntN(6) > 0 {
			what = rule[0]
		} else {
			rule = nil
		}
		if what != 0 || rule == nil {
			k = rng.IntN(len(handles))
		}
		h, name := handles[k], names[k]
		var n *graph.Node
		switch what {
		case 0:
			n = o.add("ReadVariableOp", "", map[string]any{"dtype": o.dt}, after([]*graph.Node{lastWrite[name]}), h)
			reads[name] = append(reads[name], n)
		case 1:
			op := []string{"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"}[rng.IntN(3)]
			n = o.add(op, "", nil, after(append(reads[name], lastWrite[name])), h, value())
			lastWrite[name], reads[name] = n, nil
			if rng.IntN(12) > 0 {
				o.targets = append(o.targets, n)
			}
		case 2:
			n = o.add([]string{"Neg", "Square", "Tanh", "Sqrt"}[rng.IntN(4)], "", nil, after(nil), value())
		default:
			n = o.add([]string{"AddV2", "Mul", "Sub", "RealDiv", "SquaredDifference"}[rng.IntN(5)], "", nil, after(nil), value(), value())
		}
		if len(rule) > 0 {
			rule = rule[1:]
		}
		if what == 1 && len(rule) == 0 {
			rule = []int{0, 3, 1}
		}
		nodes = append(nodes, n)
		if n.NumOutputs() > 0 {
			values = append(values, n.Output(0))
			if rng.IntN(12) == 0 {
				o.fetches = append(o.fetches, n.Output(0))
			}
		}
	}
	if len(o.targets)+len(o.fetches) == 0 {
		o.fetches = values[len(values)-1:]
	}
	for i, h := range handles {
		if slices.Index(names, names[i]) == i {
			o.now = append(o.now, o.add("ReadVariableOp", "", map[string]any{"dtype": o.dt}, nil, h).Output(0))
		}
	}
	return o
}

// declared returns what a handle says of its variable's shape.
func (o *optimizer) declared(dims []int64) graph.Shape {
	switch {
	case o.rng.IntN(8) == 0:
		return graph.Shape{}
	case len(dims) == 0:
		return graph.ScalarShape()
	}
	return graph.MakeShape(dims...)
}

func (o *optimizer) add(op, name string, attrs map[string]any, after []*graph.Node, in ...graph.Output) *graph.Node {
	spec := graph.OpSpec{Type: op, Name: o.g.UniqueName(op), Attrs: attrs, ControlDependencies: after}
	for _, x := range in {
		spec.Input = append(spec.Input, x)
	}
	n, err := o.g.AddOperation(spec)
	if err != nil { // shapes that do not fit
		return o.add("NoOp", "", nil, after)
	}
	return n
}

func (o *optimizer) constant(dims []int64) graph.Output {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	xs, ys := make([]float32, n), make([]float64, n)
	for i := range n {
		ys[i] = o.rng.NormFloat64()
		xs[i] = float32(ys[i])
	}
	t, err := tensor.FromSlice(xs, dims...)
	if o.dt == tensor.Double {
		t, err = tensor.FromSlice(ys, dims...)
	}
	if err != nil {
		panic(err)
	}
	return o.add("Const", "", map[string]any{"value": t, "dtype": o.dt}, nil).Output(0)
}

// run runs the updates twice and returns what is fetched, what the variables hold, and how
// many variables it updates in passes over several.
func (o *optimizer) run(e *engine, how rewrite.Options) (got []float64, passes int, err error) {
	resources := &resource.Manager{Budget: e.budget}
	defer resources.Clear()
	step := compile.Spec{Fetches: o.fetches, Targets: o.targets, Rewrite: how}
	for _, spec := range []compile.Spec{{Targets: o.init}, step, step, {Fetches: o.now}} {
		if len(spec.Fetches)+len(spec.Targets) == 0 {
			continue
		}
		p, err := compile.Graph(context.Background(), o.g, spec)
		if err != nil {
			return nil, 0, fmt.Errorf("%w: %v", errUnclear, err)
		}
		for _, n := range p.Nodes() {
			if n != nil && n.Type() == "_FusedUpdate" {
				passes += int(n.Attrs().Find("M").I) - 1 // beyond the first
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		fetched := make([]tensor.Value, len(spec.Fetches))
		s := &kernel.Step{Context: ctx, Resources: resources, PerStep: &resource.Manager{Budget: e.budget}, Pool: e.pool}
		err = e.Run(s, p, nil, fetched)
		s.PerStep.Clear()
		cancel()
		if err != nil {
			return nil, passes, err
		}
		for i := range fetched {
			for k := range fetched[i].NumElements() {
				switch {
				case o.dt == tensor.Double:
					got = append(got, elementAt[float64](&fetched[i], k))
				default:
					got = append(got, float64(elementAt[float32](&fetched[i], k)))
				}
			}
		}
	}
	return got, passes, nil
}

func elementAt[T float32 | float64](v *tensor.Value, k int) T {
	if v.Plain() {
		return tensor.At0[T](v)
	}
	return tensor.Of[T](v)[k]
}
