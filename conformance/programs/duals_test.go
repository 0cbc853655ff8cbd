package programs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// A descent is a program and its backward graphs: the gradients of its float results,
// each element times a weight, by its float inputs and variables; the gradients of
// those, each element times that of a direction; and so on.
type descent struct {
	program       *programs.Program
	low           *programs.Lowered
	inputs        []*programs.Array
	xs, ys        []programs.Var
	weights       []*programs.Array // of the ys
	orders        []order
	apart         bool              // each y's gradients are asked for in a call of their own
	values        []*programs.Array // of the results
	compiled, set *nodes.Program
}

// An order is how often is differentiated.
type order struct {
	directions []*programs.Array // of the xs
	want, size []float64         // by x, as duals have them
	reread     bool              // the graph is written and read again afterwards
}

// errFlat says that there is nothing to differentiate in a program.
var errFlat = errors.New("no float input or no float result")

// newDescent draws a program, and evaluates it with dual numbers.
func newDescent(src *script, o programs.Options) (*descent, error) {
	o.Duals = true
	form := programs.Form(src.Int("form", 0, 2))
	d := &descent{program: programs.Random(src, o)}
	p := d.program
	if _, coarse := p.Narrow(); coarse {
		return nil, errUnclear
	}
	if d.xs, d.ys = p.Smooth(); len(d.xs) == 0 || len(d.ys) == 0 {
		return nil, errFlat
	}
	for _, v := range p.Inputs {
		d.inputs = append(d.inputs, programs.Draw(src, p.Types[v]))
	}
	out, err := p.Eval(d.inputs, nil, p.NewMemory())
	if err != nil || out.Fails() {
		return nil, errUnclear
	}
	d.values = out.Values
	for _, y := range d.ys {
		a := d.values[slices.Index(p.Results, y)]
		d.weights = append(d.weights, programs.Direction(src, a.Type, a.Dims))
	}
	d.apart = src.Int("apart", 0, 2) == 2
	var along []map[programs.Var]*programs.Array // of the orders before
	for range src.Int("order", 1, programs.MaxOrder) {
		o := order{reread: src.Int("reread", 0, 3) == 3}
		all := map[programs.Var]*programs.Array{}
		for _, x := range d.xs {
			a := programs.Direction(src, p.Types[x].DType, p.Types[x].Dims)
			by, size, err := p.Slope(d.inputs, p.NewMemory(), append(along[:len(along):len(along)], map[programs.Var]*programs.Array{x: a}), d.ys, d.weights)
			if err != nil || !(size < programs.TooLarge) {
				return nil, errUnclear
			}
			all[x] = a
			o.directions, o.want, o.size = append(o.directions, a), append(o.want, by), append(o.size, size)
		}
		along = append(along, all)
		d.orders = append(d.orders, o)
	}
	var passes rewrite.Passes
	if src.Int("rewriting", 0, 1) == 1 {
		passes = rewrite.Default()
	}
	return d, d.build(form, passes)
}

// build makes the backward graphs and compiles them.
func (d *descent) build(form programs.Form, passes rewrite.Passes) error {
	p := d.program
	d.low = p.Lower(form)
	b := &building{g: d.low.Graph, feeds: d.low.Inputs, results: d.low.Results, init: d.low.Init}
	var ys []graph.Output
	for _, y := range d.ys {
		ys = append(ys, d.low.Results[slices.Index(p.Results, y)])
	}
	for _, x := range d.xs {
		b.xs = append(b.xs, d.low.Outputs[x])
	}
	factors := d.weights
	for k, o := range d.orders {
		dx, err := b.gradients(fmt.Sprintf("order_%d", k+1), ys, factors, d.apart && k == 0)
		if err != nil {
			return fmt.Errorf("building the backward graph of order %d: %w", k+1, err)
		}
		b.fetched = append(b.fetched, dx...)
		if o.reread {
			if err := b.reread(); err != nil {
				return fmt.Errorf("writing and reading the backward graph of order %d: %w", k+1, err)
			}
		}
		ys, factors = b.fetched[len(b.fetched)-len(dx):], o.directions
	}
	d.low.Graph = b.g
	var err error
	if len(b.init) > 0 {
		if d.set, err = compile.Graph(context.Background(), b.g, compile.Spec{Targets: b.init}); err != nil {
			return err
		}
	}
	d.compiled, err = compile.Graph(context.Background(), b.g, compile.Spec{
		Feeds: b.feeds, Fetches: slices.Concat(b.results, b.fetched), Rewrite: rewrite.Options{Passes: passes},
	})
	return err
}

