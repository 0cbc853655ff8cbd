package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// philox is the generator of package kernel/philox: four numbers for the counter that
// is by a number of steps ahead of the given one.
const philox = `HELPER void philox(u32 key0, u32 key1, u32 c0, u32 c1, u32 c2, u32 c3, u64 steps, u32 *x) {
  u64 low = ((u64)c1 << 32 | c0) + steps, high = (u64)c3 << 32 | c2;
  if (low < steps) high++;
  c0 = (u32)low; c1 = (u32)(low >> 32); c2 = (u32)high; c3 = (u32)(high >> 32);
  for (i32 round = 0; round < 10; round++) {
    u64 a = (u64)0xD2511F53u * c0, b = (u64)0xCD9E8D57u * c2;
    c0 = (u32)(b >> 32) ^ c1 ^ key0; c2 = (u32)(a >> 32) ^ c3 ^ key1;
    c1 = (u32)b; c3 = (u32)a;
    key0 += 0x9E3779B9u; key1 += 0xBB67AE85u;
  }
  x[0] = c0; x[1] = c1; x[2] = c2; x[3] = c3;
}
HELPER f32 unit32(u32 x) { return AS_F32((x & 0x7fffffu) | 0x3f800000u) - 1.0f; }
`

// A Draw is a distribution that [Random] draws from.
type Draw string

// Distributions.
const (
	Uniform   Draw = "uniform"   // from [0, 1)
	Normal    Draw = "normal"    // of mean 0 and deviation 1, by G. Box and M. Muller's method
	Truncated Draw = "truncated" // the same, but for what is not within 2 deviations
	Bits      Draw = "bits"      // of integers: all of them
	Between   Draw = "between"   // integers from the first limit on, the second many; 0 is all
)

// deviates are functions of random bits: fractions and normal numbers, of T.
var deviates = map[string]string{
	"f64": `HELPER f64 unit64(u32 a, u32 b) { return (f64)((u64)(a & 0xfffffu) << 32 | b) * 2.220446049250313e-16; }
HELPER void normal(u32 *x, f64 *v) {
  f64 u = unit64(x[0], x[1]), r, angle;
  if (u < 1.0e-7) u = 1.0e-7;
  angle = 6.283185307179586 * unit64(x[2], x[3]);
  r = sqrt(-2.0 * log(u));
  v[0] = sin(angle) * r;
  v[1] = cos(angle) * r;
}
`,
	"f32": `HELPER void normal(u32 *x, f32 *v) {
  f32 u = unit32(x[0]), r, angle;
  if (u < 1.0e-7f) u = 1.0e-7f;
  angle = 6.283185307179586f * unit32(x[1]);
  r = sqrt(-2.0f * log(u));
  v[0] = sin(angle) * r;
  v[1] = cos(angle) * r;
}
`,
}

