package sparse

import (
	"cmp"
	"math"
	"math/cmplx"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The kernels that combine the entries of two sparse tensors, place by place.

func init() {
	addFor[float32](tensor.Float, largeReal[float32])
	addFor[float64](tensor.Double, largeReal[float64])
	addFor[int8](tensor.Int8, largeInteger[int8])
	addFor[int16](tensor.Int16, largeInteger[int16])
	addFor[int32](tensor.Int32, largeInteger[int32])
	addFor[int64](tensor.Int64, largeInteger[int64])
	addFor[complex64](tensor.Complex64, func(x complex64, least float32) bool { return float32(cmplx.Abs(complex128(x))) >= least })
	addFor[complex128](tensor.Complex128, func(x complex128, least float64) bool { return cmplx.Abs(x) >= least })
	kernel.Register(kernel.Registration{
		Op: "SparseAddGrad", Types: map[string][]tensor.DType{"T": elementwise.Numbers},
		New: func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(addGradient), nil },
	})
	for op, u := range map[string]elementwise.Update{"SparseSparseMaximum": elementwise.UpdateMax, "SparseSparseMinimum": elementwise.UpdateMin} {
		kernel.Register(kernel.Registration{
			Op: op, Types: map[string][]tensor.DType{"T": elementwise.Reals},
			New: func(c *kernel.Construction) (kernel.Kernel, error) {
				combine := elementwise.Combine(u, c.Type("T"))
				return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return extremum(ctx, in, out, combine) }), nil
			},
		})
	}
}

// addGradient returns the kernel of SparseAddGrad. The entries are taken to be in order,
// as SparseAdd takes them.
func addGradient(ctx *kernel.Context, in, out []tensor.Value) error {
	grad, sum := &in[0], &in[3]
	for i, name := range []string{"backprop_val_grad", "a_indices", "b_indices", "sum_indices"} {
		if want := min(i, 1) + 1; in[i].Rank() != want {
			return status.Invalid("%s must be of rank %d, got shape %s", name, want, tensor.FormatDims(in[i].Dims()))
		}
	}
	rank := sum.Dim(1)
	if grad.Dim(0) != sum.Dim(0) {
		return status.Invalid("# elements of backprop_val_grad and # rows of sum_indices should match (#nnz of sum): got %d and %d", grad.Dim(0), sum.Dim(0))
	}
	sums := tensor.Of[int64](sum)
	for i := range out {
		of := &in[1+i]
		if of.Dim(1) != rank {
			return status.Invalid("The densified operands should have the same ndims: got %d and %d", of.Dim(1), rank)
		}
		var err error
		if out[i], err = ctx.AllocZeroed(grad.DType(), of.Dims()[:1]); err != nil {
			return err
		}
		at, j := tensor.Of[int64](of), 0
		for k := range of.Dim(0) {
			if k%block == block-1 && ctx.Err() != nil {
				return ctx.Err()
			}
			index := at[k*rank:][:rank]
			for j < sum.Dim(0) && slices.Compare(sums[j*rank:][:rank], index) < 0 {
				j++
			}
			if j < sum.Dim(0) && slices.Equal(sums[j*rank:][:rank], index) {
				strided.Move(&out[i], k, grad, j, 1)
			}
		}
	}
	return ctx.Err()
}

func largeReal[T elementwise.Float](x, least T) bool { return T(math.Abs(float64(x))) >= least }

// largeInteger takes the least number for its own absolute value, as
// two's complement has it.
func largeInteger[T int8 | int16 | int32 | int64](x, least T) bool { return max(x, -x) >= least }

// addFor registers SparseAdd; large reports whether the absolute value of an
// element is no less than a threshold.
func addFor[T, R tensor.Element](dt tensor.DType, large func(x T, least R) bool) {
	registerAdd(dt, func(threshold *tensor.Value) func(values *tensor.Value, i int) bool {
		least := tensor.At0[R](threshold)
		return func(values *tensor.Value, i int) bool { return large(tensor.Of[T](values)[i], least) }
	})
}

// registerAdd is addFor, compiled once; keeping reports whether an element is kept for a
// threshold.
func registerAdd(dt tensor.DType, keeping func(threshold *tensor.Value) func(values *tensor.Value, i int) bool) {
	kernel.ForType("SparseAdd", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		add := elementwise.Combine(elementwise.UpdateAdd, dt)
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			if err := checkSum(in); err != nil {
				return err
			}
			a, b := rawEntries(in), rawEntries(in[3:])
			out[2] = in[2]
			return merge(ctx, &a, &b, add, keeping(&in[6]), out)
		}), nil
	})
}

