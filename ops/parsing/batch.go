package parsing

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() { kernel.ForAll(newParser, "ParseExample", "ParseExampleV2", "ParseSingleExample") }

// A parser is the kernel of the operations on Examples.
type parser struct {
	op                   string
	sparse, dense        []tensor.DType
	ragged, splits       []tensor.DType
	shapes               []registry.Shape
	sparseKeys, denseKey []string // of ParseSingleExample, whose keys are attributes
}

func newParser(c *kernel.Construction) (kernel.Kernel, error) {
	k := &parser{
		op: c.Op.Name, sparse: c.Types("sparse_types"), dense: c.Types("Tdense"), shapes: c.Shapes("dense_shapes"),
		ragged: c.Types("ragged_value_types"), splits: c.Types("ragged_split_types"),
		sparseKeys: c.Strs("sparse_keys"), denseKey: c.Strs("dense_keys"),
	}
	if len(k.shapes) != len(k.dense) {
		return nil, c.Errorf("len(dense_keys) != len(dense_shapes)")
	}
	if len(k.ragged) != len(k.splits) {
		return nil, c.Errorf("len(ragged_value_types) != len(ragged_split_types)")
	}
	if k.op == "ParseSingleExample" && (len(k.sparseKeys) != len(k.sparse) || len(k.denseKey) != len(k.dense)) {
		return nil, c.Errorf("as many keys as types are needed")
	}
	if k.op == "ParseExample" && (c.Int("Nsparse") != int64(len(k.sparse)) || c.Int("Ndense") != int64(len(k.dense))) {
		return nil, c.Errorf("as many keys as types are needed")
	}
	for i, s := range k.shapes {
		if s.Unknown {
			return nil, c.Errorf("dense_shapes[%d] has unknown rank", i)
		}
		for d, n := range s.Dims {
			if n < 0 && d > 0 {
				return nil, c.Errorf("dense_shapes[%d] has unknown or invalid dimensions behind the first: %v", i, s.Dims)
			}
		}
	}
	return k, nil
}

// A batch is the messages of one run, and what is wanted of them.
type batch struct {
	messages              []map[string]*feature
	names                 []string
	single                bool // one message, whose results have no dimension for the batch
	sparse, dense, ragged []string
	defaults              []tensor.Value
}

func (k *parser) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	b, err := k.inputs(in)
	if err != nil {
		return err
	}
	defer ctx.UnreserveTo(ctx.Reserved())
	for i, s := range tensor.Of[string](&in[0]) {
		if i&255 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := charged(ctx, s, func() (n int, err error) {
			m, err := parseExample(s)
			for _, f := range m {
				n += f.bytes()
			}
			b.messages = append(b.messages, m)
			return n, err
		}); err != nil {
			return err
		}
	}
	n := len(k.sparse)
	for i, key := range b.sparse {
		if err := b.sparseOutput(ctx, key, k.sparse[i], &out[i], &out[n+i], &out[2*n+i]); err != nil {
			return err
		}
	}
	out = out[3*n:]
	for i, key := range b.dense {
		if err := b.denseOutput(ctx, key, k.dense[i], k.shapes[i].Dims, &b.defaults[i], &out[i]); err != nil {
			return err
		}
	}
	out = out[len(k.dense):]
	for i, key := range b.ragged {
		if err := b.raggedOutput(ctx, key, k.ragged[i], k.splits[i], &out[i], &out[len(k.ragged)+i]); err != nil {
			return err
		}
	}
	return nil
}

