package sparse

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The kernels that combine the entries of a sparse tensor with the elements of
// an ordinary one.

func init() {
	kernel.Register(kernel.Registration{
		Op: "SparseTensorDenseAdd", Types: map[string][]tensor.DType{"T": elementwise.Numbers},
		New: func(c *kernel.Construction) (kernel.Kernel, error) {
			add := elementwise.Combine(elementwise.UpdateAdd, c.Type("T"))
			if c.Type("Tindices") == tensor.Int32 {
				return denseAdd[int32]{add}, nil
			}
			return denseAdd[int64]{add}, nil
		},
	})
	for op, u := range map[string]elementwise.Update{
		"SparseDenseCwiseAdd": elementwise.UpdateAdd, "SparseDenseCwiseMul": elementwise.UpdateMul, "SparseDenseCwiseDiv": elementwise.UpdateDiv,
	} {
		kernel.Register(kernel.Registration{
			Op: op, Types: map[string][]tensor.DType{"T": elementwise.Reals},
			New: func(c *kernel.Construction) (kernel.Kernel, error) {
				return &denseCwise{elementwise.Combine(u, c.Type("T")), u == elementwise.UpdateDiv}, nil
			},
		})
	}
}

// A denseAdd is the kernel of SparseTensorDenseAdd.
type denseAdd[I int32 | int64] struct{ add *elementwise.Combination }

