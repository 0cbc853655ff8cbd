package lookup

import (
	"strings"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("HashTable").
		Output("table_handle: Ref(string)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes a table that is filled once, behind a reference.")
	registry.Define("HashTableV2").
		Output("table_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes a table that is filled once.")
	registry.Define("AnonymousHashTable").
		Output("table_handle: resource").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes a table that is filled once, and that lives as long as its handle.")
	registry.Define("MutableHashTable").
		Output("table_handle: Ref(string)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes a table that can be changed, of scalar values, behind a reference.")
	registry.Define("MutableHashTableV2").
		Output("table_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes a table that can be changed, of scalar values.")
	registry.Define("MutableHashTableOfTensors").
		Output("table_handle: Ref(string)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Attr("value_shape: shape = []").
		Stateful().
		Doc(`Makes a table that can be changed, of vectors, behind a reference.

value_shape: The shape of every value.`)
	registry.Define("MutableHashTableOfTensorsV2").
		Output("table_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Attr("value_shape: shape = []").
		Stateful().
		Doc(`Makes a table that can be changed, of vectors.

value_shape: The shape of every value.`)
	registry.Define("MutableDenseHashTable").
		Input("empty_key: key_dtype").Output("table_handle: Ref(string)").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Attr("value_shape: shape = []").
		Attr("initial_num_buckets: int = 131072").
		Attr("max_load_factor: float = 0.8").
		Stateful().
		Doc(`Makes a table that can be changed, in open addressing, behind a reference.

empty_key: A key that is never used, for empty buckets.
value_shape: The shape of every value.
initial_num_buckets: How many buckets to begin with, a power of 2.
max_load_factor: How full the table gets before it grows.`)
	registry.Define("MutableDenseHashTableV2").
		Input("empty_key: key_dtype").Input("deleted_key: key_dtype").Output("table_handle: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("use_node_name_sharing: bool = false").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Attr("value_shape: shape = []").
		Attr("initial_num_buckets: int = 131072").
		Attr("max_load_factor: float = 0.8").
		Stateful().
		Doc(`Makes a table that can be changed, in open addressing.

empty_key: A key that is never used, for empty buckets.
deleted_key: Another such key, for deleted entries.
value_shape: The shape of every value.
initial_num_buckets: How many buckets to begin with, a power of 2.
max_load_factor: How full the table gets before it grows.`)

	registry.Define("AnonymousMutableHashTable").
		Output("table_handle: resource").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Stateful().
		Doc("Makes an empty table that can be changed and that no other node can find.")
	registry.Define("AnonymousMutableHashTableOfTensors").
		Output("table_handle: resource").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Attr("value_shape: shape = []").
		Stateful().
		Doc(`Makes an empty table of vectors that can be changed and that no other node can find.

value_shape: The shape of every value.`)
	registry.Define("AnonymousMutableDenseHashTable").
		Input("empty_key: key_dtype").Input("deleted_key: key_dtype").Output("table_handle: resource").
		Attr("key_dtype: type").
		Attr("value_dtype: type").
		Attr("value_shape: shape = []").
		Attr("initial_num_buckets: int = 131072").
		Attr("max_load_factor: float = 0.8").
		Stateful().
		Doc(`Makes a table that can be changed, in open addressing, and that no other node can find.

empty_key: As in MutableDenseHashTableV2.
deleted_key: As in MutableDenseHashTableV2.
value_shape: The shape of every value.
initial_num_buckets: As in MutableDenseHashTableV2.
max_load_factor: As in MutableDenseHashTableV2.`)

	registerTable("HashTable", fixed, scalars...)
	registerTable("HashTableV2", fixed, scalars...)
	registerTable("AnonymousHashTable", fixed, scalars...)
	registerTable("AnonymousMutableHashTable", mutable, append(scalars[:len(scalars):len(scalars)], tensor.Variant)...)
	registerTable("AnonymousMutableHashTableOfTensors", mutable, scalars...)
	registerTable("MutableHashTable", mutable, append(scalars[:len(scalars):len(scalars)], tensor.Variant)...)
	registerTable("MutableHashTableV2", mutable, append(scalars[:len(scalars):len(scalars)], tensor.Variant)...)
	registerTable("MutableHashTableOfTensors", mutable, scalars...)
	registerTable("MutableHashTableOfTensorsV2", mutable, scalars...)
	denseValues := []tensor.DType{tensor.Float, tensor.Double, tensor.Int32, tensor.Int64, tensor.Bool, tensor.Resource, tensor.Variant}
	registerTable("AnonymousMutableDenseHashTable", dense, denseValues...)
	registerTable("MutableDenseHashTable", dense, denseValues...)
	registerTable("MutableDenseHashTableV2", dense, denseValues...)

	gradient.None("HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2", "MutableHashTableOfTensors",
		"MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2")
}

var (
	keyTypes = []tensor.DType{tensor.Int32, tensor.Int64, tensor.String}
	scalars  = []tensor.DType{tensor.Float, tensor.Double, tensor.Int32, tensor.Int64, tensor.Bool, tensor.String}
)

func registerTable(op string, k kind, values ...tensor.DType) {
	kernel.Register(kernel.Registration{
		Op:    op,
		Types: map[string][]tensor.DType{"key_dtype": keyTypes, "value_dtype": values},
		New:   func(c *kernel.Construction) (kernel.Kernel, error) { return newMaker(c, k) },
	})
}

// A maker is the kernel of a node that makes a table and gives its handle.
type maker struct {
	container, name string
	kind            kind
	key, value      tensor.DType
	valueDims       []int64
	anonymous, ref  bool
	found           resource.Cache[*Table]
	handle          tensor.Value
}

// maxBuckets bounds the room that a node may ask for beforehand. Tables grow as
// they are filled; a node that asks for more is a mistake.
const maxBuckets = 1 << 36

func newMaker(c *kernel.Construction, k kind) (kernel.Kernel, error) {
	m := &maker{
		kind: k,
		key:  c.Type("key_dtype"), value: c.Type("value_dtype"),
		anonymous: strings.HasPrefix(c.Op.Name, "Anonymous"), ref: c.Outputs[0].IsRef(),
	}
	m.container, m.name = c.Label()
	if m.container == resource.Private && c.Bool("use_node_name_sharing") {
		m.container = c.Container()
	}
	if s := c.Shape("value_shape"); c.Attrs.Find("value_shape") != nil {
		if known := shape.FromAttr(s); !known.Full() {
			return nil, c.Errorf("value_shape must be fully defined, got %s", resource.FormatShape(known))
		}
		m.valueDims = s.Dims
		if len(s.Dims) > 1 && k == mutable {
			return nil, c.Errorf("Default value must be a vector, got shape %s", tensor.FormatDims(s.Dims))
		}
	}
	if k == dense {
		if n := c.Int("initial_num_buckets"); n < 4 || n&(n-1) != 0 {
			return nil, c.Errorf("Number of buckets must be at least 4 and a power of 2, got: %d", n)
		}
		if n := c.Int("initial_num_buckets"); n > maxBuckets {
			return nil, status.Errorf(status.ResourceExhausted, "a table of %d buckets is too large", n)
		}
		if f := c.Float("max_load_factor"); !(f > 0 && f < 1) {
			return nil, c.Errorf("max_load_factor must be between 0 and 1, got: %v", f)
		}
	}
	m.handle = tensor.Scalar(&tensor.Handle{Device: c.Device, Container: m.container, Name: m.name, Type: "Table"})
	return m, nil
}

func (m *maker) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	all := ctx.Step.In(m.container)
	create := func() (*Table, error) { return m.create(all, in) }
	if m.anonymous {
		t, err := create()
		if err != nil {
			return err
		}
		out[0] = tensor.Scalar(&tensor.Handle{Container: m.container, Name: m.name, Type: "Table", Value: t})
		return nil
	}
	t, err := m.found.Named(all, m.container, m.name, create)
	if err != nil {
		return err
	}
	if t.key != m.key || t.value != m.value {
		return status.Invalid("Conflicting key/value dtypes %v->%v with %v-%v for table %s", m.key, m.value, t.key, t.value, m.name)
	}
	out[0] = m.handle
	if m.ref {
		out[0] = tensor.RefTo(tensor.String, t)
	}
	return nil
}

func (m *maker) create(all *resource.Manager, in []tensor.Value) (*Table, error) {
	t := &Table{container: m.container, name: m.name, kind: m.kind, key: m.key, value: m.value, valueDims: m.valueDims}
	t.budget = all.Budget
	for i, name := range []string{"empty_key", "deleted_key"} {
		if i >= len(in) {
			break
		}
		v := in[i]
		if v.Rank() > 1 {
			return nil, status.Invalid("%s must be a scalar or a vector, got shape %s", name, tensor.FormatDims(v.Dims()))
		}
		if i == 0 {
			t.keyDims = append([]int64(nil), v.Dims()...)
		} else if !tensor.SameShape(in[0], v) {
			return nil, status.Invalid("Empty and deleted keys must have same shape, got shapes: %s and %s", tensor.FormatDims(in[0].Dims()), tensor.FormatDims(v.Dims()))
		} else if t.refuse(&v) != nil {
			return nil, status.Invalid("Empty and deleted keys cannot be equal")
		}
		t.reserved = append(t.reserved, reserved{name, v.Compact().Share()})
	}
	return t, nil
}
