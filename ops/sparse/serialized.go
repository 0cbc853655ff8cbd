package sparse

import (
	"reflect"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

func init() {
	kernel.ForAll(newSerialize(serializeOne), "SerializeSparse")
	kernel.ForAll(newSerialize(serializeMany), "SerializeManySparse")
	kernel.ForAll(newDeserialize, "DeserializeSparse", "DeserializeManySparse")
}

// A packer makes an element of the form asked for of a tensor.
type packer func(out *tensor.Value, i int, t *tensor.Tensor) error

//go:noinline
func newSerialize(run func(ctx *kernel.Context, in, out []tensor.Value, dt tensor.DType, pack packer) error) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		dt := c.Type("out_type")
		var pack packer = func(out *tensor.Value, i int, t *tensor.Tensor) error {
			b, err := tensorproto.MarshalContent(t)
			tensor.Of[string](out)[i] = string(b)
			return err
		}
		if dt == tensor.Variant {
			pack = func(out *tensor.Value, i int, t *tensor.Tensor) error {
				tensor.Of[*tensor.Object](out)[i] = &tensor.Object{Value: Packed{t}}
				return nil
			}
		}
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			for i, name := range []string{"indices", "values", "shape"} {
				want, kind := 1, "vector"
				if i == 0 {
					want, kind = 2, "matrix"
				}
				if in[i].Rank() != want {
					return status.Invalid("Input %s should be a %s but received shape %s", name, kind, tensor.FormatDims(in[i].Dims()))
				}
			}
			return run(ctx, in, out, dt, pack)
		}), nil
	}
}

// Packed is a tensor as an element of a variant one.
type Packed struct{ t *tensor.Tensor }

// TotalBytes returns what p takes. See [tensor.Value.TotalBytes].
func (p Packed) TotalBytes() int64 { return tensor.ValueOf(p.t).TotalBytes() }

// serializeOne returns the kernel of SerializeSparse.
func serializeOne(ctx *kernel.Context, in, out []tensor.Value, dt tensor.DType, pack packer) (err error) {
	if out[0], err = ctx.Alloc(dt, []int64{3}); err != nil {
		return err
	}
	for i := range 3 {
		if err := pack(&out[0], i, in[i].Tensor()); err != nil {
			return err
		}
	}
	return nil
}

