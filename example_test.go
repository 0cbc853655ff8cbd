package troupe_test

import (
	"fmt"
	"log"

	tf "github.com/troupe-go/troupe"
)

// A program written for TensorFlow's Go binding, with another import.
func Example() {
	graph := tf.NewGraph()
	greeting, err := tf.NewTensor("hello")
	if err != nil {
		log.Fatal(err)
	}
	hello, err := graph.AddOperation(tf.OpSpec{
		Type:  "Const",
		Name:  "hello",
		Attrs: map[string]any{"dtype": tf.String, "value": greeting},
	})
	if err != nil {
		log.Fatal(err)
	}
	sess, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer sess.Close()
	out, err := sess.Run(nil, []tf.Output{hello.Output(0)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[0].Value())
	// Output: hello
}
