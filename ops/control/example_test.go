package control_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/math"
)

// The absolute value by way of control flow. The branch that is not taken is dead,
// and the Merge tells which one was live.
func Example() {
	s := op.NewScope()
	x := op.Placeholder(s, tf.Float)
	negative := op.Less(s, x, op.Const(s, float32(0)))
	asIs, turn := op.Switch(s, x, negative)
	y, branch := op.Merge(s, []tf.Output{asIs, op.Neg(s, turn)})
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for _, value := range []float32{3, -4} {
		in, err := tf.NewTensor(value)
		if err != nil {
			log.Fatal(err)
		}
		out, err := session.Run(map[tf.Output]*tf.Tensor{x: in}, []tf.Output{y, branch}, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(out[0].Value(), out[1].Value())
	}
	// Output:
	// 3 0
	// 4 1
}
