package data

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Unbatch").
		Input("batched_tensor: T").Input("batch_index: int64").Input("id: int64").
		Output("unbatched_tensor: T").
		Attr("timeout_micros: int").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("T: type").
		Doc(`Gives each caller its part of a tensor that was batched for several.

batched_tensor: The batch; it arrives with one of the callers.
batch_index: For each part a row: the caller's id, where the part begins and where it ends.
id: The caller's own id.
timeout_micros: How long to wait for the batch, in microseconds.`)
	registry.Define("UnbatchGrad").
		Input("original_input: T").Input("batch_index: int64").Input("grad: T").Input("id: int64").
		Output("batched_grad: T").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Attr("T: type").
		Doc(`Joins the gradients of the parts that Unbatch returned.

original_input: The batch.
batch_index: For each part a row: the caller's id, where the part begins and where it ends.
grad: The gradient of the caller's part.
id: The caller's own id.`)
	shape.Register(unbatchShape, "Unbatch")
	shape.Register(unbatchGradShape, "UnbatchGrad")
	kernel.ForAllWaiting(kernel.ChargeOutputs(newUnbatch), "Unbatch")
	kernel.ForAllWaiting(kernel.ChargeOutputs(newUnbatchGrad), "UnbatchGrad")
}

// unbatchShape has rows of the input, nobody knows how many.
func unbatchShape(c *shape.Context) error {
	c.SetOutput(0, c.Try(c.Input(0).WithRankAtLeast(1)).ReplaceDim(0, shape.Unknown))
	return c.Err()
}

// unbatchGradShape knows no more than the rank, which is that of the gradient.
func unbatchGradShape(c *shape.Context) error {
	if grad := c.Input(2); grad.Known() {
		c.SetOutput(0, shape.OfRank(grad.Rank()))
	}
	return nil
}

// An unbatcher hands the parts of batches to those they are for, by id. It is a
// resource of the session, as whoever waits may be of another step than who
// brings.
type unbatcher struct {
	monitor
	budget  *tensor.Budget
	waiting map[int64]bool
	parts   map[int64]unbatched
	closed  bool
}

// An unbatched part waits to be fetched until its time is over.
type unbatched struct {
	value tensor.Value
	until time.Time
}

func newUnbatch(c *kernel.Construction) (kernel.Kernel, error) {
	l, timeout := labelOf(c), time.Duration(min(max(c.Int("timeout_micros"), 0), 1<<40))*time.Microsecond
	var cache resource.Cache[*unbatcher]
	return asyncFunc(func(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
		m := l.manager(ctx.Step)
		u, err := cache.Named(m, l.container, l.name, func() (*unbatcher, error) {
			return &unbatcher{budget: m.Budget, waiting: map[int64]bool{}, parts: map[int64]unbatched{}}, nil
		})
		if err != nil {
			done(err)
			return
		}
		ids, parts, err := partsOf(in)
		if err != nil {
			done(err)
			return
		}
		for i := range parts {
			parts[i] = ctx.UnchargeValue(parts[i])
		}
		u.run(ctx.Step.Context, timeout, tensor.At0[int64](&in[2]), ids, parts, &out[0], done)
	}), nil
}

// partsOf checks the inputs of Unbatch and divides the batch.
func partsOf(in []tensor.Value) (ids []int64, parts []tensor.Value, err error) {
	switch batch, index, id := &in[0], &in[1], &in[2]; {
	case batch.Rank() == 0:
		return nil, nil, status.Invalid("batched_tensor must have at least one dimension")
	case index.Rank() != 2 || index.Dim(1) != 3:
		return nil, nil, status.Invalid("Wrong shape for index tensor. Expected 1st dimension size to be 3 ; Got: %s", tensor.FormatDims(index.Dims()))
	case index.Dim(0) > batch.Dim(0):
		return nil, nil, status.Invalid("Wrong shape for index tensor. Expected 0th dimension size to be no greater than %d; Got: %d.", batch.Dim(0), index.Dim(0))
	case !id.IsScalar():
		return nil, nil, status.Invalid("Input id should be scalar; Got: a tensor of shape %s.", tensor.FormatDims(id.Dims()))
	}
	batch := in[0].Share()
	rows := int64(batch.Dim(0))
	size := batch.NumElements() / max(int(rows), 1)
	index := tensor.Of[int64](&in[1])
	for at := int64(0); len(index) > 0; index = index[3:] {
		n := index[2] - index[1] // where a part begins follows from those before it
		if index[2] < index[1] || n > rows-at {
			return nil, nil, status.Invalid("batch_index has a part from %d to %d behind %d of %d rows", index[1], index[2], at, rows)
		}
		dims := append([]int64{n}, batch.Dims()[1:]...)
		ids = append(ids, index[0])
		parts = append(parts, tensor.ValueOf(batch.Tensor().Slice(int(at)*size, int(n)*size, dims)).Share())
		at += n
	}
	return ids, parts, nil
}

