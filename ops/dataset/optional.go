package dataset

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/variant"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

func init() {
	holder(func(*kernel.Construction) (kernel.Kernel, error) { return kernel.Func(newOptional), nil }, "OptionalFromValue")
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, _, out []tensor.Value) error {
			out[0] = tensor.Scalar(&tensor.Object{Value: &Optional{}})
			return nil
		}), nil
	}, "OptionalNone")
	holder(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			o, err := optionalOf(&in[0])
			if err != nil {
				return err
			}
			out[0] = tensor.Scalar(o.components != nil)
			return nil
		}), nil
	}, "OptionalHasValue")
	holder(newOptionalGet, "OptionalGetValue")
	tensor.RegisterVariant(optionalName, func(v *tensor.VariantData) (any, error) { return unmarshalOptional(v) })
}

// optionalName is what serialized optionals are called.
const optionalName = "tensorflow::data::Optional"

// An Optional holds the components of an element, or nothing: then components is
// nil. It is immutable.
type Optional struct{ held }

// MarshalVariant is o in TensorFlow's form: the components, and as metadata
// whether there are any.
func (o *Optional) MarshalVariant() (*tensor.VariantData, error) {
	v := &tensor.VariantData{TypeName: optionalName, Metadata: []byte{0}}
	if o.components != nil {
		v.Metadata[0] = 1
	}
	v.Parts, v.Part = len(o.components), func(i int) tensor.Value { return o.components[i] }
	return v, nil
}

func unmarshalOptional(v *tensor.VariantData) (*Optional, error) {
	o := &Optional{}
	if len(v.Metadata) == 0 || v.Metadata[0] == 0 {
		return o, nil
	}
	if len(v.Tensors) == 0 {
		return nil, status.Invalid("a serialized optional has a value without components")
	}
	for _, b := range v.Tensors {
		t, err := tensorproto.Unmarshal(b, 0)
		if err != nil {
			return nil, err
		}
		o.components = append(o.components, tensor.ValueOf(t))
	}
	o.weigh()
	return o, nil
}

// newOptional returns the kernel of OptionalFromValue.
func newOptional(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	o := &Optional{}
	if o.held, err = hold(ctx, in); err == nil {
		out[0], err = ctx.Holding(&tensor.Object{Value: o}, o)
	}
	return err
}

// Zero returns an optional with zeros of o's components. See [variant.Zeroer].
func (o *Optional) Zero(ctx *kernel.Context, depth int) (tensor.Value, error) {
	return o.each(ctx, func(i int) (tensor.Value, error) { return variant.Zero(ctx, &o.components[i], depth+1) })
}

// Add returns an optional with the sums of the components of o and y, which have as many.
// See [variant.Adder].
func (o *Optional) Add(ctx *kernel.Context, y any, depth int) (tensor.Value, error) {
	other, ok := y.(*Optional)
	switch {
	case !ok:
		return tensor.Value{}, status.Invalid("an optional is added to a variant that holds %T", y)
	case (o.components == nil) != (other.components == nil):
		return tensor.Value{}, status.Invalid("Cannot add optionals because one has a value and the other doesn't.")
	case len(o.components) != len(other.components):
		return tensor.Value{}, status.Invalid("Cannot add optionals because they have different numbers of components (%d vs. %d).", len(o.components), len(other.components))
	}
	return o.each(ctx, func(i int) (tensor.Value, error) {
		return variant.Add(ctx, &o.components[i], &other.components[i], depth+1)
	})
}

// each returns an optional of new components, made one by one; one without a value if o
// has none.
func (o *Optional) each(ctx *kernel.Context, component func(i int) (tensor.Value, error)) (tensor.Value, error) {
	made := &Optional{}
	if o.components == nil {
		return tensor.Scalar(&tensor.Object{Value: made}), nil
	}
	made.components = make([]tensor.Value, len(o.components))
	for i := range made.components {
		var err error
		if made.components[i], err = component(i); err != nil {
			return tensor.Value{}, err
		}
	}
	made.weigh()
	return ctx.Holding(&tensor.Object{Value: made}, made)
}

// optionalOf returns the optional that v holds.
func optionalOf(v *tensor.Value) (*Optional, error) {
	if v.Rank() != 0 {
		return nil, status.Invalid("Input to an optional operation must be a scalar tensor containing an OptionalVariant object.")
	}
	decoded, err := tensor.DecodeVariants(*v)
	if err != nil {
		return nil, err
	}
	if x := tensor.At0[*tensor.Object](&decoded); x != nil {
		if o, ok := x.Value.(*Optional); ok {
			return o, nil
		}
	}
	return nil, status.Invalid("Input to an optional operation must be an OptionalVariant object.")
}

// newOptionalGet makes the kernel of OptionalGetValue.
func newOptionalGet(c *kernel.Construction) (kernel.Kernel, error) {
	types, shapes := c.Types("output_types"), c.Shapes("output_shapes")
	if len(types) != len(shapes) {
		return nil, c.Errorf("output_types and output_shapes must be same length, got:\noutput_types: %d\noutput_shapes: %d", len(types), len(shapes))
	}
	return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
		o, err := optionalOf(&in[0])
		switch {
		case err != nil:
			return err
		case o.components == nil:
			return status.Invalid("The given optional does not have a value.")
		case len(o.components) != len(types):
			return status.Invalid("The given optional has %d components, expected %d.", len(o.components), len(types))
		}
		for i, v := range o.components {
			if v.DType() != types[i] {
				return status.Invalid("The given optional does not match the expected type for component %d. Expected: %v. Actual: %v.", i, types[i], v.DType())
			}
			if !compatible(shapes[i], v.Dims()) {
				return status.Invalid("The given optional does not match the expected shape for component %d. Expected: %v. Actual: %s.", i, shapes[i], tensor.FormatDims(v.Dims()))
			}
		}
		copy(out, o.components)
		return nil
	}), nil
}

// compatible reports whether a tensor of that shape is as it is declared.
func compatible(s registry.Shape, dims []int64) bool {
	if s.Unknown {
		return true
	}
	if len(s.Dims) != len(dims) {
		return false
	}
	for i, d := range s.Dims {
		if d >= 0 && d != dims[i] {
			return false
		}
	}
	return true
}
