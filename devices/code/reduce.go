package code

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A fold is a reduction: what it begins with, what it makes of a and b, and what it
// makes of the whole, a, of count elements.
type fold struct {
	types             string
	begin, join, last string
	each              string // what is taken of an element, v; "" is itself
}

var folds = map[string]fold{
	"Sum":  {"fiu", "(T)0", "a + b", "a", ""},
	"Mean": {"fiu", "(T)0", "a + b", "a / (T)total", ""},
	"Prod": {"fiu", "(T)1", "a * b", "a", ""},
	"Max":  {"fiu", "LOWEST", "b != b || a < b ? b : a", "a", ""},
	"Min":  {"fiu", "HIGHEST", "b != b || b < a ? b : a", "a", ""},
	"All":  {"b", "(T)1", "a && b", "a", ""},
	"Any":  {"b", "(T)0", "a || b", "a", ""},
	// EuclideanNorm, and half the sum of squares
	"EuclideanNorm": {"f", "(T)0", "a + b", "sqrt(a)", "v * v"},
	"L2Loss":        {"f", "(T)0", "a + b", "a * (T)0.5", "v * v"},
}

// Folds returns the names of the reductions that [Reduce] has and that operations have with axes,
// sorted.
func Folds() []string {
	var names []string
	for name := range folds {
		if name != "L2Loss" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// extremes are the least and the largest value of a type.
func (e element) extremes() string {
	switch e.name {
	case "f64":
		return "#define HIGHEST ((T)AS_F32(0x7f800000u))\n#define LOWEST (-HIGHEST)\n"
	case "f32", "f16", "bf16":
		return "#define HIGHEST AS_F32(0x7f800000u)\n#define LOWEST (-HIGHEST)\n"
	}
	if e.class == 'i' {
		return "#define HIGHEST ((T)~((u64)1 << (8 * sizeof(T) - 1)))\n#define LOWEST ((T)((u64)1 << (8 * sizeof(T) - 1)))\n"
	}
	return "#define HIGHEST ((T)~(u64)0)\n#define LOWEST ((T)0)\n"
}

// A reduction is a fold of x over axes, with what is kept and what is folded as walks.
type reduction struct {
	op           string
	fold         fold
	e            element
	kept, folded walk
	n, count     int64
	team         team
	splits       int64
	reach        int64
}

// reductionOf works a reduction out.
func reductionOf(op string, z, x Array, axes []int) (r reduction, err error) {
	fold, ok := folds[op]
	if !ok {
		return r, status.Errorf(status.Unimplemented, "accelerators have no code for %s", op)
	}
	e, err := elementOf(x.Type)
	if err != nil {
		return r, err
	}
	if strings.IndexByte(fold.types, e.class) < 0 {
		return r, status.Errorf(status.Unimplemented, "accelerators have no code for %s of %v", op, x.Type)
	}
	r = reduction{op: op, fold: fold, e: e, kept: walk{strides: [][]int64{nil}}, folded: walk{strides: [][]int64{nil}}, n: 1, count: 1, reach: x.Elements()}
	for i, s := range dense(x.Dims) {
		w := &r.kept
		if slices.Contains(axes, i) {
			w = &r.folded
			r.count *= x.Dims[i]
		} else {
			r.n *= x.Dims[i]
		}
		w.dims, w.strides[0] = append(w.dims, x.Dims[i]), append(w.strides[0], s)
	}
	if r.n != z.Elements() {
		return r, mistake("%v reduced over %v is not %v", x.Dims, axes, z.Dims)
	}
	r.kept.collapse()
	r.folded.collapse()
	r.team = acrossRows(r.n)
	if k := len(r.folded.dims); k == 0 || r.folded.strides[0][k-1] == 1 {
		r.team = alongRows(r.n, r.count)
	}
	r.splits = r.team.splits(r.n, r.count)
	return r, nil
}

// Reduce folds x over axes, which are sorted, into z. Scratch is what [ReduceScratch] says,
// or nothing, which may be slower.
func Reduce(op string, z, x Array, axes []int, scratch Array) ([]devices.Launch, error) {
	r, err := reductionOf(op, z, x, axes)
	if err != nil || r.n == 0 {
		return nil, err
	}
	if len(scratch.Dims) == 0 || scratch.Elements() < r.splits*r.n || r.splits == 1 {
		return r.launches(z, x, r.e, r.e, r.fold.last, 1, r.count), nil
	}
	part := r.e // what it is computed with
	if r.e.stored != r.e.compute {
		part = elements[computed[r.e.compute]]
	}
	all := r.launches(scratch, x, r.e, part, "a", r.splits, r.count)
	parts := r.fold
	parts.each = ""
	whole := reduction{op: op + "OfParts", fold: parts, n: r.n, count: r.splits, team: acrossRows(r.n), reach: r.splits * r.n,
		kept: walk{[]int64{r.n}, [][]int64{{1}}}, folded: walk{[]int64{r.splits}, [][]int64{{r.n}}}}
	return append(all, whole.launches(z, scratch, part, r.e, r.fold.last, 1, r.count)...), nil
}

// ReduceScratch returns the memory that [Reduce] needs beside, without a buffer; no elements: it
// needs none.
func ReduceScratch(op string, z, x Array, axes []int) Array {
	r, err := reductionOf(op, z, x, axes)
	if err != nil || r.n == 0 || r.splits == 1 {
		return none
	}
	return Array{Type: computed[r.e.compute], Dims: []int64{r.splits * r.n}}
}

// launches folds elements of one type into those of another, in splits that lie one after
// the other; total is how many elements a fold has in all.
func (r *reduction) launches(z, x Array, from, to element, last string, splits, total int64) []devices.Launch {
	name := fmt.Sprintf("%s_%s_%s_k%dr%d", strings.ToLower(r.op), from.name, to.name, len(r.kept.dims), len(r.folded.dims))
	if last != r.fold.last {
		name += "_parts"
	}
	f := indexed(name, max(r.reach, splits*r.n), func(name string, b *strings.Builder) {
		fmt.Fprintf(b, "typedef %s T;\n%s", from.compute, from.extremes())
		fmt.Fprintf(b, "HELPER T join(T a, T b) { return (T)(%s); }\n", r.fold.join)
		fmt.Fprintf(b, "KERNEL_OF(256, 4) %s(GLOBAL const %s *x, GLOBAL %s *z, i64 n, i64 count, i64 share, i64 total%s%s%s) {\n%s",
			name, from.stored, to.stored, teamParameters, r.kept.parameters("k", "x"), r.folded.parameters("r", "x"), teamBegin)
		b.WriteString("  I begin = (I)GROUP(1) * (I)share, end = begin + (I)share < (I)count ? begin + (I)share : (I)count;\n")
		b.WriteString("  for (I first = (I)GROUP(0) * folds; first < n; first += (I)GROUPS(0) * folds) {\n    I i = first + fold < (I)n ? first + fold : (I)n - 1;\n")
		r.kept.places(b, "k", "i", "x")
		fmt.Fprintf(b, "    T a = %s;\n#pragma unroll 4\n    for (I j = begin + lane; j < end; j += lanes) {\n", r.fold.begin)
		r.folded.places(b, "r", "j", "x")
		each := "v"
		if r.fold.each != "" {
			each = r.fold.each
		}
		fmt.Fprintf(b, "      T v = %s;\n      a = join(a, %s);\n    }\n%s", from.load("x[kx_at + rx_at]"), each, together("join", "a"))
		fmt.Fprintf(b, "    if (lane == 0 && first + fold < n) z[(I)GROUP(1) * (I)n + i] = %s;\n  }\n}\n", to.store(last))
	}, from, to)
	c := r.team.args((&call{}).reads(x.Buffer).writes(z.Buffer).i64(r.n, r.count, ceil(r.count, splits), total))
	r.kept.args(c)
	r.folded.args(c)
	return c.grid(f, [3]int{r.team.groups(r.n), int(splits), 1}, [3]int{group, 1, 1})
}

// ArgExtreme puts the place of the largest element along an axis into z, or of the
// smallest: of the first, if there are several.
func ArgExtreme(z, x Array, axis int, smallest bool) ([]devices.Launch, error) {
	e, err := elementOf(x.Type)
	if err != nil {
		return nil, err
	}
	out, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	inner, count := int64(1), x.Dims[axis]
	for _, d := range x.Dims[axis+1:] {
		inner *= d
	}
	n := z.Elements()
	if n == 0 {
		return nil, nil
	}
	if count == 0 || n*count != x.Elements() {
		return nil, mistake("the place in axis %d of %v is not %v", axis, x.Dims, z.Dims)
	}
	name, better := "argmax_"+e.name+"_"+out.name, "v > best"
	if smallest {
		name, better = "argmin_"+e.name+"_"+out.name, "v < best"
	}
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, `typedef %[2]s T;
KERNEL %[1]s(GLOBAL const %[3]s *x, GLOBAL %[4]s *z, i64 n, i64 count, i64 inner) {
  EACH(i, n) {
    i64 from = i / inner * count * inner + i %% inner, at = 0;
    T best = %[5]s;
    for (i64 j = 1; j < count; j++) {
      T v = %[6]s;
      if (%[7]s) { best = v; at = j; }
    }
    z[i] = (%[4]s)at;
  }
}
`, name, e.compute, e.stored, out.stored, e.load("x[from]"), e.load("x[from + j * inner]"), better)
	}, e, out)
	return (&call{}).reads(x.Buffer).writes(z.Buffer).i64(n, count, inner).flat(f, n), nil
}

