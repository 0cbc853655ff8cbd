package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// Functions along one dimension of an array, in which elements have a place: lines go along
// it, each from an element of those before and those behind.

// lines returns an array as [before, length, behind] around an axis.
func lines(a Array, axis int) (before, length, behind int64) {
	return Array{Dims: a.Dims[:axis]}.Elements(), a.Dims[axis], Array{Dims: a.Dims[axis+1:]}.Elements()
}

// scans are what running values begin with, and how they go on from a with b.
var scans = map[string][2]string{
	"Cumsum": {"(T)0", "a + b"}, "Cumprod": {"(T)1", "a * b"},
	"CumulativeLogsumexp": {"LOWEST", "a < b ? (a == LOWEST ? b : b + log1p(exp(a - b))) : (b == LOWEST ? a : a + log1p(exp(b - a)))"},
}

// Scan computes running values of x along an axis: Cumsum, Cumprod or CumulativeLogsumexp,
// without each place's own element if exclusive, from the end if reverse.
func Scan(op string, z, x Array, axis int, exclusive, reverse bool) ([]devices.Launch, error) {
	s, ok := scans[op]
	if !ok {
		return nil, status.Errorf(status.Unimplemented, "accelerators have no code for %s", op)
	}
	e, err := elementOf(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	f := typed(strings.ToLower(op)+"_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *x, GLOBAL %[1]s *z, i64 length, i64 behind, i64 exclusive, i64 reverse", e.stored), fmt.Sprintf(`    T a = %s;
    i64 from = i / behind * length * behind + i %% behind;
    for (i64 j = 0; j < length; j++) {
      i64 at = from + (reverse ? length - 1 - j : j) * behind;
      T b = %s, c = a;
      a = (T)(%s);
      z[at] = %s;
    }
`, s[0], e.load("x[at]"), s[1], e.store("exclusive ? c : a")))
	_, length, behind := lines(x, axis)
	n := x.Elements() / length
	return (&call{}).reads(x.Buffer).writes(z.Buffer).i64(length, behind, int64(btoi(exclusive)), int64(btoi(reverse)), n).flat(f, n), nil
}

// ReverseSequence turns the beginnings of lines around, each of the length that lengths has
// for its place in dimension batch.
func ReverseSequence(z, x, lengths Array, seq, batch int) ([]devices.Launch, error) {
	s, err := sized(x)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	index, err := elementOf(lengths.Type)
	if err != nil {
		return nil, err
	}
	f := perElement("reversesequence_"+s+"_"+index.name, fmt.Sprintf("GLOBAL const %[1]s *x, GLOBAL const %[2]s *lengths, GLOBAL %[1]s *z, i64 length, i64 behind, i64 sequences, i64 step", s, index.stored),
		"    i64 at = i / behind % length, until = (i64)lengths[i / step % sequences];\n    z[i] = x[at < until ? i + (until - 1 - 2 * at) * behind : i];\n", index)
	_, length, behind := lines(x, seq)
	_, sequences, step := lines(x, batch)
	return (&call{}).reads(x.Buffer, lengths.Buffer).writes(z.Buffer).i64(length, behind, sequences, step, x.Elements()).flat(f, x.Elements()), nil
}

// OneHot puts on where the place along an axis of z is what indices, without the axis, say,
// and off elsewhere. Both are arrays of one element.
func OneHot(z, indices, on, off Array, axis int) ([]devices.Launch, error) {
	s, err := sized(z)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	index, err := elementOf(indices.Type)
	if err != nil {
		return nil, err
	}
	f := perElement("onehot_"+s+"_"+index.name, fmt.Sprintf("GLOBAL const %[2]s *indices, GLOBAL const %[1]s *on, GLOBAL const %[1]s *off, GLOBAL %[1]s *z, i64 length, i64 behind", s, index.stored),
		"    z[i] = (i64)indices[i / behind / length * behind + i % behind] == i / behind % length ? on[0] : off[0];\n", index)
	_, length, behind := lines(z, axis)
	return (&call{}).reads(indices.Buffer, on.Buffer, off.Buffer).writes(z.Buffer).i64(length, behind, z.Elements()).flat(f, z.Elements()), nil
}

