package data

import (
	"cmp"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForAll(onStaging(stage), "Stage")
	kernel.ForAll(kernel.ChargeOutputs(onStaging(unstage)), "Unstage")
	kernel.ForAll(onStaging(stagePeek), "StagePeek")
	kernel.ForAll(onStaging(stageSize), "StageSize")
	kernel.ForAll(onStaging(stageClear), "StageClear")
}

// A staging is a staging area: elements in the order in which they came.
type staging struct {
	monitor
	budget   *tensor.Budget
	capacity int   // elements; 0 for any number
	limit    int64 // bytes; 0 for any number
	elements []staged
	staged   int64 // so many came
	bytes    int64
	closed   bool
}

// A staged is an element of a staging area, and its place in the order of arrival.
type staged struct {
	values []tensor.Value
	place  int64
}

// onStaging makes the kernels of operations on the area that their node names.
//
//go:noinline
func onStaging(run func(s *staging, ctx *kernel.Context, types []tensor.DType, in, out []tensor.Value, done func(error))) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		l, capacity, limit, types := labelOf(c), int(c.Int("capacity")), c.Int("memory_limit"), c.Types("dtypes")
		var cache resource.Cache[*staging]
		return asyncFunc(func(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
			m := l.manager(ctx.Step)
			s, err := cache.Named(m, l.container, l.name, func() (*staging, error) {
				return &staging{budget: m.Budget, capacity: capacity, limit: limit}, nil
			})
			if err != nil {
				done(err)
				return
			}
			run(s, ctx, types, in, out, done)
		}), nil
	}
}

// sizeOf returns the bytes of an element.
func sizeOf(element []tensor.Value) (n int64) {
	for _, v := range element {
		n += v.TotalBytes()
	}
	return n
}

// Close gives the memory back.
func (s *staging) Close() {
	s.change(func() {
		s.clear()
		s.closed = true
	})
}

func (s *staging) clear() {
	s.budget.Release(s.bytes)
	s.elements, s.bytes = nil, 0
}

func stage(s *staging, ctx *kernel.Context, _ []tensor.DType, in, _ []tensor.Value, done func(error)) {
	n := sizeOf(in)
	if s.limit > 0 && n > s.limit {
		done(status.Errorf(status.ResourceExhausted, "Attempted to insert tensors with combined size of '%d' bytes into Staging Area with a memory limit of '%d'.", n, s.limit))
		return
	}
	element := make([]tensor.Value, len(in))
	for i, v := range in {
		element[i] = ctx.UnchargeValue(v)
	}
	s.enter(ctx.Step.Context, func() (bool, error) {
		if s.capacity > 0 && len(s.elements) >= s.capacity || s.limit > 0 && s.bytes+n > s.limit {
			return false, nil
		}
		if err := s.budget.Charge(n); err != nil {
			return false, err
		}
		s.bytes += n
		s.elements = append(s.elements, staged{element, s.staged})
		s.staged++
		return true, nil
	}, done)
}

// deliver sets the outputs to an element.
func deliver(element []tensor.Value, types []tensor.DType, out []tensor.Value) error {
	if len(element) != len(out) {
		return status.Invalid("Mismatch stage/unstage: %d vs. %d", len(element), len(out))
	}
	for i, v := range element {
		if v.DType() != types[i] {
			return status.Invalid("component %d of the element is of type %v, expected %v", i, v.DType(), types[i])
		}
	}
	copy(out, element)
	return nil
}

func unstage(s *staging, ctx *kernel.Context, types []tensor.DType, _, out []tensor.Value, done func(error)) {
	s.enter(ctx.Step.Context, func() (bool, error) {
		if len(s.elements) == 0 {
			return false, nil
		}
		e := s.elements[0]
		if err := deliver(e.values, types, out); err != nil {
			return false, err
		}
		s.elements[0] = staged{}
		s.elements = s.elements[1:]
		n := sizeOf(e.values)
		s.bytes -= n
		s.budget.Release(n)
		ctx.Undo = returning(func() { s.putBack(e) })
		return true, nil
	}, done)
}

// putBack makes an element that was taken the next one again, before those that came after
// it.
func (s *staging) putBack(e staged) {
	s.change(func() {
		if s.closed {
			return
		}
		i, _ := slices.BinarySearchFunc(s.elements, e.place, func(e staged, place int64) int { return cmp.Compare(e.place, place) })
		s.elements = slices.Insert(s.elements, i, e)
		n := sizeOf(e.values)
		s.bytes += n
		s.budget.Release(-n) // also beyond the limit
	})
}

func stagePeek(s *staging, ctx *kernel.Context, types []tensor.DType, in, out []tensor.Value, done func(error)) {
	if in[0].Rank() != 0 {
		done(status.Invalid("index must be a scalar, got shape %s", tensor.FormatDims(in[0].Dims())))
		return
	}
	i := int(tensor.At0[int32](&in[0]))
	if i < 0 {
		done(status.Invalid("index must not be negative, got %d", i))
		return
	}
	s.enter(ctx.Step.Context, func() (bool, error) {
		if i >= len(s.elements) {
			return false, nil
		}
		return true, deliver(s.elements[i].values, types, out)
	}, done)
}

func stageSize(s *staging, ctx *kernel.Context, _ []tensor.DType, _, out []tensor.Value, done func(error)) {
	s.enter(ctx.Step.Context, func() (bool, error) {
		out[0] = tensor.Scalar(int32(len(s.elements)))
		return true, nil
	}, done)
}

func stageClear(s *staging, ctx *kernel.Context, _ []tensor.DType, _, _ []tensor.Value, done func(error)) {
	s.enter(ctx.Step.Context, func() (bool, error) {
		s.clear()
		return true, nil
	}, done)
}
