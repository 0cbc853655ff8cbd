package sequential_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/logging"
)

// Nothing says in which order these nodes print. A seed does, and it is the same
// order each time.
func ExampleSeeded() {
	b := graph.NewBuilder(graph.New())
	var targets []*graph.Node
	for _, word := range []string{"first ", "second ", "third "} {
		print := graph.OpSpec{
			Type:  "PrintV2",
			Input: []graph.Input{b.Const(word)},
			Attrs: graph.Attrs{"output_stream": "stdout", "end": ""},
		}
		targets = append(targets, b.Add(print))
	}
	if err := b.Err(); err != nil {
		fmt.Println(err)
		return
	}
	program, err := compile.Graph(context.Background(), b.Graph(), compile.Spec{Targets: targets})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, engine := range []*sequential.Engine{
		sequential.New(nil),
		sequential.Seeded(1, nil), sequential.Seeded(1, nil),
		sequential.Seeded(4, nil), sequential.Seeded(4, nil),
	} {
		step := &kernel.Step{
			Context:   context.Background(),
			Resources: resource.NewManager(),
			PerStep:   resource.NewManager(),
			Pool:      kerneltest.Serial{},
		}
		fmt.Print(engine.Name(), ": ")
		err := engine.Run(step, program, nil, nil)
		fmt.Println(err)
	}
	// Output:
	// sequential: first second third <nil>
	// seeded:1: first third second <nil>
	// seeded:1: first third second <nil>
	// seeded:4: second first third <nil>
	// seeded:4: second first third <nil>
}
