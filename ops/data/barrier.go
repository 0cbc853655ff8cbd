package data

import (
	"cmp"
	"math"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Barrier").
		Output("handle: Ref(string)").
		Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").
		Attr("capacity: int = -1").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc(`Makes a barrier: a store of elements by key that are complete when all their components are there.

component_types: The types of an element's components.
shapes: Their shapes; a component of unknown shape is a scalar.
capacity: Not used: there may be any number of elements.`)
	registry.Define("BarrierInsertMany").
		Input("handle: Ref(string)").Input("keys: string").Input("values: T").
		Puts("handle").Traits(registry.Synchronizes).
		Attr("T: type").
		Attr("component_index: int").
		Doc(`Gives a component of several elements of a barrier.

keys: The keys of the elements.
values: The components.
component_index: Which component.`)
	registry.Define("BarrierTakeMany").
		Input("handle: Ref(string)").Input("num_elements: int32").Output("indices: int64").
		Output("keys: string").Output("values: component_types").
		Takes("handle").Traits(registry.Synchronizes).
		Attr("component_types: list(type) >= 1").
		Attr("allow_small_batch: bool = false").
		Attr("wait_for_incomplete: bool = false").
		Attr("timeout_ms: int = -1").
		Doc(`Takes completed elements from a barrier, in the order their first components came.

num_elements: How many.
indices: The order in which elements began.
keys: Their keys.
values: Their components, stacked.
component_types: The types of an element's components, as the barrier has them.
allow_small_batch: Whether a closed barrier may give fewer.
wait_for_incomplete: Whether, with allow_small_batch, elements that are not complete are waited for.
timeout_ms: How long to wait, in milliseconds; -1 for any time.`)
	registry.Define("BarrierClose").
		Input("handle: Ref(string)").
		Closes("handle").
		Attr("cancel_pending_enqueues: bool = false").
		Doc(`Closes a barrier: no new elements can begin.

cancel_pending_enqueues: Whether elements that have begun can no longer be completed.`)
	registry.Define("BarrierReadySize").
		Input("handle: Ref(string)").Output("size: int32").
		Reads("handle").
		Doc("Returns the number of complete elements of a barrier.")
	registry.Define("BarrierIncompleteSize").
		Input("handle: Ref(string)").Output("size: int32").
		Reads("handle").
		Doc("Returns the number of elements of a barrier that are not complete.")

	kernel.ForAll(newBarrier, "Barrier")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		component := int(c.Int("component_index"))
		return asyncFunc(func(ctx *kernel.Context, in, _ []tensor.Value, done func(error)) {
			b, err := held[*barrier](&in[0])
			if err == nil {
				err = b.insert(ctx, component, &in[1], &in[2])
			}
			done(err)
		}), nil
	}, "BarrierInsertMany")
	kernel.ForAll(kernel.ChargeOutputs(newBarrierTake), "BarrierTakeMany")
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		cancel := c.Bool("cancel_pending_enqueues")
		return asyncFunc(func(_ *kernel.Context, in, _ []tensor.Value, done func(error)) {
			b, err := held[*barrier](&in[0])
			if err == nil {
				err = b.shut(cancel)
			}
			done(err)
		}), nil
	}, "BarrierClose")
	kernel.ForAll(barrierSize(func(b *barrier) int { return len(b.ready) }), "BarrierReadySize")
	kernel.ForAll(barrierSize(func(b *barrier) int { return len(b.begun) }), "BarrierIncompleteSize")
}

// A barrier gathers the components of elements by key. An element that has all
// of them is ready; ready elements leave in the order in which their first
// components came.
type barrier struct {
	monitor
	name     string
	budget   *tensor.Budget
	types    []tensor.DType
	shapes   []shape.Shape
	begun    map[string]*barrierElement
	ready    []*barrierElement // in order
	inserted int64             // calls that have begun elements
	closed   bool              // no element can begin
	canceled bool              // none can be completed either
	gone     bool              // it has been destroyed
	bytes    int64
}

type barrierElement struct {
	key        string
	index      int64 // of the call that began it
	components []tensor.Value
	missing    int
}

