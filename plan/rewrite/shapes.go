package rewrite

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/shape"
)

// shape returns what is certain of the shape of an output, whatever is fed.
func (w *work) shape(o graph.Output) (shape.Shape, error) {
	shapes, err := w.Shapes(o.Op)
	if err != nil || o.Index >= len(shapes) {
		return shape.Shape{}, err
	}
	return shapes[o.Index], nil
}
