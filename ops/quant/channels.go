package quant

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.ForType("RequantizationRangePerChannel", "T", tensor.Qint32, func(c *kernel.Construction) (kernel.Kernel, error) {
		clip := c.Float("clip_value_max")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return channelRange(ctx, in, out, clip) }), nil
	})
}

// channelRange returns the kernel of RequantizationRangePerChannel: the range that holds
// what every channel, the last dimension, stands for.
func channelRange(ctx *kernel.Context, in, out []tensor.Value, clip float32) error {
	low, high := tensor.Of[float32](&in[1]), tensor.Of[float32](&in[2])
	depth := len(high)
	if in[0].Rank() != 4 {
		return status.Invalid("input must be in NHWC format")
	}
	if n := in[0].Dim(3); n != depth {
		return status.Invalid("input has %d channels, and input_max %d elements", n, depth)
	}
	for i, name := range []string{"input_min", "input_max"} {
		v := &in[1+i]
		if v.Rank() == 0 || v.Dim(0) != depth || v.NumElements() != depth {
			return status.Invalid("%s has incorrect size, expected %d was %d", name, depth, v.NumElements())
		}
	}
	if in[0].NumElements() == 0 {
		return status.Invalid("input must not be empty")
	}
	most := make([]float64, depth) // the greatest absolute value of each channel
	negative := false
	for i, x := range tensor.Of[int32](&in[0]) {
		if i%(1<<12) == 1<<12-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		most[i%depth] = max(most[i%depth], math.Abs(float64(x)))
		negative = negative || x < 0
	}
	end := float32(0)
	for c, m := range most {
		scale := max(abs(low[c]), abs(high[c]))
		end = max(end, scale*float32(m)/(1<<31))
	}
	end = min(end, clip)
	start := float32(0)
	if negative {
		start = -end
	}
	out[0], out[1] = tensor.Scalar(start), tensor.Scalar(end)
	return nil
}

func abs(x float32) float32 { return float32(math.Abs(float64(x))) }
