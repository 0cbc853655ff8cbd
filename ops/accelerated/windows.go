package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A geometry is what attributes say of windows over images or volumes with channels last. To
// code, images are volumes of depth 1.
type geometry struct {
	op      string
	dims    int // of space, 2 or 3
	first   bool
	window  code.Volume
	pool    bool // the size is given; otherwise it is the filter's
	padding string
	around  [3][2]int64 // where padding is EXPLICIT
}

// windows reads the attributes; size names the one with the window's size, if it is not the
// filter's.
func windows(c *kernel.Construction, dims int, size string) (geometry, error) {
	one := [3]int64{1, 1, 1}
	g := geometry{op: c.Op.Name, dims: dims, first: first(c.Str("data_format")), padding: c.Str("padding"),
		window: code.Volume{Size: one, Strides: one, Dilation: one}, pool: size != ""}
	if f := c.Str("data_format"); f == "NCHW_VECT_C" {
		return g, status.Errorf(status.Unimplemented, "%s of %s has no kernel for accelerators", g.op, f)
	}
	if around := c.Ints("explicit_paddings"); g.padding == "EXPLICIT" {
		if len(around) != 2*(dims+2) {
			return g, c.Errorf("explicit_paddings attribute must contain %d values, but got: %d", 2*(dims+2), len(around))
		}
		at := 1
		if g.first {
			at = 2
		}
		for i := range dims {
			g.around[3-dims+i] = [2]int64{around[2*(at+i)], around[2*(at+i)+1]}
		}
		for _, p := range around {
			if p < 0 || p > 1<<31-1 {
				return g, c.Errorf("All elements of explicit_paddings must be nonnegative")
			}
		}
	}
	if c.Attrs.Find("strides") != nil {
		if err := g.set("strides", c.Ints("strides"), &g.window.Strides); err != nil {
			return g, err
		}
	}
	if d := append(c.Ints("dilations"), c.Ints("rates")...); len(d) > 0 {
		if err := g.set("dilations", d, &g.window.Dilation); err != nil {
			return g, err
		}
	}
	if size != "" && c.Attrs.Find(size) != nil {
		return g, g.set(size, c.Ints(size), &g.window.Size)
	}
	return g, nil
}

// set takes one number for each dimension of the format; those of batch and channels are 1.
func (g *geometry) set(name string, all []int64, to *[3]int64) error {
	v := all
	if g.first && len(v) > 1 {
		v = behind(v)
	}
	if n := g.dims + 2; len(v) != n || v[0] != 1 || v[n-1] != 1 || slices.Min(v) < 1 || slices.Max(v) > 1<<31-1 {
		return status.Errorf(status.Unimplemented, "%s with %s %v has no kernel for accelerators", g.op, name, all)
	}
	copy(to[3-g.dims:], v[1:])
	return nil
}

// over returns the window over images of a shape, and the shape of what it makes; filter is that
// of the filter.
func (g geometry) over(images, filter []int64) (code.Volume, []int64, error) {
	w := g.window
	if len(images) != g.dims+2 || !g.pool && len(filter) != g.dims+2 {
		return w, nil, status.Invalid("%s needs tensors of rank %d: %s and %s", g.op, g.dims+2, tensor.FormatDims(images), tensor.FormatDims(filter))
	}
	made := slices.Clone(images)
	if !g.pool {
		copy(w.Size[3-g.dims:], filter[:g.dims])
		made[g.dims+1] = filter[g.dims+1]
	}
	for i := range g.dims {
		k := 3 - g.dims + i
		if w.Size[k] < 1 || images[1+i] < 0 || w.Size[k] > 1<<31-1 || images[1+i] > 1<<47 {
			return w, nil, status.Invalid("%s of %s with a window of %d", g.op, tensor.FormatDims(images), w.Size[k])
		}
		reach, step, size := (w.Size[k]-1)*w.Dilation[k]+1, w.Strides[k], images[1+i]
		switch g.padding {
		case "SAME":
			made[1+i] = (size + step - 1) / step
			w.Before[k] = max((made[1+i]-1)*step+reach-size, 0) / 2
		case "EXPLICIT":
			w.Before[k] = g.around[k][0]
			size += g.around[k][0] + g.around[k][1]
			fallthrough
		default:
			if size < reach-step {
				return w, nil, status.Invalid("Computed output size would be negative: %d [input_size: %d, effective_filter_size: %d, stride: %d]", (size-reach+step)/step, size, reach, step)
			}
			made[1+i] = (size - reach + step) / step
		}
	}
	return w, made, nil
}

// asVolumes returns an array of images as one of volumes of depth 1; one of volumes is itself.
func asVolumes(a code.Array) code.Array {
	if len(a.Dims) == 4 {
		a.Dims = slices.Insert(slices.Clone(a.Dims), 1, 1)
	}
	return a
}

// flat returns a window over images.
func flat(v code.Volume) code.Window {
	two := func(x [3]int64) [2]int64 { return [2]int64{x[1], x[2]} }
	return code.Window{Size: two(v.Size), Strides: two(v.Strides), Dilation: two(v.Dilation), Before: two(v.Before)}
}
