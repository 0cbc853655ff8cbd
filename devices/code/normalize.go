package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/tensor"
)

// A channelwise is a fold for each channel, the last dimension of images, over rows.
type channelwise struct {
	rows, channels int64
	team           team
	splits         int64
}

func channelsOf(x Array) channelwise {
	n, count := rows(x)
	t := acrossRows(count)
	return channelwise{n, count, t, t.splits(count, n)}
}

// scratch is memory for the parts of two folds.
func (c channelwise) scratch() Array {
	return Array{Type: tensor.Float, Dims: []int64{2, c.splits, c.channels}}
}

// perChannel makes a function whose teams have one channel each, i, of a part of the rows,
// from begin to end: body has folds to make, and puts what it has at part, of two, in parts.
func perChannel(name string, reach int64, e element, arrays, body string) *devices.Code {
	return indexed(name, reach, func(name string, b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
HELPER T plus(T a, T b) { return a + b; }
KERNEL_OF(256, 4) %[1]s(%[3]s, GLOBAL f32 *found, i64 rows, i64 channels, i64 share, f32 epsilon%[4]s) {
%[5]s  I begin = (I)GROUP(1) * (I)share, end = begin + (I)share < (I)rows ? begin + (I)share : (I)rows;
  for (I first = (I)GROUP(0) * folds; first < channels; first += (I)GROUPS(0) * folds) {
    I i = first + fold < (I)channels ? first + fold : (I)channels - 1;
    I part = (I)GROUP(1) * (I)channels + i, next = (I)GROUPS(1) * (I)channels;
%[6]s  }
}
`, name, e.compute, arrays, teamParameters, teamBegin, body)
	}, e)
}

// each is a loop of a team over the rows of its channel, at j.
const each = "#pragma unroll 4\n    for (I row = begin + lane; row < end; row += lanes) { I j = row * (I)channels + i; "

// launch launches such a function.
func (c channelwise) launch(l *call, f *devices.Code, epsilon float64) []devices.Launch {
	c.team.args(l.i64(c.rows, c.channels, ceil(c.rows, c.splits)).f32(epsilon))
	return l.grid(f, [3]int{c.team.groups(c.channels), int(c.splits), 1}, [3]int{group, 1, 1})
}

// Moments puts the mean of each channel, the last dimension of x, and its variance
// into arrays of type float. Scratch is what [MomentsScratch] says.
//
// Each part of the rows has its mean, and its squares' sum about that; two of them make
// those of both together by T. Chan, G. Golub, R. LeVeque: "Updating Formulae and a
// Pairwise Algorithm for Computing Sample Variances", 1979.
func Moments(mean, variance, x, scratch Array) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil {
		return nil, err
	}
	c := channelsOf(x)
	if c.rows*c.channels == 0 {
		return nil, nil
	}
	v := e.load("x[j]")
	f := perChannel("moments_"+e.name, x.Elements(), e, fmt.Sprintf("GLOBAL const %s *x", e.stored),
		"    T m = (T)0, s = (T)0;\n"+each+"m += "+v+"; }\n"+together("plus", "m")+"    m /= (T)(end - begin);\n"+
			each+"T d = "+v+" - m; s += d * d; }\n"+together("plus", "s")+
			"    if (lane == 0 && first + fold < channels) { found[part] = (f32)m; found[next + part] = (f32)s; }\n")
	all := c.launch((&call{}).reads(x.Buffer).writes(scratch.Buffer), f, 0)
	merge := function("moments_merge", func(b *strings.Builder) {
		b.WriteString(`KERNEL moments_merge(GLOBAL const f32 *found, GLOBAL f32 *mean, GLOBAL f32 *variance, i64 channels, i64 splits, i64 rows, i64 share) {
  EACH(i, channels) {
    f32 m = found[i], s = found[splits * channels + i], count = (f32)(share < rows ? share : rows);
    for (i64 p = 1; p < splits; p++) {
      f32 more = (f32)(share < rows - p * share ? share : rows - p * share), d = found[p * channels + i] - m;
      if (more <= 0.0f) break;
      m += d * (more / (count + more));
      s += found[(splits + p) * channels + i] + d * d * (count * more / (count + more));
      count += more;
    }
    mean[i] = m;
    variance[i] = s / count;
  }
}
`)
	})
	return append(all, (&call{}).reads(scratch.Buffer).writes(mean.Buffer, variance.Buffer).
		i64(c.channels, c.splits, c.rows, ceil(c.rows, c.splits)).flat(merge, c.channels)...), nil
}

// MomentsScratch returns the memory that [Moments] and [NormalizeGrad] need beside, without a
// buffer.
func MomentsScratch(x Array) Array { return channelsOf(x).scratch() }

// Normalize puts (x − mean)·scale/√(variance+ε) + offset into z, with one of each for
// a channel.
func Normalize(z, x, scale, offset, mean, variance Array, epsilon float64) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	name := "normalize_" + e.name
	f := indexed(name, x.Elements(), func(name string, b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
KERNEL %[1]s(GLOBAL const %[3]s *x, GLOBAL const f32 *scale, GLOBAL const f32 *offset, GLOBAL const f32 *mean, GLOBAL const f32 *variance, GLOBAL %[3]s *z, i64 n%[6]s, f32 epsilon) {
  EACH(i, n) {
    I c = i - OVER(i, channels, channels_by) * (I)channels;
    T v = %[4]s;
    z[i] = %[5]s;
  }
}
`, name, e.compute, e.stored, e.load("x[i]"), e.store("(v - (T)mean[c]) * ((T)scale[c] / sqrt((T)variance[c] + (T)epsilon)) + (T)offset[c]"), divisors("channels"))
	}, e)
	_, count := rows(x)
	return (&call{}).reads(x.Buffer, scale.Buffer, offset.Buffer, mean.Buffer, variance.Buffer).writes(z.Buffer).
		i64(z.Elements()).over(count).f32(epsilon).flat(f, z.Elements()), nil
}