// rows returns the number of rows of an array, and the length of one.
func rows(a Array) (n, length int64) {
	if len(a.Dims) == 0 {
		return 1, 1
	}
	length = a.Dims[len(a.Dims)-1]
	n = 1
	for _, d := range a.Dims[:len(a.Dims)-1] {
		n *= d
	}
	return n, length
}

// softmaxOf writes the part that all functions about softmax begin with: for row i its
// largest element, most, and the sum of exponents, sum.
func softmaxOf(b *strings.Builder, name string, e element, arguments string) {
	fmt.Fprintf(b, `typedef %[2]s T;
%[5]sHELPER T larger(T a, T b) { return b != b || a < b ? b : a; }
HELPER T plus(T a, T b) { return a + b; }
KERNEL_OF(256, 4) %[1]s(GLOBAL const %[3]s *x, %[4]s, i64 n, i64 length%[6]s) {
%[7]s  for (I first = (I)GROUP(0) * folds; first < n; first += (I)GROUPS(0) * folds) {
    I i = first + fold < (I)n ? first + fold : (I)n - 1, from = i * (I)length, to = first + fold < (I)n ? (I)length : 0;
    T most = LOWEST, sum = (T)0;
    for (I j = lane; j < to; j += lanes) most = larger(most, %[8]s);
`, name, e.compute, e.stored, arguments, e.extremes(), teamParameters, teamBegin, e.load("x[from + j]"))
	b.WriteString(together("larger", "most"))
	fmt.Fprintf(b, "    for (I j = lane; j < to; j += lanes) sum += exp(%s - most);\n", e.load("x[from + j]"))
	b.WriteString(together("plus", "sum"))
}

