package programs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/rewrite"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// A descent is a program and its backward graph: the gradients of its float results,
// each element times a weight, by its float inputs and variables.
type descent struct {
	program       *programs.Program
	low           *programs.Lowered
	inputs        []*programs.Array
	xs, ys        []programs.Var
	weights       []*programs.Array // of the ys
	directions    []*programs.Array // of the xs
	want, size    []float64         // by x, as duals have them
	values        []*programs.Array // of the results
	compiled, set *nodes.Program
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
	for _, x := range d.xs {
		a := programs.Direction(src, p.Types[x].DType, p.Types[x].Dims)
		by, size, err := p.Slope(d.inputs, p.NewMemory(), x, a, d.ys, d.weights)
		if err != nil || !(size < 1e30) {
			return nil, errUnclear
		}
		d.directions, d.want, d.size = append(d.directions, a), append(d.want, by), append(d.size, size)
	}
	var passes rewrite.Passes
	if src.Int("rewriting", 0, 1) == 1 {
		passes = rewrite.Default()
	}
	return d, d.build(form, passes)
}

// build makes the backward graph and compiles it.
func (d *descent) build(form programs.Form, passes rewrite.Passes) error {
	p := d.program
	d.low = p.Lower(form)
	g := d.low.Graph
	var ys, xs, grads []graph.Output
	for i, y := range d.ys {
		ys = append(ys, d.low.Results[slices.Index(p.Results, y)])
		n, err := g.AddOperation(graph.OpSpec{Type: "Placeholder", Name: fmt.Sprintf("weight_%d", i), Attrs: graph.Attrs{"dtype": p.Types[y].DType}})
		if err != nil {
			return err
		}
		grads = append(grads, n.Output(0))
	}
	for _, x := range d.xs {
		xs = append(xs, d.low.Outputs[x])
	}
	dx, err := gradients.Dense(g, ys, xs, gradients.Options{GradYs: grads})
	if err != nil {
		return fmt.Errorf("building the backward graph: %w", err)
	}
	if len(d.low.Init) > 0 {
		if d.set, err = nodes.Compile(context.Background(), g, nodes.Spec{Targets: d.low.Init}); err != nil {
			return err
		}
	}
	d.compiled, err = nodes.Compile(context.Background(), g, nodes.Spec{
		Feeds: slices.Concat(d.low.Inputs, grads), Fetches: slices.Concat(d.low.Results, dx), Rewrite: rewrite.Options{Passes: passes},
	})
	return err
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
	for _, a := range slices.Concat(d.inputs, d.weights) {
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
	for i, x := range d.xs {
		got, err := programs.FromValue(fetched[len(d.values)+i])
		if err != nil {
			return err
		}
		if !slices.Equal(got.Dims, d.directions[i].Dims) || got.Type != d.directions[i].Type {
			return fmt.Errorf("the gradient by %v is %v, which is not of its type and shape, %v", x, got, d.program.Types[x])
		}
		if dot := programs.Dot(got, d.directions[i]); !(math.Abs(dot-d.want[i]) <= 1000*unit*d.size[i]) {
			return fmt.Errorf("the gradient by %v is %v: in the direction %v that is %v; want %v, of parts with the sum %v", x, got, d.directions[i], dot, d.want[i], d.size[i])
		}
	}
	resources.Clear()
	return nil
}

// String is the descent, to be read.
func (d *descent) String() string {
	s := fmt.Sprintf("%v\ninputs %v\nweights %v of %v\n", d.program, d.inputs, d.weights, d.ys)
	if d.low != nil {
		s += d.low.Graph.Text(graph.TextOptions{})
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
		n = 600
		if testing.Short() {
			n = 100
		}
	}
	all, end := engines(t, *engineSet, memoryLimit)
	defer end()
	unclear, flat, zero := 0, 0, 0
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
		if !slices.ContainsFunc(d.want, func(x float64) bool { return x != 0 }) {
			zero++
		}
	}
	if unclear+flat+zero > n*2/3 {
		t.Errorf("of %d programs %d have no clear answer, %d nothing to differentiate, and of %d the gradients are 0", n, unclear, flat, zero)
	}
	t.Logf("%d programs, %d of them unclear, %d flat, %d with gradients of 0 alone", n, unclear, flat, zero)
}
