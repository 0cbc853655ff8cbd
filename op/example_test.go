package op_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

func Example() {
	s := op.NewScope()
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(-1, 2)))
	w := op.Const(s, [][]float32{{1, 10}})
	y := op.MatMul(s, x, w, op.MatMulTransposeB(true))
	fmt.Println(y.Shape())
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	sess, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer sess.Close()
	in, err := tf.NewTensor([][]float32{{1, 2}, {3, 4}})
	if err != nil {
		log.Fatal(err)
	}
	out, err := sess.Run(map[tf.Output]*tf.Tensor{x: in}, []tf.Output{y}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0].Value())
	// Output:
	// [?, 1]
	// [[21] [43]]
}

func ExampleScope_unknownDimension() {
	s := op.NewScope()
	c := op.Const(s, [][]float32{{1}, {2}})
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(1, -1)))
	fmt.Println(op.MatMul(s, c, x).Shape())
	// Output: [2, ?]
}

func ExampleScope_SubScope() {
	s := op.NewScope()
	one := op.Const(s.SubScope("x"), "one")
	two := op.Const(s.SubScope("x"), "two")
	fmt.Println(one.Op.Name(), two.Op.Name())
	// Output: x/Const x_1/Const
}

// Fibonacci numbers: a loop out of two functions.
func ExampleWhile() {
	s := op.NewScope()
	n := op.Placeholder(s, tf.Int32, op.PlaceholderShape(tf.ScalarShape()))
	zero, one := op.Const(s.SubScope("zero"), int32(0)), op.Const(s.SubScope("one"), int32(1))
	results := op.While(s, []tf.Output{zero, zero, one},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], n) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			i, a, b := v[0], v[1], v[2]
			return []tf.Output{op.Add(s, i, one), b, op.Add(s, a, b)}
		})
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	sess, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer sess.Close()
	for _, value := range []int32{1, 10, 40} {
		in, err := tf.NewTensor(value)
		if err != nil {
			log.Fatal(err)
		}
		out, err := sess.Run(map[tf.Output]*tf.Tensor{n: in}, []tf.Output{results[1]}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(out[0].Value())
	}
	// Output:
	// 1
	// 55
	// 102334155
}
