package dataset

import (
	"context"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Dataset describes a sequence of elements. It is immutable; any number of
// iterations may go on at once.
type Dataset struct {
	types  []tensor.DType
	shapes []registry.Shape
	size   int64 // how many elements, or infinite or unknown
	// begin begins an iteration, which may take the context that it is given
	// for no longer than the call.
	begin func(ctx context.Context, p *pass) (iterator, error)
	// weight is what it takes with all that it was made of.
	weight int64
}

// ChargedByStep says that d is. See [tensor.ChargedByStep].
func (d *Dataset) ChargedByStep() {}

// TotalBytes returns what d takes. See [tensor.Value.TotalBytes].
func (d *Dataset) TotalBytes() int64 { return d.weight }

// Sizes that are no numbers of elements.
const (
	infinite = -1
	unknown  = -2
)

// An element is its components. The values are shared, and the slice is not to be
// written.
type element = []tensor.Value

// An iterator gives the elements one by one, and after the last one errEnd. It is
// for one goroutine at a time. It ends soon after ctx has ended.
type iterator func(ctx context.Context) (element, error)

// errEnd is what comes after the last element.
var errEnd = status.Errorf(status.OutOfRange, "End of sequence")

// ended returns the iterator without elements.
func ended(context.Context) (element, error) { return nil, errEnd }

// like is d with other iterations.
func (d *Dataset) like(size int64, begin func(ctx context.Context, p *pass) (iterator, error)) *Dataset {
	return &Dataset{types: d.types, shapes: d.shapes, size: size, begin: begin}
}

// check reports whether an element that a function made is one of the dataset's.
func (d *Dataset) check(e element) error {
	if len(e) != len(d.types) {
		return status.Invalid("The number of components of an element does not match: expected %d, got %d.", len(d.types), len(e))
	}
	for i, v := range e {
		if v.DType() != d.types[i] {
			return status.Invalid("Data type mismatch at component %d: expected %v but got %v.", i, d.types[i], v.DType())
		}
		if !compatible(d.shapes[i], v.Dims()) {
			return status.Invalid("Incompatible shapes at component %d: expected %v but got %s.", i, d.shapes[i], tensor.FormatDims(v.Dims()))
		}
	}
	return nil
}

// datasetBytes is about what a dataset takes, as long as its step lasts: a loop may
// make any number.
const datasetBytes = 512

// A maker makes a dataset of what a node takes when it runs.
type maker func(ctx *kernel.Context, in []tensor.Value) (*Dataset, error)

// register registers kernels that make datasets. What a node declares of the
// elements is in like, and follows from its attributes.
//
//go:noinline
func register(make func(c *kernel.Construction, like *Dataset) (maker, error), ops ...string) {
	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		like := &Dataset{types: c.Types("output_types"), shapes: c.Shapes("output_shapes")}
		if types := c.Types("Toutput_types"); len(types) > 0 {
			like.types = types
		}
		if len(like.types) != len(like.shapes) {
			return nil, c.Errorf("output_types and output_shapes must be same length, got:\noutput_types: %d\noutput_shapes: %d", len(like.types), len(like.shapes))
		}
		m, err := make(c, like)
		if err != nil {
			return nil, err
		}
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			d, err := m(ctx, in)
			if err != nil {
				return err
			}
			if err := ctx.Charge(datasetBytes); err != nil {
				return err
			}
			bounded := d.like(d.size, func(ctx context.Context, p *pass) (iterator, error) {
				if err := stopped(ctx); err != nil {
					return nil, err
				}
				if err := p.enter(); err != nil {
					return nil, err
				}
				defer p.leave()
				return d.begin(ctx, p)
			})
			bounded.weight = datasetBytes + weigh(in)
			out[0] = variantOf(bounded)
			return nil
		}), nil
	}, ops...)
}

// onto registers kernels whose first input is a dataset, which m is given.
func onto(m func(c *kernel.Construction, d, like *Dataset, in []tensor.Value) (*Dataset, error), ops ...string) {
	register(func(c *kernel.Construction, like *Dataset) (maker, error) {
		return func(_ *kernel.Context, in []tensor.Value) (*Dataset, error) {
			d, err := datasetOf(&in[0])
			if err != nil {
				return nil, err
			}
			return m(c, d, like, in)
		}, nil
	}, ops...)
}

// variantOf returns a tensor that holds d.
func variantOf(d *Dataset) tensor.Value { return tensor.Scalar(&tensor.Object{Value: d}) }

// datasetOf returns the dataset that v holds.
func datasetOf(v *tensor.Value) (*Dataset, error) {
	if v.DType() != tensor.Variant || v.Rank() != 0 {
		return nil, status.Invalid("Dataset tensor must be a scalar of dtype DT_VARIANT.")
	}
	if o := tensor.At0[*tensor.Object](v); o != nil {
		if d, ok := o.Value.(*Dataset); ok {
			return d, nil
		}
	}
	return nil, status.Invalid("Tensor must be a Dataset object.")
}

// scalar returns the value of an input that must be a scalar.
func scalar[T tensor.Element](v *tensor.Value, name string) (T, error) {
	if v.Rank() != 0 {
		var zero T
		return zero, status.Invalid("%s must be a scalar", name)
	}
	return tensor.At0[T](v), nil
}

// share is inputs that a dataset keeps.
func share(ctx *kernel.Context, in []tensor.Value) (element, error) {
	kept := make(element, len(in))
	for i, v := range in {
		var err error
		if kept[i], err = ctx.Share(v); err != nil {
			return nil, err
		}
	}
	return kept, nil
}
