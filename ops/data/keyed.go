package data

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, prefix := range []string{"Map", "OrderedMap"} {
		kernel.ForAll(onKeyed(withKey(mapStage)), prefix+"Stage")
		kernel.ForAll(onKeyed(withKey(mapPeek)), prefix+"Peek")
		kernel.ForAll(kernel.ChargeOutputs(onKeyed(withKey(mapUnstage))), prefix+"Unstage")
		kernel.ForAll(kernel.ChargeOutputs(onKeyed(mapUnstageNoKey)), prefix+"UnstageNoKey")
		kernel.ForAll(onKeyed(mapSize(func(k *keyed) int { return k.complete })), prefix+"Size")
		kernel.ForAll(onKeyed(mapSize(func(k *keyed) int { return len(k.elements) - k.complete })), prefix+"IncompleteSize")
		kernel.ForAll(onKeyed(mapClear), prefix+"Clear")
	}
}

// A keyed is a staging area whose elements have keys. An element that lacks
// components is not there yet.
type keyed struct {
	monitor
	budget   *tensor.Budget
	types    []tensor.DType
	capacity int   // complete elements; 0 for any number
	limit    int64 // bytes; 0 for any number
	elements map[int64]*keyedElement
	complete int
	bytes    int64
}

// A keyedElement has zero Values for the components that are missing, and for
// those that have been taken.
type keyedElement struct {
	components []tensor.Value
	missing    int
}

// onKeyed makes the kernels of operations on the area that their node names.
//
//go:noinline
func onKeyed(run func(k *keyed, ctx *kernel.Context, in, out []tensor.Value, done func(error))) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		l, capacity, limit, types := labelOf(c), int(c.Int("capacity")), c.Int("memory_limit"), c.Types("dtypes")
		var cache resource.Cache[*keyed]
		return asyncFunc(func(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
			m := l.manager(ctx.Step)
			k, err := cache.Named(m, l.container, l.name, func() (*keyed, error) {
				return &keyed{budget: m.Budget, types: types, capacity: capacity, limit: limit, elements: map[int64]*keyedElement{}}, nil
			})
			if err != nil {
				done(err)
				return
			}
			run(k, ctx, in, out, done)
		}), nil
	}
}

// withKey is run for operations whose inputs begin with a key and the indices of
// components.
//
//go:noinline
func withKey(run func(k *keyed, ctx *kernel.Context, key int64, indices []int32, in, out []tensor.Value, done func(error))) func(k *keyed, ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	return func(k *keyed, ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
		if in[0].Rank() != 0 {
			done(status.Invalid("key must be an int64 scalar, got shape %s", tensor.FormatDims(in[0].Dims())))
			return
		}
		indices, err := k.indices(&in[1])
		if err != nil {
			done(err)
			return
		}
		run(k, ctx, tensor.At0[int64](&in[0]), indices, in[2:], out, done)
	}
}

// indices reads the indices of components. It fails unless they are in ascending
// order.
func (k *keyed) indices(v *tensor.Value) ([]int32, error) {
	if v.Rank() != 1 {
		return nil, status.Invalid("indices must be a vector, got shape %s", tensor.FormatDims(v.Dims()))
	}
	indices := slices.Clone(tensor.Of[int32](v))
	return indices, k.check(indices)
}

func (k *keyed) check(indices []int32) error {
	if len(indices) == 0 {
		return status.Invalid("Empty indices")
	}
	for i, x := range indices {
		if x < 0 || int(x) >= len(k.types) {
			return status.Invalid("Index '%d' is not in [0, %d)", x, len(k.types))
		}
		if i > 0 && x <= indices[i-1] {
			return status.Invalid("Indices are not strictly ordered")
		}
	}
	return nil
}

// Close gives the memory back.
func (k *keyed) Close() {
	k.change(func() {
		k.budget.Release(k.bytes)
		k.elements, k.bytes, k.complete = nil, 0, 0
	})
}