func newBarrier(c *kernel.Construction) (kernel.Kernel, error) {
	l, types := labelOf(c), c.Types("component_types")
	shapes := make([]shape.Shape, 0, len(types))
	for i, s := range c.Shapes("shapes") {
		if err := shape.CheckAttr(s); err != nil {
			return nil, err
		}
		component := shape.FromAttr(s)
		if !component.Known() {
			component = shape.Scalar // as in TensorFlow
		}
		if !component.Full() {
			return nil, c.Errorf("component %d of a barrier has shape %v, which is not fully defined", i, component)
		}
		shapes = append(shapes, component)
	}
	if len(shapes) != len(types) {
		return nil, c.Errorf("All of the component shapes must be specified: %d of %d are", len(shapes), len(types))
	}
	if n := c.Int("capacity"); n != -1 {
		return nil, c.Errorf("Barrier only accepts capacity=-1, got %d. Feed the inputs to your Barrier through a queue to enforce a limited capacity.", n)
	}
	return kernel.Func(func(ctx *kernel.Context, _, out []tensor.Value) error {
		m := l.manager(ctx.Step)
		b, err := resource.LookupOrCreate(m, l.container, l.name, func() (*barrier, error) {
			return &barrier{name: l.words(m), budget: m.Budget, types: types, shapes: shapes, begun: map[string]*barrierElement{}}, nil
		})
		switch {
		case err != nil:
			return err
		case typeNames(b.types) != typeNames(types):
			return status.Invalid("Shared barrier '%s' has component types %s but requested component types were %s", b.name, typeNames(b.types), typeNames(types))
		case shapeNames(b.shapes) != shapeNames(shapes):
			return status.Invalid("Shared barrier '%s' has component shapes %s but requested component shapes were %s", b.name, shapeNames(b.shapes), shapeNames(shapes))
		}
		out[0] = newOldHandle(l.container, l.name, b)
		return nil
	}), nil
}

// barrierSize makes the kernel of an operation that counts elements.
//
//go:noinline
func barrierSize(count func(b *barrier) int) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			b, err := held[*barrier](&in[0])
			if err != nil {
				return err
			}
			b.mu.Lock()
			defer b.mu.Unlock()
			out[0] = tensor.Scalar(int32(count(b)))
			return nil
		}), nil
	}
}

// Close gives the memory back.
func (b *barrier) Close() {
	b.change(func() {
		b.budget.Release(b.bytes)
		b.begun, b.ready, b.bytes = nil, nil, 0
		b.closed, b.canceled, b.gone = true, true, true
	})
}

// shut closes the barrier; it may be closed again to cancel.
func (b *barrier) shut(cancel bool) (err error) {
	b.change(func() {
		if b.closed && (b.canceled || !cancel) {
			err = status.Errorf(status.Canceled, "Barrier '%s' is already closed.", b.name)
			return
		}
		b.closed, b.canceled = true, cancel
		if cancel {
			for _, e := range b.begun {
				b.release(e)
			}
			clear(b.begun)
		}
	})
	return err
}

// release takes an element off the account.
func (b *barrier) release(e *barrierElement) {
	var n int64
	for _, v := range e.components {
		if !v.IsZero() {
			n += v.TotalBytes()
		}
	}
	b.bytes -= n
	b.budget.Release(n)
}

// insert returns a component of elements: slice i of values to keys[i]. It inserts
// all or none.
func (b *barrier) insert(ctx *kernel.Context, component int, keys, values *tensor.Value) error {
	if component < 0 || component >= len(b.types) {
		return status.Invalid("The component ID is out of range %d > num_components (= %d)", component, len(b.types))
	}
	if keys.Rank() != 1 {
		return status.Invalid("keys must be a vector, got shape %s", tensor.FormatDims(keys.Dims()))
	}
	names := tensor.Of[string](keys)
	want := append([]int64{int64(len(names))}, b.shapes[component].Dims()...)
	switch {
	case values.DType() != b.types[component]:
		return status.Invalid("component %d of barrier '%s' is of type %v, got %v", component, b.name, b.types[component], values.DType())
	case len(names) > 0 && values.NumElements() == 0:
		return status.Invalid("Tensors with no elements are not supported by barrier '%s': received shape %s", b.name, tensor.FormatDims(values.Dims()))
	case !slices.Equal(values.Dims(), want):
		return status.Invalid("Shape mismatch in tuple component %d. Expected %s, got %s", component, tensor.FormatDims(want), tensor.FormatDims(values.Dims()))
	}
	room := values.TotalBytes() + int64(len(names))*tensor.HeaderBytes // of the rows, about
	if err := b.budget.Charge(room); err != nil {
		return err
	}
	defer func() { b.budget.Release(room) }()
	mine := ctx.UnchargeValue(*values)
	rows, n := make([]tensor.Value, len(names)), int64(0)
	for i := range rows {
		rows[i] = mine.OwnRow(i).Held() // a single row is no copy
		n += rows[i].TotalBytes()
	}
	var err error
	b.change(func() {
		// What becomes of each key's element, before anything is changed.
		type state struct {
			has     bool // the component
			missing int  // 0 where there is no element, or it is complete
		}
		fresh, states := 0, map[string]state{}
		for _, key := range names {
			s, seen := states[key]
			if e := b.begun[key]; !seen && e != nil {
				s = state{!e.components[component].IsZero(), e.missing}
			}
			if s.missing == 0 {
				fresh++
				s = state{false, len(b.types)}
			}
			if s.has {
				err = status.Invalid("Key %s already has a value for component %d in barrier %s", key, component, b.name)
				return
			}
			states[key] = state{true, s.missing - 1}
		}
		if b.closed && (b.canceled || fresh > 0) {
			err = status.Errorf(status.Canceled, "Barrier %s is closed.  Pending enqueues cancelled: %v.  Number of new insertions: %d.  Number of incomplete keys: %d.", b.name, b.canceled, fresh, len(b.begun))
			return
		}
		if err = b.budget.Charge(n); err != nil {
			return
		}
		b.bytes += n
		index := math.MinInt64 + b.inserted
		if fresh > 0 {
			b.inserted++
		}
		for i, key := range names {
			e := b.begun[key]
			if e == nil {
				e = &barrierElement{key, index, make([]tensor.Value, len(b.types)), len(b.types)}
				b.begun[key] = e
			}
			e.components[component] = rows[i]
			if e.missing--; e.missing > 0 {
				continue
			}
			delete(b.begun, key)
			at, _ := slices.BinarySearchFunc(b.ready, e.index+1, func(e *barrierElement, index int64) int { return cmp.Compare(e.index, index) })
			b.ready = slices.Insert(b.ready, at, e)
		}
	})
	return err
}

