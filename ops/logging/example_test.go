package logging_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/logging"
)

// An assertion that does not hold ends the step.
func Example() {
	s := op.NewScope()
	x := op.Const(s.SubScope("x"), []int32{1, 2, 3, 4, 5})
	ok := op.Const(s.SubScope("ok"), false)
	check := op.Assert(s, ok, []tf.Output{op.Const(s.SubScope("text"), "x is"), x}, op.AssertSummarize(2))
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	_, err = session.Run(nil, nil, []*tf.Operation{check})
	fmt.Println(tf.CodeOf(err))
	fmt.Println(err)
	// Output:
	// INVALID_ARGUMENT
	// INVALID_ARGUMENT: assertion failed: [x is] [1 2...] [node "Assert" (Assert) on /job:localhost/replica:0/task:0/device:CPU:0]
}
