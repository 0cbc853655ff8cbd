package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

// Depthwise convolutions: feature c·m + k of m for each channel sees channel c alone. There
// is little to compute for what is read, so neighbouring threads have neighbouring features.

// depthwiseParameters are what [Window.depthwiseArgs] gives.
var depthwiseParameters = divisors("features", "channels", "multiple", "columns", "rows", "width", "height", "kw", "sy", "sx") +
	", i64 kh, i64 dy, i64 dx, i64 top, i64 left"

func (w Window) depthwiseArgs(c *call, images, made []int64) {
	c.over(made[3], images[3], max(made[3]/images[3], 1), made[2], made[1], images[2], images[1], w.Size[1], w.Strides[0], w.Strides[1]).
		i64(w.Size[0]).i64(w.Dilation[:]...).i64(w.Before[:]...)
}

// depthwise makes a function whose threads each compute one element of an array with
// channels last: body has its place as b, y, x and c.
func (w Window) depthwise(name string, e element, arrays, channels, across, down, body string, c *call, z, images, made Array) ([]devices.Launch, error) {
	f := indexed(name+"_"+e.name, reach(images, made), func(name string, b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
KERNEL %[1]s(%[3]s, i64 n%[4]s) {
  EACH(i, n) {
    I q = OVER(i, %[5]s, %[5]s_by), c = i - q * (I)%[5]s, r = OVER(q, %[6]s, %[6]s_by), x = q - r * (I)%[6]s, b = OVER(r, %[7]s, %[7]s_by), y = r - b * (I)%[7]s;
    T sum = (T)0;
%[8]s    z[i] = %[9]s;
  }
}
`, name, e.compute, arrays, depthwiseParameters, channels, across, down, body, e.store("sum"))
	}, e)
	c.i64(z.Elements())
	w.depthwiseArgs(c, images.Dims, made.Dims)
	return c.flat(f, z.Elements()), nil
}

// Depthwise convolves each channel of images x with filters of its own, of shape [height,
// width, channels, multiple].
func Depthwise(z, x, filter Array, w Window) ([]devices.Launch, error) {
	e, err := w.checkDepthwise(x, z, filter)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	body := fmt.Sprintf(`    I channel = OVER(c, multiple, multiple_by), y0 = y * (I)sy - (I)top, x0 = x * (I)sx - (I)left;
    for (I ky = 0; ky < kh; ky++) {
      I iy = y0 + ky * (I)dy;
      if (iy < 0 || iy >= height) continue;
      for (I kx = 0; kx < kw; kx++) {
        I ix = x0 + kx * (I)dx;
        if (ix >= 0 && ix < width) sum += %s * %s;
      }
    }
`, e.load("in[((b * (I)height + iy) * (I)width + ix) * (I)channels + channel]"), e.load("filter[(ky * (I)kw + kx) * (I)features + c]"))
	arrays := fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL const %[1]s *filter, GLOBAL %[1]s *z", e.stored)
	return w.depthwise("depthwise", e, arrays, "features", "columns", "rows", body, (&call{}).reads(x.Buffer, filter.Buffer).writes(z.Buffer), z, x, z)
}

// DepthwiseBackpropInput computes the gradient of the images from that of what a depthwise
// convolution made of them.
func DepthwiseBackpropInput(z, filter, gradient Array, w Window) ([]devices.Launch, error) {
	e, err := w.checkDepthwise(z, gradient, filter)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	body := fmt.Sprintf(`    for (I ky = 0; ky < kh; ky++) {
      I ty = y + (I)top - ky * (I)dy, oy;
      if (ty < 0) continue;
      oy = OVER(ty, sy, sy_by);
      if (oy * (I)sy != ty || oy >= rows) continue;
      for (I kx = 0; kx < kw; kx++) {
        I tx = x + (I)left - kx * (I)dx, ox, at, from;
        if (tx < 0) continue;
        ox = OVER(tx, sx, sx_by);
        if (ox * (I)sx != tx || ox >= columns) continue;
        at = ((b * (I)rows + oy) * (I)columns + ox) * (I)features + c * (I)multiple;
        from = (ky * (I)kw + kx) * (I)features + c * (I)multiple;
        for (I k = 0; k < multiple; k++) sum += %s * %s;
      }
    }
`, e.load("gradient[at + k]"), e.load("filter[from + k]"))
	arrays := fmt.Sprintf("GLOBAL const %[1]s *filter, GLOBAL const %[1]s *gradient, GLOBAL %[1]s *z", e.stored)
	return w.depthwise("depthwiseinput", e, arrays, "channels", "width", "height", body, (&call{}).reads(filter.Buffer, gradient.Buffer).writes(z.Buffer), z, z, gradient)
}

// DepthwiseBackpropFilter computes the gradient of the filter. Each of its elements is a
// fold over all pixels, taken in parts where scratch, which [DepthwiseBackpropFilterScratch]
// says, has room for them.
func DepthwiseBackpropFilter(z, x, gradient Array, w Window, scratch Array) ([]devices.Launch, error) {
	e, err := w.checkDepthwise(x, gradient, z)
	n := z.Elements()
	if err != nil || n == 0 {
		return nil, err
	}
	if x.Elements() == 0 {
		return Fill(z, 0)
	}
	t, splits, count := pixelFolds(n, gradient)
	out, to := e.stored, z
	if len(scratch.Dims) == 0 || scratch.Elements() < splits*n {
		splits = 1
	}
	name := "depthwisefilter_" + e.name
	if splits > 1 {
		out, to, name = e.compute, scratch, name+"_parts"
	}
	f := indexed(name, max(reach(x, gradient), splits*n), func(name string, b *strings.Builder) {
		value := "sum"
		if out == e.stored {
			value = e.store(value)
		}
		fmt.Fprintf(b, `typedef %[2]s T;
HELPER T plus(T a, T b) { return a + b; }
KERNEL_OF(256, 4) %[1]s(GLOBAL const %[3]s *in, GLOBAL const %[3]s *gradient, GLOBAL %[4]s *z, i64 n, i64 count, i64 share%[5]s%[6]s) {
%[7]s  I begin = (I)GROUP(1) * (I)share, end = begin + (I)share < (I)count ? begin + (I)share : (I)count;
  for (I first = (I)GROUP(0) * folds; first < n; first += (I)GROUPS(0) * folds) {
    I i = first + fold < (I)n ? first + fold : (I)n - 1, tap = OVER(i, features, features_by), c = i - tap * (I)features, channel = OVER(c, multiple, multiple_by);
    I ky = OVER(tap, kw, kw_by), y0 = ky * (I)dy - (I)top, x0 = (tap - ky * (I)kw) * (I)dx - (I)left;
    T sum = (T)0;
    for (I j = begin + lane; j < end; j += lanes) {
      I q = OVER(j, columns, columns_by), b = OVER(q, rows, rows_by), iy = (q - b * (I)rows) * (I)sy + y0, ix = (j - q * (I)columns) * (I)sx + x0;
      if ((u32)iy < (u32)height && (u32)ix < (u32)width) sum += %[8]s * %[9]s;
    }
%[10]s    if (lane == 0 && first + fold < n) z[(I)GROUP(1) * (I)n + i] = %[11]s;
  }
}
`, name, e.compute, e.stored, out, teamParameters, depthwiseParameters, teamBegin,
			e.load("in[((b * (I)height + iy) * (I)width + ix) * (I)channels + channel]"), e.load("gradient[j * (I)features + c]"), together("plus", "sum"), value)
	}, e)
	c := t.args((&call{}).reads(x.Buffer, gradient.Buffer).writes(to.Buffer).i64(n, count, ceil(count, splits)))
	w.depthwiseArgs(c, x.Dims, gradient.Dims)
	all := c.grid(f, [3]int{t.groups(n), int(splits), 1}, [3]int{group, 1, 1})
	if splits > 1 {
		all = append(all, join(z, scratch, splits, e)...)
	}
	return all, nil
}

// DepthwiseBackpropFilterScratch returns the memory that [DepthwiseBackpropFilter] needs beside.
func DepthwiseBackpropFilterScratch(z, x, gradient Array, w Window) Array {
	e, err := w.checkDepthwise(x, gradient, z)
	if err != nil || z.Elements() == 0 || x.Elements() == 0 {
		return none
	}
	if _, splits, _ := pixelFolds(z.Elements(), gradient); splits > 1 {
		return Array{Type: computed[e.compute], Dims: []int64{splits * z.Elements()}}
	}
	return none
}

// pixelFolds returns how n folds over the pixels of an array are shared out.
func pixelFolds(n int64, of Array) (t team, splits, count int64) {
	count, _ = rows(of)
	t = acrossRows(n)
	return t, t.splits(n, count), count
}

// checkDepthwise reports whether shapes are those of a depthwise convolution.
func (w Window) checkDepthwise(images, made, filter Array) (element, error) {
	e, err := floating(images.Type)
	if err != nil || images.Elements() == 0 {
		return e, err
	}
	if err := w.fits(images, made); err != nil {
		return e, err
	}
	if f := filter.Dims; len(f) != 4 || f[0] != w.Size[0] || f[1] != w.Size[1] || f[2] != images.Dims[3] || f[2]*f[3] != made.Dims[3] {
		return e, mistake("a filter %v of channels of %v, of which windows %+v make %v", f, images.Dims, w, made.Dims)
	}
	return e, nil
}
