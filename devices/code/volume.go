package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

// Windows over volumes, arrays of shape [batch, depth, height, width, channels]. Images are
// volumes of depth 1, so convolutions of images in groups, or of each channel on its own,
// are here, too; those of images whose channels are one group are in window.go.

// A Volume is how a convolution or a pool goes over volumes: depth, height, width.
type Volume struct {
	Size, Strides, Dilation [3]int64
	Before                  [3]int64 // what is padded before each dimension
}

const volumeParameters = "i64 n, i64 batch, i64 depth, i64 height, i64 width, i64 channels, i64 planes, i64 rows, i64 columns, i64 features, i64 groups, " +
	"i64 kd, i64 kh, i64 kw, i64 sd, i64 sy, i64 sx, i64 dd, i64 dy, i64 dx, i64 front, i64 top, i64 left"

func (v Volume) args(c *call, n, groups int64, volumes, made Array) *call {
	return c.i64(n).i64(volumes.Dims...).i64(made.Dims[1:]...).i64(groups).i64(v.Size[:]...).i64(v.Strides[:]...).i64(v.Dilation[:]...).i64(v.Before[:]...)
}

func (v Volume) fits(volumes, made Array, groups int64) error {
	ok := len(volumes.Dims) == 5 && len(made.Dims) == 5 && volumes.Dims[0] == made.Dims[0] && groups > 0 &&
		volumes.Dims[4]%groups == 0 && made.Dims[4]%groups == 0
	for i := range 3 {
		ok = ok && min(v.Size[i], v.Strides[i], v.Dilation[i]) > 0
	}
	if !ok {
		return mistake("windows %+v in %d groups over %v do not make %v", v, groups, volumes.Dims, made.Dims)
	}
	return nil
}

