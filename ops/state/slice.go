package state

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

const stridedDoc = `

begin: As in StridedSlice.
end: As in StridedSlice.
strides: As in StridedSlice.
value: Of the shape of StridedSlice's output, or one that broadcasts to it.
begin_mask: As in StridedSlice.
end_mask: As in StridedSlice.
ellipsis_mask: As in StridedSlice.
new_axis_mask: As in StridedSlice.
shrink_axis_mask: As in StridedSlice.`

func init() {
	registry.Define("StridedSliceAssign").
		Input("ref: Ref(T)").Input("begin: Index").Input("end: Index").Input("strides: Index").Input("value: T").Output("output_ref: Ref(T)").
		Writes("ref").
		Attr("T: type").
		Attr("Index: {int32, int64}").
		Attr("begin_mask: int = 0").
		Attr("end_mask: int = 0").
		Attr("ellipsis_mask: int = 0").
		Attr("new_axis_mask: int = 0").
		Attr("shrink_axis_mask: int = 0").
		Doc("Sets the part of a variable that StridedSlice would take." + stridedDoc)
	registry.Define("ResourceStridedSliceAssign").
		Input("ref: resource").Input("begin: Index").Input("end: Index").Input("strides: Index").Input("value: T").
		Writes("ref").
		Attr("T: type").
		Attr("Index: {int32, int64}").
		Attr("begin_mask: int = 0").
		Attr("end_mask: int = 0").
		Attr("ellipsis_mask: int = 0").
		Attr("new_axis_mask: int = 0").
		Attr("shrink_axis_mask: int = 0").
		Stateful().
		Doc("Sets the part of a variable that StridedSlice would take." + stridedDoc)

	kernel.ForAll(newSliceAssign, "StridedSliceAssign", "ResourceStridedSliceAssign")
}

// sliceAssign serves both kinds of variable.
type sliceAssign struct {
	target resource.Target
	dt     tensor.DType
	masks  shape.StridedSpec
}

func newSliceAssign(c *kernel.Construction) (kernel.Kernel, error) {
	return &sliceAssign{dt: c.Type("T"), masks: shape.StridedSpec{
		BeginMask: c.Int("begin_mask"), EndMask: c.Int("end_mask"), EllipsisMask: c.Int("ellipsis_mask"),
		NewAxisMask: c.Int("new_axis_mask"), ShrinkMask: c.Int("shrink_axis_mask"),
	}}, nil
}

func (k *sliceAssign) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	v, err := k.target.Find(ctx.Step.Resources, &in[0])
	if err != nil {
		return err
	}
	if v.Type != k.dt {
		return sameType(v.Type, k.dt, "assign")
	}
	spec := k.masks
	for i, dst := range []*[]int64{&spec.Begin, &spec.End, &spec.Strides} {
		if in[1+i].Rank() != 1 || in[1+i].Dim(0) != in[1].NumElements() {
			return status.Invalid("Expected begin, end, and strides to be 1D equal size tensors, but got shapes %s, %s, and %s instead.",
				tensor.FormatDims(in[1].Dims()), tensor.FormatDims(in[2].Dims()), tensor.FormatDims(in[3].Dims()))
		}
		*dst = kernel.AppendInts(make([]int64, 0, in[1].NumElements()), &in[1+i])
	}
	value := in[4]
	err = v.Rewrite(ctx.Step.Context, func(now, next tensor.Value) (tensor.Value, error) {
		part, err := spec.Apply(shape.Of(now.Dims()...))
		if err != nil {
			return tensor.Value{}, err
		}
		if slices.Contains(part.Shape.Dims(), 0) { // there is nothing to change, whatever the value
			start(&next, &now)
			return next, nil
		}
		from, err := strided.Spread(ctx, &value, part.Shape.Dims())
		if err != nil {
			return tensor.Value{}, err
		}
		if from != value {
			defer ctx.Free(from)
		}
		start(&next, &now)
		to := strided.Whole(next)
		for i, d := range part.Dims {
			to.Slice(i, int(d.Begin), int(d.Stride), int(d.Count))
		}
		return next, strided.Copy(ctx, &next, to, &from, strided.Of(part.Processed.Dims()))
	})
	if err == nil && len(out) > 0 {
		out[0] = in[0]
	}
	return err
}
