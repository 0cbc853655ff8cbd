package image

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForType("ScaleAndTranslateGrad", "T", tensor.Float, func(c *kernel.Construction) (kernel.Kernel, error) {
		s, err := newScaling(c)
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return scaleGradient(ctx, s, in, out) }), err
	})
}

// scaleGradient returns the kernel of ScaleAndTranslateGrad: each pixel of the gradient
// goes to those that it was mixed of, with the same weights.
func scaleGradient(ctx *kernel.Context, s scaling, in, out []tensor.Value) error {
	grad, images := &in[0], &in[1]
	for i, name := range []string{"input_grad", "original_image"} {
		if in[i].Rank() != 4 {
			return status.Invalid("%s must be 4-dimensional: %s", name, tensor.FormatDims(in[i].Dims()))
		}
	}
	if grad.Dim(0) != images.Dim(0) || grad.Dim(3) != images.Dim(3) {
		return status.Invalid("grads and original_image must have the same batch and channels: %s, %s", tensor.FormatDims(grad.Dims()), tensor.FormatDims(images.Dims()))
	}
	scale, shift, err := scaleAndShift(&in[2], &in[3])
	if err != nil {
		return err
	}
	if out[0], err = ctx.AllocZeroed(tensor.Float, images.Dims()); err != nil {
		return err
	}
	if grad.NumElements() == 0 || images.NumElements() == 0 {
		return nil
	}
	batch, h, w, channels := images.Dim(0), images.Dim(1), images.Dim(2), images.Dim(3)
	height, width := grad.Dim(1), grad.Dim(2)
	rows, free, err := s.spansOf(ctx, height, h, scale[0], shift[0])
	if err != nil {
		return err
	}
	defer free()
	columns, free2, err := s.spansOf(ctx, width, w, scale[1], shift[1])
	if err != nil {
		return err
	}
	defer free2()
	g, o := tensor.Of[float32](grad), tensor.Of[float32](&out[0])
	line, result := w*channels, width*channels
	desk, err := kernel.NewDesk[float32](ctx, tensor.Float, min(batch, ctx.Step.Pool.Workers()), line)
	if err != nil {
		return err
	}
	defer desk.Free(ctx)
	ctx.Parallel(batch, 1, func(lo, hi int) {
		mixed := desk.Take() // what flows to the mixture of rows that made a row
		defer desk.GiveBack(mixed)
		for b := lo; b < hi; b++ {
			image := o[b*h*line:][:h*line]
			for y := 0; y < height && ctx.Err() == nil; y++ {
				clear(mixed)
				columns.spreadPixels(g[(b*height+y)*result:][:result], mixed, channels, w)
				first := int(rows.first[y])
				for j, weight := range rows.weights[y*rows.width:][:min(rows.width, h-first)] {
					for i, v := range mixed {
						image[(first+j)*line+i] += v * weight
					}
				}
			}
		}
	})
	return ctx.Err()
}

// spreadPixels gives each pixel of a row to those of a row of w that made it.
func (sp *spans) spreadPixels(row, to []float32, channels, w int) {
	for x, first := range sp.first {
		pixel := row[x*channels:][:channels]
		for j, weight := range sp.weights[x*sp.width:][:min(sp.width, w-int(first))] {
			for c, v := range pixel {
				to[(int(first)+j)*channels+c] += v * weight
			}
		}
	}
}
