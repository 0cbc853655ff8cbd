package nn_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/nn"
)

// A layer: weights, a bias and the class probabilities.
func Example() {
	s := op.NewScope()
	x := op.Const(s.SubScope("x"), [][]float32{{1, 2}})
	w := op.Const(s.SubScope("w"), [][]float32{{1, 0, -1}, {0, 1, 1}})
	b := op.Const(s.SubScope("b"), []float32{0, -1, 1})
	classes := op.Softmax(s, op.BiasAdd(s, op.MatMul(s, x, w), b))
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	out, err := session.Run(nil, []tf.Output{classes}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", out[0].Value())
	// Output: [[0.212 0.212 0.576]]
}