// BandPart puts zeros where matrices are more than lower diagonals below the main one, or
// more than upper above it; negative ones leave all.
func BandPart(z, x Array, lower, upper int64) ([]devices.Launch, error) {
	s, err := sized(x)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	r := len(x.Dims)
	f := perElement("bandpart_"+s, fmt.Sprintf("GLOBAL const %[1]s *x, GLOBAL %[1]s *z, i64 rows, i64 columns, i64 lower, i64 upper", s),
		"    i64 c = i % columns, r = i / columns % rows;\n    z[i] = (lower < 0 || r - c <= lower) && (upper < 0 || c - r <= upper) ? x[i] : ("+s+")0;\n")
	return (&call{}).reads(x.Buffer).writes(z.Buffer).i64(x.Dims[r-2], x.Dims[r-1], lower, upper, x.Elements()).flat(f, x.Elements()), nil
}

// Top puts the k largest elements of each row into values, in descending order, and their
// places into places; of equal ones the first comes first. A group of threads goes through
// its row k times.
func Top(values, places, x Array) ([]devices.Launch, error) {
	e, err := elementOf(x.Type)
	if err != nil || values.Elements() == 0 {
		return nil, err
	}
	index, err := elementOf(places.Type)
	if err != nil {
		return nil, err
	}
	name := "top_" + e.name + "_" + index.name
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
#define TEAM %[3]d
KERNEL %[1]s(GLOBAL const %[4]s *x, GLOBAL %[4]s *values, GLOBAL %[5]s *places, i64 n, i64 length, i64 k) {
  LOCAL T best[TEAM];
  LOCAL i64 at[TEAM];
  i32 me = THREAD(0);
  for (i64 i = GROUP(0); i < n; i += GROUPS(0)) {
    T before = (T)0;
    i64 last = -1;
    for (i64 m = 0; m < k; m++) {
      T a = (T)0;
      i64 mine = -1;
      for (i64 j = me; j < length; j += TEAM) {
        T v = %[6]s;
        if (last >= 0 && (v > before || (v == before && j <= last) || (before != before && j <= last))) continue;
        if (mine < 0 || v > a) { a = v; mine = j; }
      }
      best[me] = a; at[me] = mine;
      BARRIER();
      for (i32 half_ = TEAM / 2; half_ > 0; half_ /= 2) {
        if (me < half_) {
          i32 o = me + half_;
          if (at[o] >= 0 && (at[me] < 0 || best[o] > best[me] || (best[o] == best[me] && at[o] < at[me]))) { best[me] = best[o]; at[me] = at[o]; }
        }
        BARRIER();
      }
      before = best[0]; last = at[0];
      if (me == 0) { values[i * k + m] = %[7]s; places[i * k + m] = (%[5]s)last; }
      BARRIER();
    }
  }
}
`, name, e.compute, teamSize, e.stored, index.stored, e.load("x[i * length + j]"), e.store("before"))
	}, e, index)
	n, length := rows(x)
	_, k := rows(values)
	return (&call{}).reads(x.Buffer).writes(values.Buffer, places.Buffer).i64(n, length, k).grid(f, [3]int{int(min(n, mostGroups)), 1, 1}, [3]int{teamSize, 1, 1}), nil
}

// InTop says for each row of predictions whether fewer than k of its elements are larger than
// that of its target; not if the target is out of range or its element, or one that is
// larger, is not finite.
func InTop(z, predictions, targets Array, k int64) ([]devices.Launch, error) {
	e, err := floating(predictions.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	index, err := elementOf(targets.Type)
	if err != nil {
		return nil, err
	}
	f := typed("intop_"+e.name+"_"+index.name, e, fmt.Sprintf("GLOBAL const %s *x, GLOBAL const %s *targets, GLOBAL u8 *z, i64 length, i64 k", e.stored, index.stored), fmt.Sprintf(`    i64 at = (i64)targets[i], larger = 0;
    i32 bad = at < 0 || at >= length;
    T right = (T)0;
    if (!bad) { right = %s; bad = right - right != right - right; }
    for (i64 j = 0; j < length && !bad; j++) {
      T v = %s;
      if (v - v != v - v) bad = 1;
      if (v > right) larger++;
    }
    z[i] = (u8)(!bad && larger < k);
`, e.load("x[i * length + at]"), e.load("x[i * length + j]")), index)
	n, length := rows(predictions)
	return (&call{}).reads(predictions.Buffer, targets.Buffer).writes(z.Buffer).i64(length, k, n).flat(f, n), nil
}

// Blend makes lines along an axis of weighted sums: element j of a line of z is Σ weights[e]·
// x[from[e]] for e from starts[j] to starts[j+1], which are int32, as from is. z is of floats, x
// of any type.
func Blend(z, x, starts, from, weights Array, axis int) ([]devices.Launch, error) {
	e, err := floating(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	of, err := elementOf(x.Type)
	if err != nil {
		return nil, err
	}
	f := typed("blend_"+e.name+"_"+of.name, e, fmt.Sprintf("GLOBAL const %s *x, GLOBAL const i32 *starts, GLOBAL const i32 *from, GLOBAL const f32 *weights, GLOBAL %s *z, i64 before, i64 length, i64 behind", of.stored, e.stored), fmt.Sprintf(`    i64 j = i / behind %% length, base = i / behind / length * before * behind + i %% behind;
    T sum = (T)0;
    for (i32 k = starts[j]; k < starts[j + 1]; k++) sum += (T)%s * (T)weights[k];
    z[i] = %s;
`, of.load("x[base + from[k] * behind]"), e.store("sum")), of)
	_, was, _ := lines(x, axis)
	_, length, behind := lines(z, axis)
	return (&call{}).reads(x.Buffer, starts.Buffer, from.Buffer, weights.Buffer).writes(z.Buffer).i64(was, length, behind, z.Elements()).flat(f, z.Elements()), nil
}

// Count counts for each place of z how many elements of x are it, or adds up their weights if
// they are weighted; those out of range are left out. If they are counted row by row, each row
// of z is of one of x. A group of threads counts each.
func Count(z, x, weights Array, weighted, byRow bool) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	index, err := elementOf(x.Type)
	if err != nil {
		return nil, err
	}
	name, parameter, what := "count_"+e.name+"_"+index.name, "", "(T)1"
	if weighted {
		name, parameter, what = name+"_weighted", fmt.Sprintf("GLOBAL const %s *weights, ", e.stored), e.load("weights[row * count + j]")
	}
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
#define TEAM %[3]d
HELPER T plus(T a, T b) { return a + b; }
KERNEL %[1]s(GLOBAL const %[4]s *x, %[5]sGLOBAL %[6]s *z, i64 n, i64 size, i64 count) {
  LOCAL T parts[TEAM];
  i32 me = THREAD(0);
  for (i64 i = GROUP(0); i < n; i += GROUPS(0)) {
    i64 row = i / size, bin = i %% size;
    T sum = (T)0;
    for (i64 j = me; j < count; j += TEAM) if ((i64)x[row * count + j] == bin) sum += %[7]s;
%[8]s    if (me == 0) z[i] = %[9]s;
  }
}
`, name, e.compute, teamSize, index.stored, parameter, e.stored, what, teamwork("plus", "sum"), e.store("sum"))
	}, e, index)
	c := (&call{}).reads(x.Buffer)
	if weighted {
		c.reads(weights.Buffer)
	}
	size, count := z.Elements(), x.Elements()
	if byRow {
		_, size = rows(z)
		_, count = rows(x)
	}
	return c.writes(z.Buffer).i64(z.Elements(), size, count).grid(f, [3]int{int(min(z.Elements(), mostGroups)), 1, 1}, [3]int{teamSize, 1, 1}), nil
}