func checkSum(in []tensor.Value) error {
	a, b := in[:3], in[3:6]
	shapes := func(i int) (string, string) {
		return tensor.FormatDims(a[i].Dims()), tensor.FormatDims(b[i].Dims())
	}
	if a[0].Rank() != 2 || b[0].Rank() != 2 {
		x, y := shapes(0)
		return status.Invalid("Input indices should be matrices but received shapes: %s and %s", x, y)
	}
	if a[1].Rank() != 1 || b[1].Rank() != 1 {
		x, y := shapes(1)
		return status.Invalid("Input values should be vectors but received shapes: %s and %s", x, y)
	}
	if a[1].Dim(0) != a[0].Dim(0) || b[1].Dim(0) != b[0].Dim(0) {
		return status.Invalid("Expected %d and %d non-empty input values, got %d and %d", a[0].Dim(0), b[0].Dim(0), a[1].Dim(0), b[1].Dim(0))
	}
	if a[0].Dim(1) != b[0].Dim(1) {
		return status.Invalid("Input indices must have the same dimension, got %d and %d", a[0].Dim(1), b[0].Dim(1))
	}
	if a[2].Rank() != 1 || b[2].Rank() != 1 {
		x, y := shapes(2)
		return status.Invalid("Input shapes should be a vector but received shapes %s and %s", x, y)
	}
	if a[0].Dim(1) != a[2].Dim(0) {
		return status.Invalid("Second dimension of a_indices and length of a_shape must match, got %d and %d", a[0].Dim(1), a[2].Dim(0))
	}
	if err := sameDims(&a[2], &b[2]); err != nil {
		return err
	}
	if in[6].Rank() != 0 {
		return status.Invalid("The magnitude threshold must be a scalar: got shape %s", tensor.FormatDims(in[6].Dims()))
	}
	return nil
}

// sameDims fails unless the two shapes are equal.
func sameDims(a, b *tensor.Value) error {
	x, y := tensor.Of[int64](a), tensor.Of[int64](b)
	if len(x) != len(y) {
		return status.Invalid("Operands do not have the same ranks; got shapes: %s and %s", spaced(x), spaced(y))
	}
	for d := range x {
		if x[d] != y[d] {
			return status.Invalid("Operands' shapes do not match: got %d and %d for dimension %d", x[d], y[d], d)
		}
	}
	return nil
}

// spaced prints numbers with spaces between them.
func spaced(x []int64) string {
	return strings.ReplaceAll(strings.Trim(tensor.FormatDims(x), "[]"), ",", " ")
}

// extremum returns the kernel of SparseSparseMaximum and SparseSparseMinimum.
func extremum(ctx *kernel.Context, in, out []tensor.Value, combine *elementwise.Combination) error {
	a, err := entriesOf(in[:3])
	if err == nil {
		err = a.bounds()
	}
	if err != nil {
		return err
	}
	b, err := entriesOf(in[3:6])
	if err == nil {
		err = b.bounds()
	}
	if err != nil {
		return err
	}
	if a.rank == 0 {
		return status.Invalid("Tensors must not be empty")
	}
	if err := sameDims(&in[2], &in[5]); err != nil {
		return err
	}
	return merge(ctx, &a, &b, combine, nil, out)
}

// merge walks through the entries of a and b, each taken to be in order, and
// puts out the combination of those in one place. An entry that has none to meet
// is kept as it is if keep is given, which says which combinations stay; else it
// is combined with 0.
func merge(ctx *kernel.Context, a, b *entries, combine *elementwise.Combination, keep func(values *tensor.Value, i int) bool, out []tensor.Value) error {
	type pair struct{ a, b int } // -1 for none
	dt := a.values.DType()
	results, err := ctx.AllocZeroed(dt, []int64{int64(a.n) + int64(b.n)})
	if err != nil {
		return err
	}
	defer ctx.Free(results)
	zero, err := ctx.AllocZeroed(dt, []int64{1})
	if err != nil {
		return err
	}
	defer ctx.Free(zero)
	defer ctx.UnreserveTo(ctx.Reserved())
	if err := ctx.Reserve(16 * (a.n + b.n)); err != nil {
		return err
	}
	pairs := make([]pair, 0, a.n+b.n)
	for i, j := 0, 0; i < a.n || j < b.n; {
		if len(pairs)%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		p, order := pair{i, j}, 0
		switch {
		case i == a.n:
			order = 1
		case j == b.n:
			order = -1
		default:
			order = slices.Compare(a.index(i), b.index(j))
		}
		at := len(pairs)
		switch cmp.Compare(order, 0) {
		case 0:
			strided.Move(&results, at, a.values, i, 1)
			err = combine.Range(&results, &results, at, b.values, j, 1)
			i++
			j++
		case -1:
			strided.Move(&results, at, a.values, i, 1)
			p.b = -1
			i++
		default:
			strided.Move(&results, at, b.values, j, 1)
			p.a = -1
			j++
		}
		if err == nil && keep == nil && (p.a < 0 || p.b < 0) {
			err = combine.Range(&results, &results, at, &zero, 0, 1)
		}
		if err != nil {
			return err
		}
		if keep == nil || p.a < 0 || p.b < 0 || keep(&results, at) {
			pairs = append(pairs, p)
		}
	}
	if err := allocEntries(ctx, out, dt, len(pairs), a.rank); err != nil {
		return err
	}
	o := tensor.Of[int64](&out[0])
	for n, p := range pairs {
		if p.a >= 0 {
			copy(o[n*a.rank:], a.index(p.a))
		} else {
			copy(o[n*a.rank:], b.index(p.b))
		}
	}
	strided.Move(&out[1], 0, &results, 0, len(pairs))
	return ctx.Err()
}
