package kind

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// NotScalar returns the error of a Switch whose predicate is not one value. It is the
// same whoever plays the node.
func NotScalar(p tensor.Value) error {
	return status.Invalid("The second input must be a scalar, but it has shape %s", tensor.FormatDims(p.Dims()))
}