// Search puts for each element of values where in its row of sorted it would be put: before
// those that equal it, or behind them if upper.
func Search(z, sorted, values Array, upper bool) ([]devices.Launch, error) {
	e, err := elementOf(values.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	out, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	name, goes := "lowerbound_"+e.name+"_"+out.name, "a < v"
	if upper {
		name, goes = "upperbound_"+e.name+"_"+out.name, "!(v < a)"
	}
	f := typed(name, e, fmt.Sprintf("GLOBAL const %[1]s *sorted, GLOBAL const %[1]s *values, GLOBAL %[2]s *z, i64 length, i64 each", e.stored, out.stored), fmt.Sprintf(`    i64 low = 0, high = length, row = i / each * length;
    T v = %s;
    while (low < high) {
      i64 middle = (low + high) / 2;
      T a = %s;
      if (%s) low = middle + 1; else high = middle;
    }
    z[i] = (%s)low;
`, e.load("values[i]"), e.load("sorted[row + middle]"), goes, out.stored), out)
	_, length := rows(sorted)
	_, each := rows(values)
	return (&call{}).reads(sorted.Buffer, values.Buffer).writes(z.Buffer).i64(length, each, z.Elements()).flat(f, z.Elements()), nil
}

// LRN divides each element by a power of the squares of the channels around it: (bias +
// alpha·Σx²)^beta.
func LRN(z, x Array, radius int64, bias, alpha, beta float64) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	f := typed("lrn_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *x, GLOBAL %[1]s *z, i64 channels, i64 radius, f32 bias, f32 alpha, f32 beta", e.stored),
		neighbours+norm(e, "i")+"    z[i] = "+e.store(e.load("x[i]")+" * pow(sum, -(T)beta)")+";\n")
	_, channels := rows(x)
	return (&call{}).reads(x.Buffer).writes(z.Buffer).i64(channels, radius).f32(bias, alpha, beta).i64(z.Elements()).flat(f, z.Elements()), nil
}

