package region_test

import (
	"fmt"
	"strings"
	"testing"

	troupe "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/region"
	"github.com/troupe-go/troupe/tensor"
)

// A plain writer adds to a graph, under names made unique.
type plain struct{ g *graph.Graph }

func (w plain) Write(_ region.Role, spec graph.OpSpec) (*graph.Node, error) {
	if spec.Name == "" {
		spec.Name = spec.Type
	}
	spec.Name = w.g.UniqueName(spec.Name)
	return w.g.AddOperation(spec)
}

func (w plain) Close(merge *graph.Node, from graph.Output) error {
	return w.g.SetBackEdge(merge, 1, from)
}

// A build is a graph under construction, which fails the test on any error.
type build struct {
	testing.TB
	g *graph.Graph
}

func (b build) op(r *region.Region, op string, in ...graph.Input) graph.Output {
	b.Helper()
	n, err := r.Add(graph.OpSpec{Type: op, Input: in})
	b.check(err)
	return n.Output(0)
}

func (b build) literal(r *region.Region, x any) graph.Output {
	b.Helper()
	t, err := tensor.NewTensor(x)
	b.check(err)
	n, err := r.Add(graph.OpSpec{Type: "Const", Attrs: graph.Attrs{"dtype": t.DType(), "value": t}})
	b.check(err)
	return n.Output(0)
}

func (b build) input(r *region.Region, name string) graph.Output {
	b.Helper()
	n, err := r.Add(graph.OpSpec{Type: "Placeholder", Name: name, Attrs: graph.Attrs{"dtype": tensor.Int32, "shape": graph.ScalarShape()}})
	b.check(err)
	return n.Output(0)
}

