package kind

import (
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Read returns the value behind a reference; an empty variable has none.
func Read(ref tensor.Value) (tensor.Value, error) {
	v, ok := ref.Cell().Read()
	if !ok {
		return v, uninitialized(ref)
	}
	return v, nil
}

// Share returns what a node forwards that is sent a reference and forwards a value: a
// token that is read by who computes with it. Cells that share nothing are read.
func Share(ref tensor.Value) (tensor.Value, error) {
	c, ok := ref.Cell().(tensor.Sharer)
	if !ok {
		return Read(ref)
	}
	v, ok := c.Share()
	if !ok {
		return v, uninitialized(ref)
	}
	return v, nil
}

// uninitialized returns the error of reading an empty variable by a reference.
func uninitialized(ref tensor.Value) error {
	name := ""
	if c, ok := ref.Cell().(interface{ CellName() string }); ok {
		name = c.CellName()
	}
	return status.Errorf(status.FailedPrecondition, "Attempting to use uninitialized value %s", name)
}
