package random

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Parameters are those of distributions, several tensors that broadcast against
// each other.
type parameters struct {
	dims    []int64
	strides [][]int64 // of each tensor, by dimension
	kinds   int       // how many distributions
}

// broadcast aligns the tensors; message is what it fails with.
func broadcast(message string, in ...tensor.Value) (parameters, error) {
	var p parameters
	var err error
	for i := range in {
		if p.dims, err = elementwise.BroadcastDims(p.dims, in[i].Dims()); err != nil {
			return p, status.Invalid("%s", message)
		}
	}
	p.kinds = 1
	for _, d := range p.dims {
		p.kinds *= int(d)
	}
	for i := range in {
		strides, stride := make([]int64, len(p.dims)), int64(1)
		dims := in[i].Dims()
		for d := len(dims) - 1; d >= 0; d-- {
			if dims[d] > 1 {
				strides[len(p.dims)-len(dims)+d] = stride
			}
			stride *= dims[d]
		}
		p.strides = append(p.strides, strides)
	}
	return p, nil
}

// place returns where distribution n finds its element of tensor i.
func (p *parameters) place(i, n int) int {
	at := 0
	for d := len(p.dims) - 1; d >= 0; d-- {
		at += n % int(p.dims[d]) * int(p.strides[i][d])
		n /= int(p.dims[d])
	}
	return at
}

// allocDraws makes the output, whose shape must end with that of the parameters.
func (p *parameters) allocDraws(ctx *kernel.Context, shape *tensor.Value, out *tensor.Value, dt tensor.DType) error {
	if shape.Rank() != 1 {
		return status.Invalid("Input shape should be a vector, got shape: %s", tensor.FormatDims(shape.Dims()))
	}
	dims, err := kernel.Dims(shape, "shape")
	if err != nil {
		return err
	}
	if (len(dims) < len(p.dims) || !endsWith(dims, p.dims)) && !slices.Contains(dims, 0) {
		return status.Invalid("Shape passed in must end with broadcasted shape.")
	}
	*out, err = ctx.Alloc(dt, dims)
	return err
}
