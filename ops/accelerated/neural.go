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

func init() {
	small := map[string][]tensor.DType{"T": floats}
	resident.Register("SoftmaxCrossEntropyWithLogits", small, nil, func(*kernel.Construction) (resident.Plan, error) { return entropy(false), nil })
	resident.Register("SparseSoftmaxCrossEntropyWithLogits", small, nil, func(*kernel.Construction) (resident.Plan, error) { return entropy(true), nil })
	for _, op := range []string{"MaxPool", "AvgPool"} {
		resident.Register(op, small, nil, func(c *kernel.Construction) (resident.Plan, error) {
			geometry, err := windows(c, "ksize")
			return one(func(in []resident.Input) (tensor.DType, []int64, error) {
				_, dims, err := geometry.over(in[0].Dims, nil)
				return in[0].Type, dims, err
			}, func(z code.Array, in []code.Array) ([]devices.Launch, error) {
				w, _, err := geometry.over(in[0].Dims, nil)
				if err != nil {
					return nil, err
				}
				return code.Pool(z, in[0], w, op == "AvgPool")
			}), err
		})
	}
	resident.Register("MaxPoolGrad", small, nil, func(c *kernel.Construction) (resident.Plan, error) {
		geometry, err := windows(c, "ksize")
		return lent(same, func(_ code.Array, in []code.Array) code.Array { return code.MaxPoolGradScratch(in[2]) },
			func(z code.Array, in []code.Array, places code.Array) ([]devices.Launch, error) {
				w, dims, err := geometry.over(in[0].Dims, nil)
				if err == nil && !slices.Equal(dims, in[2].Dims) {
					err = status.Invalid("MaxPoolGrad: the gradient has shape %s and should have %s", tensor.FormatDims(in[2].Dims), tensor.FormatDims(dims))
				}
				if err != nil {
					return nil, err
				}
				if places.Elements() == 0 {
					places.Dims = in[2].Dims
				}
				return code.MaxPoolGrad(z, in[0], in[2], w, places)
			}), err
	})
	resident.Register("AvgPoolGrad", small, []string{"orig_input_shape"}, func(c *kernel.Construction) (resident.Plan, error) {
		geometry, err := windows(c, "ksize")
		shapes := func(in []resident.Input) (dims []int64, w code.Window, err error) {
			dims = integers(in[0].Host)
			w, made, err := geometry.over(dims, nil)
			if err == nil && (slices.Min(dims) < 0 || !slices.Equal(made, in[1].Dims)) {
				err = status.Invalid("AvgPoolGrad: the gradient has shape %s and should have %s", tensor.FormatDims(in[1].Dims), tensor.FormatDims(made))
			}
			return dims, w, err
		}
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				dims, _, err := shapes(in)
				return []resident.Shape{{Type: in[1].Type, Dims: dims}}, err
			},
			Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
				_, w, err := shapes(in)
				if err != nil {
					return nil, err
				}
				return code.AvgPoolGrad(out[0], in[1].Array, w)
			},
		}, err
	})
}

// entropy is the loss and the gradient of logits, whose labels are rows, which are
// broadcast with the logits, or numbers of classes.
func entropy(sparse bool) resident.Plan {
	return resident.Plan{
		Shapes: func(in []resident.Input) ([]resident.Shape, error) {
			x, y, t := in[0].Dims, in[1].Dims, in[0].Type
			if sparse {
				if len(x) != 2 || len(y) != 1 || y[0] != x[0] {
					return nil, status.Invalid("logits and labels must fit: %s and %s", tensor.FormatDims(x), tensor.FormatDims(y))
				}
				return []resident.Shape{{Type: t, Dims: x[:1]}, {Type: t, Dims: x}}, nil
			}
			dims, err := broadcast("", in)
			if err != nil || len(dims) != 2 {
				return nil, status.Invalid("logits and labels must be broadcastable: logits_size=%s labels_size=%s", tensor.FormatDims(x), tensor.FormatDims(y))
			}
			all := []resident.Shape{{Type: t, Dims: dims[:1]}, {Type: t, Dims: dims}}
			for _, operand := range in { // each that is not as large gets a copy that is
				if !slices.Equal(operand.Dims, dims) {
					all = append(all, resident.Shape{Type: t, Dims: dims})
				}
			}
			return all, nil
		},
		Write: func(out []code.Array, in []resident.Input) ([]devices.Launch, error) {
			var s sequence
			operands, copies := arrays(in), out[2:]
			for i, x := range operands {
				if len(copies) > 0 && !slices.Equal(x.Dims, out[1].Dims) {
					s.add(code.BroadcastTo(copies[0], x))
					operands[i], copies = copies[0], copies[1:]
				}
			}
			s.add(code.CrossEntropy(out[0], out[1], operands[0], operands[1]))
			return s.launches, s.err
		},
	}
}

