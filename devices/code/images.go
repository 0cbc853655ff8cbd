package code

import (
	"fmt"

	"github.com/troupe-go/troupe/devices"
)

// Functions of pixels.

// hues turn red, green and blue into hue, saturation and value, and back.
const hues = `HELPER void to_hsv(T r, T g, T b, T *o) {
  T v = r > g ? (r > b ? r : b) : (g > b ? g : b), least = r < g ? (r < b ? r : b) : (g < b ? g : b), span = v - least, h = (T)0, norm;
  o[1] = v > (T)0 ? span / v : (T)0; o[2] = v;
  if (span > (T)0) {
    norm = (T)1 / ((T)6 * span);
    if (v == r) h = norm * (g - b); else if (v == g) h = norm * (b - r) + (T)2 / (T)6; else h = norm * (r - g) + (T)4 / (T)6;
    if (h < (T)0) h += (T)1;
  }
  o[0] = h;
}
HELPER T part(T x, T s, T v) { x = x < (T)0 ? (T)0 : x > (T)1 ? (T)1 : x; return ((T)1 - s + s * x) * v; }
HELPER void to_rgb(T h, T s, T v, T *o) {
  h *= (T)6;
  o[0] = part(fabs(h - (T)3) - (T)1, s, v); o[1] = part((T)2 - fabs(h - (T)2), s, v); o[2] = part((T)2 - fabs(h - (T)4), s, v);
}
`

// Colors changes pixels of three components: RGBToHSV or HSVToRGB, or, of red, green and blue,
// AdjustHue or AdjustSaturation by an array of one element.
func Colors(op string, z, x Array, by ...Array) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	body, ok := map[string]string{
		"RGBToHSV":         "to_hsv(a[0], a[1], a[2], o);",
		"HSVToRGB":         "to_rgb(a[0], a[1], a[2], o);",
		"AdjustHue":        "to_hsv(a[0], a[1], a[2], a); a[0] += by; to_rgb(a[0] - floor(a[0]), a[1], a[2], o);",
		"AdjustSaturation": "to_hsv(a[0], a[1], a[2], a); a[1] *= by; to_rgb(a[0], a[1] < (T)0 ? (T)0 : a[1] > (T)1 ? (T)1 : a[1], a[2], o);",
	}[op]
	if !ok {
		return nil, mistake("no change of colors %s", op)
	}
	parameter, load := "", ""
	c := (&call{}).reads(x.Buffer)
	if len(by) > 0 {
		parameter, load = fmt.Sprintf("GLOBAL const %s *by_in, ", e.stored), "T by = "+e.load("by_in[0]")+"; "
		c.reads(by[0].Buffer)
	}
	f := helped("colors"+op+"_"+e.name, e, hues, fmt.Sprintf("GLOBAL const %[1]s *x, %[2]sGLOBAL %[1]s *z", e.stored, parameter),
		fmt.Sprintf("    T a[3], o[3];\n    %sfor (i32 k = 0; k < 3; k++) a[k] = %s;\n    %s\n    for (i32 k = 0; k < 3; k++) z[3 * i + k] = %s;\n", load, e.load("x[3 * i + k]"), body, e.store("o[k]")))
	return c.writes(z.Buffer).i64(z.Elements()/3).flat(f, z.Elements()/3), nil
}

// Patches puts the windows of volumes into z, each flattened into the channels of a point.
func Patches(z, x Array, v Volume) ([]devices.Launch, error) {
	e, err := elementOf(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := v.fits(x, z, 1); err != nil {
		return nil, err
	}
	f := within("patches_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL %[1]s *z", e.stored), ofMade,
		`    i64 channel = c % channels, tap = c / channels, kx = tap % kw, ky = tap / kw % kh, kz = tap / kw / kh;
    i64 iz = p * sd + kz * dd - front, iy = y * sy + ky * dy - top, ix = x * sx + kx * dx - left;
    z[i] = iz < 0 || iz >= depth || iy < 0 || iy >= height || ix < 0 || ix >= width ? (`+e.stored+")0 : in["+inVolumes+" + channel];\n")
	c := (&call{}).reads(x.Buffer).writes(z.Buffer)
	return v.args(c, z.Elements(), 1, x, z).flat(f, z.Elements()), nil
}

// Dilate takes the largest sum of an element of a window and the filter's, of shape [height,
// width, channels].
func Dilate(z, x, filter Array, v Volume) ([]devices.Launch, error) {
	e, err := elementOf(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := v.fits(x, z, 1); err != nil {
		return nil, err
	}
	f := within("dilate_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL const %[1]s *filter, GLOBAL %[1]s *z", e.stored), ofMade,
		"    T a = LOWEST;\n"+taps("          T v = "+e.load("in["+inVolumes+" + c]")+" + "+e.load("filter[(ky * kw + kx) * channels + c]")+";\n          if (v > a) a = v;\n")+"    z[i] = "+e.store("a")+";\n")
	c := (&call{}).reads(x.Buffer, filter.Buffer).writes(z.Buffer)
	return v.args(c, z.Elements(), 1, x, z).flat(f, z.Elements()), nil
}