func (k denseAdd[I]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	at, values, shape, b := &in[0], &in[1], &in[2], &in[3]
	switch {
	case at.Rank() != 2:
		return status.Invalid("Input a_indices should be a matrix but received shape: %s", tensor.FormatDims(at.Dims()))
	case values.Rank() != 1 || shape.Rank() != 1:
		return status.Invalid("Inputs a_values and a_shape should be vectors but received shapes: %s and %s", tensor.FormatDims(values.Dims()), tensor.FormatDims(shape.Dims()))
	case values.Dim(0) != at.Dim(0):
		return status.Invalid("Dimensions %d and %d are not compatible", at.Dim(0), values.Dim(0))
	case shape.Dim(0) != at.Dim(1):
		return status.Invalid("Dimensions %d and %d are not compatible", at.Dim(1), shape.Dim(0))
	case shape.NumElements() != b.Rank():
		return status.Invalid("Two operands have different ranks; received: %d and %d", shape.NumElements(), b.Rank())
	}
	dims, n, rank := b.Dims(), values.Dim(0), b.Rank()
	for d, size := range tensor.Of[I](shape) {
		if int64(size) != dims[d] {
			return status.Invalid("Dimension %d does not equal (no broadcasting is supported): sparse side %d vs dense side %d", d, size, dims[d])
		}
	}
	places, err := ctx.Alloc(tensor.Int64, []int64{int64(n)})
	if err != nil {
		return err
	}
	defer ctx.Free(places)
	to, x := tensor.Of[int64](&places), tensor.Of[I](at)
	for i := range to {
		to[i] = 0
		for d, j := range x[i*rank:][:rank] {
			if j < 0 || int64(j) >= dims[d] {
				return status.Invalid("Sparse tensor has an invalid index on dimension %d: a_indices(%d,%d) = %d, dense tensor shape: %s", d, i, d, j, spaced(dims))
			}
			to[i] = to[i]*dims[d] + int64(j)
		}
	}
	old := *b
	if out[0], err = ctx.ReuseOrAlloc(in, 3, b.DType(), dims); err != nil {
		return err
	}
	if !in[3].IsZero() {
		strided.Move(&out[0], 0, &old, 0, old.NumElements())
	}
	// Entries are gathered to where they meet their elements one by one.
	for i, place := range to {
		if i%block == block-1 && ctx.Err() != nil {
			break
		}
		if err := k.add.Range(&out[0], &out[0], int(place), &in[1], i, 1); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// A denseCwise is the kernel of the SparseDenseCwise operations: the ordinary
// tensor is broadcast to the sparse one's shape.
type denseCwise struct {
	combine *elementwise.Combination
	divides bool
}

func (k *denseCwise) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	at, values, shape, dense := &in[0], &in[1], &in[2], &in[3]
	switch {
	case at.Rank() != 2:
		return status.Invalid("Input sp_indices should be a matrix but received shape: %s", tensor.FormatDims(at.Dims()))
	case values.Rank() != 1 || shape.Rank() != 1:
		return status.Invalid("Inputs sp_values and sp_shape should be vectors but received shapes: %s and %s", tensor.FormatDims(values.Dims()), tensor.FormatDims(shape.Dims()))
	case values.Dim(0) != at.Dim(0):
		return status.Invalid("The first dimension of values and indices should match. (%d vs. %d)", values.Dim(0), at.Dim(0))
	case shape.Dim(0) != at.Dim(1):
		return status.Invalid("Number of dimensions must match second dimension of indices. Got %d dimensions, indices shape: %s", shape.Dim(0), tensor.FormatDims(at.Dims()))
	case shape.NumElements() == 0:
		return status.Invalid("The shape argument requires at least one element.")
	}
	e := rawEntries(in)
	if err := checkDims(e.dims); err != nil {
		return err
	}
	strides, err := broadcastTo(e.dims, dense.Dims())
	if err != nil {
		return err
	}
	places, err := ctx.Alloc(tensor.Int64, []int64{int64(e.n)})
	if err != nil {
		return err
	}
	defer ctx.Free(places)
	from := tensor.Of[int64](&places)
	for i := range from {
		if i%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !inside(e.index(i), e.dims) {
			return status.Invalid("Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape")
		}
		from[i] = 0
		for d, j := range e.index(i) {
			from[i] += j * strides[d]
		}
	}
	met, err := ctx.Alloc(values.DType(), values.Dims())
	if err != nil {
		return err
	}
	defer ctx.Free(met)
	strided.Gather(&met, 0, dense, 0, from, 1)
	if k.divides && met.DType() != tensor.Half && hasZero(&met) { // halves are divided by 0
		return status.Invalid("SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero ")
	}
	if out[0], err = ctx.Alloc(values.DType(), values.Dims()); err != nil {
		return err
	}
	return k.combine.Range(&out[0], values, 0, &met, 0, e.n)
}

// broadcastTo returns the strides by which a tensor of shape small is seen as one of
// shape large.
func broadcastTo(large, small []int64) ([]int64, error) {
	strides := make([]int64, len(large))
	more, stride := len(large)-len(small), int64(1)
	fits := more >= 0
	for d := len(small) - 1; d >= 0 && fits; d-- {
		switch small[d] {
		case large[more+d]:
			strides[more+d] = stride
		case 1:
		default:
			fits = false
		}
		stride *= small[d]
	}
	if !fits {
		return nil, status.Invalid("SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: %s vs. %s", tensor.FormatDims(large), tensor.FormatDims(small))
	}
	return strides, nil
}

// hasZero reports whether an element of v, which are real numbers, is 0 or -0.
func hasZero(v *tensor.Value) bool {
	switch v.DType() {
	case tensor.Float:
		return slices.Contains(tensor.Of[float32](v), 0)
	case tensor.Double:
		return slices.Contains(tensor.Of[float64](v), 0)
	case tensor.Bfloat16:
		return slices.ContainsFunc(tensor.Words[uint16](v), func(x uint16) bool { return x<<1 == 0 })
	}
	switch v.DType().Size() {
	case 1:
		return slices.Contains(tensor.Words[uint8](v), 0)
	case 2:
		return slices.Contains(tensor.Words[uint16](v), 0)
	case 4:
		return slices.Contains(tensor.Words[uint32](v), 0)
	default:
		return slices.Contains(tensor.Words[uint64](v), 0)
	}
}
