package data

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(onKeyed(mapStage), "MapStage")
	kernel.ForAll(onKeyed(mapPeek), "MapPeek")
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

// A keyedElement has zero Values for the components that are missing.
type keyedElement struct {
	components []tensor.Value
	missing    int
}

// onKeyed makes the kernels of operations on the area that their node names.
func onKeyed(run func(k *keyed, ctx *kernel.Context, in, out []tensor.Value, done func(error))) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		l, capacity, limit, types := labelOf(c), int(c.Int("capacity")), c.Int("memory_limit"), c.Types("dtypes")
		var cache resource.Cache[*keyed]
		return asyncFunc(func(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
			m := ctx.Step.Resources
			k, err := cache.Named(m, l.container, l.name, func() (*keyed, error) {
				return &keyed{budget: m.Budget, types: types, capacity: capacity, limit: limit, elements: map[int64]*keyedElement{}}, nil
			})
			if err == nil && in[0].Rank() != 0 {
				err = status.Invalid("key must be an int64 scalar, got shape %s", tensor.FormatDims(in[0].Dims()))
			}
			if err == nil && in[1].Rank() != 1 {
				err = status.Invalid("indices must be a vector, got shape %s", tensor.FormatDims(in[1].Dims()))
			}
			if err == nil {
				err = k.check(tensor.Of[int32](&in[1]))
			}
			if err != nil {
				done(err)
				return
			}
			run(k, ctx, in, out, done)
		}), nil
	}
}

// check fails unless the indices are in ascending order and of components.
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

func mapStage(k *keyed, ctx *kernel.Context, in, _ []tensor.Value, done func(error)) {
	key, indices, values := tensor.At0[int64](&in[0]), append([]int32(nil), tensor.Of[int32](&in[1])...), in[2:]
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
		mine[i] = ctx.Disown(v.Share())
	}
	k.enter(ctx.Step.Context, func() (bool, error) {
		e := k.elements[key]
		for _, i := range indices {
			if e != nil && !e.components[i].IsZero() {
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

func mapPeek(k *keyed, ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	key, indices := tensor.At0[int64](&in[0]), append([]int32(nil), tensor.Of[int32](&in[1])...)
	if len(indices) != len(out) {
		done(status.Invalid("Mismatch stage/unstage: %d vs. %d", len(indices), len(out)))
		return
	}
	k.enter(ctx.Step.Context, func() (bool, error) {
		e := k.elements[key]
		if e == nil || e.missing > 0 {
			return false, nil
		}
		for j, i := range indices {
			out[j] = e.components[i]
		}
		return true, nil
	}, done)
}
