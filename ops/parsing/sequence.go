package parsing

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("ParseSequenceExampleV2").
		Input("serialized: string").Input("debug_name: string").Input("context_sparse_keys: string").
		Input("context_dense_keys: string").Input("context_ragged_keys: string").Input("feature_list_sparse_keys: string").
		Input("feature_list_dense_keys: string").Input("feature_list_ragged_keys: string").Input("feature_list_dense_missing_assumed_empty: bool").
		Input("context_dense_defaults: Tcontext_dense").Output("context_sparse_indices: Ncontext_sparse * int64").Output("context_sparse_values: context_sparse_types").
		Output("context_sparse_shapes: Ncontext_sparse * int64").Output("context_dense_values: Tcontext_dense").Output("context_ragged_values: context_ragged_value_types").
		Output("context_ragged_row_splits: context_ragged_split_types").Output("feature_list_sparse_indices: Nfeature_list_sparse * int64").Output("feature_list_sparse_values: feature_list_sparse_types").
		Output("feature_list_sparse_shapes: Nfeature_list_sparse * int64").Output("feature_list_dense_values: feature_list_dense_types").Output("feature_list_dense_lengths: Nfeature_list_dense * int64").
		Output("feature_list_ragged_values: feature_list_ragged_value_types").Output("feature_list_ragged_outer_splits: feature_list_ragged_split_types").Output("feature_list_ragged_inner_splits: feature_list_ragged_split_types").
		Attr("Ncontext_sparse: int >= 0 = 0").
		Attr("Tcontext_dense: list({float, int64, string}) >= 0 = []").
		Attr("context_sparse_types: list({float, int64, string}) >= 0 = []").
		Attr("context_ragged_value_types: list({float, int64, string}) >= 0 = []").
		Attr("context_ragged_split_types: list({int32, int64}) >= 0 = []").
		Attr("context_dense_shapes: list(shape) >= 0 = []").
		Attr("Nfeature_list_sparse: int >= 0 = 0").
		Attr("Nfeature_list_dense: int >= 0 = 0").
		Attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []").
		Attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []").
		Attr("feature_list_ragged_value_types: list({float, int64, string}) >= 0 = []").
		Attr("feature_list_ragged_split_types: list({int32, int64}) >= 0 = []").
		Attr("feature_list_dense_shapes: list(shape) >= 0 = []").
		Doc(`Parses serialized SequenceExample messages into tensors, sparse and ragged ones.

serialized: One message, or a vector of them.
debug_name: Names of the messages for errors, or none.
context_sparse_keys: Features of the context that become sparse tensors.
context_dense_keys: Features of the context that become tensors.
context_ragged_keys: Features of the context that become ragged tensors.
feature_list_sparse_keys: Feature lists that become sparse tensors.
feature_list_dense_keys: Feature lists that become tensors, filled up to the longest.
feature_list_ragged_keys: Feature lists that become ragged tensors.
feature_list_dense_missing_assumed_empty: For each dense feature list whether it may be missing and is empty then.
context_dense_defaults: The value of each dense feature of the context where a message lacks it; empty if it must be there.
context_sparse_indices: Indices of the sparse features of the context.
context_sparse_values: Their values.
context_sparse_shapes: Their shapes.
context_dense_values: The dense features of the context.
context_ragged_values: The values of the ragged features of the context.
context_ragged_row_splits: Where their rows begin and end.
feature_list_sparse_indices: Indices of the sparse feature lists.
feature_list_sparse_values: Their values.
feature_list_sparse_shapes: Their shapes.
feature_list_dense_values: The dense feature lists.
feature_list_dense_lengths: How long the list of each message is.
feature_list_ragged_values: The values of the ragged feature lists.
feature_list_ragged_outer_splits: Where the lists of messages begin and end, in features.
feature_list_ragged_inner_splits: Where features begin and end, in values.
Ncontext_sparse: How many sparse features the context has.
context_sparse_types: The types of the sparse features of the context.
context_ragged_value_types: The types of the ragged features of the context.
context_ragged_split_types: The types of their splits.
context_dense_shapes: The shapes of the dense features of the context.
Nfeature_list_sparse: How many sparse feature lists there are.
Nfeature_list_dense: How many dense feature lists there are.
feature_list_dense_types: The types of the dense feature lists.
feature_list_sparse_types: The types of the sparse feature lists.
feature_list_ragged_value_types: The types of the ragged feature lists.
feature_list_ragged_split_types: The types of their splits.
feature_list_dense_shapes: The shapes of an element of the dense feature lists.`)

	shape.Register(sequenceExampleV2Shape, "ParseSequenceExampleV2")
	kernel.ForAll(newSequenceParser, "ParseSequenceExample", "ParseSequenceExampleV2", "ParseSingleSequenceExample")
}

