package sparse

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(slice), nil }, "SparseSlice")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(sliceGradient), nil }, "SparseSliceGrad")
	kernel.ForAll(newConcat, "SparseConcat")
	kernel.ForAll(newSplit, "SparseSplit")
}

// slice returns the kernel of SparseSlice.
func slice(ctx *kernel.Context, in, out []tensor.Value) error {
	e, err := entriesOf(in)
	if err != nil {
		return err
	}
	for i, name := range []string{"start", "size"} {
		v := &in[3+i]
		if v.Rank() != 1 {
			return status.Invalid("Input %s should be a vector but received shape %s", name, tensor.FormatDims(v.Dims()))
		}
		if v.Dim(0) != e.rank {
			return status.Invalid("Expected %s to be a vector of length %d but got length %d", name, e.rank, v.Dim(0))
		}
	}
	start, size := tensor.Of[int64](&in[3]), tensor.Of[int64](&in[4])
	dims := make([]int64, e.rank)
	for d, n := range e.dims {
		switch {
		case size[d] < 0:
			return status.Invalid("Expected a non-negative size, got %d", size[d])
		case start[d] < n && start[d] > math.MinInt64/2:
			dims[d] = max(0, min(n-start[d], size[d]))
		}
	}
	within := func(index []int64) bool {
		for d, x := range index {
			if x < start[d] || x-start[d] >= dims[d] {
				return false
			}
		}
		return true
	}
	if err := vector(ctx, &out[2], dims); err != nil {
		return err
	}
	return cut(ctx, out[:2], &e, within, func(index []int64) {
		for d := range index {
			index[d] -= start[d]
		}
	})
}

// sliceGradient returns the kernel of SparseSliceGrad. The entries of the box are those
// of the whole that are within it, in the same order.
func sliceGradient(ctx *kernel.Context, in, out []tensor.Value) error {
	grad, whole, start, box := &in[0], &in[1], &in[2], &in[3]
	switch {
	case whole.Rank() != 2 || box.Rank() != 2:
		return status.Invalid("Input and output indices should be matrices but received shapes: %s and %s", tensor.FormatDims(whole.Dims()), tensor.FormatDims(box.Dims()))
	case grad.Rank() != 1:
		return status.Invalid("Input backprop_val_grad should be a vector but received shape: %s", tensor.FormatDims(grad.Dims()))
	case start.Rank() != 1 || start.Dim(0) != whole.Dim(1):
		return status.Invalid("The input_start should be a vector of length %d but received shape %s", whole.Dim(1), tensor.FormatDims(start.Dims()))
	case box.Dim(1) != whole.Dim(1):
		return status.Invalid("The input and output should have the same ndims: got: %d and %d", whole.Dim(1), box.Dim(1))
	case grad.Dim(0) != box.Dim(0):
		return status.Invalid("# elements of backprop_val_grad and # rows of output_indices should match (#nnz of the output): got %d and %d", grad.Dim(0), box.Dim(0))
	}
	var err error
	if out[0], err = ctx.AllocZeroed(grad.DType(), whole.Dims()[:1]); err != nil {
		return err
	}
	rank, n, j := whole.Dim(1), box.Dim(0), 0
	from, first, to := tensor.Of[int64](whole), tensor.Of[int64](start), tensor.Of[int64](box)
	for i := range whole.Dim(0) {
		if i%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if j == n {
			break
		}
		same := true
		for d := range rank {
			same = same && from[i*rank+d]-first[d] == to[j*rank+d]
		}
		if same {
			strided.Move(&out[0], i, grad, j, 1)
			j++
		}
	}
	if j < n {
		return status.Invalid("Elements of backprop_val_grad aren't all propagated. Num elements:%d, used: %d", n, j)
	}
	return ctx.Err()
}

// cut puts out the indices, moved, and the values of those entries that are
// within something.
func cut(ctx *kernel.Context, out []tensor.Value, e *entries, within func(index []int64) bool, move func(index []int64)) error {
	n := 0
	for i := range e.n {
		if i%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if within(e.index(i)) {
			n++
		}
	}
	if err := allocEntries(ctx, out, e.values.DType(), n, e.rank); err != nil {
		return err
	}
	o, n := tensor.Of[int64](&out[0]), 0
	for i := range e.n {
		if i%block == block-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !within(e.index(i)) {
			continue
		}
		index := o[n*e.rank:][:e.rank]
		copy(index, e.index(i))
		move(index)
		strided.Move(&out[1], n, e.values, i, 1)
		n++
	}
	return nil
}

func newConcat(c *kernel.Construction) (kernel.Kernel, error) {
	n, along := int(c.Int("N")), c.Int("concat_dim")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		parts := make([]entries, n)
		axis, err := concatParts(in, parts, along)
		if err != nil {
			return err
		}
		dims, total := slices.Clone(parts[0].dims), 0
		dims[axis] = 0
		var starts, first []int64 // along the axis, and among all entries
		for i := range parts {
			starts, first = append(starts, dims[axis]), append(first, int64(total))
			size := parts[i].dims[axis]
			if size < 0 || dims[axis] > math.MaxInt64-size {
				return status.Errorf(status.Internal, "Encountered overflow from large input shape.")
			}
			dims[axis] += size
			total += parts[i].n
		}
		if _, err := product(dims); err != nil {
			return status.Errorf(status.Internal, "Encountered overflow from large input shape.")
		}
		return joinParts(ctx, parts, out, axis, total, starts, first, dims)
	}), nil
}

