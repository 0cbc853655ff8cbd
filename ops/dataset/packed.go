package dataset

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("CompositeTensorVariantFromComponents").
		Input("components: Tcomponents").Output("encoded: variant").
		Attr("metadata: string").
		Attr("Tcomponents: list(type) >= 0").
		Doc(`Packs the components of a composite tensor, such as a ragged or sparse one, into a variant.

components: The components.
metadata: A serialized description of the composite tensor.`)

	shape.Register(shape.Scalars, "CompositeTensorVariantFromComponents")
	holder(newPacker(compressed), "CompressElement")
	holder(newUnpacker(compressed, "output_types"), "UncompressElement")
	holder(newPacker(composite), "CompositeTensorVariantFromComponents")
	holder(newUnpacker(composite, "Tcomponents"), "CompositeTensorVariantToComponents")

	gradient.Register(func(c *gradient.Context) {
		if c.Has(0) {
			attrs := c.Attrs("metadata")
			attrs["Tcomponents"] = c.Node().InputTypes()
			c.SetList(0, c.Outputs("CompositeTensorVariantToComponents", attrs, c.Dy(0)))
		}
	}, "CompositeTensorVariantFromComponents")
}

// The kinds of things that are packed.
const (
	compressed = "CompressedElement"
	composite  = "CompositeTensorVariant"
)

// A Packed is several tensors in one variant. Those of an element are not
// compressed: who packs it to send it elsewhere does not do so in this process.
type Packed struct {
	kind string
	held
}

func newPacker(kind string) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			h, err := hold(ctx, in)
			if err == nil {
				p := &Packed{kind, h}
				out[0], err = ctx.Holding(&tensor.Object{Value: p}, p)
			}
			return err
		}), nil
	}
}

// newUnpacker makes a kernel that gives components of the types, and where that
// is declared of the shapes, that its node has.
//
//go:noinline
func newUnpacker(kind, types string) kernel.Factory {
	return func(c *kernel.Construction) (kernel.Kernel, error) {
		want, shapes := c.Types(types), c.Shapes("output_shapes")
		if kind == compressed && len(want) != len(shapes) {
			return nil, c.Errorf("output_types and output_shapes must be same length, got %d and %d", len(want), len(shapes))
		}
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			if in[0].Rank() != 0 {
				return status.Invalid("the variant to unpack must be a scalar, got shape %s", tensor.FormatDims(in[0].Dims()))
			}
			var p *Packed
			if o := tensor.At0[*tensor.Object](&in[0]); o != nil {
				p, _ = o.Value.(*Packed)
			}
			if p == nil || p.kind != kind {
				return status.Invalid("The variant does not hold a %s", kind)
			}
			if len(p.components) != len(want) {
				return status.Invalid("Encoded value has %d tensor components; expected %d components", len(p.components), len(want))
			}
			for i, v := range p.components {
				if v.DType() != want[i] {
					return status.Invalid("Tensor component %d had dtype %v; expected dtype %v", i, v.DType(), want[i])
				}
				if i < len(shapes) && !compatible(shapes[i], v.Dims()) {
					return status.Invalid("Tensor component %d had shape %s; expected shape %v", i, tensor.FormatDims(v.Dims()), shapes[i])
				}
			}
			copy(out, p.components)
			return nil
		}), nil
	}
}