func mapStage(k *keyed, ctx *kernel.Context, key int64, indices []int32, values, _ []tensor.Value, done func(error)) {
	if len(values) != len(indices) {
		done(status.Invalid("Number of indices and values is not the same: %d and %d", len(indices), len(values)))
		return
	}
	n := sizeOf(values)
	if k.limit > 0 && n > k.limit {
		done(status.Errorf(status.ResourceExhausted, "Attempted to insert tensors with combined size of '%d' bytes into Staging Area with a memory limit of '%d'.", n, k.limit))
		return
	}
	mine := make([]tensor.Value, len(values))
	for i, v := range values {
		if want := k.types[indices[i]]; v.DType() != want {
			done(status.Invalid("component %d is of type %v, expected %v", indices[i], v.DType(), want))
			return
		}
		mine[i] = ctx.UnchargeValue(v)
	}
	k.enter(ctx.Step.Context, func() (bool, error) {
		e := k.elements[key]
		for _, i := range indices {
			if e != nil && (e.missing == 0 || !e.components[i].IsZero()) {
				return false, status.Invalid("The tensor for index '%d' for key '%d' was already initialized '%d'.", i, key, len(k.types))
			}
		}
		completes := e == nil && len(indices) == len(k.types) || e != nil && len(indices) == e.missing
		if completes && k.capacity > 0 && k.complete >= k.capacity || k.limit > 0 && k.bytes+n > k.limit {
			return false, nil
		}
		if k.elements == nil {
			return false, status.Errorf(status.Canceled, "the staging area is closed")
		}
		if err := k.budget.Charge(n); err != nil {
			return false, err
		}
		k.bytes += n
		if e == nil {
			e = &keyedElement{make([]tensor.Value, len(k.types)), len(k.types)}
			k.elements[key] = e
		}
		for j, i := range indices {
			e.components[i] = mine[j]
		}
		if e.missing -= len(indices); e.missing == 0 {
			k.complete++
		}
		return true, nil
	}, done)
}

func mapPeek(k *keyed, ctx *kernel.Context, key int64, indices []int32, _, out []tensor.Value, done func(error)) {
	k.enter(ctx.Step.Context, func() (bool, error) {
		e := k.elements[key]
		if e == nil || e.missing > 0 {
			return false, nil
		}
		return true, e.read(key, indices, out)
	}, done)
}

// read sets out to components.
func (e *keyedElement) read(key int64, indices []int32, out []tensor.Value) error {
	if len(indices) != len(out) {
		return status.Invalid("Mismatch stage/unstage: %d vs. %d", len(indices), len(out))
	}
	for j, i := range indices {
		if out[j] = e.components[i]; out[j].IsZero() {
			return status.Invalid("Tensor at index '%d' for key '%d' has already been removed.", i, key)
		}
	}
	return nil
}

func mapUnstage(k *keyed, ctx *kernel.Context, key int64, indices []int32, _, out []tensor.Value, done func(error)) {
	k.enter(ctx.Step.Context, func() (bool, error) {
		e := k.elements[key]
		if e == nil || e.missing > 0 {
			return false, nil
		}
		return true, k.take(ctx, key, e, indices, out)
	}, done)
}

// mapUnstageNoKey takes of the complete element with the lowest key.
func mapUnstageNoKey(k *keyed, ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	indices, err := k.indices(&in[0])
	if err != nil {
		done(err)
		return
	}
	k.enter(ctx.Step.Context, func() (bool, error) {
		var lowest *keyedElement
		key := int64(0)
		for at, e := range k.elements {
			if e.missing == 0 && (lowest == nil || at < key) {
				lowest, key = e, at
			}
		}
		if lowest == nil {
			return false, nil
		}
		out[0] = tensor.Scalar(key)
		return true, k.take(ctx, key, lowest, indices, out[1:])
	}, done)
}

// take reads components and removes them; an element without any is gone.
func (k *keyed) take(ctx *kernel.Context, key int64, e *keyedElement, indices []int32, out []tensor.Value) error {
	if err := e.read(key, indices, out); err != nil {
		return err
	}
	for _, i := range indices {
		e.components[i] = tensor.Value{}
	}
	if !slices.ContainsFunc(e.components, func(v tensor.Value) bool { return !v.IsZero() }) {
		delete(k.elements, key)
		k.complete--
	}
	n := sizeOf(out)
	k.bytes -= n
	k.budget.Release(n)
	values := slices.Clone(out)
	ctx.Undo = returning(func() { k.change(func() { k.putBack(key, e, indices, values) }) })
	return nil
}

// putBack undoes take. Where the key is in use again, its new element stands.
func (k *keyed) putBack(key int64, e *keyedElement, indices []int32, values []tensor.Value) {
	switch now := k.elements[key]; {
	case k.elements == nil:
		return
	case now == nil:
		k.elements[key] = e
		k.complete++
	case now != e:
		return
	}
	for j, i := range indices {
		e.components[i] = values[j]
	}
	n := sizeOf(values)
	k.bytes += n
	k.budget.Release(-n) // also beyond the limit
}

func mapSize(count func(k *keyed) int) func(k *keyed, ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	return func(k *keyed, ctx *kernel.Context, _, out []tensor.Value, done func(error)) {
		k.enter(ctx.Step.Context, func() (bool, error) {
			out[0] = tensor.Scalar(int32(count(k)))
			return true, nil
		}, done)
	}
}

func mapClear(k *keyed, ctx *kernel.Context, _, _ []tensor.Value, done func(error)) {
	k.enter(ctx.Step.Context, func() (bool, error) {
		k.budget.Release(k.bytes)
		clear(k.elements)
		k.bytes, k.complete = 0, 0
		return true, nil
	}, done)
}