// A building is a graph that backward graphs are added to.
type building struct {
	g                           *graph.Graph
	feeds, results, xs, fetched []graph.Output
	init                        []*graph.Node
}

// gradients adds the gradients of ys, each element times that of a factor, which is
// fed, by the xs. Apart means in a call for each y.
func (b *building) gradients(name string, ys []graph.Output, factors []*programs.Array, apart bool) ([]graph.Output, error) {
	var grads []graph.Output
	for i, a := range factors {
		n, err := b.g.AddOperation(graph.OpSpec{Type: "Placeholder", Name: fmt.Sprintf("%s_factor_%d", name, i), Attrs: graph.Attrs{"dtype": a.Type}})
		if err != nil {
			return nil, err
		}
		grads = append(grads, n.Output(0))
	}
	b.feeds = append(b.feeds[:len(b.feeds):len(b.feeds)], grads...)
	if !apart {
		return gradients.Dense(b.g, ys, b.xs, gradients.Options{GradYs: grads})
	}
	parts := make([][]graph.Output, len(b.xs))
	for i := range ys {
		dx, err := gradients.Dense(b.g, ys[i:i+1], b.xs, gradients.Options{GradYs: grads[i : i+1]})
		if err != nil {
			return nil, err
		}
		for k, v := range dx {
			parts[k] = append(parts[k], v)
		}
	}
	var sums []graph.Output
	for k, list := range parts {
		n, err := b.g.AddOperation(graph.OpSpec{Type: "AddN", Name: fmt.Sprintf("%s_sum_%d", name, k), Input: []graph.Input{graph.OutputList(list)}})
		if err != nil {
			return nil, err
		}
		sums = append(sums, n.Output(0))
	}
	return sums, nil
}

// reread writes the graph and goes on with what is read of that.
func (b *building) reread() error {
	def, err := b.g.GraphDef(graph.ExportOptions{})
	if err != nil {
		return err
	}
	g := graph.New()
	if err := g.Import(def, ""); err != nil {
		return err
	}
	for _, list := range []*[]graph.Output{&b.feeds, &b.results, &b.xs, &b.fetched} {
		again := make([]graph.Output, len(*list))
		for i, p := range *list {
			if again[i], err = g.Find(p.String()); err != nil {
				return err
			}
		}
		*list = again
	}
	init := make([]*graph.Node, len(b.init))
	for i, n := range b.init {
		init[i] = g.Operation(n.Name())
	}
	b.g, b.init = g, init
	return nil
}