func (b build) check(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// while builds a loop of int32 variables.
func (b build) while(r *region.Region, name string, parallel int64, init []graph.Output, cond func(*region.Region, []graph.Output) graph.Output, body func(*region.Region, []graph.Output) []graph.Output) []graph.Output {
	b.Helper()
	l, err := r.Loop(region.LoopSpec{Frame: name, ParallelIterations: parallel, Init: init})
	b.check(err)
	b.check(l.Test(cond(l.Cond, l.Vars)))
	out, err := l.Close(body(l.Body, l.Current))
	b.check(err)
	return out
}

// choose ends a conditional of one result.
func (b build) choose(r *region.Region, c *region.Choice, branches ...func(*region.Region) graph.Output) graph.Output {
	b.Helper()
	var values []graph.Output
	for k, f := range branches {
		branch, err := c.Branch(k, nil)
		b.check(err)
		v, err := branch.Use(f(branch))
		b.check(err)
		values = append(values, v)
	}
	out, err := c.Join(region.Output, values)
	b.check(err)
	return out
}

// run feeds and fetches int32 scalars.
func run(t testing.TB, g *graph.Graph, feeds map[graph.Output]int32, fetches ...graph.Output) []int32 {
	t.Helper()
	s, err := troupe.NewSession(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	in := map[graph.Output]*tensor.Tensor{}
	for o, x := range feeds {
		if in[o], err = tensor.NewTensor(x); err != nil {
			t.Fatal(err)
		}
	}
	out, err := s.Run(in, fetches, nil)
	if err != nil {
		t.Fatal(err)
	}
	var values []int32
	for _, o := range out {
		values = append(values, o.Value().(int32))
	}
	return values
}

// A loop in a branch in a loop takes values from every region around it, and
// gives what the same loops give in Go.
func TestNested(t *testing.T) {
	for _, parallel := range []int64{0, 1, 32} {
		b := build{t, graph.New()}
		root := region.Root(plain{b.g})
		n, k := b.input(root, "n"), b.input(root, "k")
		zero := b.literal(root, int32(0))
		out := b.while(root, "outer", parallel, []graph.Output{zero, k},
			func(r *region.Region, v []graph.Output) graph.Output { return b.op(r, "Less", v[0], n) },
			func(r *region.Region, v []graph.Output) []graph.Output {
				i, sum := v[0], v[1]
				two := b.literal(r, int32(2))
				c, err := r.Cond(b.op(r, "Equal", b.op(r, "FloorMod", i, two), zero))
				b.check(err)
				sum = b.choose(r, c,
					func(r *region.Region) graph.Output { return k }, // forwarded, from far outside
					func(r *region.Region) graph.Output {
						return b.while(r, "inner", parallel, []graph.Output{zero, sum},
							func(r *region.Region, v []graph.Output) graph.Output { return b.op(r, "Less", v[0], i) },
							func(r *region.Region, v []graph.Output) []graph.Output {
								one := b.literal(r, int32(1))
								return []graph.Output{b.op(r, "AddV2", v[0], one), b.op(r, "AddV2", v[1], b.op(r, "Mul", k, two))}
							})[1]
					})
				return []graph.Output{b.op(r, "AddV2", i, b.literal(r, int32(1))), sum}
			})
		for limit := range int32(6) {
			want := []int32{0, 7}
			for i := int32(0); i < limit; i++ {
				if i%2 == 0 {
					want[1] += i * 7 * 2
				} else {
					want[1] = 7
				}
				want[0] = i + 1
			}
			// Branch 0 is that of false: odd numbers hand k on.
			if got := run(t, b.g, map[graph.Output]int32{n: limit, k: 7}, out...); got[0] != want[0] || got[1] != want[1] {
				t.Errorf("parallel %d: of %d got %v, want %v", parallel, limit, got, want)
			}
		}
	}
}

// A branch of a Case runs alone, also what takes nothing from outside; the last
// runs if there is none of that index.
func TestCase(t *testing.T) {
	b := build{t, graph.New()}
	root := region.Root(plain{b.g})
	index, x := b.input(root, "index"), b.input(root, "x")
	c, err := root.Case(index, 3)
	b.check(err)
	out := b.choose(root, c,
		func(r *region.Region) graph.Output { return b.op(r, "Neg", x) },
		func(r *region.Region) graph.Output { return b.literal(r, int32(5)) },
		func(r *region.Region) graph.Output { return b.op(r, "Square", x) })
	for i, want := range []int32{-3, 5, 9, 9} {
		if got := run(t, b.g, map[graph.Output]int32{index: int32(i), x: 3}, out); got[0] != want {
			t.Errorf("branch %d gives %d, want %d", i, got[0], want)
		}
	}
	if got := run(t, b.g, map[graph.Output]int32{index: -1, x: 3}, out); got[0] != 9 {
		t.Errorf("branch -1 gives %d", got[0])
	}
}

// Values that are carried in are carried once.
func TestCarriesOnce(t *testing.T) {
	b := build{t, graph.New()}
	root := region.Root(plain{b.g})
	n := b.input(root, "n")
	b.while(root, "loop", 0, []graph.Output{n},
		func(r *region.Region, v []graph.Output) graph.Output { return b.op(r, "Less", v[0], n) },
		func(r *region.Region, v []graph.Output) []graph.Output {
			return []graph.Output{b.op(r, "AddV2", b.op(r, "AddV2", v[0], n), n)}
		})
	enters := 0
	for _, node := range b.g.Nodes() {
		if node.Class() == graph.ClassEnter {
			enters++
		}
	}
	if enters != 2 { // the variable, and n
		t.Errorf("the loop has %d Enter nodes", enters)
	}
}

func TestRefusals(t *testing.T) {
	b := build{t, graph.New()}
	root := region.Root(plain{b.g})
	n := b.input(root, "n")
	_, err := root.Loop(region.LoopSpec{Frame: "empty"})
	refused(t, err, "a loop needs at least one variable")
	l, err := root.Loop(region.LoopSpec{Frame: "loop", Init: []graph.Output{n}})
	b.check(err)
	_, err = root.Add(graph.OpSpec{Type: "Neg", Input: []graph.Input{l.Vars[0]}})
	refused(t, err, "belongs to a loop or branch that its user is not in")
	_, err = l.Cond.Add(graph.OpSpec{Type: "Neg", Name: "waiting", Input: []graph.Input{l.Vars[0]}, ControlDependencies: []*graph.Node{n.Op}})
	refused(t, err, "'waiting' waits for 'n', which is outside the loop 'loop'")
	b.check(l.Test(b.op(l.Cond, "Less", l.Vars[0], n)))
	_, err = l.Close(nil)
	refused(t, err, "the loop has 1 variables, but its body gives 0")
	_, err = root.Case(n, 0)
	refused(t, err, "a conditional of 0 branches")
	c, err := root.Case(n, 2)
	b.check(err)
	_, err = c.Join(region.Output, []graph.Output{n})
	refused(t, err, "1 values are to be joined, of 2 branches")
	_, err = l.Body.Use(graph.Output{})
	refused(t, err, "of no node")
}

func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func ExampleRegion_Loop() {
	g := graph.New()
	root := region.Root(plain{g})
	add := func(r *region.Region, spec graph.OpSpec) graph.Output {
		n, err := r.Add(spec)
		if err != nil {
			panic(err)
		}
		return n.Output(0)
	}
	limit := add(root, graph.OpSpec{Type: "Placeholder", Name: "limit", Attrs: graph.Attrs{"dtype": tensor.Float}})
	x := add(root, graph.OpSpec{Type: "Placeholder", Name: "x", Attrs: graph.Attrs{"dtype": tensor.Float}})
	loop, err := root.Loop(region.LoopSpec{Frame: "doubling", Init: []graph.Output{x}})
	if err != nil {
		panic(err)
	}
	if err := loop.Test(add(loop.Cond, graph.OpSpec{Type: "Less", Input: []graph.Input{loop.Vars[0], limit}})); err != nil {
		panic(err)
	}
	twice := add(loop.Body, graph.OpSpec{Type: "AddV2", Name: "twice", Input: []graph.Input{loop.Current[0], loop.Current[0]}})
	if _, err := loop.Close([]graph.Output{twice}); err != nil {
		panic(err)
	}
	for _, n := range g.Nodes() {
		fmt.Println(n.Name(), n.Inputs())
	}
	// Output:
	// limit []
	// x []
	// Enter [x:0]
	// Merge [Enter:0 NextIteration:0]
	// Enter_1 [limit:0]
	// Less [Merge:0 Enter_1:0]
	// LoopCond [Less:0]
	// Switch [Merge:0 LoopCond:0]
	// Exit [Switch:0]
	// Identity [Switch:1]
	// twice [Identity:0 Identity:0]
	// NextIteration [twice:0]
}
