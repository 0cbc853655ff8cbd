package accelerated

import (
	"math"
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Batch normalization, of images or volumes, whose moments are the batch's own or given. What it puts aside for the gradient is the mean and the variance, as on the CPU.

func init() {
	first := map[string][]tensor.DType{"T": {tensor.Float}}
	mixed := map[string][]tensor.DType{"T": {tensor.Float, tensor.Half, tensor.Bfloat16}, "U": {tensor.Float}}
	for op, types := range map[string]map[string][]tensor.DType{"FusedBatchNorm": first, "FusedBatchNormV2": mixed, "FusedBatchNormV3": mixed} {
		resident.Register(op, types, nil, batchNorm)
	}
	for op, types := range map[string]map[string][]tensor.DType{"FusedBatchNormGrad": first, "FusedBatchNormGradV2": mixed, "FusedBatchNormGradV3": mixed} {
		resident.Register(op, types, nil, batchNormGrad)
	}
}

// channelsOf returns the shape of what there is one of for each channel of images, which those
// inputs must have. Images whose channels came first have as many dimensions as the format.
func channelsOf(first bool, dims int, images resident.Input, each ...resident.Input) ([]int64, error) {
	rank := len(images.Dims)
	if rank != 4 && rank != 5 || first && rank != dims {
		return nil, status.Invalid("input must be 4-dimensional or 5-dimensional: %s", tensor.FormatDims(images.Dims))
	}
	channels := images.Dims[rank-1:]
	for _, x := range each {
		if !slices.Equal(x.Dims, channels) {
			return nil, status.Invalid("scale, offset, mean and variance must have shape %s, got %s", tensor.FormatDims(channels), tensor.FormatDims(x.Dims))
		}
	}
	return channels, nil
}

func batchNorm(c *kernel.Construction) (resident.Plan, error) {
	format := c.Str("data_format")
	training, epsilon, outputs, factor := c.Bool("is_training"), float64(c.Float("epsilon")), len(c.Outputs), float64(c.Float("exponential_avg_factor"))
	p := resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			each := in[1:5]
			if training && factor == 1 {
				each = in[1:3]
			}
			channels, err := channelsOf(first(format), len(format), in[0], each...)
			if err != nil {
				return nil, err
			}
			all := []resident.Shape{{Type: in[0].Type, Dims: in[0].Dims}}
			for range 4 {
				all = append(all, resident.Shape{Type: tensor.Float, Dims: channels})
			}
			if outputs == 6 {
				all = append(all, resident.Shape{Type: tensor.Float})
			}
			return all, nil
		},
		Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
			x, mean, variance := in[0].Array, out[3], out[4]
			if outputs == 6 {
				w.Add(code.Fill(out[5], 0))
			}
			switch rows := x.Elements() / max(x.Dims[len(x.Dims)-1], 1); {
			case x.Elements() == 0:
				for i, bits := range []float32{float32(math.NaN()), float32(math.NaN()), 0, 0} {
					w.Add(code.Fill(out[1+i], uint64(math.Float32bits(bits))))
				}
			case training:
				w.Add(code.Moments(mean, variance, x, w.Beside(code.MomentsScratch(x))))
				w.Add(code.Map("Identity", 0, out[1], mean))
				w.Add(code.Scale(out[2], variance, float64(rows)/float64(max(rows-1, 1))))
				for i := range 2 {
					if factor != 1 {
						w.Add(code.Average(out[1+i], in[3+i].Array, out[1+i], factor))
					}
				}
			default:
				for i := range 2 {
					w.Add(code.Map("Identity", 0, out[1+i], in[3+i].Array))
					w.Add(code.Map("Identity", 0, out[3+i], in[3+i].Array))
				}
			}
			w.Add(code.Normalize(out[0], x, in[1].Array, in[2].Array, mean, variance, epsilon))
		},
	}
	if first(format) {
		p = turned(p, []int{0}, []int{0})
	}
	return p, nil
}

func batchNormGrad(c *kernel.Construction) (resident.Plan, error) {
	format := c.Str("data_format")
	epsilon, given := float64(c.Float("epsilon")), !c.Bool("is_training")
	p := resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			channels, err := channelsOf(first(format), len(format), in[1], in[2:5]...)
			if err == nil && !slices.Equal(in[0].Dims, in[1].Dims) {
				err = status.Invalid("x and y_backprop must have same shape, but x has shape %s and y_backprop has shape %s", tensor.FormatDims(in[1].Dims), tensor.FormatDims(in[0].Dims))
			}
			each, none := resident.Shape{Type: tensor.Float, Dims: channels}, resident.Shape{Type: tensor.Float, Dims: []int64{0}}
			return []resident.Shape{{Type: in[1].Type, Dims: in[1].Dims}, each, each, none, none}, err
		},
		Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
			if in[1].Elements() == 0 {
				w.Add(code.Fill(out[1], 0))
				w.Add(code.Fill(out[2], 0))
			}
			w.Add(code.NormalizeGrad(out[0], out[1], out[2], in[0].Array, in[1].Array, in[2].Array, in[3].Array, in[4].Array, w.Beside(code.MomentsScratch(in[1].Array)), epsilon, given))
		},
	}
	if first(format) {
		p = turned(p, []int{0, 1}, []int{0})
	}
	return p, nil
}

// A sequence collects launches, to be made one after another, until the first error.
type sequence struct {
	launches []devices.Launch
	err      error
}

func (s *sequence) add(l []devices.Launch, err error) {
	if s.err == nil {
		s.launches, s.err = append(s.launches, l...), err
	}
}