// judge runs the program on an engine and compares.
//
// What the backward graph adds up are products of partial derivatives along the ways
// from x to the results, and the size is the sum of all of them without signs. Each
// product is exact to a part of its own for each operation on its way, and each sum to
// a part of the sum of the sizes: a program has some hundred operations. So an error of
// a thousand units in the last place of the size would be more than rounding makes.
func (d *descent) judge(e *engine) error {
	resources := &resource.Manager{Budget: e.budget}
	t := &trial{}
	if d.set != nil {
		if err := t.run(e, resources, context.Background(), d.set, nil, nil); err != nil {
			return fmt.Errorf("initialization: %w", err)
		}
	}
	var feeds []tensor.Value
	fed := slices.Concat(d.inputs, d.weights)
	for _, o := range d.orders[:len(d.orders)-1] {
		fed = append(fed, o.directions...)
	}
	for _, a := range fed {
		feeds = append(feeds, tensor.ValueOf(a.Tensor()))
	}
	fetched := make([]tensor.Value, len(d.compiled.Fetches()))
	if err := t.run(e, resources, context.Background(), d.compiled, feeds, fetched); err != nil {
		return err
	}
	for i, want := range d.values {
		if got, err := programs.FromValue(fetched[i]); err != nil || !got.Equal(want) {
			return fmt.Errorf("%v is %v, %v; want %v", d.program.Results[i], got, err, want)
		}
	}
	unit := 0x1p-53
	if narrow, _ := d.program.Narrow(); narrow {
		unit = 0x1p-24
	}
	for k, o := range d.orders {
		for i, x := range d.xs {
			got, err := programs.FromValue(fetched[len(d.values)+k*len(d.xs)+i])
			if err != nil {
				return err
			}
			direction := o.directions[i]
			if !slices.Equal(got.Dims, direction.Dims) || got.Type != direction.Type {
				return fmt.Errorf("the gradient of order %d by %v is %v, which is not of its type and shape, %v", k+1, x, got, d.program.Types[x])
			}
			if dot := programs.Dot(got, direction); !(math.Abs(dot-o.want[i]) <= 1000*unit*o.size[i]) {
				return fmt.Errorf("the gradient of order %d by %v is %v: in the direction %v that is %v; want %v, of parts with the sum %v", k+1, x, got, direction, dot, o.want[i], o.size[i])
			}
		}
	}
	resources.Clear()
	return nil
}

// String returns the descent, to be read.
func (d *descent) String() string {
	s := fmt.Sprintf("%v\ninputs %v\nweights %v of %v\n", d.program, d.inputs, d.weights, d.ys)
	for k, o := range d.orders {
		s += fmt.Sprintf("order %d: directions %v, written and read again %v\n", k+1, o.directions, o.reread)
	}
	if d.low != nil {
		s += notation.Format(d.low.Graph, notation.Options{})
	}
	return s
}

// descend draws a descent and judges it on the engines.
func descend(src *script, o programs.Options, all []*engine) (d *descent, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if d, err = newDescent(src, o); err != nil {
		return d, err
	}
	for _, e := range all {
		if err := d.judge(e); err != nil {
			return d, fmt.Errorf("on %s: %w", e.label, err)
		}
	}
	return d, nil
}

// TestDuals compares the gradients of random programs with dual numbers.
func TestDuals(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 300
		if testing.Short() {
			n = 40
		}
	}
	all, end := engines(t, *engineSet, memoryLimit)
	defer end()
	unclear, flat := 0, 0
	var curved [programs.MaxOrder]int // by order, programs whose derivatives are not all 0
	for seed := *first; seed < *first+n; seed++ {
		src := &script{rng: rand.New(rand.NewPCG(uint64(seed), 1))}
		o := programs.Options{Depth: 1 + seed%4}
		d, err := descend(src, o, all)
		switch {
		case errors.Is(err, errUnclear):
			unclear++
			continue
		case errors.Is(err, errFlat):
			flat++
			continue
		case err != nil && !*shrinking:
			t.Errorf("seed %d: %s", seed, brief(err))
			continue
		case err != nil:
			small := &script{given: shrinkTo(src.drawn, func(s *script) bool {
				_, err := descend(s, o, all)
				return err != nil && !errors.Is(err, errUnclear) && !errors.Is(err, errFlat)
			})}
			d2, err2 := descend(small, o, all)
			if d2 == nil {
				d2 = d
			}
			t.Fatalf("seed %d: %s\nmade smaller: %v\n%v", seed, brief(err), err2, d2)
		}
		for k, o := range d.orders {
			if slices.ContainsFunc(o.want, func(x float64) bool { return x != 0 }) {
				curved[k]++
			}
		}
	}
	if curved[0] < n/3 || curved[1] < n/4 || curved[2] < n/20 {
		t.Errorf("of %d programs %d have no clear answer, %d nothing to differentiate, and derivatives that are not 0, by order: %v", n, unclear, flat, curved)
	}
	t.Logf("%d programs, %d of them unclear, %d flat; with derivatives that are not 0, by order: %v", n, unclear, flat, curved)
}
