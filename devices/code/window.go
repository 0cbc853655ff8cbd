package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

// A Window is how a convolution or a pool goes over images: height first, then width.
type Window struct {
	Size     [2]int64
	Strides  [2]int64
	Dilation [2]int64 // 1 is none
	Before   [2]int64 // what is padded above and to the left
}

// windowParameters are what [Window.args] gives: the shapes of images and of what is
// made of them, and the window's own.
const windowParameters = "i64 n, i64 batch, i64 height, i64 width, i64 channels, i64 rows, i64 columns, i64 features, i64 kh, i64 kw, i64 sy, i64 sx, i64 dy, i64 dx, i64 top, i64 left"

// args tells a function of images and of what windows make of them, both of shape
// [batch, height, width, channels].
func (w Window) args(c *call, n int64, images, made Array) {
	c.i64(n).i64(images.Dims...).i64(made.Dims[1:]...).i64(w.Size[:]...).i64(w.Strides[:]...).i64(w.Dilation[:]...).i64(w.Before[:]...)
}

// fits says whether four dimensions are what a window needs.
func (w Window) fits(images, made Array) error {
	if len(images.Dims) != 4 || len(made.Dims) != 4 || images.Dims[0] != made.Dims[0] || images.Elements() == 0 ||
		min(w.Size[0], w.Size[1], w.Strides[0], w.Strides[1], w.Dilation[0], w.Dilation[1]) < 1 {
		return mistake("windows %+v over %v do not make %v", w, images.Dims, made.Dims)
	}
	return nil
}

// windowed makes a function whose threads each compute one element of an array of
// shape [batch, h, w, c]: body has its place as b, y, x and c, and i.
func windowed(name string, e element, arrays, h, w, c, body string) *devices.Code {
	return function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
%[8]sKERNEL %[1]s(%[3]s, %[7]s) {
  EACH(i, n) {
    i64 c = i %% %[6]s, rest = i / %[6]s, x = rest %% %[5]s, y = rest / %[5]s %% %[4]s, b = rest / %[5]s / %[4]s;
%[9]s  }
}
`, name, e.compute, arrays, h, w, c, windowParameters, e.extremes(), body)
	}, e)
}

// Conv2D convolves images x with a filter of shape [height, width, channels, features].
func Conv2D(z, x, filter Array, w Window) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := w.fits(x, z); err != nil {
		return nil, err
	}
	f := windowed("conv2d_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL const %[1]s *filter, GLOBAL %[1]s *z", e.stored), "rows", "columns", "features", fmt.Sprintf(`    T sum = (T)0;
    for (i64 ky = 0; ky < kh; ky++) {
      i64 iy = y * sy + ky * dy - top;
      if (iy < 0 || iy >= height) continue;
      for (i64 kx = 0; kx < kw; kx++) {
        i64 ix = x * sx + kx * dx - left, at, from;
        if (ix < 0 || ix >= width) continue;
        at = ((b * height + iy) * width + ix) * channels;
        from = (ky * kw + kx) * channels * features + c;
        for (i64 k = 0; k < channels; k++) sum += %s * %s;
      }
    }
    z[i] = %s;
`, e.load("in[at + k]"), e.load("filter[from + k * features]"), e.store("sum")))
	c := (&call{}).reads(x.Buffer, filter.Buffer).writes(z.Buffer)
	w.args(c, z.Elements(), x, z)
	return c.flat(f, z.Elements()), nil
}

// Conv2DBackpropInput computes the gradient of the images from that of what a
// convolution made of them.
func Conv2DBackpropInput(z, filter, gradient Array, w Window) ([]devices.Launch, error) {
	e, err := floating(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := w.fits(z, gradient); err != nil {
		return nil, err
	}
	f := windowed("conv2dinput_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *filter, GLOBAL const %[1]s *gradient, GLOBAL %[1]s *z", e.stored), "height", "width", "channels", fmt.Sprintf(`    T sum = (T)0;
    for (i64 ky = 0; ky < kh; ky++) {
      i64 oy = y + top - ky * dy;
      if (oy < 0 || oy %% sy != 0 || oy / sy >= rows) continue;
      for (i64 kx = 0; kx < kw; kx++) {
        i64 ox = x + left - kx * dx, at, from;
        if (ox < 0 || ox %% sx != 0 || ox / sx >= columns) continue;
        at = ((b * rows + oy / sy) * columns + ox / sx) * features;
        from = ((ky * kw + kx) * channels + c) * features;
        for (i64 k = 0; k < features; k++) sum += %s * %s;
      }
    }
    z[i] = %s;
`, e.load("gradient[at + k]"), e.load("filter[from + k]"), e.store("sum")))
	c := (&call{}).reads(filter.Buffer, gradient.Buffer).writes(z.Buffer)
	w.args(c, z.Elements(), z, gradient)
	return c.flat(f, z.Elements()), nil
}

// Conv2DBackpropFilter computes the gradient of the filter. A group of threads sums up
// each element.
func Conv2DBackpropFilter(z, x, gradient Array, w Window) ([]devices.Launch, error) {
	e, err := floating(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := w.fits(x, gradient); err != nil {
		return nil, err
	}
	name := "conv2dfilter_" + e.name
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
#define TEAM %[3]d
HELPER T plus(T a, T b) { return a + b; }
KERNEL %[1]s(GLOBAL const %[4]s *in, GLOBAL const %[4]s *gradient, GLOBAL %[4]s *z, %[5]s) {
  LOCAL T parts[TEAM];
  i32 me = THREAD(0);
  for (i64 i = GROUP(0); i < n; i += GROUPS(0)) {
    i64 feature = i %% features, rest = i / features, c = rest %% channels, kx = rest / channels %% kw, ky = rest / channels / kw;
    T sum = (T)0;
    for (i64 j = me; j < batch * rows * columns; j += TEAM) {
      i64 ix = j %% columns * sx + kx * dx - left, iy = j / columns %% rows * sy + ky * dy - top, b = j / columns / rows;
      if (ix < 0 || ix >= width || iy < 0 || iy >= height) continue;
      sum += %[6]s * %[7]s;
    }
%[8]s    if (me == 0) z[i] = %[9]s;
  }
}
`, name, e.compute, team, e.stored, windowParameters, e.load("in[((b * height + iy) * width + ix) * channels + c]"),
			e.load("gradient[j * features + feature]"), teamwork("plus", "sum"), e.store("sum"))
	}, e)
	c := (&call{}).reads(x.Buffer, gradient.Buffer).writes(z.Buffer)
	w.args(c, z.Elements(), x, gradient)
	return c.grid(f, [3]int{int(min(z.Elements(), mostGroups)), 1, 1}, [3]int{team, 1, 1}), nil
}

