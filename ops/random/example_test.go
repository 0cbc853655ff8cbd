package random_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/random"
)

// A stateless operation draws the same for the same seed.
func Example() {
	s := op.NewScope()
	seed := op.Placeholder(s, tf.Int64, op.PlaceholderShape(tf.MakeShape(2)))
	number := func(name string, x int32) tf.Output { return op.Const(s.SubScope(name), x) }
	dice := op.StatelessRandomUniformInt(s, op.Const(s, []int32{6}), seed, number("min", 1), number("max", 7))
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for _, value := range [][]int64{{1, 2}, {1, 3}, {1, 2}} {
		in, err := tf.NewTensor(value)
		if err != nil {
			log.Fatal(err)
		}
		out, err := session.Run(map[tf.Output]*tf.Tensor{seed: in}, []tf.Output{dice}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(out[0].Value())
	}
	// Output:
	// [5 6 1 4 2 2]
	// [4 3 6 3 2 2]
	// [5 6 1 4 2 2]
}