// sequenceExampleV2Shape knows the ranks, which depend on whether one message
// comes or several.
func sequenceExampleV2Shape(c *shape.Context) error {
	in := c.Input(0)
	if !in.Known() {
		return nil
	}
	batch := c.Try(in.WithRankAtMost(1))
	if c.Err() != nil {
		return c.Err()
	}
	steps := c.Try(shape.Concat(batch, shape.Of(shape.Unknown)))
	rank := int64(batch.Rank())
	features{"context_", batch, "context_dense_shapes", rank + 1}.set(c)
	features{"feature_list_", steps, "feature_list_dense_shapes", rank + 2}.set(c)
	lo, hi := c.Result("feature_list_dense_lengths")
	for i := lo; i < hi; i++ {
		c.SetOutput(i, batch)
	}
	return c.Err()
}

// A sequenceParser is the kernel of the operations on SequenceExamples.
type sequenceParser struct {
	op             string
	context, lists part
	keys           [4][]string // of ParseSequenceExample, whose keys are attributes
	mayLack        []string    // likewise
}

// A part is what is wanted of the context or of the feature lists.
type part struct {
	sparse, dense, ragged, splits []tensor.DType
	shapes                        []registry.Shape
}

func newSequenceParser(c *kernel.Construction) (kernel.Kernel, error) {
	k := &sequenceParser{
		op: c.Op.Name,
		context: part{
			c.Types("context_sparse_types"), c.Types("Tcontext_dense"), c.Types("context_ragged_value_types"),
			c.Types("context_ragged_split_types"), c.Shapes("context_dense_shapes"),
		},
		lists: part{
			c.Types("feature_list_sparse_types"), c.Types("feature_list_dense_types"), c.Types("feature_list_ragged_value_types"),
			c.Types("feature_list_ragged_split_types"), c.Shapes("feature_list_dense_shapes"),
		},
		keys:    [4][]string{c.Strs("context_sparse_keys"), c.Strs("context_dense_keys"), c.Strs("feature_list_sparse_keys"), c.Strs("feature_list_dense_keys")},
		mayLack: c.Strs("feature_list_dense_missing_assumed_empty"),
	}
	for i, n := range []struct {
		attr string
		want int
	}{{"Ncontext_sparse", len(k.context.sparse)}, {"Ncontext_dense", len(k.context.dense)}, {"Nfeature_list_sparse", len(k.lists.sparse)}, {"Nfeature_list_dense", len(k.lists.dense)}} {
		if a := c.Attrs.Find(n.attr); a != nil && a.I != int64(n.want) {
			return nil, c.Errorf("%s is %d, but there are %d types", n.attr, a.I, n.want)
		}
		if k.op == "ParseSequenceExample" && len(k.keys[i]) != n.want {
			return nil, c.Errorf("there are %d keys, but %d types", len(k.keys[i]), n.want)
		}
	}
	for _, p := range []part{k.context, k.lists} {
		if len(p.shapes) != len(p.dense) || len(p.ragged) != len(p.splits) {
			return nil, c.Errorf("dense features and their shapes, ragged ones and their splits must be as many: %d and %d, %d and %d", len(p.dense), len(p.shapes), len(p.ragged), len(p.splits))
		}
		for i, s := range p.shapes {
			if s.Unknown || slices.ContainsFunc(s.Dims, func(d int64) bool { return d < 0 }) {
				return nil, c.Errorf("the shape of dense feature %d is not fully defined", i)
			}
			if n, err := tensor.NumElements(tensor.Int64, s.Dims); err != nil || n > math.MaxInt32 {
				return nil, c.Errorf("the shape of dense feature %d is too large", i)
			}
		}
	}
	return k, nil
}

// sequences is the messages of one run, and what is wanted of them.
type sequences struct {
	context               batch
	lists                 []map[string][]*feature
	sparse, dense, ragged []string
	mayLack               []bool // dense feature lists
}

