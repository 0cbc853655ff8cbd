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
	"Mean": {"fiu", "(T)0", "a + b", "a / (T)count", ""},
	"Prod": {"fiu", "(T)1", "a * b", "a", ""},
	"Max":  {"fiu", "LOWEST", "b != b || a < b ? b : a", "a", ""},
	"Min":  {"fiu", "HIGHEST", "b != b || b < a ? b : a", "a", ""},
	"All":  {"b", "(T)1", "a && b", "a", ""},
	"Any":  {"b", "(T)0", "a || b", "a", ""},
	// EuclideanNorm, and half the sum of squares
	"EuclideanNorm": {"f", "(T)0", "a + b", "sqrt(a)", "v * v"},
	"L2Loss":        {"f", "(T)0", "a + b", "a * (T)0.5", "v * v"},
}

// Folds is the names of the reductions that [Reduce] has and that operations have with axes,
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

// team is how many threads work on one row together. A power of two.
const team = 64

// Reduce folds x over axes, which are sorted, into z.
func Reduce(op string, z, x Array, axes []int) ([]devices.Launch, error) {
	fold, ok := folds[op]
	if !ok {
		return nil, status.Errorf(status.Unimplemented, "accelerators have no code for %s", op)
	}
	e, err := elementOf(x.Type)
	if err != nil {
		return nil, err
	}
	if strings.IndexByte(fold.types, e.class) < 0 {
		return nil, status.Errorf(status.Unimplemented, "accelerators have no code for %s of %v", op, x.Type)
	}
	kept, reduced := walk{strides: [][]int64{nil}}, walk{strides: [][]int64{nil}}
	n, count := int64(1), int64(1)
	for i, s := range dense(x.Dims) {
		w := &kept
		if slices.Contains(axes, i) {
			w = &reduced
			count *= x.Dims[i]
		} else {
			n *= x.Dims[i]
		}
		w.dims, w.strides[0] = append(w.dims, x.Dims[i]), append(w.strides[0], s)
	}
	if n != z.Elements() {
		return nil, mistake("%v reduced over %v is not %v", x.Dims, axes, z.Dims)
	}
	if n == 0 {
		return nil, nil
	}
	kept.collapse()
	reduced.collapse()
	together := count >= 2*team
	name := fmt.Sprintf("%s_%s_k%dr%d", strings.ToLower(op), e.name, len(kept.dims), len(reduced.dims))
	if together {
		name += "_team"
	}
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, "typedef %s T;\n#define TEAM %d\n%s", e.compute, team, e.extremes())
		fmt.Fprintf(b, "HELPER T join(T a, T b) { return (T)(%s); }\n", fold.join)
		fmt.Fprintf(b, "KERNEL %s(GLOBAL const %s *x, GLOBAL %s *z, i64 n, i64 count%s%s) {\n",
			name, e.stored, e.stored, kept.parameters("k", "x"), reduced.parameters("r", "x"))
		if together {
			b.WriteString("  LOCAL T parts[TEAM];\n  i32 me = THREAD(0);\n  for (i64 i = GROUP(0); i < n; i += GROUPS(0)) {\n")
		} else {
			b.WriteString("  EACH(i, n) {\n")
		}
		kept.places(b, "k", "i", "x")
		if together {
			fmt.Fprintf(b, "    T a = %s;\n    for (i64 j = me; j < count; j += TEAM) {\n", fold.begin)
		} else {
			fmt.Fprintf(b, "    T a = %s;\n    for (i64 j = 0; j < count; j++) {\n", fold.begin)
		}
		reduced.places(b, "r", "j", "x")
		if fold.each == "" {
			fmt.Fprintf(b, "      a = join(a, %s);\n    }\n", e.load("x[kx_at + rx_at]"))
		} else {
			fmt.Fprintf(b, "      { T v = %s; a = join(a, %s); }\n    }\n", e.load("x[kx_at + rx_at]"), fold.each)
		}
		if together {
			b.WriteString(teamwork("join", "a"))
			fmt.Fprintf(b, "    if (me == 0) z[i] = %s;\n", e.store(fold.last))
		} else {
			fmt.Fprintf(b, "    z[i] = %s;\n", e.store(fold.last))
		}
		b.WriteString("  }\n}\n")
	}, e)
	c := (&call{}).reads(x.Buffer).writes(z.Buffer).i64(n, count)
	kept.args(c)
	reduced.args(c)
	if together {
		return c.grid(f, [3]int{int(min(n, mostGroups)), 1, 1}, [3]int{team, 1, 1}), nil
	}
	return c.flat(f, n), nil
}