// serializeMany returns the kernel of SerializeManySparse: entry i of the result is
// what has i as the first index.
func serializeMany(ctx *kernel.Context, in, out []tensor.Value, dt tensor.DType, pack packer) error {
	e, err := entriesOf(in)
	if err != nil {
		return err
	}
	if e.rank <= 1 {
		return status.Invalid("Rank of input SparseTensor should be > 1, but saw rank: %d", e.rank)
	}
	rows := e.dims[0]
	if rows < 0 {
		return status.Invalid("Expected shape dimensions to be non-negative, got %d", rows)
	}
	if out[0], err = ctx.Alloc(dt, []int64{rows, 3}); err != nil {
		return err
	}
	return eachRow(ctx, e, rows, func(r int64, parts [3]*tensor.Tensor) error {
		for i, t := range parts {
			if err := pack(&out[0], int(3*r)+i, t); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachRow calls f for each slice of a sparse tensor along its first dimension,
// with its indices, values and shape.
func eachRow(ctx *kernel.Context, e entries, rows int64, f func(r int64, parts [3]*tensor.Tensor) error) error {
	dims, err := tensor.FromSlice(slices.Clone(e.dims[1:]), int64(e.rank-1))
	if err != nil {
		return err
	}
	at := 0
	for r := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		first := at
		for at < e.n && e.index(at)[0] == r {
			at++
		}
		n := at - first
		rest, err := tensor.New(tensor.Int64, int64(n), int64(e.rank-1))
		if err != nil {
			return err
		}
		values, err := tensor.New(e.values.DType(), int64(n))
		if err != nil {
			return err
		}
		to, elements := tensor.ValueOf(rest), tensor.ValueOf(values)
		for i := range n {
			copy(tensor.Of[int64](&to)[i*(e.rank-1):], e.index(first + i)[1:])
		}
		strided.Move(&elements, 0, e.values, first, n)
		if err := f(r, [3]*tensor.Tensor{rest, elements.Tensor(), dims}); err != nil {
			return err
		}
	}
	if at < e.n {
		return status.Invalid("indices[%d] = %s is out of order or out of bounds", at, formatIndex(e.index(at)))
	}
	return nil
}

// newDeserialize makes the kernel of DeserializeSparse.
func newDeserialize(c *kernel.Construction) (kernel.Kernel, error) {
	dt, many := c.Type("dtype"), c.Op.Name == "DeserializeManySparse"
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		v := &in[0]
		rank := v.Rank()
		if many && rank != 2 {
			return status.Invalid("Serialized sparse should be a matrix but received shape %s", tensor.FormatDims(v.Dims()))
		}
		if rank == 0 {
			return status.Invalid("Serialized sparse should have non-zero rank %s", tensor.FormatDims(v.Dims()))
		}
		if v.Dim(rank-1) != 3 {
			return status.Invalid("Serialized sparse should have 3 as the last dimension %s", tensor.FormatDims(v.Dims()))
		}
		outer := v.Dims()[:rank-1]
		n := v.NumElements() / 3
		if n == 0 {
			return status.Invalid("Serialized sparse should have at least 1 serialized tensor, but has a zero dimension %s", tensor.FormatDims(v.Dims()))
		}
		defer ctx.UnreserveTo(ctx.Reserved())
		if err := ctx.Reserve(n * int(reflect.TypeFor[entries]().Size()+3*reflect.TypeFor[tensor.Value]().Size())); err != nil {
			return err
		}
		parts, held := make([]entries, n), make([][3]tensor.Value, n)
		for i := range parts {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := unpack(v, i, dt, &held[i]); err != nil {
				return err
			}
			parts[i] = rawEntries(held[i][:])
			parts[i].values = &held[i][1]
			if got, want := parts[i].rank, parts[0].rank; got != want {
				return status.Invalid("Inconsistent shape across SparseTensors: rank prior to SparseTensor[%d] was: %d but rank of SparseTensor[%d] is: %d", i, want, i, got)
			}
		}
		return stack(ctx, parts, outer, dt, out)
	}), nil
}

// unpack reads the indices, the values and the shape of sparse tensor i.
func unpack(v *tensor.Value, i int, dt tensor.DType, to *[3]tensor.Value) error {
	for k := range 3 {
		var t *tensor.Tensor
		if v.DType() == tensor.String {
			var err error
			if t, err = tensorproto.Unmarshal([]byte(tensor.Of[string](v)[3*i+k]), 0); err != nil {
				return status.Invalid("Could not parse serialized proto")
			}
		} else if o := tensor.Of[*tensor.Object](v)[3*i+k]; o != nil {
			if p, ok := o.Value.(Packed); ok {
				t = p.t
			}
		}
		if t == nil {
			return status.Invalid("Could not get a tensor from serialized_sparse[%d, %d]", i, k)
		}
		if k == 1 && t.DType() != dt {
			return status.Invalid("Requested SparseTensor of type %v but SparseTensor[%d].values.dtype() == %v", dt, i, t.DType())
		}
		if k != 1 && t.DType() != tensor.Int64 {
			return status.Invalid("Expected serialized_sparse[%d, %d] to be of type int64 but got %v", i, k, t.DType())
		}
		switch rank := len(t.Dims()); {
		case k == 0 && rank != 2:
			return status.Invalid("Expected serialized_sparse[%d, 0] to represent an index matrix but received shape %s", i, tensor.FormatDims(t.Dims()))
		case k == 1 && rank != 1:
			return status.Invalid("Expected serialized_sparse[%d, 1] to represent a values vector but received shape %s", i, tensor.FormatDims(t.Dims()))
		case k == 2 && rank != 1:
			return status.Invalid("Expected serialized_sparse[%d, 1] to be a shape vector but its shape is %s", i, tensor.FormatDims(t.Dims()))
		}
		to[k] = tensor.ValueOf(t)
	}
	if n := to[0].Dim(0); n != to[1].Dim(0) {
		return status.Invalid("Expected row counts of SparseTensor[%d].indices and SparseTensor[%d].values to match but they do not: %d vs. %d", i, i, n, to[1].Dim(0))
	}
	if r := to[0].Dim(1); r != to[2].Dim(0) {
		return status.Invalid("Expected column counts of SparseTensor[%d].indices to match size of SparseTensor[%d].shape but they do not: %d vs. %d", i, i, r, to[2].Dim(0))
	}
	return nil
}

// stack joins sparse tensors, whose numbers have the shape outer; the result is as
// large as the largest in each dimension.
func stack(ctx *kernel.Context, parts []entries, outer []int64, dt tensor.DType, out []tensor.Value) error {
	more, rank, total := len(outer), parts[0].rank, 0
	dims := slices.Concat(outer, parts[0].dims)
	for i := range parts {
		total += parts[i].n
		for d, size := range parts[i].dims {
			if size < 0 {
				return status.Invalid("Expected shape dimensions to be non-negative, got %d", size)
			}
			dims[more+d] = max(dims[more+d], size)
		}
	}
	if err := allocEntries(ctx, out, dt, total, more+rank); err != nil {
		return err
	}
	o, to := tensor.Of[int64](&out[0]), 0
	for i := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		for e := range parts[i].n {
			index, rest := o[(to+e)*(more+rank):], int64(i)
			for d := more - 1; d >= 0; d-- {
				index[d] = rest % outer[d]
				rest /= outer[d]
			}
			copy(index[more:], parts[i].index(e))
		}
		strided.Move(&out[1], to, parts[i].values, 0, parts[i].n)
		to += parts[i].n
	}
	return vector(ctx, &out[2], dims)
}
