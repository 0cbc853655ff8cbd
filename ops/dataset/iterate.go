package dataset

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

func init() {
	kernel.ForAll(newIterator, "Iterator", "IteratorV2", "AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3")
	kernel.ForAll(newOneShot, "OneShotIterator")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.BlockingFunc(makeIterator), nil }, "MakeIterator")
	kernel.ForAll(kernel.ChargeOutputs(newGetNext), "IteratorGetNext", "IteratorGetNextSync")
	kernel.ForAll(newGetNextAsOptional, "IteratorGetNextAsOptional")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(toString), nil }, "IteratorToStringHandle")
	kernel.ForAll(newFromString, "IteratorFromStringHandle", "IteratorFromStringHandleV2")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.BlockingFunc(deleteIterator), nil }, "DeleteIterator")
}

// An Iterator is where a program is in a dataset: a resource that several steps
// may take elements from, one at a time. Those that wait for their turn, or for an
// element, do so no longer than their own contexts.
type Iterator struct {
	like *Dataset // declares types and shapes

	life context.Context // ends with Close
	end  context.CancelFunc
	turn chan struct{} // holds one token: whoever takes it has what is below
	set  bool
	next iterator
	pass *pass
}

// iteratorKind is the type of a handle.
const iteratorKind = "tensorflow::data::IteratorResource"

func newIteratorResource(like *Dataset) *Iterator {
	it := &Iterator{like: like, turn: make(chan struct{}, 1)}
	it.life, it.end = context.WithCancel(context.Background())
	it.turn <- struct{}{}
	return it
}

// take waits for the caller's turn. What it does with the iterator ends with ctx, and
// with the iterator.
func (it *Iterator) take(ctx context.Context) (both context.Context, leave func(), err error) {
	both, cancel := context.WithCancel(ctx)
	unwatch := context.AfterFunc(it.life, cancel)
	select {
	case <-it.turn:
		return both, func() { it.turn <- struct{}{}; unwatch(); cancel() }, nil
	case <-both.Done():
		unwatch()
		cancel()
		return nil, nil, it.whyStopped(ctx)
	}
}

// whyStopped returns the error of a call that ended early.
func (it *Iterator) whyStopped(ctx context.Context) error {
	if err := stopped(ctx); err != nil {
		return err
	}
	return status.Errorf(status.Canceled, "the iterator has been deleted")
}