// strings returns the elements of n scalars, or of one vector of n.
func (k *sequenceParser) strings(in []tensor.Value, n int, what string) (keys []string, rest []tensor.Value, err error) {
	if k.op == "ParseSequenceExampleV2" {
		if in[0].NumElements() != n {
			return nil, nil, status.Invalid("Expected len(%s_keys) == %d, got: %d", what, n, in[0].NumElements())
		}
		return tensor.Of[string](&in[0]), in[1:], nil
	}
	for i := range n {
		if in[i].Rank() != 0 {
			return nil, nil, status.Invalid("Expected a key of %s to be a scalar, got shape: %s", what, tensor.FormatDims(in[i].Dims()))
		}
		keys = append(keys, tensor.At0[string](&in[i]))
	}
	return keys, in[n:], nil
}

// inputs reads the inputs, which come in a form of its own for each operation.
func (k *sequenceParser) inputs(in []tensor.Value) (b *sequences, err error) {
	b = &sequences{}
	mayLack := k.mayLack
	serialized, names := &in[0], &in[1]
	rest := in[2:]
	switch k.op {
	case "ParseSequenceExample":
		if serialized.Rank() != 1 {
			return nil, status.Invalid("Expected serialized to be a vector, got shape: %s", tensor.FormatDims(serialized.Dims()))
		}
		b.context.sparse, b.context.dense, b.sparse, b.dense = k.keys[0], k.keys[1], k.keys[2], k.keys[3]
	case "ParseSequenceExampleV2":
		if serialized.Rank() > 1 {
			return nil, status.Invalid("Expected serialized to be a scalar or vector, got shape: %s", tensor.FormatDims(serialized.Dims()))
		}
	default:
		if serialized.NumElements() != 1 {
			return nil, status.Invalid("Expected serialized to be a scalar, got shape: %s", tensor.FormatDims(serialized.Dims()))
		}
		if in[1].Rank() != 1 {
			return nil, status.Invalid("Expected feature_list_dense_missing_assumed_empty to be a vector, got shape: %s", tensor.FormatDims(in[1].Dims()))
		}
		mayLack, names = tensor.Of[string](&in[1]), &in[len(in)-1]
		if names.Rank() != 0 {
			return nil, status.Invalid("Expected debug_name to be a scalar, got shape: %s", tensor.FormatDims(names.Dims()))
		}
	}
	b.context.single = serialized.Rank() == 0 || k.op == "ParseSingleSequenceExample"
	if k.op != "ParseSequenceExample" {
		wanted := []struct {
			what string
			n    int
			to   *[]string
			v2   bool
		}{
			{"context_sparse", len(k.context.sparse), &b.context.sparse, false}, {"context_dense", len(k.context.dense), &b.context.dense, false},
			{"context_ragged", len(k.context.ragged), &b.context.ragged, true},
			{"feature_list_sparse", len(k.lists.sparse), &b.sparse, false}, {"feature_list_dense", len(k.lists.dense), &b.dense, false},
			{"feature_list_ragged", len(k.lists.ragged), &b.ragged, true},
		}
		for _, w := range wanted {
			if w.v2 && k.op != "ParseSequenceExampleV2" {
				continue
			}
			if *w.to, rest, err = k.strings(rest, w.n, w.what); err != nil {
				return nil, err
			}
		}
	}
	if k.op == "ParseSequenceExampleV2" {
		if rest[0].NumElements() != len(b.dense) {
			return nil, status.Invalid("Expected len(feature_list_dense_missing_assumed_empty) == %d, got: %d", len(b.dense), rest[0].NumElements())
		}
		b.mayLack, rest = tensor.Of[bool](&rest[0]), rest[1:]
	} else {
		for _, key := range b.dense {
			b.mayLack = append(b.mayLack, slices.Contains(mayLack, key))
		}
		for _, key := range mayLack {
			if !slices.Contains(b.dense, key) {
				return nil, status.Invalid("feature_list_dense_missing_assumed_empty has '%s', which is not a key of a dense feature list", key)
			}
		}
	}
	b.context.defaults = rest[:len(k.context.dense)]
	for i, v := range b.context.defaults {
		if want := k.context.shapes[i].Dims; v.NumElements() > 0 && !slices.Equal(v.Dims(), want) {
			return nil, status.Invalid("default_value[%d].shape() == %s != context_dense_shapes[%d] == %s", i, tensor.FormatDims(v.Dims()), i, tensor.FormatDims(want))
		}
	}
	if k.op != "ParseSingleSequenceExample" {
		if err := apart("Context feature", b.context.sparse, b.context.dense, b.context.ragged); err != nil {
			return nil, err
		}
		if err := apart("Feature list", b.sparse, b.dense, b.ragged); err != nil {
			return nil, err
		}
	}
	b.context.names = tensor.Of[string](names)
	if n := serialized.NumElements(); len(b.context.names) > 0 && len(b.context.names) != n {
		return nil, status.Invalid("Expected len(debug_name) == len(serialized), got: %d vs. %d", len(b.context.names), n)
	}
	return b, nil
}

