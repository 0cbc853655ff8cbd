package state_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/state"
)

// A variable keeps its value from step to step.
func Example() {
	s := op.NewScope()
	count := op.VarHandleOp(s, tf.Int64, tf.ScalarShape(), op.VarHandleOpSharedName("count"))
	begin := op.AssignVariableOp(s, count, op.Const(s.SubScope("zero"), int64(0)))
	add := op.AssignAddVariableOp(s, count, op.Const(s.SubScope("step"), int64(5)))
	value := op.ReadVariableOp(s.WithControlDependencies(add), count, tf.Int64)
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	if _, err := session.Run(nil, []tf.Output{value}, nil); err != nil {
		fmt.Println(tf.CodeOf(err)) // it has no value to add to
	}
	if _, err := session.Run(nil, nil, []*tf.Operation{begin}); err != nil {
		log.Fatal(err)
	}
	for range 3 {
		out, err := session.Run(nil, []tf.Output{value}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(out[0].Value())
	}
	// Output:
	// NOT_FOUND
	// 5
	// 10
	// 15
}