// begin sets the iterator to the beginning of a dataset.
func (it *Iterator) begin(ctx context.Context, step *kernel.Step, d *Dataset) error {
	ctx, leave, err := it.take(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return it.beginInTurn(ctx, step, d)
}

func (it *Iterator) beginInTurn(ctx context.Context, step *kernel.Step, d *Dataset) error {
	if err := it.matches(d); err != nil {
		return err
	}
	p := newPass(it.life, step)
	next, err := d.begin(ctx, p)
	if err != nil {
		p.close()
		return err
	}
	it.pass.close()
	it.pass, it.next, it.set = p, next, true
	return nil
}

// matches reports whether a dataset has elements such as the iterator declares.
func (it *Iterator) matches(d *Dataset) error {
	if len(d.types) != len(it.like.types) {
		return status.Invalid("Number of components does not match: expected %d types but got %d.", len(it.like.types), len(d.types))
	}
	for i, dt := range it.like.types {
		if d.types[i] != dt {
			return status.Invalid("Data type mismatch at component %d: expected %v but got %v.", i, dt, d.types[i])
		}
		if !mayBe(it.like.shapes[i], d.shapes[i]) {
			return status.Invalid("Incompatible shapes at component %d: expected %v but got %v.", i, it.like.shapes[i], d.shapes[i])
		}
	}
	return nil
}

// mayBe reports whether there is a shape that is both a and b.
func mayBe(a, b registry.Shape) bool {
	if a.Unknown || b.Unknown {
		return true
	}
	if len(a.Dims) != len(b.Dims) {
		return false
	}
	for i, d := range a.Dims {
		if d >= 0 && b.Dims[i] >= 0 && d != b.Dims[i] {
			return false
		}
	}
	return true
}

// element returns the next element.
func (it *Iterator) element(ctx context.Context) (element, error) {
	both, leave, err := it.take(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if !it.set {
		return nil, status.Errorf(status.FailedPrecondition, "GetNext() failed because the iterator has not been initialized. Ensure that you have run the initializer operation for this iterator before getting the next element.")
	}
	e, err := it.next(both)
	if err != nil && both.Err() != nil {
		return nil, it.whyStopped(ctx)
	}
	return e, err
}

// Close ends the iterator, and returns when its goroutines have ended.
func (it *Iterator) Close() {
	it.end()
	<-it.turn // whoever has it hears that the iterator has ended
	it.pass.close()
	it.pass, it.next, it.set = nil, nil, false
	it.turn <- struct{}{}
}

// find returns the iterator that a handle leads to.
func find(ctx *kernel.Context, v *tensor.Value) (*Iterator, error) {
	h, err := resource.HandleOf(v)
	if err != nil {
		return nil, err
	}
	if h.Value != nil {
		return resource.Held[*Iterator](v)
	}
	if h.Container == anonymous {
		return resource.Lookup[*Iterator](ctx.Step.PerStep, h.Container, h.Name)
	}
	return resource.Lookup[*Iterator](ctx.Step.In(h.Container), h.Container, h.Name)
}

// declared returns what a node says of elements.
func declared(c *kernel.Construction) (*Dataset, error) {
	d := &Dataset{types: c.Types("output_types"), shapes: c.Shapes("output_shapes")}
	if len(d.types) != len(d.shapes) {
		return nil, c.Errorf("output_types and output_shapes must be same length, got:\noutput_types: %d\noutput_shapes: %d", len(d.types), len(d.shapes))
	}
	return d, nil
}

// newIterator makes the kernels of Iterator and its kin. An iterator without a name
// lives until its step ends.
func newIterator(c *kernel.Construction) (kernel.Kernel, error) {
	like, err := declared(c)
	if err != nil {
		return nil, err
	}
	if c.Op.Attr("shared_name") != nil {
		named, err := newNamed(c, like)
		return kernel.Func(func(ctx *kernel.Context, _, out []tensor.Value) error {
			_, err := named(ctx, &out[0])
			return err
		}), err
	}
	return kernel.Func(func(ctx *kernel.Context, _, out []tensor.Value) error {
		name := fmt.Sprintf("AnonymousIterator%d", ctx.Step.PerStep.NextID())
		it, err := resource.LookupOrCreate(ctx.Step.PerStep, anonymous, name, func() (*Iterator, error) { return newIteratorResource(like), nil })
		if err != nil {
			return err
		}
		out[0] = tensor.Scalar(&tensor.Handle{Device: c.Device, Container: anonymous, Name: name, Type: iteratorKind, Value: it})
		if len(out) > 1 {
			out[1] = tensor.Scalar(&tensor.Object{Value: deleter{}})
		}
		return nil
	}), nil
}

// newNamed finds or makes the iterator of a node: one that has a shared name, or the
// node's own.
func newNamed(c *kernel.Construction, like *Dataset) (func(*kernel.Context, *tensor.Value) (*Iterator, error), error) {
	container, name := c.Label()
	return func(ctx *kernel.Context, out *tensor.Value) (*Iterator, error) {
		it, err := resource.LookupOrCreate(ctx.Step.In(container), container, name, func() (*Iterator, error) { return newIteratorResource(like), nil })
		if err == nil {
			err = it.matches(like)
		}
		*out = tensor.Scalar(&tensor.Handle{Device: c.Device, Container: container, Name: name, Type: iteratorKind})
		return it, err
	}, nil
}

// newOneShot makes the kernel of OneShotIterator: whoever comes first calls the
// function that makes the dataset.
func newOneShot(c *kernel.Construction) (kernel.Kernel, error) {
	like, err := declared(c)
	if err != nil {
		return nil, err
	}
	factory := captured{f: c.Func("dataset_factory")}
	named, err := newNamed(c, like)
	return kernel.BlockingFunc(func(ctx *kernel.Context, _, out []tensor.Value) error {
		it, err := named(ctx, &out[0])
		if err != nil {
			return err
		}
		both, leave, err := it.take(ctx.Step.Context)
		if err != nil {
			return err
		}
		defer leave()
		if it.set {
			return nil
		}
		p := newPass(both, ctx.Step) // for this call
		defer p.close()
		f, err := factory.bind(both, p)
		if err != nil {
			return err
		}
		made, err := f(both)
		if err != nil {
			return err
		}
		if len(made) != 1 || made[0].DType() != tensor.Variant || made[0].Rank() != 0 {
			return status.Invalid("The `dataset_factory` function must return a single scalar of dtype DT_VARIANT.")
		}
		d, err := datasetOf(&made[0])
		if err != nil {
			return err
		}
		return it.beginInTurn(both, ctx.Step, d)
	}), err
}

// makeIterator returns the kernel of MakeIterator.
func makeIterator(ctx *kernel.Context, in, _ []tensor.Value) error {
	d, err := datasetOf(&in[0])
	if err != nil {
		return err
	}
	it, err := find(ctx, &in[1])
	if err != nil {
		return err
	}
	return it.begin(ctx.Step.Context, ctx.Step, d)
}

// newGetNext makes the kernels of IteratorGetNext and IteratorGetNextSync.
func newGetNext(c *kernel.Construction) (kernel.Kernel, error) {
	like, err := declared(c)
	return kernel.BlockingFunc(func(ctx *kernel.Context, in, out []tensor.Value) error {
		it, err := find(ctx, &in[0])
		if err != nil {
			return err
		}
		e, err := it.element(ctx.Step.Context)
		if err != nil {
			return err
		}
		copy(out, e)
		return like.check(e)
	}), err
}

// newGetNextAsOptional makes the kernel of IteratorGetNextAsOptional.
func newGetNextAsOptional(c *kernel.Construction) (kernel.Kernel, error) {
	like, err := declared(c)
	return kernel.BlockingFunc(func(ctx *kernel.Context, in, out []tensor.Value) error {
		it, err := find(ctx, &in[0])
		if err != nil {
			return err
		}
		o := &Optional{}
		switch e, err := it.element(ctx.Step.Context); {
		case err == nil:
			if err := like.check(e); err != nil {
				return err
			}
			o.components = e
		case err != errEnd:
			return err
		}
		o.weigh()
		out[0] = tensor.Scalar(&tensor.Object{Value: o})
		return nil
	}), err
}

// toString returns the kernel of IteratorToStringHandle: the string is a serialized
// tensor of the handle.
func toString(ctx *kernel.Context, in, out []tensor.Value) error {
	if _, err := find(ctx, &in[0]); err != nil {
		return err
	}
	b, err := tensorproto.Marshal(in[0].Tensor())
	if err != nil {
		return err
	}
	return ctx.PutText(&out[0], string(b))
}

// newFromString makes the kernels of IteratorFromStringHandle and its second form.
func newFromString(c *kernel.Construction) (kernel.Kernel, error) {
	like := &Dataset{types: c.Types("output_types"), shapes: c.Shapes("output_shapes")}
	if len(like.shapes) > 0 && len(like.types) != len(like.shapes) {
		return nil, c.Errorf("If both 'output_types' and 'output_shapes' are set, they must have the same length.")
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		text, err := scalar[string](&in[0], "string_handle")
		if err != nil {
			return err
		}
		t, err := tensorproto.Unmarshal([]byte(text), 0)
		if err != nil || t.DType() != tensor.Resource || t.NumElements() != 1 {
			return status.Invalid("Could not parse string_handle as a valid ResourceHandle")
		}
		v := tensor.ValueOf(t)
		it, err := find(ctx, &v)
		if err != nil {
			return err
		}
		if len(like.types) > 0 {
			shapes := like.shapes
			if len(shapes) == 0 {
				shapes = it.like.shapes
			}
			if err := it.matches(&Dataset{types: like.types, shapes: shapes}); err != nil {
				return err
			}
		}
		h, _ := resource.HandleOf(&v)
		found := *h
		found.Value = it
		out[0] = tensor.Scalar(&found)
		return nil
	}), nil
}

// deleteIterator returns the kernel of DeleteIterator.
func deleteIterator(ctx *kernel.Context, in, _ []tensor.Value) error {
	if _, err := find(ctx, &in[0]); err != nil {
		return err
	}
	h, _ := resource.HandleOf(&in[0])
	from := ctx.Step.Resources
	if h.Container == anonymous {
		from = ctx.Step.PerStep
	}
	return resource.Delete[*Iterator](from, h.Container, h.Name)
}