// apart fails if two of the lists of keys have one in common.
func apart(what string, lists ...[]string) error {
	for i, keys := range lists {
		for _, others := range lists[i+1:] {
			for _, key := range keys {
				if slices.Contains(others, key) {
					return status.Invalid("%s %s cannot be of two kinds", what, key)
				}
			}
		}
	}
	return nil
}

func (k *sequenceParser) Run(ctx *kernel.Context, in, out []tensor.Value) error {
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
			context, lists, err := parseSequence(s)
			for _, f := range context {
				n += f.bytes()
			}
			for _, list := range lists {
				for _, f := range list {
					n += f.bytes()
				}
			}
			b.context.messages = append(b.context.messages, context)
			b.lists = append(b.lists, lists)
			return n, err
		}); err != nil {
			return err
		}
	}
	n := len(k.context.sparse)
	for i, key := range b.context.sparse {
		if err := b.context.sparseOutput(ctx, key, k.context.sparse[i], &out[i], &out[n+i], &out[2*n+i]); err != nil {
			return err
		}
	}
	out = out[3*n:]
	for i, key := range b.context.dense {
		if err := b.context.denseOutput(ctx, key, k.context.dense[i], k.context.shapes[i].Dims, &b.context.defaults[i], &out[i]); err != nil {
			return err
		}
	}
	out = out[len(k.context.dense):]
	n = len(k.context.ragged)
	for i, key := range b.context.ragged {
		if err := b.context.raggedOutput(ctx, key, k.context.ragged[i], k.context.splits[i], &out[i], &out[n+i]); err != nil {
			return err
		}
		if b.context.single {
			out[n+i] = zero(k.context.splits[i])
		}
	}
	out = out[2*n:]
	n = len(k.lists.sparse)
	for i, key := range b.sparse {
		if err := b.sparseLists(ctx, key, k.lists.sparse[i], &out[i], &out[n+i], &out[2*n+i]); err != nil {
			return err
		}
	}
	out = out[3*n:]
	n = len(k.lists.dense)
	for i, key := range b.dense {
		var lengths *tensor.Value
		if len(out) >= 2*n && k.op != "ParseSingleSequenceExample" {
			lengths = &out[n+i]
		}
		if err := b.denseLists(ctx, key, k.lists.dense[i], k.lists.shapes[i].Dims, b.mayLack[i], &out[i], lengths); err != nil {
			return err
		}
	}
	if n := len(k.lists.ragged); n > 0 {
		out = out[2*len(k.lists.dense):]
		for i, key := range b.ragged {
			if err := b.raggedLists(ctx, key, k.lists.ragged[i], k.lists.splits[i], &out[i], &out[n+i], &out[2*n+i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// found collects the lists of one key, and counts their steps and values. A
// message without the list has nil.
func (b *sequences) found(key string, dt tensor.DType) (all [][]*feature, values, steps, longest, widest int, err error) {
	all = make([][]*feature, len(b.lists))
	for i, lists := range b.lists {
		list, ok := lists[key]
		if !ok {
			continue
		}
		if list == nil {
			list = []*feature{}
		}
		all[i] = list
		steps += len(list)
		longest = max(longest, len(list))
		for t, f := range list {
			if f.dt != tensor.Invalid && f.dt != dt {
				return nil, 0, 0, 0, 0, status.Invalid("Name: %s, Feature list: %s, Index: %d.  Data types don't match. Expected type: %v, Actual type: %v", b.context.name(i), key, t, dt, f.dt)
			}
			values += f.len()
			widest = max(widest, f.len())
		}
	}
	return all, values, steps, longest, widest, nil
}

func (b *sequences) sparseLists(ctx *kernel.Context, key string, dt tensor.DType, indices, values, dims *tensor.Value) error {
	all, n, _, longest, widest, err := b.found(key, dt)
	if err != nil {
		return err
	}
	if *values, err = join(ctx, slices.Concat(all...), dt, n); err != nil {
		return err
	}
	rank := 3
	if b.context.single {
		rank = 2
	}
	if *indices, err = ctx.Alloc(tensor.Int64, []int64{int64(n), int64(rank)}); err != nil {
		return err
	}
	at := tensor.Of[int64](indices)
	for i, list := range all {
		for t, f := range list {
			for j := range f.len() {
				at[0] = int64(i)
				at[rank-2], at[rank-1] = int64(t), int64(j)
				at = at[rank:]
			}
		}
	}
	if *dims, err = ctx.Alloc(tensor.Int64, []int64{int64(rank)}); err != nil {
		return err
	}
	d := tensor.Of[int64](dims)
	d[0] = int64(len(all))
	d[rank-2], d[rank-1] = int64(longest), int64(widest)
	return nil
}

func (b *sequences) denseLists(ctx *kernel.Context, key string, dt tensor.DType, element []int64, mayLack bool, out, lengths *tensor.Value) error {
	all, _, _, longest, _, err := b.found(key, dt)
	if err != nil {
		return err
	}
	row := 1
	for _, d := range element {
		row *= int(d)
	}
	dims := append([]int64{int64(len(all)), int64(longest)}, element...)
	count := []int64{int64(len(all))}
	if b.context.single {
		dims, count = dims[1:], nil
	}
	if *out, err = ctx.AllocZeroed(dt, dims); err != nil {
		return err
	}
	if lengths != nil {
		if *lengths, err = ctx.Alloc(tensor.Int64, count); err != nil {
			return err
		}
	}
	for i, list := range all {
		if list == nil && !mayLack {
			return status.Invalid("Name: %s, Feature list '%s' is required but could not be found.  Did you mean to include it in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?", b.context.name(i), key)
		}
		for t, f := range list {
			if f.dt == tensor.Invalid && row > 0 || f.len() != row {
				return status.Invalid("Name: %s, Key: %s, Index: %d.  Number of %v values != expected.  values size: %d but output shape: %s", b.context.name(i), key, t, dt, f.len(), tensor.FormatDims(element))
			}
			f.copyTo(out, (i*longest+t)*row)
		}
		switch {
		case lengths == nil:
		case b.context.single:
			*lengths = tensor.Scalar(int64(len(list)))
		default:
			tensor.Of[int64](lengths)[i] = int64(len(list))
		}
	}
	return nil
}

func (b *sequences) raggedLists(ctx *kernel.Context, key string, dt, splitType tensor.DType, values, outer, inner *tensor.Value) error {
	all, n, steps, _, _, err := b.found(key, dt)
	if err != nil {
		return err
	}
	if splitType == tensor.Int32 && max(n, steps) > math.MaxInt32 {
		return status.Invalid("Key: %s.  %d values are too many for int32 splits", key, n)
	}
	if *values, err = join(ctx, slices.Concat(all...), dt, n); err != nil {
		return err
	}
	if b.context.single {
		*outer = zero(splitType)
	} else if *outer, err = ctx.AllocZeroed(splitType, []int64{int64(len(all)) + 1}); err != nil {
		return err
	}
	if *inner, err = ctx.AllocZeroed(splitType, []int64{int64(steps) + 1}); err != nil {
		return err
	}
	set := func(v *tensor.Value, i, end int) {
		if splitType == tensor.Int32 {
			tensor.Of[int32](v)[i] = int32(end)
		} else {
			tensor.Of[int64](v)[i] = int64(end)
		}
	}
	step, end := 0, 0
	for i, list := range all {
		for _, f := range list {
			end += f.len()
			step++
			set(inner, step, end)
		}
		if !b.context.single {
			set(outer, i+1, step)
		}
	}
	return nil
}

// zero returns what stands for the splits of one message.
func zero(dt tensor.DType) tensor.Value {
	if dt == tensor.Int32 {
		return tensor.Scalar(int32(0))
	}
	return tensor.Scalar(int64(0))
}