// within makes a function whose threads each compute one element of the volumes, or of what
// is made of them: body has its place as b, p, y, x and c, and i.
func within(name string, e element, arrays string, dims [4]string, body string) *devices.Code {
	return function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
%[9]sKERNEL %[1]s(%[3]s, %[8]s) {
  EACH(i, n) {
    i64 c = i %% %[7]s, rest = i / %[7]s, x = rest %% %[6]s, y = rest / %[6]s %% %[5]s, p = rest / %[6]s / %[5]s %% %[4]s, b = rest / %[6]s / %[5]s / %[4]s;
%[10]s  }
}
`, name, e.compute, arrays, dims[0], dims[1], dims[2], dims[3], volumeParameters, e.extremes(), body)
	}, e)
}

var (
	ofVolumes = [4]string{"depth", "height", "width", "channels"}
	ofMade    = [4]string{"planes", "rows", "columns", "features"}
)

// taps returns a loop over the elements of the volumes that the window of an element of what is
// made has: each is at iz, iy, ix, and its tap at kz, ky, kx.
func taps(body string) string {
	return `    for (i64 kz = 0; kz < kd; kz++) {
      i64 iz = p * sd + kz * dd - front;
      if (iz < 0 || iz >= depth) continue;
      for (i64 ky = 0; ky < kh; ky++) {
        i64 iy = y * sy + ky * dy - top;
        if (iy < 0 || iy >= height) continue;
        for (i64 kx = 0; kx < kw; kx++) {
          i64 ix = x * sx + kx * dx - left;
          if (ix < 0 || ix >= width) continue;
` + body + `        }
      }
    }
`
}

// reached returns a loop over the elements of what is made whose windows have an element of the
// volumes: each is at oz, oy, ox, and the tap at kz, ky, kx.
func reached(body string) string {
	return `    for (i64 kz = 0; kz < kd; kz++) {
      i64 oz = p + front - kz * dd;
      if (oz < 0 || oz % sd != 0 || oz / sd >= planes) continue;
      oz /= sd;
      for (i64 ky = 0; ky < kh; ky++) {
        i64 oy = y + top - ky * dy;
        if (oy < 0 || oy % sy != 0 || oy / sy >= rows) continue;
        oy /= sy;
        for (i64 kx = 0; kx < kw; kx++) {
          i64 ox = x + left - kx * dx;
          if (ox < 0 || ox % sx != 0 || ox / sx >= columns) continue;
          ox /= sx;
` + body + `        }
      }
    }
`
}

const (
	inVolumes = "(((b * depth + iz) * height + iy) * width + ix) * channels"
	inMade    = "(((b * planes + oz) * rows + oy) * columns + ox) * features"
)

// Convolve convolves volumes x with a filter of shape [depth, height, width,
// channels/groups, features]: each group of channels makes a group of features.
func Convolve(z, x, filter Array, v Volume, groups int64) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := v.fits(x, z, groups); err != nil {
		return nil, err
	}
	f := within("convolve_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL const %[1]s *filter, GLOBAL %[1]s *z", e.stored), ofMade,
		"    i64 per = channels / groups, first = c / (features / groups) * per;\n    T sum = (T)0;\n"+
			taps(fmt.Sprintf(`          {
            i64 at = %s + first, from = ((kz * kh + ky) * kw + kx) * per * features + c;
            for (i64 k = 0; k < per; k++) sum += %s * %s;
          }
`, inVolumes, e.load("in[at + k]"), e.load("filter[from + k * features]")))+
			"    z[i] = "+e.store("sum")+";\n")
	c := (&call{}).reads(x.Buffer, filter.Buffer).writes(z.Buffer)
	return v.args(c, z.Elements(), groups, x, z).flat(f, z.Elements()), nil
}

// ConvolveInput computes the gradient of the volumes from that of what [Convolve] made.
func ConvolveInput(z, filter, gradient Array, v Volume, groups int64) ([]devices.Launch, error) {
	e, err := floating(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := v.fits(z, gradient, groups); err != nil {
		return nil, err
	}
	f := within("convolveinput_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *filter, GLOBAL const %[1]s *gradient, GLOBAL %[1]s *z", e.stored), ofVolumes,
		"    i64 per = channels / groups, made = features / groups, first = c / per * made;\n    T sum = (T)0;\n"+
			reached(fmt.Sprintf(`          {
            i64 at = %s + first, from = (((kz * kh + ky) * kw + kx) * per + c %% per) * features + first;
            for (i64 k = 0; k < made; k++) sum += %s * %s;
          }
`, inMade, e.load("gradient[at + k]"), e.load("filter[from + k]")))+
			"    z[i] = "+e.store("sum")+";\n")
	c := (&call{}).reads(filter.Buffer, gradient.Buffer).writes(z.Buffer)
	return v.args(c, z.Elements(), groups, z, gradient).flat(f, z.Elements()), nil
}

// ConvolveFilter computes the gradient of the filter. A group of threads sums up each element.
func ConvolveFilter(z, x, gradient Array, v Volume, groups int64) ([]devices.Launch, error) {
	e, err := floating(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := v.fits(x, gradient, groups); err != nil {
		return nil, err
	}
	name := "convolvefilter_" + e.name
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
#define TEAM %[3]d
HELPER T plus(T a, T b) { return a + b; }
KERNEL %[1]s(GLOBAL const %[4]s *in, GLOBAL const %[4]s *gradient, GLOBAL %[4]s *z, %[5]s) {
  LOCAL T parts[TEAM];
  i32 me = THREAD(0);
  i64 per = channels / groups;
  for (i64 i = GROUP(0); i < n; i += GROUPS(0)) {
    i64 feature = i %% features, rest = i / features, c = rest %% per + feature / (features / groups) * per;
    i64 kx = rest / per %% kw, ky = rest / per / kw %% kh, kz = rest / per / kw / kh;
    T sum = (T)0;
    for (i64 j = me; j < batch * planes * rows * columns; j += TEAM) {
      i64 ix = j %% columns * sx + kx * dx - left, iy = j / columns %% rows * sy + ky * dy - top;
      i64 iz = j / columns / rows %% planes * sd + kz * dd - front, b = j / columns / rows / planes;
      if (ix < 0 || ix >= width || iy < 0 || iy >= height || iz < 0 || iz >= depth) continue;
      sum += %[6]s * %[7]s;
    }
%[8]s    if (me == 0) z[i] = %[9]s;
  }
}
`, name, e.compute, teamSize, e.stored, volumeParameters, e.load("in["+inVolumes+" + c]"), e.load("gradient[j * features + feature]"), teamwork("plus", "sum"), e.store("sum"))
	}, e)
	c := (&call{}).reads(x.Buffer, gradient.Buffer).writes(z.Buffer)
	return v.args(c, z.Elements(), groups, x, gradient).grid(f, [3]int{int(min(z.Elements(), mostGroups)), 1, 1}, [3]int{teamSize, 1, 1}), nil
}

// best returns a loop over a window that finds its first largest element, a, at the place best of
// the volumes: -1 if there is none.
func best(e element) string {
	return "    i64 best = -1;\n    T a = LOWEST;\n" + taps(fmt.Sprintf(`          {
            i64 at = %s + c;
            T v = %s;
            if (best < 0 || v > a) { a = v; best = at; }
          }
`, inVolumes, e.load("in[at]")))
}

