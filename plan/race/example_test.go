package race_test

import (
	"context"
	"fmt"
	"log"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/plan/race"
)

// Nothing orders the addition and the reading: the answer is 1 or 2.
func Example() {
	g := graph.New()
	err := notation.Add(g, `
v = VarHandleOp() {dtype=DT_FLOAT, shape=shape [], shared_name="counter"}
one = Placeholder() {dtype=DT_FLOAT, shape=shape []}
add = AssignAddVariableOp(v, one) {dtype=DT_FLOAT}
read = ReadVariableOp(v) {dtype=DT_FLOAT}
`)

	if err != nil {
		log.Fatal(err)
	}
	races, err := race.Find(context.Background(), race.Program{
		Graph:   g,
		Fetches: []graph.Output{g.Operation("read").Output(0)},
		Targets: []*graph.Node{g.Operation("add")},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range races {
		fmt.Println(r)
	}
	// Output:
	// counter: add (AssignAddVariableOp) adds to it, and read (ReadVariableOp) reads it, and nothing orders them
}