// Random fills z with random numbers, the CPU's: what the counter's first value makes are the
// first elements, four, or two of 64 bits. Draws that may be rejected have 64 values for each
// element. Normal numbers differ by how exp and sin are rounded.
func Random(z Array, draw Draw, key [2]uint32, counter [4]uint32, limits ...uint64) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	group, apart := int64(4), int64(1)
	if z.Type.Size() == 8 {
		group = 2
	}
	var body string
	switch {
	case e.class == 'f' && draw == Uniform:
		each := map[string]string{"f32": "unit32(x[j])", "f16": "(f32)(x[j] & 0x3ffu) * 9.765625e-4f", "bf16": "(f32)(x[j] & 0x7fu) * 7.8125e-3f", "f64": "unit64(x[2 * j], x[2 * j + 1])"}[e.name]
		body = fmt.Sprintf("for (i32 j = 0; j < %d; j++) v[j] = %s;", group, each)
	case e.class == 'f' && draw == Normal:
		body = "normal(x, v); normal(x + 2, v + 2);"
		if group == 2 {
			body = "normal(x, v);"
		}
	case e.class == 'f' && draw == Truncated:
		apart = group * 64
		// x has numbers from used on
		body = fmt.Sprintf(`i32 made = 0, used = 0;
    u64 next = (u64)i * %d;
    while (made < %d) {
      T pair[2];
      normal(x + used, pair);
      if (pair[0] > (T)-2 && pair[0] < (T)2) v[made++] = pair[0];
      if (made < %[2]d && pair[1] > (T)-2 && pair[1] < (T)2) v[made++] = pair[1];
      used += %[3]d;
      if (used == 4 && made < %[2]d) { philox(key0, key1, c0, c1, c2, c3, ++next, x); used = 0; }
    }`, apart, group, 8/group)
	case (e.class == 'i' || e.class == 'u') && z.Type.Size() >= 4 && (draw == Bits || draw == Between):
		each := "(u64)x[j]"
		if group == 2 {
			each = "((u64)x[2 * j] | (u64)x[2 * j + 1] << 32)"
		}
		body = fmt.Sprintf("for (i32 j = 0; j < %d; j++) { u64 n = %s; if (span != 0) n %%= span; v[j] = (T)((u64)least + n); }", group, each)
	default:
		return nil, status.Errorf(status.Unimplemented, "accelerators have no code for %s numbers of %v", draw, z.Type)
	}
	if draw == Between && len(limits) != 2 {
		return nil, mistake("random integers between %v", limits)
	}
	n := z.Elements()
	if n == 0 {
		return nil, nil
	}
	name := "random_" + string(draw) + "_" + e.name
	f := function(name, func(b *strings.Builder) {
		b.WriteString(philox + "typedef " + e.compute + " T;\n" + deviates[e.compute])
		fmt.Fprintf(b, `KERNEL %s(GLOBAL %s *z, i64 n, i64 least, u64 span, u32 key0, u32 key1, u32 c0, u32 c1, u32 c2, u32 c3) {
  EACH(i, (n + %[3]d) / %[4]d) {
    u32 x[4];
    T v[4];
    philox(key0, key1, c0, c1, c2, c3, (u64)i * %[5]d, x);
    %[6]s
    for (i32 j = 0; j < %[4]d && %[4]d * i + j < n; j++) z[%[4]d * i + j] = %[7]s;
  }
}
`, name, e.stored, group-1, group, apart, body, e.store("v[j]"))
	}, e)
	limits = append(limits, 0, 0)
	return (&call{}).writes(z.Buffer).i64(n, int64(limits[0]), int64(limits[1])).u32(key[:]...).u32(counter[:]...).flat(f, (n+group-1)/group), nil
}

// Classes draws from each row of logits as many classes as z's rows have elements, by two
// random numbers each. sums, of logits' shape and doubles, is scratch: running sums of what is
// proportional to the classes' probabilities. Classes whose logit is not finite have none.
func Classes(z, logits, sums Array, key [2]uint32, counter [4]uint32) ([]devices.Launch, error) {
	e, err := floating(logits.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	out, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	wide := elements[tensor.Double]
	first := typed("classsums_"+e.name, wide, fmt.Sprintf("GLOBAL const %s *logits, GLOBAL f64 *sums, i64 classes", e.stored), fmt.Sprintf(`    f64 most = LOWEST, total = 0;
    for (i64 j = 0; j < classes; j++) { f64 v = (f64)%[1]s; if (v - v == v - v && v > most) most = v; }
    for (i64 j = 0; j < classes; j++) { f64 v = (f64)%[1]s; if (v - v == v - v) total += exp(v - most); sums[i * classes + j] = total; }
`, e.load("logits[i * classes + j]")), e)
	n, classes := rows(logits)
	_, samples := rows(z)
	all := (&call{}).reads(logits.Buffer).writes(sums.Buffer).i64(classes, n).flat(first, n)
	name := "classes_" + out.name
	second := function(name, func(b *strings.Builder) {
		b.WriteString(philox + "typedef f64 T;\n" + deviates["f64"])
		fmt.Fprintf(b, `KERNEL %s(GLOBAL const f64 *sums, GLOBAL %s *z, i64 n, i64 classes, i64 samples, u32 key0, u32 key1, u32 c0, u32 c1, u32 c2, u32 c3) {
  EACH(i, n) {
    GLOBAL const f64 *row = sums + i / samples * classes;
    i64 low = 0, high = classes;
    u32 x[4];
    f64 v;
    philox(key0, key1, c0, c1, c2, c3, (u64)i / 2, x);
    v = unit64(x[i %% 2 * 2], x[i %% 2 * 2 + 1]) * row[classes - 1];
    while (low < high) {
      i64 middle = (low + high) / 2;
      if (v < row[middle]) high = middle; else low = middle + 1;
    }
    z[i] = (%[2]s)low;
  }
}
`, name, out.stored)
	}, out, wide)
	c := (&call{}).reads(sums.Buffer).writes(z.Buffer).i64(z.Elements(), classes, samples).u32(key[:]...).u32(counter[:]...)
	return append(all, c.flat(second, z.Elements())...), nil
}
