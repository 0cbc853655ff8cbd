package accelerated

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Convolutions of images and volumes, also in groups and of each channel on its own, and
// their gradients.

func init() {
	small := map[string][]tensor.DType{"T": floats}
	for _, f := range []struct {
		forward, input, filter string
		dims                   int
	}{
		{"Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", 2},
		{"DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter", 2},
		{"Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", 3},
	} {
		resident.Register(f.forward, small, nil, func(c *kernel.Construction) (resident.Plan, error) {
			g, err := convolutionOf(c, f.dims)
			return g.forward(), err
		})
		resident.Register(f.input, small, []string{"input_sizes"}, func(c *kernel.Construction) (resident.Plan, error) {
			g, err := convolutionOf(c, f.dims)
			return g.backprop(0), err
		})
		resident.Register(f.filter, small, []string{"filter_sizes"}, func(c *kernel.Construction) (resident.Plan, error) {
			g, err := convolutionOf(c, f.dims)
			return g.backprop(1), err
		})
	}
	resident.Register("Conv", small, nil, func(c *kernel.Construction) (resident.Plan, error) {
		dims := len(c.Ints("strides")) - 2
		if dims != 2 && dims != 3 || c.Int("batch_dims") != 1 {
			return resident.Plan{}, status.Errorf(status.Unimplemented, "Conv with strides %v and %d dimensions of the batch has no kernel for accelerators", c.Ints("strides"), c.Int("batch_dims"))
		}
		g, err := convolutionOf(c, dims)
		return g.forward(), err
	})
}

// A convolution is what attributes say of one. Its filter has, behind the window's size, the
// channels of a group and all features; or, if each channel is on its own, all channels and
// the features of each.
type convolution struct {
	geometry
	depthwise bool
}

func convolutionOf(c *kernel.Construction, dims int) (convolution, error) {
	g, err := windows(c, dims, "")
	return convolution{g, strings.HasPrefix(c.Op.Name, "Depthwise")}, err
}

// A slide is what the shapes of images and filter come to.
type slide struct {
	code.Volume
	groups  int64
	made    []int64 // the shape of the result
	weights []int64 // that of the filter of volumes
}

// slide checks shapes, of images with channels last.
func (g convolution) slide(images, filter []int64) (s slide, err error) {
	if s.Volume, s.made, err = g.over(images, filter); err != nil {
		return s, err
	}
	channels, per, features := images[g.dims+1], filter[g.dims], filter[g.dims+1]
	if g.depthwise {
		if per != channels {
			return s, status.Invalid("input depth must be evenly divisible by filter depth: %d vs %d", channels, per)
		}
		per, features = 1, features*channels
		s.made[3] = features
	}
	if per < 1 || channels%per != 0 {
		return s, status.Invalid("input depth must be evenly divisible by filter depth: %d vs %d", channels, per)
	}
	if s.groups = channels / per; s.groups < 1 {
		return s, status.Invalid("number of groups must be greater than 0")
	}
	if features < 0 || features%s.groups != 0 {
		return s, status.Invalid("output depth must be evenly divisible by number of groups: %d vs %d", features, s.groups)
	}
	s.weights = []int64{s.Size[0], s.Size[1], s.Size[2], per, features}
	return s, nil
}

func (g convolution) forward() resident.Plan {
	p := resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			s, err := g.slide(in[0].Dims, in[1].Dims)
			return []resident.Shape{{Type: in[0].Type, Dims: s.made}}, err
		},
		Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
			z, x, filter := out[0], in[0].Array, in[1].Array
			s, err := g.slide(x.Dims, filter.Dims)
			if err != nil {
				w.Fail(err)
				return
			}
			switch {
			case x.Elements() == 0: // of channels; there may be a result
				w.Add(code.Fill(z, 0))
			case g.depthwise:
				w.Add(code.Depthwise(z, x, filter, flat(s.Volume)))
			case g.dims == 2:
				w.Add(code.Conv2D(z, x, filter, flat(s.Volume), w.Beside(code.Conv2DScratch(z, x, filter, flat(s.Volume)))))
			default:
				filter.Dims = s.weights
				w.Add(code.Convolve(z, x, filter, s.Volume, s.groups))
			}
		},
	}
	if g.first {
		return turned(p, []int{0}, []int{0})
	}
	return p
}

// backprop returns the gradient of input which of a convolution, 0 its images and 1 its filter;
// its shape is input which of the operation, and the other one of the two is an input itself.
func (g convolution) backprop(which int) resident.Plan {
	shapes := func(in []resident.Input) (sizes []int64, s slide, err error) {
		if sizes, err = kernel.Dims(in[which].Host, "sizes"); err != nil {
			return nil, s, err
		}
		gradient := in[2].Dims
		if which == 0 && len(sizes) == 2 && g.dims == 2 && !g.depthwise && len(gradient) == 4 && len(in[1].Dims) == 4 { // height and width
			sizes = []int64{gradient[0], sizes[0], sizes[1], in[1].Dims[2]}
		}
		both := [2][]int64{in[0].Dims, in[1].Dims}
		both[which] = sizes
		if s, err = g.slide(both[0], both[1]); err == nil && !slices.Equal(s.made, gradient) {
			err = status.Invalid("%s: the gradient has shape %s and should have %s", g.op, tensor.FormatDims(gradient), tensor.FormatDims(s.made))
		}
		return sizes, s, err
	}
	p := resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			sizes, _, err := shapes(in)
			return []resident.Shape{{Type: in[2].Type, Dims: sizes}}, err
		},
		Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
			_, s, err := shapes(in)
			if err != nil {
				w.Fail(err)
				return
			}
			z, other, dy, v := out[0], in[1-which].Array, in[2].Array, s.Volume
			switch {
			case dy.Elements() == 0 || other.Elements() == 0:
				w.Add(code.Fill(z, 0))
			case g.depthwise && which == 0:
				w.Add(code.DepthwiseBackpropInput(z, other, dy, flat(v)))
			case g.depthwise:
				w.Add(code.DepthwiseBackpropFilter(z, other, dy, flat(v), w.Beside(code.DepthwiseBackpropFilterScratch(z, other, dy, flat(v)))))
			case g.dims == 2 && which == 0:
				w.Add(code.Conv2DBackpropInput(z, other, dy, flat(v), w.Beside(code.Conv2DBackpropInputScratch(z, other, dy, flat(v)))))
			case g.dims == 2:
				w.Add(code.Conv2DBackpropFilter(z, other, dy, flat(v), w.Beside(code.Conv2DBackpropFilterScratch(z, other, dy, flat(v)))))
			case which == 0:
				other.Dims = s.weights
				w.Add(code.ConvolveInput(z, other, dy, v, s.groups))
			default:
				w.Add(code.ConvolveFilter(z, other, dy, v, s.groups))
			}
		},
	}
	switch {
	case g.first && which == 0:
		return turned(p, []int{0, 2}, []int{0})
	case g.first:
		return turned(p, []int{0, 2}, nil)
	}
	return p
}
