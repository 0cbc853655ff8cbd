package setops

import (
	"cmp"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, dt := range [...]tensor.DType{tensor.Int8, tensor.Int16, tensor.Int32, tensor.Int64, tensor.Uint8, tensor.Uint16, tensor.String} {
		kernel.ForType("SetSize", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			return elementwise.WidenToInt64(dt, newSetSize(dt, c.Bool("validate_indices"))), nil
		})
		for _, op := range []string{"DenseToDenseSetOperation", "DenseToSparseSetOperation", "SparseToSparseSetOperation"} {
			kernel.ForType(op, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
				k, err := newCombination(c, dt)
				if err != nil {
					return nil, err
				}
				return elementwise.WidenToInt64(dt, k, 1), nil
			})
		}
	}
}

// An element is what sets are made of; smaller integers are widened.
type element interface{ int64 | string }

func newSetSize(dt tensor.DType, check bool) kernel.Kernel {
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if dt == tensor.String {
			return setSize[string](ctx, in, out, check)
		}
		return setSize[int64](ctx, in, out, check)
	})
}

func newCombination(c *kernel.Construction, dt tensor.DType) (kernel.Kernel, error) {
	k := combining{check: c.Bool("validate_indices"), sparse: [2]bool{len(c.Op.Inputs) == 6, len(c.Op.Inputs) >= 4}}
	switch name := strings.ToLower(c.Str("set_operation")); name {
	case "a-b":
		k.keep = func(a, b bool) bool { return a && !b }
	case "b-a":
		k.keep = func(a, b bool) bool { return b && !a }
	case "intersection":
		k.keep = func(a, b bool) bool { return a && b }
	case "union":
		k.keep = func(a, b bool) bool { return a || b }
	default:
		return nil, c.Errorf("Invalid set_operation %s.", name)
	}
	if k.dt = tensor.Int64; dt == tensor.String {
		k.dt = tensor.String
		return &combination[string]{k}, nil
	}
	return &combination[int64]{k}, nil
}

// Rows are the sets of a tensor. Calls of next give them by rising number of the
// row, which counts the places of all dimensions but the last in row-major order;
// a row that is missing is empty.
type rows[T element] interface {
	// next is the number of the next row and its elements, in ascending order and
	// each once, until the next call; ok is false behind the last row.
	next(ctx *kernel.Context) (row int64, set []T, ok bool, err error)
}

// denseRows are the rows of a tensor of n columns.
type denseRows[T element] struct {
	x    []T
	n    int
	at   int64
	many int64
	set  []T
}

func (r *denseRows[T]) next(ctx *kernel.Context) (row int64, set []T, ok bool, err error) {
	if r.at == r.many {
		return 0, nil, false, nil
	}
	row = r.at
	r.at++
	r.set, err = distinct(ctx, r.set, r.x[int(row)*r.n:][:r.n])
	return row, r.set, true, err
}

// sparseRows are the rows of a sparse tensor, whose indices are in order and
// within groups but for the last of each.
type sparseRows[T element] struct {
	at     []int64
	x      []T
	groups []int64 // the dimensions but for the last
	set    []T
}

func (r *sparseRows[T]) next(ctx *kernel.Context) (row int64, set []T, ok bool, err error) {
	if len(r.x) == 0 {
		return 0, nil, false, nil
	}
	rank, n := len(r.groups)+1, 1
	group := r.at[:rank-1]
	for n < len(r.x) && slices.Equal(group, r.at[n*rank:][:rank-1]) {
		n++
	}
	r.set, err = distinct(ctx, r.set, r.x[:n])
	r.x, r.at = r.x[n:], r.at[n*rank:]
	return place(group, r.groups), r.set, true, err
}

// distinct returns the elements of x in ascending order, each once, in place of others.
func distinct[T element](ctx *kernel.Context, set, x []T) ([]T, error) {
	set, err := kernel.Grow(ctx, set[:0], len(x))
	if err != nil {
		return set, err
	}
	set = append(set, x...)
	err = kernel.Sort(ctx, set, cmp.Compare[T])
	return slices.Compact(set), err
}

// place returns the number of an index among dims.
func place(index, dims []int64) int64 {
	n := int64(0)
	for d, i := range index {
		n = n*dims[d] + i
	}
	return n
}