// concatParts reads the tensors, whose shapes differ in one dimension alone.
func concatParts(in []tensor.Value, parts []entries, along int64) (axis int, err error) {
	n := len(parts)
	for i := range parts {
		for k, name := range []string{"indices", "values", "shapes"} {
			v, rank, kind := &in[k*n+i], 1, "vector"
			if k == 0 {
				rank, kind = 2, "matrix"
			}
			if v.Rank() != rank {
				return 0, status.Invalid("Input %s should be a %s but received shape %s at position %d", name, kind, tensor.FormatDims(v.Dims()), i)
			}
		}
	}
	rank := in[2*n].Dim(0)
	axis, ok := kernel.Axis(along, rank)
	if !ok {
		return 0, status.Invalid("Concat dimension must be in range [%d, %d), got %d", -rank, rank, along)
	}
	for i := range parts {
		if r := in[2*n+i].Dim(0); r != rank {
			return 0, status.Invalid("Ranks of all input tensors must match: expected %d but got %d at position %d", rank, r, i)
		}
		parts[i] = rawEntries([]tensor.Value{in[i], in[n+i], in[2*n+i]})
		parts[i].values = &in[n+i]
		for d, size := range parts[i].dims {
			if want := parts[0].dims[d]; d != axis && size != want {
				return 0, status.Invalid("Input shapes must match: expected %d for dimension %d but got %d at position %d", want, d, size, i)
			}
		}
	}
	for i := range parts {
		if values := in[n+i].Dim(0); values != parts[i].n {
			return 0, status.Invalid("indices and values rows (indexing dimension) must match. (indices = %d, values = %d)", parts[i].n, values)
		}
		if parts[i].rank != rank {
			return 0, status.Invalid("Order length must be SparseTensor rank.")
		}
	}
	return axis, nil
}

// joinParts puts out the entries of all parts in row-major order: those of part
// i moved by starts[i] along the axis, first[i] of them being before it.
func joinParts(ctx *kernel.Context, parts []entries, out []tensor.Value, axis, total int, starts, first, dims []int64) error {
	rank := len(dims)
	all, err := ctx.Alloc(tensor.Int64, []int64{int64(total), int64(rank)})
	if err != nil {
		return err
	}
	defer ctx.Free(all)
	x := tensor.Of[int64](&all)
	for i := range parts {
		to := x[int(first[i])*rank:]
		copy(to, parts[i].at)
		for e := range parts[i].n {
			to[e*rank+axis] += starts[i]
		}
	}
	order, err := ordered(ctx, total, func(i, j int64) int {
		return slices.Compare(x[int(i)*rank:][:rank], x[int(j)*rank:][:rank])
	})
	if err != nil {
		return err
	}
	defer ctx.Free(order)
	if err := allocEntries(ctx, out, parts[0].values.DType(), total, rank); err != nil {
		return err
	}
	if err := vector(ctx, &out[2], dims); err != nil {
		return err
	}
	rows := tensor.Of[int64](&order)
	strided.Gather(&out[0], 0, &all, 0, rows, rank)
	for to, row := range rows {
		if to%block == block-1 && ctx.Err() != nil {
			break
		}
		// The last part that does not begin behind the row; empty ones are before it.
		behind, _ := slices.BinarySearch(first, row+1)
		part := behind - 1
		strided.Move(&out[1], to, parts[part].values, int(row-first[part]), 1)
	}
	return ctx.Err()
}

func newSplit(c *kernel.Construction) (kernel.Kernel, error) {
	n := int(c.Int("num_split"))
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		switch {
		case in[0].Rank() != 0:
			return status.Invalid("Input axis should be a scalar but received shape %s", tensor.FormatDims(in[0].Dims()))
		case in[1].Rank() != 2:
			return status.Invalid("Input indices should be a matrix but received shape %s", tensor.FormatDims(in[1].Dims()))
		case in[2].Rank() != 1:
			return status.Invalid("Input values should be a vector but received shape %s", tensor.FormatDims(in[2].Dims()))
		case in[3].Rank() != 1:
			return status.Invalid("Input shape should be a vector but received shape %s", tensor.FormatDims(in[3].Dims()))
		}
		e, err := entriesOf(in[1:])
		if err != nil {
			return err
		}
		if err := e.bounds(); err != nil {
			return err
		}
		along := tensor.At0[int64](&in[0])
		axis, ok := kernel.Axis(along, e.rank)
		if !ok {
			return status.Invalid("Input axis should be in range [%d, %d), got %d", -e.rank, e.rank, along)
		}
		size := e.dims[axis]
		if int64(n) > size {
			return status.Invalid("Input num_split should be between 1 and the splitting dimension size (%d), got %d", size, n)
		}
		start := int64(0)
		for i := range n {
			end := start + size/int64(n)
			if int64(i) < size%int64(n) {
				end++
			}
			var part [2]tensor.Value
			err := cut(ctx, part[:], &e,
				func(index []int64) bool { return index[axis] >= start && index[axis] < end },
				func(index []int64) { index[axis] -= start })
			if err != nil {
				return err
			}
			out[i], out[n+i] = part[0], part[1]
			dims := slices.Clone(e.dims)
			dims[axis] = end - start
			if err := vector(ctx, &out[2*n+i], dims); err != nil {
				return err
			}
			start = end
		}
		return nil
	}), nil
}