func newBarrierTake(c *kernel.Construction) (kernel.Kernel, error) {
	types, small := c.Types("component_types"), c.Bool("allow_small_batch")
	if c.Int("timeout_ms") != -1 {
		return nil, c.Errorf("Timeout not supported yet.")
	}
	return asyncFunc(func(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
		b, err := held[*barrier](&in[0])
		if err == nil && typeNames(b.types) != typeNames(types) {
			err = status.Invalid("component types of barrier '%s' are %s, but %s were requested", b.name, typeNames(b.types), typeNames(types))
		}
		var n int32
		if err == nil {
			n, err = count("BarrierTakeMany", &in[1])
		}
		if err != nil {
			done(err)
			return
		}
		b.enter(ctx.Step.Context, func() (bool, error) {
			n := int(n)
			if b.closed {
				available := len(b.ready)
				if small {
					n = min(n, available)
				} else {
					available += len(b.begun) // those may still be completed
				}
				if available < max(n, 1) {
					return false, status.Errorf(status.OutOfRange, "Barrier '%s' is closed and has insufficient elements (requested %d, total size %d)", b.name, n, available)
				}
			}
			if len(b.ready) < n {
				return false, nil
			}
			if err := b.deliver(b.ready[:n], out); err != nil {
				return false, err
			}
			for _, e := range b.ready[:n] {
				b.release(e)
			}
			taken := slices.Clone(b.ready[:n])
			b.ready = slices.Delete(b.ready, 0, n)
			ctx.Undo = returning(func() { b.putBack(taken) })
			return true, nil
		}, done)
	}), nil
}

// putBack makes elements that were taken ready again, in their order.
func (b *barrier) putBack(elements []*barrierElement) {
	b.change(func() {
		if b.gone {
			return
		}
		for _, e := range slices.Backward(elements) {
			at, _ := slices.BinarySearchFunc(b.ready, e.index, func(e *barrierElement, index int64) int { return cmp.Compare(e.index, index) })
			b.ready = slices.Insert(b.ready, at, e)
			var n int64
			for _, v := range e.components {
				n += v.TotalBytes()
			}
			b.bytes += n
			b.budget.Release(-n) // also beyond the limit
		}
	})
}

// deliver sets the outputs of BarrierTakeMany. It runs on any goroutine, and so
// makes its own memory, within the budget.
func (b *barrier) deliver(elements []*barrierElement, out []tensor.Value) error {
	m := maker{budget: b.budget}
	defer m.release()
	n := int64(len(elements))
	indices, err := m.alloc(tensor.Int64, []int64{n})
	if err != nil {
		return err
	}
	keys, err := m.alloc(tensor.String, []int64{n})
	if err != nil {
		return err
	}
	for i, e := range elements {
		tensor.Of[int64](&indices)[i] = e.index
		tensor.Of[string](&keys)[i] = e.key
	}
	for c, dt := range b.types {
		all, err := m.alloc(dt, append([]int64{n}, b.shapes[c].Dims()...))
		if err != nil {
			return err
		}
		for i, e := range elements {
			size := e.components[c].NumElements()
			strided.Move(&all, i*size, &e.components[c], 0, size)
		}
		out[2+c] = all
	}
	out[0], out[1] = indices, keys
	return nil
}
