package gradients_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// The derivative of a power that a loop computes.
func ExampleDense() {
	s := op.NewScope()
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.ScalarShape()))
	n, zero, one := op.Const(s.SubScope("n"), int32(5)), op.Const(s.SubScope("zero"), int32(0)), op.Const(s.SubScope("one"), int32(1))
	results := op.While(s, []tf.Output{zero, op.Const(s, float32(1))},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], n) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			return []tf.Output{op.Add(s, v[0], one), op.Mul(s, v[1], x)}
		})
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	dx, err := gradients.Dense(graph, results[1:], []tf.Output{x}, gradients.Options{})
	if err != nil {
		log.Fatal(err)
	}
	sess, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer sess.Close()
	at, err := tf.NewTensor(float32(2))
	if err != nil {
		log.Fatal(err)
	}
	out, err := sess.Run(map[tf.Output]*tf.Tensor{x: at}, []tf.Output{results[1], dx[0]}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0].Value(), out[1].Value())
	// Output: 32 80
}