// sparseSets reads a sparse tensor of sets. Its indices are within the shape but
// for the last dimension, and groups that are equal stand together; check asks
// for all of them to be within it, in row-major order and each once.
func sparseSets[T element](in []tensor.Value, check bool) (*sparseRows[T], error) {
	at, groups, err := sparseGroups(in, check)
	if err != nil {
		return nil, err
	}
	return &sparseRows[T]{at: at, x: tensor.Of[T](&in[1]), groups: groups}, nil
}

// sparseGroups returns the indices and the dimensions but for the last of sparseSets.
func sparseGroups(in []tensor.Value, check bool) (indices, groups []int64, err error) {
	at, values, shape := &in[0], &in[1], &in[2]
	switch {
	case shape.Rank() != 1:
		return nil, nil, status.Invalid("Shape must be a 1D tensor.")
	case at.Rank() != 2:
		return nil, nil, status.Invalid("indices must be a matrix, but got: %s", tensor.FormatDims(at.Dims()))
	case values.Rank() != 1:
		return nil, nil, status.Invalid("vals must be a vec, but got: %s", tensor.FormatDims(values.Dims()))
	case at.Dim(0) != values.Dim(0):
		return nil, nil, status.Invalid("indices and values rows (indexing dimension) must match. (indices = %d, values = %d)", at.Dim(0), values.Dim(0))
	case at.Dim(1) != shape.Dim(0):
		return nil, nil, status.Invalid("Order length must be SparseTensor rank.")
	}
	dims, x := tensor.Of[int64](shape), tensor.Of[int64](at)
	size := int64(1)
	for _, d := range dims {
		if d < 0 {
			return nil, nil, status.Invalid("Expected shape dimensions to be non-negative, got %d", d)
		}
		if size != 0 && d > (1<<63-1)/size {
			return nil, nil, status.Invalid("Encountered overflow when multiplying %d with %d, result: -1", size, d)
		}
		size *= d
	}
	rank := len(dims)
	if rank < 2 {
		return nil, nil, status.Invalid("Invalid rank %d.", rank)
	}
	for i := 0; i < len(x); i += rank {
		index := x[i : i+rank]
		for d, j := range index {
			if j >= 0 && j < dims[d] {
				continue
			}
			if check {
				return nil, nil, status.Invalid("indices[%d] = %s is out of bounds: need 0 <= index < %s", i/rank, tensor.FormatDims(index), tensor.FormatDims(dims))
			}
			if d < rank-1 || j >= 0 {
				return nil, nil, status.Errorf(status.Internal, "indices[0, %d] expected < %d, got %d.", d, dims[d], j)
			}
		}
		if i == 0 {
			continue
		}
		order := slices.Compare(x[i-rank:i], index)
		switch {
		case check && order == 0:
			return nil, nil, status.Invalid("indices[%d] = %s is repeated", i/rank, tensor.FormatDims(index))
		case check && order > 0, !check && slices.Compare(x[i-rank:i-1], index[:rank-1]) > 0:
			return nil, nil, status.Invalid("indices[%d] = %s is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n", i/rank, tensor.FormatDims(index))
		}
	}
	return x, dims[:rank-1], nil
}

// setSize returns the kernel of SetSize.
func setSize[T element](ctx *kernel.Context, in, out []tensor.Value, check bool) error {
	sets, err := sparseSets[T](in, check)
	if err != nil {
		return err
	}
	if out[0], err = ctx.AllocZeroed(tensor.Int32, sets.groups); err != nil {
		return err
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	o := tensor.Of[int32](&out[0])
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, set, ok, err := sets.next(ctx)
		if !ok || err != nil {
			return err
		}
		o[row] = int32(len(set))
	}
}

// A combining is what the operations on two sets a row know of themselves.
type combining struct {
	dt     tensor.DType
	sparse [2]bool // which of the two sets are sparse
	check  bool
	// keep reports whether an element is in the result, from whether it is in a and in b.
	keep func(a, b bool) bool
}

// A combination is their kernel.
type combination[T element] struct{ combining }