// PoolVolume takes the largest element of each window, or the average of those that are in
// the volume.
func PoolVolume(z, x Array, v Volume, average bool) ([]devices.Launch, error) {
	e, err := elementOf(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := v.fits(x, z, 1); err != nil {
		return nil, err
	}
	name, body := "maxpoolvolume_"+e.name, "    T a = LOWEST;\n"+taps("          T v = "+e.load("in["+inVolumes+" + c]")+";\n          if (v > a) a = v;\n")+"    z[i] = "+e.store("a")+";\n"
	if average {
		name, body = "avgpoolvolume_"+e.name, "    T a = (T)0;\n    i64 count = 0;\n"+
			taps("          a += "+e.load("in["+inVolumes+" + c]")+";\n          count++;\n")+"    z[i] = "+e.store("a / (T)count")+";\n"
	}
	f := within(name, e, fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL %[1]s *z", e.stored), ofMade, body)
	c := (&call{}).reads(x.Buffer).writes(z.Buffer)
	return v.args(c, z.Elements(), 1, x, z).flat(f, z.Elements()), nil
}

// PoolArgMax returns the largest element of each window, and where in the volumes it is, counted
// from the first of its example, or of all.
func PoolArgMax(z, at, x Array, v Volume, all bool) ([]devices.Launch, error) {
	e, err := elementOf(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	index, err := elementOf(at.Type)
	if err == nil {
		err = v.fits(x, z, 1)
	}
	if err != nil {
		return nil, err
	}
	name, place := "poolargmax_"+e.name+"_"+index.name, "best - b * depth * height * width * channels"
	if all {
		name, place = name+"_all", "best"
	}
	f := within(name, e, fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL %[1]s *z, GLOBAL %[2]s *place", e.stored, index.stored), ofMade,
		best(e)+"    z[i] = "+e.store("a")+";\n    place[i] = ("+index.stored+")("+place+");\n")
	c := (&call{}).reads(x.Buffer).writes(z.Buffer, at.Buffer)
	return v.args(c, z.Elements(), 1, x, z).flat(f, z.Elements()), nil
}

// PoolPick puts the elements of y, which has x's shape, into z that are where the largest
// elements of x's windows are.
func PoolPick(z, x, y Array, v Volume) ([]devices.Launch, error) {
	e, err := elementOf(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := v.fits(x, z, 1); err != nil {
		return nil, err
	}
	f := within("poolpick_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL const %[1]s *y_in, GLOBAL %[1]s *z", e.stored), ofMade,
		best(e)+"    z[i] = best < 0 ? ("+e.stored+")0 : y_in[best];\n")
	c := (&call{}).reads(x.Buffer, y.Buffer).writes(z.Buffer)
	return v.args(c, z.Elements(), 1, x, z).flat(f, z.Elements()), nil
}

// PoolVolumeGrad computes the gradient of a pool's volumes from that of what it made. All
// elements of a window that are as large as the largest get its gradient; made is unused for
// averages.
func PoolVolumeGrad(z, x, made, gradient Array, v Volume, average bool) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if err := v.fits(z, gradient, 1); err != nil {
		return nil, err
	}
	g := e.load("gradient[" + inMade + " + c]")
	if average {
		count := func(k, s, before, o, limit string) string {
			return fmt.Sprintf("            i64 %[1]s0 = %[4]s * %[2]s - %[3]s, %[1]s1 = %[1]s0 + %[1]s;\n            if (%[1]s0 < 0) %[1]s0 = 0;\n            if (%[1]s1 > %[5]s) %[1]s1 = %[5]s;\n", k, s, before, o, limit)
		}
		f := within("avgpoolvolumegrad_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *gradient, GLOBAL %[1]s *z", e.stored), ofVolumes,
			"    T sum = (T)0;\n"+reached("          {\n"+count("kd", "sd", "front", "oz", "depth")+count("kh", "sy", "top", "oy", "height")+count("kw", "sx", "left", "ox", "width")+
				"            sum += "+g+" / (T)((kd1 - kd0) * (kh1 - kh0) * (kw1 - kw0));\n          }\n")+"    z[i] = "+e.store("sum")+";\n")
		c := (&call{}).reads(gradient.Buffer).writes(z.Buffer)
		return v.args(c, z.Elements(), 1, z, gradient).flat(f, z.Elements()), nil
	}
	f := within("maxpoolvolumegrad_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *in, GLOBAL const %[1]s *made, GLOBAL const %[1]s *gradient, GLOBAL %[1]s *z", e.stored), ofVolumes,
		"    T v = "+e.load("in[i]")+", sum = (T)0;\n"+reached("          if ("+e.load("made["+inMade+" + c]")+" == v) sum += "+g+";\n")+"    z[i] = "+e.store("sum")+";\n")
	c := (&call{}).reads(x.Buffer, made.Buffer, gradient.Buffer).writes(z.Buffer)
	return v.args(c, z.Elements(), 1, z, gradient).flat(f, z.Elements()), nil
}
