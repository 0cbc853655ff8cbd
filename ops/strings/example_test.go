package strings_test

import (
	"fmt"
	"log"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/strings"
)

// Sentences are split into words, a sparse matrix.
func Example() {
	s := op.NewScope()
	text := op.Const(s.SubScope("text"), []string{"all the  world", "a stage"})
	indices, words, shape := op.StringSplitV2(s, op.StringUpper(s, text), op.Const(s.SubScope("space"), ""))
	graph, err := s.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	session, err := tf.NewSession(graph, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	out, err := session.Run(nil, []tf.Output{indices, words, shape}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, tensor := range out {
		fmt.Println(tensor.Value())
	}
	// Output:
	// [[0 0] [0 1] [0 2] [1 0] [1 1]]
	// [ALL THE WORLD A STAGE]
	// [2 3]
}
