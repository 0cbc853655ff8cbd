package actors_test

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"

	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/math"
)

// A step that hangs is asked what waits for what, then it is cancelled.
func ExampleEngine_Reports() {
	b := graph.NewBuilder(graph.New())
	queue := b.Op("FIFOQueueV2", graph.Attrs{"component_types": []tensor.DType{tensor.Float}})
	next := b.Op("QueueDequeueV2", graph.Attrs{"component_types": []tensor.DType{tensor.Float}}, queue)
	sum := b.Op("AddV2", nil, next, b.Const(float32(1)))
	if err := b.Err(); err != nil {
		fmt.Println(err)
		return
	}
	program, err := compile.Graph(context.Background(), b.Graph(), compile.Spec{Fetches: []graph.Output{sum}})
	if err != nil {
		fmt.Println(err)
		return
	}

	engine := actors.New(actors.Config{})
	defer engine.Close()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		step := &kernel.Step{
			Context:   ctx,
			Resources: resource.NewManager(),
			PerStep:   resource.NewManager(),
			Pool:      kerneltest.Serial{},
		}
		ended <- engine.Run(step, program, nil, make([]tensor.Value, 1))
	}()
	for waiting := false; !waiting; {
		for _, s := range engine.Reports(ctx, 1) {
			if waiting = len(s.Report.Waiting) > 0; waiting {
				fmt.Println(s.Report.Waiting[0])
			}
		}
	}
	cancel()
	fmt.Println(status.CodeOf(<-ended))
	// Output:
	// "AddV2" (AddV2) waits for QueueDequeueV2:0
	// CANCELLED
}
