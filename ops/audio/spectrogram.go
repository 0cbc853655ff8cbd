package audio

import (
	"math"
	"math/bits"
	"math/cmplx"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/fourier"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("AudioSpectrogram").
		Input("input: float").Output("spectrogram: float").
		Attr("window_size: int").
		Attr("stride: int").
		Attr("magnitude_squared: bool = false").
		Doc(`Computes the spectrogram of sounds: the magnitudes of short overlapping Fourier transforms.

input: Samples by channels.
spectrogram: Channels, windows and frequencies.
window_size: Samples of a window.
stride: Samples from one window to the next.
magnitude_squared: Whether magnitudes are squared.`)

	kernel.ForAll(func(c *kernel.Construction) (kernel.Kernel, error) {
		k := &spectrogram{c.Int("window_size"), c.Int("stride"), c.Bool("magnitude_squared")}
		if k.window < 2 || k.window > 1<<31 || k.stride < 1 {
			return nil, c.Errorf("Spectrogram initialization failed for window size %d and stride %d", k.window, k.stride)
		}
		return k, nil
	}, "AudioSpectrogram")
}

// A spectrogram is the kernel of AudioSpectrogram.
type spectrogram struct {
	window, stride int64
	squared        bool
}

// Run cuts every channel into overlapping windows, fades them with Hann's
// function, fills them up to a power of 2 with zeros and transforms them.
func (k *spectrogram) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if in[0].Rank() != 2 {
		return status.Invalid("input must be 2-dimensional%s", tensor.FormatDims(in[0].Dims()))
	}
	samples, channels := in[0].Dims()[0], in[0].Dims()[1]
	windows := int64(0)
	if samples >= k.window {
		windows = (samples-k.window)/k.stride + 1
	}
	points := int64(1) << bits.Len64(uint64(k.window-1))
	bands := points/2 + 1
	var err error
	if out[0], err = ctx.Alloc(tensor.Float, []int64{channels, windows, bands}); err != nil || out[0].NumElements() == 0 {
		return err
	}
	work := fourier.Bytes(int(points)) + 8*int(k.window)
	if err := ctx.Reserve(work); err != nil {
		return err
	}
	defer ctx.Unreserve(work)
	stop := func() bool { return ctx.Err() != nil }
	plan := fourier.NewPlan(int(points), stop)
	if plan == nil {
		return ctx.Err()
	}
	fade := make([]float64, k.window)
	for i := range fade {
		fade[i] = 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/float64(k.window))
	}
	scratch, err := ctx.Alloc(tensor.Complex128, []int64{points + int64(plan.Scratch())})
	if err != nil {
		return err
	}
	defer ctx.Free(scratch)
	buffer := tensor.Of[complex128](&scratch)
	x, o := tensor.Of[float32](&in[0]), tensor.Of[float32](&out[0])
	for c := range int(channels) {
		for w := range int(windows) {
			if err := ctx.Err(); err != nil {
				return err
			}
			frame := buffer[:points]
			clear(frame)
			for i, f := range fade {
				frame[i] = complex(f*float64(x[(w*int(k.stride)+i)*int(channels)+c]), 0)
			}
			plan.Transform(frame, buffer[points:], false, stop)
			for _, y := range frame[:bands] {
				if k.squared {
					o[0] = float32(real(y)*real(y) + imag(y)*imag(y))
				} else {
					o[0] = float32(cmplx.Abs(y))
				}
				o = o[1:]
			}
		}
	}
	return ctx.Err()
}
