package data_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/data"
)

// A queue hands elements from one step to the next.
func Example() {
	s := op.NewScope()
	queue := op.FIFOQueueV2(s, []tf.DataType{tf.String})
	put := op.QueueEnqueueManyV2(s, queue, []tf.Output{op.Const(s, []string{"ready", "steady", "go"})})
	take := op.QueueDequeueV2(s, queue, []tf.DataType{tf.String})
	left := op.QueueSizeV2(s.WithControlDependencies(take[0].Op), queue)
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Run(nil, nil, []*tf.Operation{put}); err != nil {
		log.Fatal(err)
	}
	for range 3 {
		out, err := session.Run(nil, []tf.Output{take[0], left}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(out[0].Value(), out[1].Value())
	}
	// Output:
	// ready 2
	// steady 1
	// go 0
}