// run keeps the parts for those they are for, and waits for that of id.
func (u *unbatcher) run(ctx context.Context, timeout time.Duration, id int64, ids []int64, parts []tensor.Value, out *tensor.Value, done func(error)) {
	var err error
	u.change(func() {
		if u.waiting[id] {
			err = status.Errorf(status.AlreadyExists, "Multiple session runs with the same batch key.")
			return
		}
		if err = u.keep(ids, parts, timeout); err == nil {
			u.waiting[id] = true
		}
	})
	if err != nil {
		done(err)
		return
	}
	limited, stop := context.WithTimeout(ctx, timeout)
	u.enter(limited, func() (bool, error) {
		part, ok := u.parts[id]
		if ok {
			delete(u.parts, id)
			delete(u.waiting, id)
			u.budget.Release(int64(part.value.SizeBytes()))
			*out = part.value
		}
		return ok, nil
	}, func(err error) {
		stop()
		if status.CodeOf(err) == status.DeadlineExceeded || status.CodeOf(err) == status.Canceled {
			u.change(func() { delete(u.waiting, id) })
			if ctx.Err() == nil {
				err = status.Errorf(status.DeadlineExceeded, "Batched data did not arrive within timeout window.")
			}
		}
		done(err)
	})
}

// keep takes parts in, and forgets those whose time is over.
func (u *unbatcher) keep(ids []int64, parts []tensor.Value, timeout time.Duration) error {
	if u.closed {
		return status.Errorf(status.Canceled, "the session has been closed")
	}
	now := time.Now()
	for id, p := range u.parts {
		if now.After(p.until) && !u.waiting[id] {
			delete(u.parts, id)
			u.budget.Release(int64(p.value.SizeBytes()))
		}
	}
	for i, id := range ids {
		if _, ok := u.parts[id]; ok {
			return status.Errorf(status.AlreadyExists, "Multiple tensors returned for same batch key.")
		}
		if err := u.budget.Charge(int64(parts[i].SizeBytes())); err != nil {
			return err
		}
		u.parts[id] = unbatched{parts[i], now.Add(timeout)}
	}
	return nil
}

// Close gives the memory back.
func (u *unbatcher) Close() {
	u.change(func() {
		for _, p := range u.parts {
			u.budget.Release(int64(p.value.SizeBytes()))
		}
		u.parts, u.closed = map[int64]unbatched{}, true
	})
}

// A rebatcher joins gradients, by id, in the order of the batch whose parts they
// are of.
type rebatcher struct {
	monitor
	budget *tensor.Budget
	grads  map[int64]tensor.Value
	closed bool
}

func newUnbatchGrad(c *kernel.Construction) (kernel.Kernel, error) {
	l := labelOf(c)
	var cache resource.Cache[*rebatcher]
	return asyncFunc(func(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
		m := l.manager(ctx.Step)
		r, err := cache.Named(m, l.container, l.name, func() (*rebatcher, error) {
			return &rebatcher{budget: m.Budget, grads: map[int64]tensor.Value{}}, nil
		})
		if err != nil {
			done(err)
			return
		}
		ids, err := gradsOf(in)
		if err != nil {
			done(err)
			return
		}
		none := in[0].NumElements() == 0
		dims := append([]int64{0}, in[2].Dims()[1:]...)
		grad := ctx.UnchargeValue(in[2])
		r.change(func() { err = r.keep(tensor.At0[int64](&in[3]), grad) })
		if err == nil && none { // the batch comes with another caller
			out[0], err = ctx.Alloc(grad.DType(), dims)
			done(err)
			return
		}
		if err != nil {
			done(err)
			return
		}
		r.enter(ctx.Step.Context, func() (bool, error) { return r.join(ids, &out[0]) }, done)
	}), nil
}

// gradsOf checks the inputs of UnbatchGrad: whose gradients make up the batch's.
func gradsOf(in []tensor.Value) (ids []int64, err error) {
	index, grad, id := &in[1], &in[2], &in[3]
	switch {
	case !id.IsScalar():
		return nil, status.Invalid("Expected `id` to be scalar. Received a tensor of shape %s", tensor.FormatDims(id.Dims()))
	case grad.Rank() == 0:
		return nil, status.Invalid("grad must have at least one dimension")
	case in[0].NumElements() == 0:
		return nil, nil
	case index.NumElements() == 0:
		return nil, status.Invalid("batch_index is empty while the tensor isn't.")
	case index.Rank() == 0 || index.NumElements()%3 != 0 || index.Dim(0) != index.NumElements()/3:
		return nil, status.Invalid("batch_index should have 3 numbers in each row, its shape is %s", tensor.FormatDims(index.Dims()))
	}
	for i, x := range tensor.Of[int64](index) {
		if i%3 == 0 {
			ids = append(ids, x)
		}
	}
	return ids, nil
}

func (r *rebatcher) keep(id int64, grad tensor.Value) error {
	if r.closed {
		return status.Errorf(status.Canceled, "the session has been closed")
	}
	if _, ok := r.grads[id]; ok {
		return status.Invalid("Two runs with the same batch key.")
	}
	if err := r.budget.Charge(int64(grad.SizeBytes())); err != nil {
		return err
	}
	r.grads[id] = grad
	return nil
}

// join takes the gradients of those ids, if all are there.
func (r *rebatcher) join(ids []int64, out *tensor.Value) (ok bool, err error) {
	var grads []tensor.Value
	for _, id := range ids {
		g, ok := r.grads[id]
		if !ok {
			return false, nil
		}
		grads = append(grads, g)
	}
	for _, id := range ids {
		if g, ok := r.grads[id]; ok { // an id may be named twice
			delete(r.grads, id)
			r.budget.Release(int64(g.SizeBytes()))
		}
	}
	*out, err = strided.Join(r.budget, grads)
	return err == nil, err
}

// Close gives the memory back.
func (r *rebatcher) Close() {
	r.change(func() {
		for _, g := range r.grads {
			r.budget.Release(int64(g.SizeBytes()))
		}
		r.grads, r.closed = map[int64]tensor.Value{}, true
	})
}