// inputs reads the inputs, which come in a form of its own for each operation.
func (k *parser) inputs(in []tensor.Value) (*batch, error) {
	b := &batch{}
	switch k.op {
	case "ParseSingleExample":
		if in[0].Rank() != 0 {
			return nil, status.Invalid("Expected serialized to be a scalar, got shape: %s", tensor.FormatDims(in[0].Dims()))
		}
		b.single, b.sparse, b.dense, b.defaults = true, k.sparseKeys, k.denseKey, in[1:]
	case "ParseExample":
		if in[0].Rank() != 1 {
			return nil, status.Invalid("Expected serialized to be a vector, got shape: %s", tensor.FormatDims(in[0].Dims()))
		}
		b.names = tensor.Of[string](&in[1])
		for i := range len(k.sparse) + len(k.dense) {
			v := &in[2+i]
			if v.NumElements() != 1 {
				return nil, status.Invalid("Expected a key to be a scalar, got shape: %s", tensor.FormatDims(v.Dims()))
			}
			if key := tensor.Of[string](v)[0]; i < len(k.sparse) {
				b.sparse = append(b.sparse, key)
			} else {
				b.dense = append(b.dense, key)
			}
		}
		b.defaults = in[2+len(k.sparse)+len(k.dense):]
	default:
		if in[0].Rank() > 1 {
			return nil, status.Invalid("Expected serialized to be a scalar or vector, got shape: %s", tensor.FormatDims(in[0].Dims()))
		}
		b.single, b.names, b.defaults = in[0].Rank() == 0, tensor.Of[string](&in[1]), in[5:]
		for i, want := range []struct {
			what string
			n    int
			to   *[]string
		}{{"sparse", len(k.sparse), &b.sparse}, {"dense", len(k.dense), &b.dense}, {"ragged", len(k.ragged), &b.ragged}} {
			v := &in[2+i]
			if v.NumElements() != want.n {
				return nil, status.Invalid("Expected len(%s_keys) == %d, got: %d", want.what, want.n, v.NumElements())
			}
			*want.to = tensor.Of[string](v)
		}
	}
	if n := in[0].NumElements(); len(b.names) > 0 && len(b.names) != n {
		return nil, status.Invalid("Expected len(names) == len(serialized), got: %d vs. %d", len(b.names), n)
	}
	return b, nil
}

func (b *batch) name(i int) string {
	if len(b.names) > 0 {
		return b.names[i]
	}
	return "<unknown>"
}

// find returns the feature of message i, nil if it has none. It fails if it is of
// another type.
func (b *batch) find(i int, key string, dt tensor.DType) (*feature, error) {
	f := b.messages[i][key]
	if f == nil || f.dt == tensor.Invalid {
		return nil, nil
	}
	if f.dt != dt {
		return nil, status.Invalid("Name: %s, Key: %s, Index: %d.  Data types don't match. Expected type: %v, Actual type: %v", b.name(i), key, i, dt, f.dt)
	}
	return f, nil
}

// found collects the features of one key, and counts their values.
func (b *batch) found(key string, dt tensor.DType) (all []*feature, values, longest int, err error) {
	all = make([]*feature, len(b.messages))
	for i := range all {
		if all[i], err = b.find(i, key, dt); err != nil {
			return nil, 0, 0, err
		}
		if all[i] != nil {
			values, longest = values+all[i].len(), max(longest, all[i].len())
		}
	}
	return all, values, longest, nil
}

// join puts the values of features one behind the other.
func join(ctx *kernel.Context, all []*feature, dt tensor.DType, values int) (tensor.Value, error) {
	v, err := ctx.Alloc(dt, []int64{int64(values)})
	if err != nil {
		return v, err
	}
	at := 0
	for _, f := range all {
		if f != nil {
			f.copyTo(&v, at)
			at += f.len()
		}
	}
	return v, nil
}

func (b *batch) sparseOutput(ctx *kernel.Context, key string, dt tensor.DType, indices, values, dims *tensor.Value) error {
	all, n, longest, err := b.found(key, dt)
	if err != nil {
		return err
	}
	if *values, err = join(ctx, all, dt, n); err != nil {
		return err
	}
	rank := 2
	if b.single {
		rank = 1
	}
	if *indices, err = ctx.Alloc(tensor.Int64, []int64{int64(n), int64(rank)}); err != nil {
		return err
	}
	at := tensor.Of[int64](indices)
	for i, f := range all {
		for j := 0; f != nil && j < f.len(); j++ {
			if !b.single {
				at[0] = int64(i)
			}
			at[rank-1] = int64(j)
			at = at[rank:]
		}
	}
	if *dims, err = ctx.Alloc(tensor.Int64, []int64{int64(rank)}); err != nil {
		return err
	}
	d := tensor.Of[int64](dims)
	d[0] = int64(len(all))
	d[rank-1] = int64(longest)
	return nil
}