// teamwork joins the value that each thread of a group has, by parts in shared
// memory; then all have the whole.
func teamwork(join, value string) string {
	return fmt.Sprintf(`    parts[me] = %[2]s;
    BARRIER();
    for (i32 half_ = TEAM / 2; half_ > 0; half_ /= 2) {
      if (me < half_) parts[me] = %[1]s(parts[me], parts[me + half_]);
      BARRIER();
    }
    %[2]s = parts[0];
    BARRIER();
`, join, value)
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

// rows is the number of rows of an array, and the length of one.
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

// softmaxOf writes the part that all functions about softmax begin with: me, and for
// row i its largest element, most, and the sum of exponents, sum.
func softmaxOf(b *strings.Builder, name string, e element, arguments string) {
	fmt.Fprintf(b, `typedef %[2]s T;
#define TEAM %[3]d
%[6]sHELPER T larger(T a, T b) { return b != b || a < b ? b : a; }
HELPER T plus(T a, T b) { return a + b; }
KERNEL %[1]s(GLOBAL const %[4]s *x, %[5]s, i64 n, i64 length) {
  LOCAL T parts[TEAM];
  i32 me = THREAD(0);
  for (i64 i = GROUP(0); i < n; i += GROUPS(0)) {
    i64 from = i * length;
    T most = LOWEST, sum = (T)0;
    for (i64 j = me; j < length; j += TEAM) most = larger(most, %[7]s);
`, name, e.compute, team, e.stored, arguments, e.extremes(), e.load("x[from + j]"))
	b.WriteString(teamwork("larger", "most"))
	fmt.Fprintf(b, "    for (i64 j = me; j < length; j += TEAM) sum += exp(%s - most);\n", e.load("x[from + j]"))
	b.WriteString(teamwork("plus", "sum"))
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
	f := function(name, func(b *strings.Builder) {
		softmaxOf(b, name, e, "GLOBAL "+e.stored+" *z")
		fmt.Fprintf(b, "    for (i64 j = me; j < length; j += TEAM) {\n      T v = %s;\n      z[from + j] = %s;\n    }\n  }\n}\n", e.load("x[from + j]"), e.store(result))
	}, e)
	return (&call{}).reads(x.Buffer).writes(z.Buffer).i64(n, length).grid(f, [3]int{int(min(n, mostGroups)), 1, 1}, [3]int{team, 1, 1}), nil
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
	f := function(name, func(b *strings.Builder) {
		softmaxOf(b, name, e, fmt.Sprintf("GLOBAL const %s *labels, GLOBAL %s *loss, GLOBAL %s *backprop", l.stored, e.stored, e.stored))
		label := "(T)(j == right)"
		if l.class == 'f' {
			label = l.load("labels[from + j]")
			b.WriteString("    T bad = (T)0;\n")
		} else {
			b.WriteString("    i64 right = (i64)labels[i];\n    T bad = right < 0 || right >= length ? HIGHEST - HIGHEST : (T)0;\n")
		}
		fmt.Fprintf(b, `    T total = (T)0;
    for (i64 j = me; j < length; j += TEAM) {
      T v = %s - most, label = %s;
      if (label != (T)0) total += label * (log(sum) - v);
      backprop[from + j] = %s;
    }
%s    if (me == 0) loss[i] = %s;
  }
}
`, e.load("x[from + j]"), label, e.store("exp(v) / sum - label + bad"), teamwork("plus", "total"), e.store("total + bad"))
	}, e, l)
	return (&call{}).reads(logits.Buffer, labels.Buffer).writes(loss.Buffer, backprop.Buffer).i64(n, length).grid(f, [3]int{int(min(n, mostGroups)), 1, 1}, [3]int{team, 1, 1}), nil
}
