package ragged

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

func init() {
	constraint := map[string][]tensor.DType{"Tvalues": valueTypes}
	kernel.Register(kernel.Registration{Op: "RaggedTensorToVariant", Types: constraint, New: newToVariant})
	kernel.Register(kernel.Registration{Op: "RaggedTensorFromVariant", Types: constraint, New: newFromVariant})
	tensor.RegisterVariant(typeName, func(v *tensor.VariantData) (any, error) { return unmarshal(v) })
}

// valueTypes are those of the values of ragged tensors in variants.
var valueTypes = slices.Concat(elementwise.Numbers,
	[]tensor.DType{tensor.Bool, tensor.String, tensor.Qint8, tensor.Quint8, tensor.Qint16, tensor.Quint16, tensor.Qint32})

// typeName is what serialized ragged tensors are called.
const typeName = "RaggedTensorVariant"

// A Ragged is a ragged tensor as a variant holds it. It is immutable.
type Ragged struct {
	splits []tensor.Value // from the outermost dimension on
	values tensor.Value
}

// MarshalVariant is r in TensorFlow's form: the splits, then the values.
func (r *Ragged) MarshalVariant() (*tensor.VariantData, error) {
	part := func(i int) tensor.Value {
		if i < len(r.splits) {
			return r.splits[i]
		}
		return r.values
	}
	return &tensor.VariantData{TypeName: typeName, Parts: len(r.splits) + 1, Part: part}, nil
}

// TotalBytes returns what r takes. See [tensor.Value.TotalBytes].
func (r *Ragged) TotalBytes() int64 {
	size := r.values.TotalBytes()
	for _, s := range r.splits {
		size += s.TotalBytes()
	}
	return size
}

func unmarshal(v *tensor.VariantData) (*Ragged, error) {
	if len(v.Tensors) == 0 {
		return nil, status.Invalid("a serialized %s has no values", typeName)
	}
	all := make([]tensor.Value, len(v.Tensors))
	for i, b := range v.Tensors {
		t, err := tensorproto.Unmarshal(b, 0)
		if err != nil {
			return nil, err
		}
		all[i] = tensor.ValueOf(t)
	}
	n := len(all) - 1
	return &Ragged{all[:n:n], all[n]}, nil
}

// newToVariant makes the kernel of RaggedTensorToVariant.
func newToVariant(c *kernel.Construction) (kernel.Kernel, error) {
	levels, batched := int(c.Int("RAGGED_RANK")), c.Bool("batched_input")
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		values := &in[levels]
		if levels > 0 || batched {
			if values.Rank() < 1 {
				return status.Invalid("Requires batch values to be at least a vector, got shape %s", tensor.FormatDims(values.Dims()))
			}
		}
		whole := &Ragged{splits: make([]tensor.Value, levels)}
		var splits [][]int64
		var err error
		if levels > 0 {
			if splits, err = nested(in[:levels], values.Dim(0)); err != nil {
				return err
			}
		}
		for i := range levels {
			if whole.splits[i], err = ctx.Share(in[i]); err != nil {
				return err
			}
		}
		if whole.values, err = ctx.Share(*values); err != nil {
			return err
		}
		if !batched {
			out[0] = tensor.Scalar(&tensor.Object{Value: whole})
			return nil
		}
		if levels == 0 {
			return packRows(ctx, whole, out)
		}
		return packRagged(ctx, splits, whole, out)
	}), nil
}

// packRows makes a variant of each slice of an ordinary tensor.
func packRows(ctx *kernel.Context, whole *Ragged, out []tensor.Value) (err error) {
	n := whole.values.Dim(0)
	if out[0], err = ctx.Alloc(tensor.Variant, []int64{int64(n)}); err != nil {
		return err
	}
	o := tensor.Of[*tensor.Object](&out[0])
	for i := range o {
		o[i] = &tensor.Object{Value: &Ragged{values: whole.values.Row(i)}}
	}
	return ctx.Err()
}

