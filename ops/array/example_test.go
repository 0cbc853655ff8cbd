package array_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
)

// Every second row, from the last one up, as Python's x[::-2, :1] gives them.
func Example() {
	s := op.NewScope()
	x := op.Const(s.SubScope("x"), [][]string{{"a", "b"}, {"c", "d"}, {"e", "f"}, {"g", "h"}})
	at := func(name string, i, j int32) tf.Output { return op.Const(s.SubScope(name), []int32{i, j}) }
	y := op.StridedSlice(s, x, at("begin", 0, 0), at("end", 0, 1), at("strides", -2, 1),
		op.StridedSliceBeginMask(1), op.StridedSliceEndMask(1))
	fmt.Println(y.Shape())
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	out, err := session.Run(nil, []tf.Output{y}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0].Value())
	// Output:
	// [2, 1]
	// [[g] [c]]
}
