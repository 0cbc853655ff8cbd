package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"reflect"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// A shapeGraph is a graph, and what is known after import of what its nodes put
// out; or its import is refused.
type shapeGraph struct {
	Graph   []byte                     `json:"graph"` // a GraphDef
	Shapes  map[string][]*[]int64      `json:"shapes"`
	Handles map[string][][]shapeHandle `json:"handles"`
	Error   string                     `json:"error"`
}

// loadShapeGraphs loads shape_graphs.json, if it is there.
func loadShapeGraphs(files fs.FS, group string) ([]*Case, error) {
	const name = "shape_graphs.json"
	if !exists(files, name) {
		return nil, nil
	}
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	var graphs []shapeGraph
	if err := json.Unmarshal(data, &graphs); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	cases := make([]*Case, len(graphs))
	for i := range graphs {
		cases[i] = &Case{
			Name:  fmt.Sprintf("%s/graph%d", group, i),
			About: "Shapes of all tensors of a graph.",
			run:   func(context.Context, Config) error { return graphs[i].run() },
		}
	}
	return cases, nil
}

func (r *shapeGraph) run() error {
	g := graph.New()
	err := g.Import(r.Graph, "")
	if r.Error != "" {
		if status.CodeOf(err) != status.InvalidArgument {
			return gapOr(fmt.Errorf("want INVALID_ARGUMENT %q, got %w", r.Error, orNone(err)))
		}
		return nil
	}
	if err != nil {
		return gapOr(fmt.Errorf("it was refused: %w", err))
	}
	var diffs []error
	for _, name := range sorted.Keys(r.Shapes) {
		n := g.Operation(name)
		if n == nil || n.NumOutputs() != len(r.Shapes[name]) {
			return fmt.Errorf("node %s is not there, or has another number of outputs than %d", name, len(r.Shapes[name]))
		}
		for i, want := range r.Shapes[name] {
			if got := n.OutputShapes()[i]; !shape.Equal(got, inferred(want)) {
				diffs = append(diffs, fmt.Errorf("%s (%s): output %d has shape %v, want %v", name, n.Type(), i, got, inferred(want)))
			}
		}
		for i, want := range r.Handles[name] {
			if got := handlesOf(n, i); !reflect.DeepEqual(got, handleStrings(want)) {
				diffs = append(diffs, fmt.Errorf("%s (%s): output %d is a handle of %v, want %v", name, n.Type(), i, got, handleStrings(want)))
			}
		}
	}
	return inOneLine(diffs)
}

// inferred returns a shape as the tables have it, nil being of unknown rank.
func inferred(dims *[]int64) shape.Shape {
	if dims == nil {
		return shape.Shape{}
	}
	return shape.Of(*dims...)
}
