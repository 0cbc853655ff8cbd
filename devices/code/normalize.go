package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/tensor"
)

// channels is the number of rows of an array that has its channels last, and of
// channels.
func channels(x Array) (n, c int64) { return rows(x) }

// perChannel makes a function whose groups of threads each have one channel, c, of
// rows rows: body has sums to take.
func perChannel(name string, e element, arrays, body string) *devices.Code {
	return function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
#define TEAM %[3]d
HELPER T plus(T a, T b) { return a + b; }
KERNEL %[1]s(%[4]s, i64 rows, i64 channels, f32 epsilon) {
  LOCAL T parts[TEAM];
  i32 me = THREAD(0);
  for (i64 c = GROUP(0); c < channels; c += GROUPS(0)) {
%[5]s  }
}
`, name, e.compute, team, arrays, body)
	}, e)
}

// each is a loop of a group's threads over the rows of their channel, at j.
const each = "    for (i64 j = me * channels + c; j < rows * channels; j += TEAM * channels) "

// Moments puts the mean of each channel, the last dimension of x, and its variance
// into arrays of type float.
func Moments(mean, variance, x Array) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil {
		return nil, err
	}
	n, count := channels(x)
	if n*count == 0 {
		return nil, nil
	}
	v := e.load("x[j]")
	f := perChannel("moments_"+e.name, e, fmt.Sprintf("GLOBAL const %s *x, GLOBAL f32 *mean, GLOBAL f32 *variance", e.stored),
		"    T m = (T)0, s = (T)0;\n"+each+"m += "+v+";\n"+teamwork("plus", "m")+"    m /= (T)rows;\n"+
			each+"s += ("+v+" - m) * ("+v+" - m);\n"+teamwork("plus", "s")+
			"    if (me == 0) { mean[c] = (f32)m; variance[c] = (f32)(s / (T)rows); }\n")
	return (&call{}).reads(x.Buffer).writes(mean.Buffer, variance.Buffer).i64(n, count).f32(0).grid(f, [3]int{int(min(count, mostGroups)), 1, 1}, [3]int{team, 1, 1}), nil
}

// Normalize puts (x − mean)·scale/√(variance+ε) + offset into z, with one of each for
// a channel.
func Normalize(z, x, scale, offset, mean, variance Array, epsilon float64) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	name := "normalize_" + e.name
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
KERNEL %[1]s(GLOBAL const %[3]s *x, GLOBAL const f32 *scale, GLOBAL const f32 *offset, GLOBAL const f32 *mean, GLOBAL const f32 *variance, GLOBAL %[3]s *z, i64 n, i64 channels, f32 epsilon) {
  EACH(i, n) {
    i64 c = i %% channels;
    T v = %[4]s;
    z[i] = %[5]s;
  }
}
`, name, e.compute, e.stored, e.load("x[i]"), e.store("(v - (T)mean[c]) * ((T)scale[c] / sqrt((T)variance[c] + (T)epsilon)) + (T)offset[c]"))
	}, e)
	_, count := channels(x)
	return (&call{}).reads(x.Buffer, scale.Buffer, offset.Buffer, mean.Buffer, variance.Buffer).writes(z.Buffer).
		i64(z.Elements(), count).f32(epsilon).flat(f, z.Elements()), nil
}

// NormalizeGrad computes the gradients of x, scale and offset from that of what
// Normalize made with the moments of x itself, or with moments that were given.
func NormalizeGrad(dx, dscale, doffset, dy, x, scale, mean, variance Array, epsilon float64, given bool) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil {
		return nil, err
	}
	n, count := channels(x)
	if n*count == 0 {
		return nil, nil
	}
	hat := "((" + e.load("x[j]") + " - m) * r)"
	name, of := "normalizegrad_"+e.name, " - o / (T)rows - "+hat+" * s / (T)rows"
	if given {
		name, of = "normalizegradgiven_"+e.name, ""
	}
	f := perChannel(name, e,
		fmt.Sprintf("GLOBAL const %[1]s *dy, GLOBAL const %[1]s *x, GLOBAL const f32 *scale, GLOBAL const f32 *mean, GLOBAL const f32 *variance, GLOBAL %[1]s *dx, GLOBAL f32 *dscale, GLOBAL f32 *doffset", e.stored),
		"    T m = (T)mean[c], r = (T)1 / sqrt((T)variance[c] + (T)epsilon), s = (T)0, o = (T)0;\n"+
			each+"{ T g = "+e.load("dy[j]")+"; o += g; s += g * "+hat+"; }\n"+teamwork("plus", "o")+teamwork("plus", "s")+
			"    if (me == 0) { dscale[c] = (f32)s; doffset[c] = (f32)o; }\n"+
			each+"dx[j] = "+e.store("(T)scale[c] * r * ("+e.load("dy[j]")+of+")")+";\n")
	return (&call{}).reads(dy.Buffer, x.Buffer, scale.Buffer, mean.Buffer, variance.Buffer).writes(dx.Buffer, dscale.Buffer, doffset.Buffer).
		i64(n, count).f32(epsilon).grid(f, [3]int{int(min(count, mostGroups)), 1, 1}, [3]int{team, 1, 1}), nil
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