// NormalizeGrad computes the gradients of x, scale and offset from that of what
// Normalize made with the moments of x itself, or with moments that were given. Scratch is what [MomentsScratch] says.
func NormalizeGrad(dx, dscale, doffset, dy, x, scale, mean, variance, scratch Array, epsilon float64, given bool) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil {
		return nil, err
	}
	c := channelsOf(x)
	if c.rows*c.channels == 0 {
		return nil, nil
	}
	sums := perChannel("normalizegrad_"+e.name, x.Elements(), e,
		fmt.Sprintf("GLOBAL const %[1]s *dy, GLOBAL const %[1]s *x, GLOBAL const f32 *mean, GLOBAL const f32 *variance", e.stored),
		"    T m = (T)mean[i], r = (T)1 / sqrt((T)variance[i] + (T)epsilon), s = (T)0, o = (T)0;\n"+
			each+"T g = "+e.load("dy[j]")+"; o += g; s += g * (("+e.load("x[j]")+" - m) * r); }\n"+together("plus", "o")+together("plus", "s")+
			"    if (lane == 0 && first + fold < channels) { found[part] = (f32)o; found[next + part] = (f32)s; }\n")
	all := c.launch((&call{}).reads(dy.Buffer, x.Buffer, mean.Buffer, variance.Buffer).writes(scratch.Buffer), sums, epsilon)
	total := function("normalizegrad_total", func(b *strings.Builder) {
		b.WriteString(`KERNEL normalizegrad_total(GLOBAL const f32 *found, GLOBAL f32 *doffset, GLOBAL f32 *dscale, i64 channels, i64 splits) {
  EACH(i, channels) {
    f32 o = (f32)0, s = (f32)0;
    for (i64 p = 0; p < splits; p++) { o += found[p * channels + i]; s += found[(splits + p) * channels + i]; }
    doffset[i] = o;
    dscale[i] = s;
  }
}
`)
	})
	all = append(all, (&call{}).reads(scratch.Buffer).writes(doffset.Buffer, dscale.Buffer).i64(c.channels, c.splits).flat(total, c.channels)...)
	name, of := "normalizegrad_spread_", " - (T)doffset[i] / (T)rows - hat * (T)dscale[i] / (T)rows"
	if given {
		name, of = "normalizegradgiven_spread_", " + (T)0 * hat"
	}
	spread := indexed(name+e.name, x.Elements(), func(name string, b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
KERNEL %[1]s(GLOBAL const %[3]s *dy, GLOBAL const %[3]s *x, GLOBAL const f32 *scale, GLOBAL const f32 *mean, GLOBAL const f32 *variance, GLOBAL const f32 *dscale, GLOBAL const f32 *doffset, GLOBAL %[3]s *dx, i64 n, i64 rows%[4]s, f32 epsilon) {
  EACH(j, n) {
    I i = j - OVER(j, channels, channels_by) * (I)channels;
    T r = (T)1 / sqrt((T)variance[i] + (T)epsilon), hat = (%[5]s - (T)mean[i]) * r;
    dx[j] = %[6]s;
  }
}
`, name, e.compute, e.stored, divisors("channels"), e.load("x[j]"), e.store("(T)scale[i] * r * ("+e.load("dy[j]")+of+")"))
	}, e)
	return append(all, (&call{}).reads(dy.Buffer, x.Buffer, scale.Buffer, mean.Buffer, variance.Buffer, dscale.Buffer, doffset.Buffer).writes(dx.Buffer).
		i64(x.Elements(), c.rows).over(c.channels).f32(epsilon).flat(spread, x.Elements())...), nil
}

// Average puts (1 − factor)·old + factor·fresh into z, all of type float.
func Average(z, old, fresh Array, factor float64) ([]devices.Launch, error) {
	e := elements[tensor.Float]
	f := typed("average", e, "GLOBAL const f32 *old, GLOBAL const f32 *fresh, GLOBAL f32 *z, f32 factor", "    z[i] = (1.0f - factor) * old[i] + factor * fresh[i];\n")
	if z.Elements() == 0 {
		return nil, nil
	}
	return (&call{}).reads(old.Buffer, fresh.Buffer).writes(z.Buffer).f32(factor).i64(z.Elements()).flat(f, z.Elements()), nil
}