// packRagged makes a variant of each row of a ragged tensor.
func packRagged(ctx *kernel.Context, splits [][]int64, whole *Ragged, out []tensor.Value) (err error) {
	n := len(splits[0]) - 1
	if out[0], err = ctx.Alloc(tensor.Variant, []int64{int64(n)}); err != nil {
		return err
	}
	o, all := tensor.Of[*tensor.Object](&out[0]), whole.values.Tensor()
	each := 1
	for _, d := range all.Dims()[1:] {
		each *= int(d)
	}
	for i := range o {
		if err := ctx.Err(); err != nil {
			return err
		}
		from, to := splits[0][i], splits[0][i+1]
		r := &Ragged{}
		for l, s := range splits[1:] {
			part, err := rebased(s[from:to+1], whole.splits[l+1].DType())
			if err != nil {
				return err
			}
			r.splits = append(r.splits, part)
			from, to = s[from], s[to]
		}
		dims := slices.Clone(all.Dims())
		dims[0] = to - from
		r.values = tensor.ValueOf(all.Slice(int(from)*each, int(to-from)*each, dims))
		o[i] = &tensor.Object{Value: r}
	}
	return nil
}

// rebased is splits that begin at 0.
func rebased(s []int64, dt tensor.DType) (tensor.Value, error) {
	t, err := tensor.New(dt, int64(len(s)))
	if err != nil {
		return tensor.Value{}, err
	}
	v := tensor.ValueOf(t)
	for i, x := range s {
		setSplit(&v, i, x-s[0])
	}
	return v, nil
}

func setSplit(v *tensor.Value, i int, x int64) {
	if v.DType() == tensor.Int32 {
		tensor.Of[int32](v)[i] = int32(x)
	} else {
		tensor.Of[int64](v)[i] = x
	}
}

// newFromVariant makes the kernel of RaggedTensorFromVariant.
func newFromVariant(c *kernel.Construction) (kernel.Kernel, error) {
	k := unpacker{
		inner: int(c.Int("input_ragged_rank")), levels: int(c.Int("output_ragged_rank")),
		dt: c.Type("Tvalues"), splits: c.Type("Tsplits"),
	}
	return &k, nil
}

// An unpacker is the kernel of RaggedTensorFromVariant.
type unpacker struct {
	inner, levels int // ragged dimensions of a variant, -1 to be worked out, and of the result
	dt, splits    tensor.DType
}

func (k *unpacker) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	encoded, err := tensor.DecodeVariants(in[0])
	if err != nil {
		return err
	}
	inner, rank := k.inner, encoded.Rank()
	if inner < 0 {
		if inner = k.levels - rank; inner < 0 {
			return status.Invalid("Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, found output_ragged_rank: %d, encoded_variant.dims(): %d, inferred input_ragged_rank: %d", k.levels, rank, inner)
		}
	}
	if k.levels != inner+rank {
		return status.Invalid("output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: %d, input_ragged_rank: %d, encoded_ragged.dims(): %d.", k.levels, inner, rank)
	}
	parts := make([]*Ragged, encoded.NumElements())
	for i, o := range tensor.Of[*tensor.Object](&encoded) {
		if parts[i], err = k.component(o, i, inner); err != nil {
			return err
		}
	}
	if rank == 0 {
		copy(out, parts[0].splits)
		out[k.levels] = parts[0].values
		return nil
	}
	return k.stack(ctx, parts, encoded.Dims(), inner, out)
}

