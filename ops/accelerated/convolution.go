package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Convolutions of images with channels last, in groups of channels or one for each channel,
// and their gradients.

func init() {
	convolve("Conv2D", false, convolving{code.Conv2D, code.Conv2DScratch}, convolving{code.Conv2DBackpropInput, code.Conv2DBackpropInputScratch},
		convolving{code.Conv2DBackpropFilter, code.Conv2DBackpropFilterScratch})
	convolve("DepthwiseConv2dNative", true, convolving{code.Depthwise, nil}, convolving{code.DepthwiseBackpropInput, nil},
		convolving{code.DepthwiseBackpropFilter, code.DepthwiseBackpropFilterScratch})
}

// A convolving makes z of a convolution's two other arrays, and says what memory it needs
// beside; nil: none.
type convolving struct {
	write func(z, a, b code.Array, w code.Window, scratch code.Array) ([]devices.Launch, error)
	need  func(z, a, b code.Array, w code.Window) code.Array
}

// convolve registers a convolution, and its gradients by images and by the filter.
func convolve(op string, apart bool, forward, input, filter convolving) {
	small := map[string][]tensor.DType{"T": floats}
	plan := func(which int, how convolving) func(c *kernel.Construction) (resident.Plan, error) {
		return func(c *kernel.Construction) (resident.Plan, error) {
			g, err := windows(c, "")
			g.apart = apart
			return convolution(g, which, how), err
		}
	}
	resident.Register(op, small, nil, plan(2, forward))
	resident.Register(op+"BackpropInput", small, []string{"input_sizes"}, plan(0, input))
	resident.Register(op+"BackpropFilter", small, []string{"filter_sizes"}, plan(1, filter))
}

// convolution makes one of three arrays, images, filter and what is made of them, of the
// other two: which. Of images and filters the shape is that input of the operation.
func convolution(g geometry, which int, how convolving) resident.Plan {
	shapes := func(in []resident.Input) (dims []int64, w code.Window, err error) {
		both := [2][]int64{in[0].Dims, in[1].Dims}
		if which < 2 {
			both[which] = integers(in[which].Host)
			if len(both[which]) > 0 && slices.Min(both[which]) < 0 {
				return nil, w, status.Invalid("sizes of a convolution are %v", both[which])
			}
		}
		w, made, err := g.over(both[0], both[1])
		if which == 2 {
			return made, w, err
		}
		if err == nil && !slices.Equal(made, in[2].Dims) {
			err = status.Invalid("the gradient of a convolution has shape %s and should have %s", tensor.FormatDims(in[2].Dims), tensor.FormatDims(made))
		}
		return both[which], w, err
	}
	others := func(in []resident.Input) (a, b code.Array) {
		switch which {
		case 0:
			return in[1].Array, in[2].Array
		case 1:
			return in[0].Array, in[2].Array
		}
		return in[0].Array, in[1].Array
	}
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			dims, w, err := shapes(in)
			if err != nil {
				return nil, err
			}
			a, b := others(in)
			z := code.Array{Type: a.Type, Dims: dims}
			all := []resident.Shape{{Type: z.Type, Dims: dims}}
			if how.need != nil {
				all = borrow(all, how.need(z, a, b, w))
			}
			return all, nil
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			_, w, err := shapes(in)
			if err != nil {
				return nil, err
			}
			a, b := others(in)
			return how.write(out[0], a, b, w, lentOf(out, 1))
		},
	}
}