func (b *batch) denseOutput(ctx *kernel.Context, key string, dt tensor.DType, shape []int64, other, out *tensor.Value) error {
	all, _, longest, err := b.found(key, dt)
	if err != nil {
		return err
	}
	open := len(shape) > 0 && shape[0] < 0 // the first dimension is that of the longest
	if !open && other.NumElements() > 0 && !slices.Equal(other.Dims(), shape) {
		return status.Invalid("def_value of %s has shape %s, which is not compatible with %s", key, tensor.FormatDims(other.Dims()), tensor.FormatDims(shape))
	}
	row := 1
	for i, d := range shape {
		if i == 0 && open {
			continue
		}
		if d > 0 && row > math.MaxInt32/int(min(d, math.MaxInt32)) {
			return status.Invalid("Key: %s.  The shape %s is too large", key, tensor.FormatDims(shape))
		}
		row *= int(d)
	}
	dims := append([]int64(nil), shape...)
	n := row // values of a message
	if open {
		if row == 0 {
			return status.Invalid("Key: %s.  Values of size 0 cannot be counted", key)
		}
		n = (longest + row - 1) / row * row
		dims[0] = int64(n / row)
	}
	if !b.single {
		dims = append([]int64{int64(len(all))}, dims...)
	}
	if *out, err = ctx.AllocZeroed(dt, dims); err != nil {
		return err
	}
	for i, f := range all {
		switch {
		case open:
			if other.NumElements() > 1 {
				return status.Invalid("dense_defaults of %s must have one element, as its shape is not known, got %d", key, other.NumElements())
			}
			if f != nil && f.len()%row != 0 {
				return b.count(i, key, dt, f.len(), shape)
			}
			done := 0
			if f != nil {
				f.copyTo(out, i*n)
				done = f.len()
			}
			for j := done; j < n && other.NumElements() == 1; j++ {
				strided.Move(out, i*n+j, other, 0, 1)
			}
		case f != nil:
			if f.len() != n {
				return b.count(i, key, dt, f.len(), shape)
			}
			f.copyTo(out, i*n)
		case other.NumElements() == 0 && n > 0:
			return status.Invalid("Name: %s, Feature: %s (data type: %v) is required but could not be found.", b.name(i), key, dt)
		default:
			strided.Move(out, i*n, other, 0, n)
		}
	}
	return nil
}

func (b *batch) count(i int, key string, dt tensor.DType, n int, shape []int64) error {
	return status.Invalid("Name: %s, Key: %s, Index: %d.  Number of %v values != expected.  Values size: %d but output shape: %s", b.name(i), key, i, dt, n, tensor.FormatDims(shape))
}

func (b *batch) raggedOutput(ctx *kernel.Context, key string, dt, splitType tensor.DType, values, splits *tensor.Value) error {
	all, n, _, err := b.found(key, dt)
	if err != nil {
		return err
	}
	if *values, err = join(ctx, all, dt, n); err != nil {
		return err
	}
	rows := int64(len(all)) + 1
	if b.single {
		rows = 0
	}
	if *splits, err = ctx.AllocZeroed(splitType, []int64{rows}); err != nil || b.single {
		return err
	}
	if splitType == tensor.Int32 && n > math.MaxInt32 {
		return status.Invalid("Key: %s.  %d values are too many for int32 splits", key, n)
	}
	end := 0
	for i, f := range all {
		if f != nil {
			end += f.len()
		}
		if splitType == tensor.Int32 {
			tensor.Of[int32](splits)[i+1] = int32(end)
		} else {
			tensor.Of[int64](splits)[i+1] = int64(end)
		}
	}
	return nil
}
