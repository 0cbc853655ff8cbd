package code

import (
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
	Uniform Draw = "uniform" // from [0, 1)
	Normal  Draw = "normal"  // of mean 0 and deviation 1, by G. Box and M. Muller's method
	Bits    Draw = "bits"    // of integers: all of them
)

// Random fills z with random numbers: the counter's first four numbers make the first
// four elements, as on the CPU.
func Random(z Array, draw Draw, key [2]uint32, counter [4]uint32) ([]devices.Launch, error) {
	body := ""
	switch {
	case draw == Uniform && z.Type == tensor.Float:
		body = "v[0] = unit32(x[0]); v[1] = unit32(x[1]); v[2] = unit32(x[2]); v[3] = unit32(x[3]);"
	case draw == Bits && (z.Type == tensor.Int32 || z.Type == tensor.Uint32):
		body = "v[0] = (T)x[0]; v[1] = (T)x[1]; v[2] = (T)x[2]; v[3] = (T)x[3];"
	case draw == Normal && z.Type == tensor.Float:
		body = `for (i32 j = 0; j < 4; j += 2) {
      f32 u = unit32(x[j]), r, angle;
      if (u < 1.0e-7f) u = 1.0e-7f;
      angle = 6.283185307179586f * unit32(x[j + 1]);
      r = sqrt(-2.0f * log(u));
      v[j] = sin(angle) * r;
      v[j + 1] = cos(angle) * r;
    }`
	default:
		return nil, status.Errorf(status.Unimplemented, "accelerators have no code for %s numbers of %v", draw, z.Type)
	}
	n := z.Elements()
	if n == 0 {
		return nil, nil
	}
	e := elements[z.Type]
	name := "random_" + string(draw) + "_" + e.name
	f := function(name, func(b *strings.Builder) {
		b.WriteString(philox)
		b.WriteString("typedef " + e.compute + " T;\nKERNEL " + name + `(GLOBAL T *z, i64 n, u32 key0, u32 key1, u32 c0, u32 c1, u32 c2, u32 c3) {
  EACH(i, (n + 3) / 4) {
    u32 x[4];
    T v[4];
    philox(key0, key1, c0, c1, c2, c3, (u64)i, x);
    ` + body + `
    for (i32 j = 0; j < 4 && 4 * i + j < n; j++) z[4 * i + j] = v[j];
  }
}
`)
	}, e)
	return (&call{}).writes(z.Buffer).i64(n).u32(key[:]...).u32(counter[:]...).flat(f, (n+3)/4), nil
}
