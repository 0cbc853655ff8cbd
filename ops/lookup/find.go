package lookup

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("LookupTableFind").
		Input("table_handle: Ref(string)").Input("keys: Tin").Input("default_value: Tout").
		Output("values: Tout").
		Reads("table_handle").
		Attr("Tin: type").
		Attr("Tout: type").
		Doc(`Looks keys up in a table behind a reference.

default_value: The value of keys that are not there.`)
	registry.Define("LookupTableFindV2").
		Input("table_handle: resource").Input("keys: Tin").Input("default_value: Tout").
		Output("values: Tout").
		Reads("table_handle").
		Attr("Tin: type").
		Attr("Tout: type").
		Stateful().
		Doc(`Looks keys up in a table.

keys: The keys, in any shape.
default_value: The value of keys that are not there: one, or one for each key.
values: The value of each key, in the same shape.`)
	registry.Define("LookupTableInsert").
		Input("table_handle: Ref(string)").Input("keys: Tin").Input("values: Tout").
		Writes("table_handle").
		Attr("Tin: type").
		Attr("Tout: type").
		Doc(`Sets the values of keys in a table behind a reference.

keys: The keys.
values: The value of each key.`)
	registry.Define("LookupTableInsertV2").
		Input("table_handle: resource").Input("keys: Tin").Input("values: Tout").
		Writes("table_handle").
		Attr("Tin: type").
		Attr("Tout: type").
		Stateful().
		Doc(`Sets the values of keys in a table.

keys: The keys.
values: The value of each key.`)
	registry.Define("LookupTableRemoveV2").
		Input("table_handle: resource").Input("keys: Tin").
		Writes("table_handle").
		Attr("Tin: type").
		Stateful().
		Doc("Removes keys from a table; those that are not there are passed over.")
	registry.Define("LookupTableSize").
		Input("table_handle: Ref(string)").Output("size: int64").
		Reads("table_handle").
		Doc("Returns the number of entries of a table behind a reference.")
	registry.Define("LookupTableSizeV2").
		Input("table_handle: resource").Output("size: int64").
		Reads("table_handle").
		Stateful().
		Doc("Returns the number of entries of a table.")

	registerUser(find, "LookupTableFind", "LookupTableFindV2")
	registerUser(insert, "LookupTableInsert", "LookupTableInsertV2")
	registerUser(remove, "LookupTableRemoveV2")
	registerUser(count, "LookupTableSize", "LookupTableSizeV2")

	gradient.None("LookupTableFind", "LookupTableFindV2", "LookupTableInsert", "LookupTableInsertV2", "LookupTableSize", "LookupTableSizeV2")
}

// A user is the kernel of a node that is given a table.
type user struct {
	found resource.Cache[*Table]
	run   func(ctx *kernel.Context, t *Table, in, out []tensor.Value) error
}

func registerUser(run func(ctx *kernel.Context, t *Table, in, out []tensor.Value) error, ops ...string) {
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return &user{run: run}, nil }, ops...)
}

func (u *user) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	t, err := u.table(ctx, &in[0])
	if err != nil {
		return err
	}
	return u.run(ctx, t, in, out)
}

func (u *user) table(ctx *kernel.Context, v *tensor.Value) (*Table, error) {
	if !v.IsRef() {
		h, err := resource.HandleOf(v)
		if err != nil {
			return nil, err
		}
		return u.found.Lookup(ctx.Step.In(h.Container), v)
	}
	t, ok := v.Cell().(*Table)
	if !ok {
		return nil, status.Invalid("the reference is not one to a table")
	}
	return t, nil
}

// fits checks the types of the keys and values that a node gives; of the
// results that it expects, if there are any.
func (t *Table) fits(in []tensor.Value, results bool) error {
	key, value := in[1].DType(), t.value
	if len(in) > 2 {
		value = in[2].DType()
	}
	if key == t.key && value == t.value {
		return nil
	}
	write := func(k, v tensor.DType) string {
		s := in[0].DType().String() + ", " + k.String()
		if len(in) > 2 {
			s += ", " + v.String()
		}
		if s += "->"; results {
			s += v.String()
		}
		return s
	}
	return status.Invalid("Signature mismatch, have: %s expected: %s", write(key, value), write(t.key, t.value))
}

