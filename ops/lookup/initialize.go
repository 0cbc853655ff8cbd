package lookup

import (
	"slices"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("InitializeTable").
		Input("table_handle: Ref(string)").Input("keys: Tkey").Input("values: Tval").
		Writes("table_handle").
		Attr("Tkey: type").
		Attr("Tval: type").
		Doc("Fills a table behind a reference with keys and values.")
	registry.Define("InitializeTableV2").
		Input("table_handle: resource").Input("keys: Tkey").Input("values: Tval").
		Writes("table_handle").
		Attr("Tkey: type").
		Attr("Tval: type").
		Stateful().
		Doc("Fills a table with keys and values.")
	registry.Define("InitializeTableFromTextFile").
		Input("table_handle: Ref(string)").Input("filename: string").
		Writes("table_handle").
		Attr("key_index: int >= -2").
		Attr("value_index: int >= -2").
		Attr("vocab_size: int >= -1 = -1").
		Attr(`delimiter: string = '\t'`).
		Attr("offset: int = 0").
		Doc(`Fills a table behind a reference from the lines of a file.

filename: The file's path, a scalar.
key_index: Which column is the key; -1 is the line's number, -2 the whole line.
value_index: Which column is the value, counted likewise.
vocab_size: How many lines the file has; -1 if that is not known.
delimiter: What separates columns.
offset: What to add to the line's number.`)
	registry.Define("InitializeTableFromTextFileV2").
		Input("table_handle: resource").Input("filename: string").
		Writes("table_handle").
		Attr("key_index: int >= -2").
		Attr("value_index: int >= -2").
		Attr("vocab_size: int >= -1 = -1").
		Attr(`delimiter: string = '\t'`).
		Attr("offset: int = 0").
		Stateful().
		Doc(`Fills a table from the lines of a file.

filename: The file's path, a scalar.
key_index: Which column is the key; -1 is the line's number, -2 the whole line.
value_index: Which column is the value, counted likewise.
vocab_size: How many lines the file has; -1 if that is not known.
delimiter: What separates columns.
offset: What to add to the line's number.`)
	registry.Define("LookupTableImport").
		Input("table_handle: Ref(string)").Input("keys: Tin").Input("values: Tout").
		Writes("table_handle").
		Attr("Tin: type").
		Attr("Tout: type").
		Doc(`Replaces the contents of a table behind a reference.

keys: The keys.
values: The value of each key.`)
	registry.Define("LookupTableImportV2").
		Input("table_handle: resource").Input("keys: Tin").Input("values: Tout").
		Writes("table_handle").
		Attr("Tin: type").
		Attr("Tout: type").
		Stateful().
		Doc(`Replaces the contents of a table.

keys: The keys.
values: The value of each key.`)
	registry.Define("LookupTableExport").
		Input("table_handle: Ref(string)").Output("keys: Tkeys").Output("values: Tvalues").
		Reads("table_handle").
		Attr("Tkeys: type").
		Attr("Tvalues: type").
		Doc(`Gives all keys and values of a table behind a reference.

Tkeys: The type of the keys.
Tvalues: The type of the values.`)
	registry.Define("LookupTableExportV2").
		Input("table_handle: resource").Output("keys: Tkeys").Output("values: Tvalues").
		Reads("table_handle").
		Attr("Tkeys: type").
		Attr("Tvalues: type").
		Stateful().
		Doc(`Gives all keys and values of a table, in no particular order.

Tkeys: The type of the keys.
Tvalues: The type of the values.`)

	registerUser(initialize, "InitializeTable", "InitializeTableV2")
	registerUser(restore, "LookupTableImport", "LookupTableImportV2")
	kernel.ForAll(newExport, "LookupTableExport", "LookupTableExportV2")
	kernel.ForAll(newFile, "InitializeTableFromTextFile", "InitializeTableFromTextFileV2")

	gradient.None("InitializeTable", "InitializeTableV2", "InitializeTableFromTextFile", "InitializeTableFromTextFileV2")
}

func initialize(ctx *kernel.Context, t *Table, in, _ []tensor.Value) error {
	if t.kind != fixed {
		return status.Invalid("Table %s %s is not initializable", t.container, t.name)
	}
	if err := t.fits(in, false); err != nil {
		return err
	}
	keys, values := in[1], in[2]
	if keys.Rank() != 1 {
		return status.Invalid("Keys must be a vector, but received shape%s", tensor.FormatDims(keys.Dims()))
	}
	if values.Rank() != 1 || keys.Dim(0) != values.Dim(0) {
		return status.Invalid("Keys and values must have the same size %d vs %d", keys.NumElements(), values.NumElements())
	}
	return t.fill(ctx, in)
}

// fill returns a fixed table its content. A second one must have as many
// elements, and changes nothing.
func (t *Table) fill(ctx *kernel.Context, in []tensor.Value) error {
	n := in[1].NumElements()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.filled {
		if n != t.n {
			return status.Errorf(status.FailedPrecondition, "Table was already initialized with different data.")
		}
		return nil
	}
	if err := t.putAll(ctx, in, n, nil); err != nil {
		t.clear()
		return err
	}
	t.filled = true
	return nil
}

// restore replaces the content of a table. Of a dense table TensorFlow exports all
// buckets, and those without a key have the reserved ones.
func restore(ctx *kernel.Context, t *Table, in, out []tensor.Value) error {
	if t.kind == fixed {
		return initialize(ctx, t, in, out)
	}
	in = t.unwrapped(in)
	if err := t.fits(in, false); err != nil {
		return err
	}
	n, err := t.checkValues(in)
	if err != nil {
		return err
	}
	var skip []bool
	if len(t.reserved) > 0 {
		if err := ctx.Reserve(n); err != nil {
			return err
		}
		defer ctx.Unreserve(n)
		skip = make([]bool, n)
		for i := range t.reservedIn(&in[1]) {
			skip[i] = true
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clear()
	return t.putAll(ctx, in, n, skip)
}

// unwrapped returns the inputs of an import with scalars where they have vectors of
// one element: so TensorFlow exports a dense table, and wants it back.
func (t *Table) unwrapped(in []tensor.Value) []tensor.Value {
	if t.kind != dense {
		return in
	}
	in = slices.Clone(in)
	for i, dims := range [][]int64{t.keyDims, t.valueDims} {
		v := &in[1+i]
		if len(dims) == 0 && v.Rank() == 2 && v.Dim(1) == 1 {
			*v = v.Reshaped([]int64{int64(v.Dim(0))})
		}
	}
	return in
}

// export returns the content in the order of the slots.
func export(ctx *kernel.Context, t *Table, _, out []tensor.Value) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i, part := range []struct {
		v    *tensor.Value
		dt   tensor.DType
		dims []int64
	}{{&t.keys, t.key, t.keyDims}, {&t.values, t.value, t.valueDims}} {
		v, err := ctx.Alloc(part.dt, append([]int64{int64(t.n)}, part.dims...))
		if err != nil {
			return err
		}
		out[i] = v
		if t.n > 0 {
			strided.Move(&out[i], 0, part.v, 0, t.n*size(part.dims))
		}
	}
	return nil
}

func newExport(c *kernel.Construction) (kernel.Kernel, error) {
	key, value := c.Type("Tkeys"), c.Type("Tvalues")
	return &user{run: func(ctx *kernel.Context, t *Table, in, out []tensor.Value) error {
		if t.key != key || t.value != value {
			return status.Invalid("Signature mismatch, have: %v->%v, %v expected: %[1]v->%[4]v, %[5]v", in[0].DType(), key, value, t.key, t.value)
		}
		return export(ctx, t, in, out)
	}}, nil
}
