package math_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/math"
)

// The mean and the deviation of the columns of a matrix.
func Example() {
	s := op.NewScope()
	x := op.Const(s.SubScope("x"), [][]float64{{1, 10}, {3, 10}, {5, 40}})
	rows := op.Const(s.SubScope("rows"), int32(0))
	mean := op.Mean(s.SubScope("mean"), x, rows)
	deviation := op.Sqrt(s, op.Mean(s, op.SquaredDifference(s, x, mean), rows))
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	out, err := session.Run(nil, []tf.Output{mean, deviation}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f\n%.2f\n", out[0].Value(), out[1].Value())
	// Output:
	// [3.00 20.00]
	// [1.63 14.14]
}