func (k *combination[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	a, groups, in, err := k.sets(in, 0)
	if err != nil {
		return err
	}
	b, other, _, err := k.sets(in, 1)
	if err != nil {
		return err
	}
	if !slices.Equal(groups, other) {
		return status.Invalid("Mismatched shapes %s vs %s", tensor.FormatDims(groups), tensor.FormatDims(other))
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	var values []T
	var at []int64 // row and column of each result
	longest := int64(0)
	rowA, setA, okA, err := a.next(ctx)
	if err != nil {
		return err
	}
	rowB, setB, okB, err := b.next(ctx)
	if err != nil {
		return err
	}
	for okA || okB {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, before := rowA, len(values)
		if !okA || okB && rowB < rowA {
			row = rowB
		}
		inA, inB := okA && rowA == row, okB && rowB == row
		var first, second []T
		if inA {
			first = setA
		}
		if inB {
			second = setB
		}
		if values, err = kernel.Grow(ctx, values, len(first)+len(second)); err != nil {
			return err
		}
		values = k.combine(values, first, second)
		if at, err = kernel.Grow(ctx, at, 2*(len(values)-before)); err != nil {
			return err
		}
		for n := range len(values) - before {
			at = append(at, row, int64(n))
		}
		longest = max(longest, int64(len(values)-before))
		if inA {
			if rowA, setA, okA, err = a.next(ctx); err != nil {
				return err
			}
		}
		if inB {
			if rowB, setB, okB, err = b.next(ctx); err != nil {
				return err
			}
		}
	}
	return k.put(ctx, out, at, values, groups, longest)
}

// sets reads the first or second set, and gives the inputs behind it.
func (k *combination[T]) sets(in []tensor.Value, i int) (rows[T], []int64, []tensor.Value, error) {
	if k.sparse[i] {
		s, err := sparseSets[T](in, k.check)
		if err != nil {
			return nil, nil, nil, err
		}
		return s, s.groups, in[3:], nil
	}
	r, groups, err := denseSets[T](&in[0])
	return r, groups, in[1:], err
}

// combine appends the combination of two sets in ascending order.
func (k *combination[T]) combine(to, a, b []T) []T {
	for len(a) > 0 || len(b) > 0 {
		order := 0
		switch {
		case len(b) == 0:
			order = -1
		case len(a) == 0:
			order = 1
		default:
			order = cmp.Compare(a[0], b[0])
		}
		x, inA, inB := *new(T), order <= 0, order >= 0
		if inA {
			x, a = a[0], a[1:]
		}
		if inB {
			x, b = b[0], b[1:]
		}
		if k.keep(inA, inB) {
			to = append(to, x)
		}
	}
	return to
}

// put makes the outputs.
func (k *combination[T]) put(ctx *kernel.Context, out []tensor.Value, at []int64, values []T, groups []int64, longest int64) error {
	if err := k.place(ctx, out, at, groups, longest); err != nil {
		return err
	}
	copy(tensor.Of[T](&out[1]), values)
	return nil
}

// place makes the outputs and fills all but the values, whose rows and columns are at.
func (k *combining) place(ctx *kernel.Context, out []tensor.Value, at, groups []int64, longest int64) (err error) {
	n, rank := len(at)/2, len(groups)+1
	if out[0], err = ctx.Alloc(tensor.Int64, []int64{int64(n), int64(rank)}); err != nil {
		return err
	}
	if out[1], err = ctx.Alloc(k.dt, []int64{int64(n)}); err != nil {
		return err
	}
	if out[2], err = ctx.Alloc(tensor.Int64, []int64{int64(rank)}); err != nil {
		return err
	}
	o := tensor.Of[int64](&out[0])
	for i := range n {
		index, row := o[i*rank:][:rank], at[2*i]
		index[rank-1] = at[2*i+1]
		for d := rank - 2; d >= 0; d-- {
			index[d] = row % groups[d]
			row /= groups[d]
		}
	}
	copy(tensor.Of[int64](&out[2]), append(slices.Clone(groups), longest))
	return nil
}

// denseSets reads a tensor of sets.
func denseSets[T element](v *tensor.Value) (rows[T], []int64, error) {
	rank := v.Rank()
	if rank < 2 {
		return nil, nil, status.Invalid("Shape %s has rank %d < 2", tensor.FormatDims(v.Dims()), rank)
	}
	groups := v.Dims()[:rank-1]
	many := int64(1)
	for _, d := range groups {
		if many != 0 && d > (1<<63-1)/many { // only where the tensor is empty
			return nil, nil, status.Invalid("Shape %s has too many rows", tensor.FormatDims(v.Dims()))
		}
		many *= d
	}
	return &denseRows[T]{x: tensor.Of[T](v), n: v.Dim(rank - 1), many: many}, groups, nil
}
