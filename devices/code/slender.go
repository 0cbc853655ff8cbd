package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

// slenderest is how many rows a product may have at most, or columns, to be one of a large
// matrix and few vectors.
const slenderest = 4

// slender computes a product with few rows, or with few columns, whose time is that of
// reading the large operand, once: threads of a group share out its elements in the order
// in which they lie, each with as many sums as there are vectors, and then add their sums
// up. It is nil of other products.
func slender(p *devices.Product, e element, z, x, y Array) []devices.Launch {
	if min(p.M, p.N) > slenderest {
		return nil
	}
	// The large operand has outputs by k; the vectors' elements are far apart by k or by
	// vector, and so are z's by output or by vector.
	large, small, outputs, vectors := y, x, p.N, p.M
	apart, by, ks, vs, zo, zv := !p.TransY, p.K, int64(1), p.K, int64(1), p.N
	strides := [][]int64{p.YStrides, p.XStrides, dense(p.Batches)}
	if !p.TransY {
		by = p.N
	}
	if p.TransX {
		ks, vs = p.M, 1
	}
	if p.N < p.M {
		large, small, outputs, vectors = x, y, p.M, p.N
		apart, by, ks, vs, zo, zv = p.TransX, p.K, p.N, 1, p.N, 1
		strides[0], strides[1] = strides[1], strides[0]
		if p.TransX {
			by = p.M
		}
		if p.TransY {
			ks, vs = 1, p.K
		}
	}
	for i := range strides[2] {
		strides[2][i] *= p.M * p.N
	}
	w := walk{p.Batches, strides}
	if len(w.dims) == 0 {
		w = walk{[]int64{1}, [][]int64{{0}, {0}, {0}}}
	}
	count := int64(1) // of vectors that the function has
	for count < vectors {
		count *= 2
	}
	side, lanes := 8, 32 // outputs of a group, and threads that share out k for each
	name := fmt.Sprintf("slender%d_%s_along_r%d", count, e.name, len(w.dims))
	if apart {
		side, lanes = 32, 8
		name = fmt.Sprintf("slender%d_%s_apart_r%d", count, e.name, len(w.dims))
	}
	f := indexed(name, reach(z, x, y), func(name string, b *strings.Builder) {
		output, lane, at := "me / 32", "me % 32", "blarge_at + o * (I)by + k"
		if apart {
			output, lane, at = "me % 32", "me / 32", "blarge_at + k * (I)by + o"
		}
		fmt.Fprintf(b, `typedef %[2]s T;
KERNEL %[1]s(GLOBAL const %[3]s *large, GLOBAL const %[3]s *small, GLOBAL %[3]s *z, i64 batches, i64 outputs, i64 vectors, i64 depth, i64 by, i64 ks, i64 vs, i64 zo, i64 zv%[4]s) {
  LOCAL T parts[%[5]d][256];
  i32 me = THREAD(0), output = %[6]s, lane = %[7]s;
  I o = (I)GROUP(0) * %[8]d + output;
  if (o >= outputs) o = (I)outputs - 1;
  for (I batch = (I)GROUP(2); batch < batches; batch += (I)GROUPS(2)) {
`, name, e.compute, e.stored, w.parameters("b", "large", "small", "z"), count, output, lane, side)
		w.places(b, "b", "batch", "large", "small", "z")
		fmt.Fprintf(b, "    T sum[%[1]d];\n#pragma unroll\n    for (i32 v = 0; v < %[1]d; v++) sum[v] = (T)0;\n#pragma unroll 4\n    for (I k = lane; k < depth; k += %[2]d) {\n      T a = %[3]s;\n", count, lanes, e.load("large["+at+"]"))
		fmt.Fprintf(b, "#pragma unroll\n      for (i32 v = 0; v < %d; v++) if (v == 0 || v < vectors) sum[v] += a * %s;\n    }\n", count, e.load("small[bsmall_at + k * (I)ks + v * (I)vs]"))
		fmt.Fprintf(b, `#pragma unroll
    for (i32 v = 0; v < %[1]d; v++) parts[v][lane * %[2]d + output] = sum[v];
    BARRIER();
    for (i32 half_ = %[3]d; half_ >= %[2]d; half_ /= 2) {
      if (me < half_)
        for (i32 v = 0; v < %[1]d; v++) parts[v][me] += parts[v][me + half_];
      BARRIER();
    }
    if (me < %[2]d && (I)GROUP(0) * %[2]d + me < outputs)
      for (i32 v = 0; v < vectors; v++) z[bz_at + ((I)GROUP(0) * %[2]d + me) * (I)zo + v * (I)zv] = %[4]s;
    BARRIER();
  }
}
`, count, side, group/2, e.store("parts[v][me]"))
	}, e)
	batches := Array{Dims: w.dims}.Elements()
	c := (&call{}).reads(large.Buffer, small.Buffer).writes(z.Buffer).i64(batches, outputs, vectors, p.K, by, ks, vs, zo, zv)
	w.args(c)
	return c.grid(f, [3]int{int(ceil(outputs, int64(side))), 1, int(min(batches, 65535))}, [3]int{group, 1, 1})
}
