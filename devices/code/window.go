package code

import (
	"fmt"
	"math"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/tensor"
)

// A Window is how a convolution or a pool goes over images: height first, then width.
type Window struct {
	Size     [2]int64
	Strides  [2]int64
	Dilation [2]int64 // 1 is none
	Before   [2]int64 // what is padded above and to the left
}

// fits reports whether four dimensions are what a window needs.
func (w Window) fits(images, made Array) error {
	if len(images.Dims) != 4 || len(made.Dims) != 4 || images.Dims[0] != made.Dims[0] || images.Elements() == 0 ||
		min(w.Size[0], w.Size[1], w.Strides[0], w.Strides[1], w.Dilation[0], w.Dilation[1]) < 1 {
		return mistake("windows %+v over %v do not make %v", w, images.Dims, made.Dims)
	}
	return nil
}

// poolParameters are what [Window.poolArgs] gives.
var poolParameters = divisors("channels", "columns", "rows", "width", "height", "sy", "sx") + ", i64 kh, i64 kw, i64 top, i64 left"

func (w Window) poolArgs(c *call, images, made []int64) {
	c.over(images[3], made[2], made[1], images[2], images[1], w.Strides[0], w.Strides[1]).i64(w.Size[:]...).i64(w.Before[:]...)
}

// pooled launches a function whose threads each compute one element of what is made of
// images, or of images if they are what is computed: body has its place as b, y, x and c.
func (w Window) pooled(name string, e element, arrays string, c *call, images, made Array, backward bool, body string) []devices.Launch {
	z, across, down := made, "columns", "rows"
	if backward {
		z, across, down = images, "width", "height"
	}
	f := indexed(name+"_"+e.name, reach(images, made), func(name string, b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
%[3]sKERNEL %[1]s(%[4]s, i64 n%[5]s) {
  EACH(i, n) {
    I q = OVER(i, channels, channels_by), c = i - q * (I)channels, r = OVER(q, %[6]s, %[6]s_by), x = q - r * (I)%[6]s, b = OVER(r, %[7]s, %[7]s_by), y = r - b * (I)%[7]s;
%[8]s  }
}
`, name, e.compute, e.extremes(), arrays, poolParameters, across, down, body)
	}, e)
	c.i64(z.Elements())
	w.poolArgs(c, images.Dims, made.Dims)
	return c.flat(f, z.Elements())
}

// inside is a loop over the elements of an image that the window of row y and column x
// has: at iy and ix.
const inside = `    for (I ky = 0; ky < kh; ky++) {
      I iy = y * (I)sy + ky - (I)top;
      if (iy < 0 || iy >= height) continue;
      for (I kx = 0; kx < kw; kx++) {
        I ix = x * (I)sx + kx - (I)left;
        if (ix < 0 || ix >= width) continue;
`

// windowsOver is a loop over the windows that have the element of row y and column x: at oy and
// ox, with their element of what is made at at.
const windowsOver = `    for (I ky = 0; ky < kh; ky++) {
      I ty = y + (I)top - ky, oy;
      if (ty < 0) continue;
      oy = OVER(ty, sy, sy_by);
      if (oy * (I)sy != ty || oy >= rows) continue;
      for (I kx = 0; kx < kw; kx++) {
        I tx = x + (I)left - kx, ox, at;
        if (tx < 0) continue;
        ox = OVER(tx, sx, sx_by);
        if (ox * (I)sx != tx || ox >= columns) continue;
        at = ((b * (I)rows + oy) * (I)columns + ox) * (I)channels + c;
`

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
	name, begin, join, result := "maxpool", "LOWEST", "if (v != v || v > a) a = v;", "a"
	if average {
		name, begin, join, result = "avgpool", "(T)0", "a += v;", "a / (T)count"
	}
	body := fmt.Sprintf("    T a = %s;\n    i32 count = 0;\n%s        T v = %s;\n        count++;\n        %s\n      }\n    }\n    z[i] = %s;\n",
		begin, inside, e.load("in[((b * (I)height + iy) * (I)width + ix) * (I)channels + c]"), join, e.store(result))
	arrays := fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL %[1]s *z", e.stored)
	return w.pooled(name, e, arrays, (&call{}).reads(x.Buffer).writes(z.Buffer), x, z, false, body), nil
}

// AvgPoolGrad computes the gradient of the images of a pool of averages from that of what it
// made.
func AvgPoolGrad(z, gradient Array, w Window) ([]devices.Launch, error) {
	e, err := floating(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := w.fits(z, gradient); err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`    T sum = (T)0;
%s        I y0 = oy * (I)sy - (I)top, x0 = ox * (I)sx - (I)left, y1 = y0 + (I)kh, x1 = x0 + (I)kw;
        if (y0 < 0) y0 = 0;
        if (x0 < 0) x0 = 0;
        if (y1 > height) y1 = (I)height;
        if (x1 > width) x1 = (I)width;
        sum += %s / (T)((y1 - y0) * (x1 - x0));
      }
    }
    z[i] = %s;
`, windowsOver, e.load("gradient[at]"), e.store("sum"))
	arrays := fmt.Sprintf("GLOBAL const %[1]s *gradient, GLOBAL %[1]s *z", e.stored)
	return w.pooled("avgpoolgrad", e, arrays, (&call{}).reads(gradient.Buffer).writes(z.Buffer), z, gradient, true, body), nil
}

// MaxPoolGrad computes the gradient of the images of a pool of largest elements from that
// of what it made. Of a largest element that is there several times, the first gets it.
// Where it is is found first, and put into places, for which [MaxPoolGradScratch] says how
// much memory there must be; then each element adds up what windows have for it.
func MaxPoolGrad(z, x, gradient Array, w Window, places Array) ([]devices.Launch, error) {
	e, err := floating(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := w.fits(z, gradient); err != nil {
		return nil, err
	}
	if places.Elements() != gradient.Elements() || z.Dims[1] > math.MaxInt32/z.Dims[2] {
		return nil, mistake("places %v of the largest elements in %v", places.Dims, z.Dims)
	}
	var all []devices.Launch
	if gradient.Elements() > 0 {
		find := fmt.Sprintf("    T most = LOWEST;\n    i32 best = -1;\n%s        T v = %s;\n        if (best < 0 || v > most) { most = v; best = (i32)(iy * (I)width + ix); }\n      }\n    }\n    places[i] = best;\n",
			inside, e.load("in[((b * (I)height + iy) * (I)width + ix) * (I)channels + c]"))
		arrays := fmt.Sprintf("GLOBAL const %s *in, GLOBAL i32 *places", e.stored)
		all = w.pooled("maxpoolplace", e, arrays, (&call{}).reads(x.Buffer).writes(places.Buffer), z, gradient, false, find)
	}
	body := fmt.Sprintf("    T sum = (T)0;\n    i32 me = (i32)(y * (I)width + x);\n%s        if (places[at] == me) sum += %s;\n      }\n    }\n    z[i] = %s;\n", windowsOver, e.load("gradient[at]"), e.store("sum"))
	arrays := fmt.Sprintf("GLOBAL const i32 *places, GLOBAL const %[1]s *gradient, GLOBAL %[1]s *z", e.stored)
	return append(all, w.pooled("maxpoolgrad", e, arrays, (&call{}).reads(places.Buffer, gradient.Buffer).writes(z.Buffer), z, gradient, true, body)...), nil
}

// MaxPoolGradScratch returns the memory that [MaxPoolGrad] needs beside, without a buffer.
func MaxPoolGradScratch(gradient Array) Array { return Array{Type: tensor.Int32, Dims: gradient.Dims} }
