package parsing_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/parsing"
)

// Numbers are parsed in any notation; what is no number is an error.
func Example() {
	s := op.NewScope()
	text := op.Placeholder(s, tf.String)
	number := op.StringToNumber(s, text)
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for _, value := range []string{" -1.5e3 ", "many"} {
		in, err := tf.NewTensor(value)
		if err != nil {
			log.Fatal(err)
		}
		out, err := session.Run(map[tf.Output]*tf.Tensor{text: in}, []tf.Output{number}, nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(out[0].Value())
	}
	// Output:
	// -1500
	// INVALID_ARGUMENT: StringToNumberOp could not correctly convert string: many [node "StringToNumber" (StringToNumber) on /job:localhost/replica:0/task:0/device:CPU:0]
}
