package sparse

import (
	"slices"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("AddSparseToTensorsMap").
		Input("sparse_indices: int64").Input("sparse_values: T").Input("sparse_shape: int64").
		Output("sparse_handle: int64").
		Attr("T: type").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Keeps a sparse tensor in a map of the session.

sparse_indices: Indices of the entries, one a row.
sparse_values: The entries.
sparse_shape: The shape.
sparse_handle: Its key in the map.`)
	registry.Define("TakeManySparseFromTensorsMap").
		Input("sparse_handles: int64").Output("sparse_indices: int64").Output("sparse_values: dtype").
		Output("sparse_shape: int64").
		Attr("dtype: type").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Takes sparse tensors from a map of the session and stacks them along a new first dimension.

sparse_handles: Their keys.
sparse_indices: Indices of the entries, one a row.
sparse_values: The entries.
sparse_shape: The shape, as large as the largest of the tensors.`)
	registry.Define("DeserializeManySparse").
		Input("serialized_sparse: string").Output("sparse_indices: int64").Output("sparse_values: dtype").
		Output("sparse_shape: int64").
		Attr("dtype: type").
		Doc(`Joins serialized sparse tensors along a new first dimension.

serialized_sparse: A row of three strings for each, as SerializeManySparse returns them.
sparse_indices: Indices of the entries, one a row.
sparse_values: The entries.
sparse_shape: The shape, as large as the largest of the tensors.`)

	shape.Register(shape.Rule("sparse_indices: [n,r], sparse_values: [n], sparse_shape: [r] -> sparse_handle: []"), "AddSparseToTensorsMap")
	shape.Register(shape.Rule("sparse_handles: [?] -> sparse_indices: [n,r], sparse_values: [n], sparse_shape: [r]"), "TakeManySparseFromTensorsMap")
	shape.Register(shape.Rule("serialized_sparse: [?,3] -> sparse_indices: [n,r], sparse_values: [n], sparse_shape: [r]"), "DeserializeManySparse")
	kernel.ForAll(onKept(addOne), "AddSparseToTensorsMap")
	kernel.ForAll(onKept(addMany), "AddManySparseToTensorsMap")
	kernel.ForAll(onKept(takeMany), "TakeManySparseFromTensorsMap")
}

// A kept is a map of a session that holds sparse tensors by number, each as its
// indices, values and shape.
type kept struct {
	mu      sync.Mutex
	budget  *tensor.Budget
	tensors map[int64][3]tensor.Value
	next    int64
	bytes   int64
}

// onKept makes the kernels of operations on the map that their node names, which
// is the node itself unless shared_name names another.
//
//go:noinline
func onKept(run func(k *kept, ctx *kernel.Context, dt tensor.DType, in, out []tensor.Value) error) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		container, name, dt := c.Container(), c.Str("shared_name"), c.Type("dtype")
		if name == "" {
			name = c.Node
		}
		var cache resource.Cache[*kept]
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			k, err := cache.Named(ctx.Step.Resources, container, name, func() (*kept, error) {
				return &kept{budget: ctx.Step.Resources.Budget, tensors: map[int64][3]tensor.Value{}}, nil
			})
			if err != nil {
				return err
			}
			return run(k, ctx, dt, in, out)
		}), nil
	}
}

// Close gives the memory back.
func (k *kept) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.budget.Release(k.bytes)
	k.tensors, k.bytes = map[int64][3]tensor.Value{}, 0
}

func sizeOf(parts [3]tensor.Value) (n int64) {
	for _, v := range parts {
		n += v.TotalBytes()
	}
	return n
}