// Crop puts parts of images into z, of floats: of image indices[i] that between the corners y0,
// x0, y1, x1 in row i of boxes, as fractions of its size. What is beyond the image is outside.
func Crop(z, x, boxes, indices Array, nearest bool, outside float64) ([]devices.Launch, error) {
	e, err := elementOf(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	name, take := "crop_"+e.name, fmt.Sprintf(`i64 y1 = (i64)ceil(fy), x1 = (i64)ceil(fx);
      f32 ly = fy - floor(fy), lx = fx - floor(fx);
      f32 a = (f32)%s, b = (f32)%s, d = (f32)%s, g = (f32)%s;
      f32 above = a + (b - a) * lx, below = d + (g - d) * lx;
      v = above + (below - above) * ly;`, e.load("x[((image * height + y0) * width + x0) * channels + c]"), e.load("x[((image * height + y0) * width + x1) * channels + c]"),
		e.load("x[((image * height + y1) * width + x0) * channels + c]"), e.load("x[((image * height + y1) * width + x1) * channels + c]"))
	round := "floor(%[1]s)"
	if nearest {
		name, take, round = name+"_nearest", "v = (f32)"+e.load("x[((image * height + y0) * width + x0) * channels + c]")+";", "floor(%[1]s + 0.5f)"
	}
	at := func(v string) string { return fmt.Sprintf(round, v) }
	f := typed(name, e, fmt.Sprintf("GLOBAL const %s *x, GLOBAL const f32 *boxes, GLOBAL const i32 *indices, GLOBAL f32 *z, f32 outside, i64 images, i64 height, i64 width, i64 channels, i64 rows, i64 columns", e.stored), `    i64 c = i % channels, col = i / channels % columns, row = i / channels / columns % rows, n = i / channels / columns / rows, image = (i64)indices[n];
    f32 lo = boxes[4 * n], hi = boxes[4 * n + 2], left = boxes[4 * n + 1], right = boxes[4 * n + 3], v = outside;
    f32 fy = rows > 1 ? lo * (f32)(height - 1) + (f32)row * ((hi - lo) * (f32)(height - 1) / (f32)(rows - 1)) : 0.5f * (lo + hi) * (f32)(height - 1);
    f32 fx = columns > 1 ? left * (f32)(width - 1) + (f32)col * ((right - left) * (f32)(width - 1) / (f32)(columns - 1)) : 0.5f * (left + right) * (f32)(width - 1);
    if (image >= 0 && image < images && fy >= 0.0f && fy <= (f32)(height - 1) && fx >= 0.0f && fx <= (f32)(width - 1)) {
      i64 y0 = (i64)`+at("fy")+", x0 = (i64)"+at("fx")+";\n      "+take+"\n    }\n    z[i] = v;\n")
	c := (&call{}).reads(x.Buffer, boxes.Buffer, indices.Buffer).writes(z.Buffer).f32(outside)
	return c.i64(x.Dims...).i64(z.Dims[1], z.Dims[2], z.Elements()).flat(f, z.Elements()), nil
}

// A Quantization is how floats are rounded to the numbers that integers of some bits stand for:
// least and most are the integers. low and high are the range, of each channel or of all.
type Quantization struct {
	Least, Most float64
	Divides     bool // by the scale, not multiplied by its inverse
}

// nudge declares the range of channel k, nudged so that zero is among the numbers.
const nudge = `    f32 lo = low[k], hi = high[k], scale = (hi - lo) / (most - least), inverse = (most - least) / (hi - lo), zero = least - lo / scale, from, to;
    i32 none = lo == 0.0f && hi == 0.0f;
    zero = zero < least ? least : zero > most ? most : floor(zero + 0.5f);
    from = (least - zero) * scale; to = (most - zero) * scale;
`

// FakeQuantize rounds floats.
func FakeQuantize(z, x, low, high Array, q Quantization) ([]devices.Launch, error) {
	if z.Elements() == 0 {
		return nil, nil
	}
	name, steps := "fakequantize", "(%s) * inverse"
	if q.Divides {
		name, steps = "fakequantizedivides", "(%s) / scale"
	}
	at := func(v string) string { return fmt.Sprintf(steps, v) }
	f := perElement(name, "GLOBAL const f32 *x, GLOBAL const f32 *low, GLOBAL const f32 *high, GLOBAL f32 *z, f32 least, f32 most, i64 channels",
		"    i64 k = i % channels;\n"+nudge+`    if (none) {
      z[i] = 0.0f;
    } else {
      f32 v = x[i], s;
      v = v > to ? to : v; v = v < from ? from : v;
      s = `+at("-from")+";\n      z[i] = floor("+at("v - from")+" - (s < 0.0f ? -floor(-s + 0.5f) : floor(s + 0.5f)) + 0.5f) * scale;\n    }\n")
	return (&call{}).reads(x.Buffer, low.Buffer, high.Buffer).writes(z.Buffer).f32(q.Least, q.Most).i64(low.Elements(), z.Elements()).flat(f, z.Elements()), nil
}

// FakeQuantizeGrad puts the gradient of x into dx: that of what it made, where x is inside the
// range; and what is below, and what is above, into below and above, which have x's shape.
func FakeQuantizeGrad(dx, below, above, gradient, x, low, high Array, q Quantization) ([]devices.Launch, error) {
	if dx.Elements() == 0 {
		return nil, nil
	}
	f := perElement("fakequantizegrad", "GLOBAL const f32 *g, GLOBAL const f32 *x, GLOBAL const f32 *low, GLOBAL const f32 *high, GLOBAL f32 *dx, GLOBAL f32 *below, GLOBAL f32 *above, f32 least, f32 most, i64 channels",
		"    i64 k = i % channels;\n"+nudge+`    i32 inside = none || (x[i] >= from && x[i] <= to);
    dx[i] = inside ? g[i] : g[i] * 0.0f;
    below[i] = !inside && x[i] < from ? g[i] : 0.0f;
    above[i] = !inside && x[i] > to ? g[i] : 0.0f;
`)
	return (&call{}).reads(gradient.Buffer, x.Buffer, low.Buffer, high.Buffer).writes(dx.Buffer, below.Buffer, above.Buffer).
		f32(q.Least, q.Most).i64(low.Elements(), dx.Elements()).flat(f, dx.Elements()), nil
}
