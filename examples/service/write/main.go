// Command write writes the model of the example service that says which digit has the
// greatest score, and how much of the scores all others have.
//
//	go -C examples run ./service/write service/doubt
package main

import (
	"log"
	"os"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	_ "github.com/troupe-go/troupe/ops/all"
)

func main() {
	g := graph.New()
	if err := notation.Add(g, `
scores = Placeholder() {dtype=DT_FLOAT, shape=shape [?,10]}
axis = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
digit = ArgMax(scores, axis)
best = Max(scores, axis)
one = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 1>}
doubt = Sub(one, best)
`); err != nil {
		log.Fatal(err)
	}
	outputs := map[string]graph.Output{}
	for _, name := range []string{"digit", "doubt"} {
		outputs[name] = g.Operation(name).Output(0)
	}
	if err := model.Write(os.Args[1], model.Export{Graph: g, Signatures: map[string]model.ExportSignature{
		"serving_default": {Inputs: map[string]graph.Output{"scores": g.Operation("scores").Output(0)}, Outputs: outputs},
	}}); err != nil {
		log.Fatal(err)
	}
}