// component returns the ragged tensor that element i holds.
func (k *unpacker) component(o *tensor.Object, i, inner int) (*Ragged, error) {
	var r *Ragged
	if o != nil {
		r, _ = o.Value.(*Ragged)
	}
	if r == nil {
		return nil, status.Invalid("Input Variant element at index %d doesn't hold a RaggedTensorVariant", i)
	}
	if len(r.splits) != inner {
		return nil, status.Invalid("Encoded input RaggedTensorVariant has ragged_rank=%d.  Expected ragged_rank=%d.", len(r.splits), inner)
	}
	for _, s := range r.splits {
		if s.DType() != k.splits {
			return nil, status.Invalid("Expected row_splits Tensor dtype: %v, found: %v", k.splits, s.DType())
		}
		if s.Rank() != 1 {
			return nil, status.Invalid("Ragged splits must have rank 1; encoded scalar element at index %d has splits Tensor of rank %d", i, s.Rank())
		}
	}
	if r.values.DType() != k.dt {
		return nil, status.Invalid("Expected values Tensor dtype: %v, found: %v", k.dt, r.values.DType())
	}
	if inner > 0 && r.values.Rank() < 1 {
		return nil, status.Invalid("Ragged values must have rank >= 1; encoded scalar element at index %d has values Tensor of rank %d", i, r.values.Rank())
	}
	return r, nil
}

// stack joins components, whose numbers have a shape.
func (k *unpacker) stack(ctx *kernel.Context, parts []*Ragged, shape []int64, inner int, out []tensor.Value) (err error) {
	// Dimensions of the shape but the last have rows of one length.
	rows := int64(1)
	for d := 0; d+1 < len(shape); d++ {
		rows *= shape[d]
		if out[d], err = ctx.Alloc(k.splits, []int64{rows + 1}); err != nil {
			return err
		}
		for i := range int(rows) + 1 {
			setSplit(&out[d], i, int64(i)*shape[d+1])
		}
	}
	// The rows of the last one are the components, whose lengths differ.
	at := len(shape) - 1
	if out[at], err = ctx.Alloc(k.splits, []int64{int64(len(parts)) + 1}); err != nil {
		return err
	}
	total := int64(0)
	setSplit(&out[at], 0, 0)
	for i, p := range parts {
		n := int64(1)
		switch {
		case inner > 0:
			n = int64(p.splits[0].NumElements()) - 1
		case p.values.Rank() > 0:
			n = p.values.Dims()[0]
		default:
			return status.Invalid("The values of a ragged tensor that is stacked must have rank >= 1; element %d has rank 0", i)
		}
		total += max(n, 0)
		setSplit(&out[at], i+1, total)
	}
	for l := range inner {
		if err := k.join(ctx, parts, l, &out[at+1+l]); err != nil {
			return err
		}
	}
	return k.joinValues(ctx, parts, &out[k.levels])
}

// join puts the splits of one level behind each other.
func (k *unpacker) join(ctx *kernel.Context, parts []*Ragged, level int, out *tensor.Value) (err error) {
	n := int64(1)
	for _, p := range parts {
		n += max(int64(p.splits[level].NumElements())-1, 0)
	}
	if *out, err = ctx.Alloc(k.splits, []int64{n}); err != nil {
		return err
	}
	setSplit(out, 0, 0)
	to, last := 1, int64(0)
	for _, p := range parts {
		s := kernel.AppendInts(nil, &p.splits[level])
		for i := 1; i < len(s); i++ {
			setSplit(out, to, last+s[i])
			to++
		}
		if len(s) > 0 {
			last += s[len(s)-1]
		}
	}
	return ctx.Err()
}

// joinValues puts the values of all components behind each other.
func (k *unpacker) joinValues(ctx *kernel.Context, parts []*Ragged, out *tensor.Value) (err error) {
	if len(parts) == 0 {
		*out, err = ctx.Alloc(k.dt, []int64{0})
		return err
	}
	dims := slices.Clone(parts[0].values.Dims())
	dims[0] = 0
	for _, p := range parts {
		if d := p.values.Dims(); len(d) != len(dims) || !slices.Equal(d[1:], dims[1:]) {
			return status.Invalid("All values must have the same shape but for the first dimension; got %s and %s", tensor.FormatDims(parts[0].values.Dims()), tensor.FormatDims(d))
		}
		dims[0] += p.values.Dims()[0]
	}
	if *out, err = ctx.Alloc(k.dt, dims); err != nil {
		return err
	}
	to := 0
	for _, p := range parts {
		n := p.values.NumElements()
		strided.Move(out, to, &p.values, 0, n)
		to += n
	}
	return ctx.Err()
}