// byRows launches a function whose teams have a row of elements each.
func (c *call) byRows(f *devices.Code, n, length int64) []devices.Launch {
	t := alongRows(n, length)
	return t.args(c.i64(n, length)).grid(f, [3]int{t.groups(n), 1, 1}, [3]int{group, 1, 1})
}

func floating(t tensor.DType) (element, error) {
	e, err := elementOf(t)
	if err == nil && e.class != 'f' {
		err = mistake("%v is no type of floats", t)
	}
	return e, err
}

// Softmax puts the softmax of the rows of x into z, or its logarithm.
func Softmax(z, x Array, logarithm bool) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil {
		return nil, err
	}
	n, length := rows(x)
	if n*length == 0 {
		return nil, nil
	}
	name, result := "softmax_"+e.name, "exp(v - most) / sum"
	if logarithm {
		name, result = "logsoftmax_"+e.name, "v - most - log(sum)"
	}
	f := indexed(name, x.Elements(), func(name string, b *strings.Builder) {
		softmaxOf(b, name, e, "GLOBAL "+e.stored+" *z")
		fmt.Fprintf(b, "    for (I j = lane; j < to; j += lanes) {\n      T v = %s;\n      z[from + j] = %s;\n    }\n  }\n}\n", e.load("x[from + j]"), e.store(result))
	}, e)
	return (&call{}).reads(x.Buffer).writes(z.Buffer).byRows(f, n, length), nil
}

// CrossEntropy puts the loss of each row of logits into loss, and its gradient into
// backprop. labels are rows of probabilities, of the logits' type, or the number of
// the class that is right; one out of range has a loss of NaN.
func CrossEntropy(loss, backprop, logits, labels Array) ([]devices.Launch, error) {
	e, err := floating(logits.Type)
	if err != nil {
		return nil, err
	}
	l, err := elementOf(labels.Type)
	if err != nil {
		return nil, err
	}
	n, length := rows(logits)
	if n*length == 0 {
		return nil, nil
	}
	name := "crossentropy_" + e.name + "_" + l.name
	f := indexed(name, logits.Elements(), func(name string, b *strings.Builder) {
		softmaxOf(b, name, e, fmt.Sprintf("GLOBAL const %s *labels, GLOBAL %s *loss, GLOBAL %s *backprop", l.stored, e.stored, e.stored))
		label := "(T)((i64)j == right)"
		if l.class == 'f' {
			label = l.load("labels[from + j]")
			b.WriteString("    T bad = (T)0;\n")
		} else {
			b.WriteString("    i64 right = (i64)labels[i];\n    T bad = right < 0 || right >= length ? HIGHEST - HIGHEST : (T)0;\n")
		}
		fmt.Fprintf(b, `    T total = (T)0;
    for (I j = lane; j < to; j += lanes) {
      T v = %s - most, label = %s;
      if (label != (T)0) total += label * (log(sum) - v);
      backprop[from + j] = %s;
    }
%s    if (lane == 0 && to > 0) loss[i] = %s;
  }
}
`, e.load("x[from + j]"), label, e.store("exp(v) / sum - label + bad"), together("plus", "total"), e.store("total + bad"))
	}, e, l)
	return (&call{}).reads(logits.Buffer, labels.Buffer).writes(loss.Buffer, backprop.Buffer).byRows(f, n, length), nil
}
