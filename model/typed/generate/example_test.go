package generate_test

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/model/typed/generate"
)

// The methods of a SavedModel's signatures.
func Example() {
	b, err := model.Read("../../../examples/serve/digits")
	if err != nil {
		fmt.Println(err)
		return
	}
	graphs, err := model.Graphs(b)
	if err != nil {
		fmt.Println(err)
		return
	}
	source, _, err := generate.Source(generate.Config{Package: "digits", Model: "digits", Signatures: graphs[0].Signatures})
	if err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(string(source)) {
		if strings.HasPrefix(line, "func (m *Model)") {
			fmt.Print(line)
		}
	}
	// Output:
	// func (m *Model) Serve(ctx context.Context, in ServeInputs) (out ServeOutputs, err error) {
	// func (m *Model) ServingDefault(ctx context.Context, in ServingDefaultInputs) (out ServingDefaultOutputs, err error) {
}