// Pool takes the largest element of each window, or the average of those that are in
// the image.
func Pool(z, x Array, w Window, average bool) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := w.fits(x, z); err != nil {
		return nil, err
	}
	name, begin, join, result := "maxpool_"+e.name, "LOWEST", "if (v != v || v > a) a = v;", "a"
	if average {
		name, begin, join, result = "avgpool_"+e.name, "(T)0", "a += v;", "a / (T)count"
	}
	f := windowed(name, e, fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL %[1]s *z", e.stored), "rows", "columns", "channels", fmt.Sprintf(`    T a = %s;
    i64 count = 0;
    for (i64 ky = 0; ky < kh; ky++) {
      i64 iy = y * sy + ky - top;
      if (iy < 0 || iy >= height) continue;
      for (i64 kx = 0; kx < kw; kx++) {
        i64 ix = x * sx + kx - left;
        T v;
        if (ix < 0 || ix >= width) continue;
        v = %s;
        count++;
        %s
      }
    }
    z[i] = %s;
`, begin, e.load("in[((b * height + iy) * width + ix) * channels + c]"), join, e.store(result)))
	c := (&call{}).reads(x.Buffer).writes(z.Buffer)
	w.args(c, z.Elements(), x, z)
	return c.flat(f, z.Elements()), nil
}

// PoolGrad computes the gradient of a pool's images from that of what it made. Of a
// largest element that is there several times, the first gets it.
func PoolGrad(z, x, gradient Array, w Window, average bool) ([]devices.Launch, error) {
	e, err := floating(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := w.fits(z, gradient); err != nil {
		return nil, err
	}
	arrays := fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL const %[1]s *gradient, GLOBAL %[1]s *z", e.stored)
	name, body := "maxpoolgrad_"+e.name, fmt.Sprintf(`        {
          i64 best = -1;
          T most = LOWEST;
          for (i64 ky = 0; ky < kh; ky++) {
            i64 iy = oy * sy + ky - top;
            if (iy < 0 || iy >= height) continue;
            for (i64 kx = 0; kx < kw; kx++) {
              i64 ix = ox * sx + kx - left;
              T v;
              if (ix < 0 || ix >= width) continue;
              v = %s;
              if (best < 0 || v > most) { most = v; best = iy * width + ix; }
            }
          }
          if (best == y * width + x) sum += g;
        }
`, e.load("in[((b * height + iy) * width + ix) * channels + c]"))
	if average {
		arrays = strings.TrimPrefix(arrays, fmt.Sprintf("GLOBAL const %s *in, ", e.stored))
		name, body = "avgpoolgrad_"+e.name, `        {
          i64 y0 = oy * sy - top, x0 = ox * sx - left, y1 = y0 + kh, x1 = x0 + kw;
          if (y0 < 0) y0 = 0;
          if (x0 < 0) x0 = 0;
          if (y1 > height) y1 = height;
          if (x1 > width) x1 = width;
          sum += g / (T)((y1 - y0) * (x1 - x0));
        }
`
	}
	f := windowed(name, e, arrays, "height", "width", "channels", fmt.Sprintf(`    T sum = (T)0;
    for (i64 ky = 0; ky < kh; ky++) {
      i64 oy = y + top - ky;
      if (oy < 0 || oy %% sy != 0 || oy / sy >= rows) continue;
      oy /= sy;
      for (i64 kx = 0; kx < kw; kx++) {
        i64 ox = x + left - kx;
        T g;
        if (ox < 0 || ox %% sx != 0 || ox / sx >= columns) continue;
        ox /= sx;
        g = %s;
%s      }
    }
    z[i] = %s;
`, e.load("gradient[((b * rows + oy) * columns + ox) * channels + c]"), body, e.store("sum")))
	c := &call{}
	if !average {
		c.reads(x.Buffer)
	}
	c.reads(gradient.Buffer).writes(z.Buffer)
	w.args(c, z.Elements(), z, gradient)
	return c.flat(f, z.Elements()), nil
}
