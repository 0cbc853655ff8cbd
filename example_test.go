package troupe_test

import (
	"fmt"
	"log"
	"os"

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

// The program of the README: a loop that counts to the number it is fed.
func ExampleSession() {
	def, err := os.ReadFile("benchmarks/graphs/while_counter_p10.pb")
	if err != nil {
		log.Fatal(err)
	}
	graph := tf.NewGraph()
	if err := graph.Import(def, ""); err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	limit, _ := tf.NewTensor(int32(1000))
	out, err := session.Run(
		map[tf.Output]*tf.Tensor{graph.Operation("limit").Output(0): limit},
		[]tf.Output{graph.Operation("while/Exit").Output(0)}, nil)
	if err != nil {
		log.Fatal(err) // a *tf.Error: code, node, frame and iteration, device
	}
	fmt.Println(out[0].Value())
	// Output: 1000
}