// add keeps sparse tensors, all or none, and tells the number of the first.
func (k *kept) add(all [][3]tensor.Value) (first int64, err error) {
	var n int64
	for _, parts := range all {
		n += sizeOf(parts)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.budget.Charge(n); err != nil {
		return 0, err
	}
	k.bytes += n
	first = k.next
	for _, parts := range all {
		k.tensors[k.next] = parts
		k.next++
	}
	return first, nil
}

// checkRanks checks the inputs that are a sparse tensor.
func checkRanks(in []tensor.Value) error {
	for i, name := range []string{"indices", "values", "shape"} {
		want, kind := 1, "vector"
		if i == 0 {
			want, kind = 2, "matrix"
		}
		if in[i].Rank() != want {
			return status.Invalid("Input %s should be a %s but received shape %s", name, kind, tensor.FormatDims(in[i].Dims()))
		}
	}
	return nil
}

func addOne(k *kept, ctx *kernel.Context, _ tensor.DType, in, out []tensor.Value) error {
	if err := checkRanks(in); err != nil {
		return err
	}
	if _, err := entriesOf(in); err != nil {
		return err
	}
	var parts [3]tensor.Value
	for i := range parts {
		parts[i] = ctx.UnchargeValue(in[i])
	}
	at, err := k.add([][3]tensor.Value{parts})
	out[0] = tensor.Scalar(at)
	return err
}

func addMany(k *kept, ctx *kernel.Context, _ tensor.DType, in, out []tensor.Value) error {
	if err := checkRanks(in); err != nil {
		return err
	}
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
	if out[0], err = ctx.Alloc(tensor.Int64, []int64{rows}); err != nil {
		return err
	}
	// Slices that have entries are numbered before those that have none.
	var all, empty [][3]tensor.Value
	var places, emptyPlaces []int64
	err = eachRow(ctx, e, rows, func(r int64, parts [3]*tensor.Tensor) error {
		row := [3]tensor.Value{tensor.ValueOf(parts[0]), tensor.ValueOf(parts[1]), tensor.ValueOf(parts[2])}
		if row[1].NumElements() > 0 {
			all, places = append(all, row), append(places, r)
		} else {
			empty, emptyPlaces = append(empty, row), append(emptyPlaces, r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	first, err := k.add(append(all, empty...))
	for i, r := range append(places, emptyPlaces...) {
		tensor.Of[int64](&out[0])[r] = first + int64(i)
	}
	return err
}

// takeMany takes tensors from the map: all that are asked for, or none.
func takeMany(k *kept, ctx *kernel.Context, dt tensor.DType, in, out []tensor.Value) error {
	if in[0].Rank() != 1 {
		return status.Invalid("sparse_handles should be a vector but received shape %s", tensor.FormatDims(in[0].Dims()))
	}
	numbers := tensor.Of[int64](&in[0])
	if len(numbers) == 0 {
		return status.Invalid("Must have at least 1 serialized SparseTensor, but input matrix has 0 rows")
	}
	held := make([][3]tensor.Value, len(numbers))
	parts := make([]entries, len(numbers))
	k.mu.Lock()
	defer k.mu.Unlock()
	for i, n := range numbers {
		t, ok := k.tensors[n]
		if !ok || slices.Contains(numbers[:i], n) {
			return status.Invalid("Unable to find SparseTensor: %d in map", n)
		}
		held[i] = t
		parts[i] = rawEntries(held[i][:])
		parts[i].values = &held[i][1]
		if got := held[i][1].DType(); got != dt {
			return status.Invalid("Requested SparseTensor of type %v but SparseTensor[%d].values.dtype() == %v", dt, i, got)
		}
		if got, want := parts[i].rank, parts[0].rank; got != want {
			return status.Invalid("Inconsistent rank across SparseTensors: rank prior to SparseTensor[%d] was: %d but rank of SparseTensor[%d] is: %d", i, want, i, got)
		}
	}
	if err := stack(ctx, parts, []int64{int64(len(numbers))}, dt, out); err != nil {
		return err
	}
	for _, n := range numbers {
		size := sizeOf(k.tensors[n])
		k.bytes -= size
		k.budget.Release(size)
		delete(k.tensors, n)
	}
	return nil
}