// A geometry is what attributes say of windows over images.
type geometry struct {
	window  code.Window
	pool    bool // the size is given; otherwise it is the filter's
	apart   bool // each channel has features of its own
	padding string
	around  []int64 // where padding is EXPLICIT
}

// windows reads the attributes; size names the one with the window's size, if it is
// not the filter's.
func windows(c *kernel.Construction, size string) (geometry, error) {
	g := geometry{window: code.Window{Dilation: [2]int64{1, 1}}, padding: c.Str("padding"), around: c.Ints("explicit_paddings")}
	if f := c.Str("data_format"); f != "" && f != "NHWC" {
		return g, status.Errorf(status.Unimplemented, "%s of %s has no kernel for accelerators", c.Op.Name, f)
	}
	middle := func(name string) ([2]int64, error) {
		v := c.Ints(name)
		if len(v) != 4 || v[0] != 1 || v[3] != 1 || v[1] < 1 || v[2] < 1 {
			return [2]int64{}, status.Errorf(status.Unimplemented, "%s with %s %v has no kernel for accelerators", c.Op.Name, name, v)
		}
		return [2]int64{v[1], v[2]}, nil
	}
	var err error
	if g.window.Strides, err = middle("strides"); err != nil {
		return g, err
	}
	if size == "" {
		g.window.Dilation, err = middle("dilations")
		return g, err
	}
	g.pool = true
	g.window.Size, err = middle(size)
	return g, err
}

// over is the window over images of a shape, and the shape of what it makes; filter is
// that of the filter.
func (g geometry) over(images, filter []int64) (code.Window, []int64, error) {
	w := g.window
	if len(images) != 4 || !g.pool && len(filter) != 4 {
		return w, nil, status.Invalid("windows need images of rank 4, and a filter of as many dimensions: %s and %s", tensor.FormatDims(images), tensor.FormatDims(filter))
	}
	if c := images[3]; !g.pool && (g.apart && filter[2] != c || !g.apart && (filter[2] < 1 || c%filter[2] != 0 || filter[3]%max(c/filter[2], 1) != 0)) {
		return w, nil, status.Invalid("a filter of shape %s does not fit images of shape %s", tensor.FormatDims(filter), tensor.FormatDims(images))
	}
	made := slices.Clone(images)
	if !g.pool {
		w.Size = [2]int64{filter[0], filter[1]}
		made[3] = filter[3]
		if g.apart {
			made[3] *= filter[2]
		}
	}
	for i := range 2 {
		reach, step, size := (w.Size[i]-1)*w.Dilation[i]+1, w.Strides[i], images[1+i]
		switch g.padding {
		case "SAME":
			made[1+i] = (size + step - 1) / step
			w.Before[i] = max((made[1+i]-1)*step+reach-size, 0) / 2
		case "EXPLICIT":
			if len(g.around) != 8 || g.around[2+2*i] < 0 || g.around[3+2*i] < 0 {
				return w, nil, status.Invalid("explicit_paddings are %v", g.around)
			}
			w.Before[i] = g.around[2+2*i]
			size += g.around[2+2*i] + g.around[3+2*i]
			fallthrough
		default:
			made[1+i] = (size-reach)/step + 1
			if size < reach {
				made[1+i] = 0
			}
		}
		if w.Size[i] < 1 {
			return w, nil, status.Invalid("a filter of shape %s", tensor.FormatDims(filter))
		}
	}
	return w, made, nil
}
