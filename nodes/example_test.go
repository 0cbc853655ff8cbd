package nodes_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/math"
)

// An engine at its simplest: it runs every kernel at once, where it stands. The
// constant, the Switch and the Merge are the step's own business, and Neg, which
// is dead, is not offered.
func Example() {
	g := graph.New()
	b := graph.NewBuilder(g)
	x := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float, "shape": graph.ScalarShape()})
	positive := b.Op("Greater", nil, x, b.Const(float32(0)))
	branch := b.Op("Switch", nil, x, positive)
	absolute := b.Op("Merge", nil, graph.OutputList{
		b.Op("Neg", nil, branch),
		b.Op("Identity", nil, branch.Op.Output(1)),
	})
	y := b.Op("Sqrt", nil, absolute)
	if err := b.Err(); err != nil {
		fmt.Println(err)
		return
	}

	program, err := nodes.Compile(context.Background(), g, nodes.Spec{Feeds: []graph.Output{x}, Fetches: []graph.Output{y}})
	if err != nil {
		fmt.Println(err)
		return
	}
	shared := &kernel.Step{
		Context:   context.Background(),
		Resources: resource.NewManager(),
		PerStep:   resource.NewManager(),
		Pool:      kerneltest.Serial{},
	}
	step := program.Begin(shared, []tensor.Value{tensor.Scalar(float32(9))}, nodes.Options{})
	for a := step.Next(); a != nil; a = step.Next() {
		fmt.Println("run", a.Node())
		step.Complete(a, a.Run())
	}
	fetched := make([]tensor.Value, 1)
	err = step.End(fetched)
	fmt.Println(tensor.At0[float32](&fetched[0]), err)
	// Output:
	// run Greater
	// run Sqrt
	// 3 <nil>
}
