package kind

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Errors of nodes that run no kernel are the same whoever plays them.

// NotScalar is the error of a Switch whose predicate is not one value.
func NotScalar(p tensor.Value) error {
	return status.Invalid("The second input must be a scalar, but it has shape %s", tensor.FormatDims(p.Dims()))
}

// Uninitialized is the error of reading an empty variable by a reference.
func Uninitialized(ref tensor.Value) error {
	name := ""
	if c, ok := ref.Cell().(interface{ CellName() string }); ok {
		name = c.CellName()
	}
	return status.Errorf(status.FailedPrecondition, "Attempting to use uninitialized value %s", name)
}