func rowsOf(dims []int64) shape.Shape {
	return shape.Of(append([]int64{shape.Unknown}, dims...)...)
}

func find(ctx *kernel.Context, t *Table, in, out []tensor.Value) error {
	if err := t.fits(in, true); err != nil {
		return err
	}
	keys, other := in[1], in[2]
	if t.kind == fixed && !t.ready() {
		return status.Errorf(status.FailedPrecondition, "Table not initialized.")
	}
	batch, err := t.batch(&keys)
	if err != nil {
		return err
	}
	dims := append(append([]int64(nil), batch...), t.valueDims...)
	each := shape.Equal(shape.Of(other.Dims()...), shape.Of(dims...)) // a default for each key
	if !each && !shape.Equal(shape.Of(other.Dims()...), shape.Of(t.valueDims...)) {
		return status.Invalid("Expected shape %s or %s for default value, got %s", tensor.FormatDims(t.valueDims), tensor.FormatDims(dims), tensor.FormatDims(other.Dims()))
	}
	if err := t.refuse(&keys); err != nil {
		return err
	}
	v, err := ctx.Alloc(t.value, dims)
	if err != nil {
		return err
	}
	out[0] = v
	n := size(t.valueDims)
	step := 0
	if each {
		step = n
	}
	var buf []byte
	t.mu.RLock()
	defer t.mu.RUnlock()
	for i := range size(batch) {
		if i&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s, ok := t.slot(&keys, i, &buf); ok {
			strided.Move(&out[0], i*n, &t.values, s*n, n)
		} else {
			strided.Move(&out[0], i*n, &other, i*step, n)
		}
	}
	return nil
}

func (t *Table) ready() bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.filled
}

// checkValues checks that there is a value of the table's shape for each key.
func (t *Table) checkValues(in []tensor.Value) (int, error) {
	batch, err := t.batch(&in[1])
	if err != nil {
		return 0, err
	}
	dims := append(append([]int64(nil), batch...), t.valueDims...)
	if !shape.Equal(shape.Of(in[2].Dims()...), shape.Of(dims...)) {
		return 0, status.Invalid("Expected shape %s for value, got %s", tensor.FormatDims(dims), tensor.FormatDims(in[2].Dims()))
	}
	return size(batch), nil
}

func insert(ctx *kernel.Context, t *Table, in, _ []tensor.Value) error {
	if err := t.fits(in, false); err != nil {
		return err
	}
	if t.kind == fixed {
		return status.Errorf(status.Unimplemented, "Insert not supported by InitializableLookupTable implementations")
	}
	n, err := t.checkValues(in)
	if err != nil {
		return err
	}
	if err := t.refuse(&in[1]); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.putAll(ctx, in, n, nil)
}

// putAll puts n keys and values into the table, but for those that skip marks.
func (t *Table) putAll(ctx *kernel.Context, in []tensor.Value, n int, skip []bool) error {
	keys, values := in[1], in[2]
	var buf []byte
	for i := range n {
		if i&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if skip != nil && skip[i] {
			continue
		}
		if err := t.put(&keys, &values, i, &buf); err != nil {
			return err
		}
	}
	return nil
}

func remove(ctx *kernel.Context, t *Table, in, _ []tensor.Value) error {
	if err := t.fits(in, false); err != nil {
		return err
	}
	if t.kind == fixed {
		return status.Errorf(status.Unimplemented, "Remove not supported by InitializableLookupTable implementations")
	}
	batch, err := t.batch(&in[1])
	if err != nil {
		return err
	}
	if err := t.refuse(&in[1]); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var buf []byte
	for i := range size(batch) {
		t.drop(&in[1], i, &buf)
	}
	return nil
}

func count(_ *kernel.Context, t *Table, _, out []tensor.Value) error {
	t.mu.RLock()
	defer t.mu.RUnlock()
	out[0] = tensor.Scalar(int64(t.n))
	return nil
}