const neighbours = "    i64 c = i % channels, lo = c < radius ? 0 : c - radius, hi = c + radius + 1 < channels ? c + radius + 1 : channels;\n"

// norm is statements that declare sum, bias + alpha·Σx² over the channels around element at.
func norm(e element, at string) string {
	return fmt.Sprintf(`    T sum = (T)0;
    {
      i64 cc = %[1]s %% channels, l = cc < radius ? 0 : cc - radius, h = cc + radius + 1 < channels ? cc + radius + 1 : channels;
      for (i64 q = l; q < h; q++) { T v = %[2]s; sum += v * v; }
      sum = (T)bias + (T)alpha * sum;
    }
`, at, e.load("x["+at+" - cc + q]"))
}

// LRNGrad computes the gradient of x from that of what LRN made of it, y.
func LRNGrad(z, gradient, x, y Array, radius int64, bias, alpha, beta float64) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	f := typed("lrngrad_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *gradient, GLOBAL const %[1]s *x, GLOBAL const %[1]s *y, GLOBAL %[1]s *z, i64 channels, i64 radius, f32 bias, f32 alpha, f32 beta", e.stored),
		neighbours+"    T total = (T)0;\n    for (i64 k = i - c + lo; k < i - c + hi; k++) {\n"+norm(e, "k")+fmt.Sprintf(`      total += (T)-2 * (T)alpha * (T)beta * %s / sum * %s;
    }
`, e.load("y[k]"), e.load("gradient[k]"))+"    total *= "+e.load("x[i]")+";\n    {\n"+norm(e, "i")+"      total += pow(sum, -(T)beta) * "+e.load("gradient[i]")+";\n    }\n    z[i] = "+e.store("total")+";\n")
	_, channels := rows(x)
	return (&call{}).reads(gradient.Buffer, x.Buffer, y.Buffer).writes(z.Buffer).i64(channels, radius).f32(bias, alpha, beta).i64(z.Elements()).flat(f, z.Elements()), nil
}
