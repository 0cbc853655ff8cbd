package wire_test

import (
	"fmt"
	"log"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/troupe-go/troupe/wire"
)

// A graph in the text form that TensorFlow prints.
func ExampleGraphDef() {
	const text = `
		node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
		node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
		versions { producer: 1882 }`
	var g wire.GraphDef
	if err := prototext.Unmarshal([]byte(text), &g); err != nil {
		log.Fatal(err)
	}
	for _, n := range g.Node {
		fmt.Println(n.Name, n.Op, n.Input)
	}
	fmt.Println(g.Node[0].Attr["dtype"].GetType())
	// Output:
	// x Placeholder []
	// y Neg [x]
	// DT_FLOAT
}
