package sparse

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	const op = "SparseTensorDenseMatMul"
	kernel.ForType(op, "T", tensor.Float, newProduct[float32](nil))
	kernel.ForType(op, "T", tensor.Double, newProduct[float64](nil))
	kernel.ForType(op, "T", tensor.Int32, newProduct[int32](nil))
	kernel.ForType(op, "T", tensor.Complex64, newProduct(conj64))
	kernel.ForType(op, "T", tensor.Complex128, newProduct(conj128))
	for _, dt := range []tensor.DType{tensor.Half, tensor.Bfloat16} {
		kernel.ForType(op, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			k, err := newProduct[float32](nil)(c)
			return elementwise.Widen(dt, k), err
		})
	}
}

func conj64(x complex64) complex64    { return complex(real(x), -imag(x)) }
func conj128(x complex128) complex128 { return complex(real(x), -imag(x)) }

// newProduct makes the kernel for elements that conj conjugates, nil for real
// ones.
//
//go:noinline
func newProduct[T elementwise.Number](conj func(T) T) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		return denseProduct[T]{c.Bool("adjoint_a"), c.Bool("adjoint_b"), conj}, nil
	}
}

// A denseProduct is the kernel of SparseTensorDenseMatMul.
type denseProduct[T elementwise.Number] struct {
	adjointA, adjointB bool
	conj               func(T) T
}

func (k denseProduct[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	at, values, shape, b := &in[0], &in[1], &in[2], &in[3]
	switch {
	case b.Rank() != 2:
		return status.Invalid("Tensor 'b' is not a matrix")
	case shape.Rank() != 1:
		return status.Invalid("Tensor 'a_shape' is not a vector")
	case shape.NumElements() != 2:
		return status.Invalid("Tensor 'a_shape' must have 2 elements")
	case values.Rank() != 1:
		return status.Invalid("Tensor 'a_values' is not a vector")
	case at.Rank() != 2:
		return status.Invalid("Tensor 'a_indices' is not a matrix")
	case at.Dim(0) != values.Dim(0):
		return status.Invalid("Number of rows of a_indices does not match number of entries in a_values")
	case at.Dim(1) != 2:
		return status.Invalid("Number of columns of a_indices does not match number of entries in a_shape")
	}
	dims := tensor.Of[int64](shape)
	for _, d := range dims {
		if d < 0 {
			return status.Invalid("Dimension %d of a_shape must be >= 0, got %d", 0, d)
		}
	}
	m, inner := dims[0], dims[1]
	if k.adjointA {
		m, inner = inner, m
	}
	rows, n := b.Dim(0), b.Dim(1)
	if k.adjointB {
		rows, n = n, rows
	}
	if inner != int64(rows) {
		return status.Invalid("Cannot multiply A and B because inner dimension does not match: %d vs. %d.  Did you forget a transpose?  Dimensions of A: [%d, %d).  Dimensions of B: %s",
			inner, rows, dims[0], dims[1], tensor.FormatDims(b.Dims()))
	}
	var err error
	if out[0], err = ctx.AllocZeroed(tensor.DTypeOf[T](), []int64{m, int64(n)}); err != nil {
		return err
	}
	if out[0].NumElements() == 0 && values.NumElements() == 0 {
		return nil
	}
	if at.DType() == tensor.Int32 {
		return multiply(ctx, k, tensor.Of[int32](at), in, out, int(m), int(inner), n)
	}
	return multiply(ctx, k, tensor.Of[int64](at), in, out, int(m), int(inner), n)
}

// multiply adds a's entries times rows of b to the result, m by n. Workers share
// its columns, so that each adds up in the order of the entries.
func multiply[T elementwise.Number, I int32 | int64](ctx *kernel.Context, k denseProduct[T], at []I, in, out []tensor.Value, m, inner, n int) error {
	left, right := 0, 1
	if k.adjointA {
		left, right = 1, 0
	}
	for i := 0; i < len(at); i += 2 {
		if c := at[i+right]; c < 0 || int64(c) >= int64(inner) {
			return status.Invalid("k (%d) from index[%d,%d] out of bounds (>=%d)", c, i/2, right, inner)
		}
		if r := at[i+left]; r < 0 || int64(r) >= int64(m) {
			return status.Invalid("m (%d) from index[%d,%d] out of bounds (>=%d)", r, i/2, left, m)
		}
	}
	a, b, o := tensor.Of[T](&in[1]), tensor.Of[T](&in[3]), tensor.Of[T](&out[0])
	conjA, conjB := k.adjointA && k.conj != nil, k.adjointB && k.conj != nil
	ctx.Parallel(n, max(1, (1<<15)/max(1, len(a))), func(lo, hi int) {
		for i, x := range a {
			if i%block == block-1 && ctx.Err() != nil {
				return
			}
			if conjA {
				x = k.conj(x)
			}
			row, to := int(at[2*i+right]), o[int(at[2*i+left])*n:]
			switch {
			case !k.adjointB:
				from := b[row*n:][:n]
				for j := lo; j < hi; j++ {
					to[j] += x * from[j]
				}
			case conjB:
				for j := lo; j < hi; j++ {
					to[j] += x * k.conj(b[j*inner+row])
				}
			default:
				for j := lo; j < hi; j++ {
					to[j] += x * b[j*inner+row]
				}
			}
		}
	})
	return ctx.Err()
}
