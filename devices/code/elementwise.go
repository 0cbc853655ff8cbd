package code

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A formula is what an operation does with single elements: an expression of x, y and
// w, its operands, in type T, and of the parameters p and q.
type formula struct {
	types  string // classes of elements: f, i, u, b
	result string // an expression; another type than T only where bool is put out
	bool   bool   // the result is a truth value
}

// unary are the operations of one operand. Formulas that are not plain take care of
// what overflows.
var unary = map[string]formula{
	"Identity":   {"fiub", "x", false},
	"Neg":        {"fi", "-x", false},
	"Abs":        {"f", "fabs(x)", false},
	"Sign":       {"f", "x > (T)0 ? (T)1 : x < (T)0 ? (T)-1 : x", false},
	"Square":     {"fiu", "x * x", false},
	"Reciprocal": {"f", "(T)1 / x", false},
	"Inv":        {"f", "(T)1 / x", false},
	"Sqrt":       {"f", "sqrt(x)", false},
	"Rsqrt":      {"f", "(T)1 / sqrt(x)", false},
	"Exp":        {"f", "exp(x)", false},
	"Expm1":      {"f", "expm1(x)", false},
	"Log":        {"f", "log(x)", false},
	"Log1p":      {"f", "log1p(x)", false},
	"Sin":        {"f", "sin(x)", false},
	"Cos":        {"f", "cos(x)", false},
	"Tan":        {"f", "tan(x)", false},
	"Asin":       {"f", "asin(x)", false},
	"Acos":       {"f", "acos(x)", false},
	"Atan":       {"f", "atan(x)", false},
	"Sinh":       {"f", "sinh(x)", false},
	"Cosh":       {"f", "cosh(x)", false},
	"Tanh":       {"f", "tanh(x)", false},
	"Asinh":      {"f", "asinh(x)", false},
	"Acosh":      {"f", "acosh(x)", false},
	"Atanh":      {"f", "atanh(x)", false},
	"Erf":        {"f", "erf(x)", false},
	"Erfc":       {"f", "erfc(x)", false},
	"Lgamma":     {"f", "lgamma(x)", false},
	"Floor":      {"f", "floor(x)", false},
	"Ceil":       {"f", "ceil(x)", false},
	"Rint":       {"f", "rint(x)", false},
	"Round":      {"f", "rint(x)", false},
	"Sigmoid":    {"f", "(T)1 / ((T)1 + exp(-x))", false},
	"Relu":       {"fiu", "x < (T)0 ? (T)0 : x", false},
	"Relu6":      {"fiu", "x < (T)0 ? (T)0 : x > (T)6 ? (T)6 : x", false},
	"LeakyRelu":  {"f", "x > (T)0 ? x : x * (T)p", false},
	"Elu":        {"f", "x < (T)0 ? expm1(x) : x", false},
	"Selu":       {"f", "x < (T)0 ? (T)1.7580993408473768 * expm1(x) : (T)1.0507009873554805 * x", false},
	"Softplus":   {"f", "x > (T)0 ? x + log1p(exp(-x)) : log1p(exp(x))", false},
	"Softsign":   {"f", "x / ((T)1 + fabs(x))", false},
	"OnesLike":   {"fiub", "(T)1", false},
	"ZerosLike":  {"fiub", "(T)0", false},
	"IsNan":      {"f", "x != x", true},
	"IsInf":      {"f", "x - x != x - x && x == x", true},
	"IsFinite":   {"f", "x - x == x - x", true},
	"LogicalNot": {"b", "!x", true},
	"Invert":     {"iu", "~x", false},
}

// binary are the operations of two operands, in the order of TensorFlow's inputs: a
// gradient's is the output or the gradient first, as there.
var binary = map[string]formula{
	"Add":               {"fiu", "x + y", false},
	"AddV2":             {"fiu", "x + y", false},
	"BiasAdd":           {"fiu", "x + y", false},
	"Sub":               {"fiu", "x - y", false},
	"Mul":               {"fiu", "x * y", false},
	"MulNoNan":          {"f", "y == (T)0 ? (T)0 : x * y", false},
	"Div":               {"f", "x / y", false},
	"RealDiv":           {"f", "x / y", false},
	"DivNoNan":          {"f", "y == (T)0 ? (T)0 : x / y", false},
	"Xdivy":             {"f", "x == (T)0 ? (T)0 : x / y", false},
	"Xlogy":             {"f", "x == (T)0 ? (T)0 : x * log(y)", false},
	"Xlog1py":           {"f", "x == (T)0 ? (T)0 : x * log1p(y)", false},
	"FloorDiv":          {"f", "floor(x / y)", false},
	"Mod":               {"f", "fmod(x, y)", false},
	"TruncateMod":       {"f", "fmod(x, y)", false},
	"Maximum":           {"fiu", "y != y || x < y ? y : x", false},
	"Minimum":           {"fiu", "y != y || y < x ? y : x", false},
	"Pow":               {"f", "pow(x, y)", false},
	"Atan2":             {"f", "atan2(x, y)", false},
	"SquaredDifference": {"fi", "(x - y) * (x - y)", false},
	"Equal":             {"fiub", "x == y", true},
	"NotEqual":          {"fiub", "x != y", true},
	"Less":              {"fiu", "x < y", true},
	"LessEqual":         {"fiu", "x <= y", true},
	"Greater":           {"fiu", "x > y", true},
	"GreaterEqual":      {"fiu", "x >= y", true},
	"LogicalAnd":        {"b", "x && y", true},
	"LogicalOr":         {"b", "x || y", true},
	"BitwiseAnd":        {"iu", "x & y", false},
	"BitwiseOr":         {"iu", "x | y", false},
	"BitwiseXor":        {"iu", "x ^ y", false},
	"ReluGrad":          {"f", "x * (T)(y > (T)0)", false}, // what is no number stays none
	"Relu6Grad":         {"f", "x * (T)(y > (T)0 && y < (T)6)", false},
	"LeakyReluGrad":     {"f", "y > (T)0 ? x : x * (T)p", false},
	"EluGrad":           {"f", "y < (T)0 ? x * (y + (T)1) : x", false},
	"SeluGrad":          {"f", "y < (T)0 ? x * (y + (T)1.7580993408473768) : x * (T)1.0507009873554805", false},
	"SoftplusGrad":      {"f", "x / ((T)1 + exp(-y))", false},
	"SoftsignGrad":      {"f", "x / (((T)1 + fabs(y)) * ((T)1 + fabs(y)))", false},
	"SigmoidGrad":       {"f", "y * (((T)1 - x) * x)", false},
	"TanhGrad":          {"f", "y * ((T)1 - x * x)", false},
	"SqrtGrad":          {"f", "y == (T)0 ? (T)0 : y * (T)0.5 / x", false},
	"RsqrtGrad":         {"f", "y == (T)0 ? (T)0 : y * (T)-0.5 * x * x * x", false},
	"InvGrad":           {"f", "y == (T)0 ? (T)0 : -y * x * x", false},
	"ReciprocalGrad":    {"f", "y == (T)0 ? (T)0 : -y * x * x", false},
}

// Takes says whether an operation of one or two operands has code for a type, and
// whether it puts out truth values.
func Takes(op string, t tensor.DType) (takes, truth bool) {
	f, ok := unary[op]
	if !ok {
		f, ok = binary[op]
	}
	e := elements[t]
	return ok && e.class != 0 && strings.IndexByte(f.types, e.class) >= 0, f.bool
}

// Unary is the names of the operations that [Map] has with one operand, and Binary of
// those with two, sorted.
func Unary() []string { return sorted(unary) }

// Binary is explained at [Unary].
func Binary() []string { return sorted(binary) }

func sorted(m map[string]formula) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Map computes z from one or two operands, element by element, with the operands
// broadcast to z. p is what LeakyRelu calls alpha.
func Map(op string, p float64, z Array, operands ...Array) ([]devices.Launch, error) {
	f, ok := unary[op]
	if len(operands) == 2 {
		f, ok = binary[op]
	}
	if !ok || len(operands) < 1 || len(operands) > 2 {
		return nil, status.Errorf(status.Unimplemented, "accelerators have no code for %s of %d operands", op, len(operands))
	}
	e, err := elementOf(operands[0].Type)
	if err != nil {
		return nil, err
	}
	if strings.IndexByte(f.types, e.class) < 0 {
		return nil, status.Errorf(status.Unimplemented, "accelerators have no code for %s of %v", op, operands[0].Type)
	}
	out := e
	if f.bool {
		out = elements[tensor.Bool]
	}
	return elementwise(strings.ToLower(op)+"_"+e.name, f.result, p, out, z, operands...)
}

// Several computes operations of the same operands, none of which is broadcast, into
// rows of z, which has their type: truth values are 0 and 1. It takes one compilation.
func Several(ops []string, p float64, z Array, operands ...Array) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	n := operands[0].Elements()
	names := []string{"x", "y"}[:len(operands)]
	digest := fnv.New64a()
	digest.Write([]byte(strings.Join(ops, " ")))
	name := fmt.Sprintf("several%d_%x_%s", len(operands), digest.Sum64(), e.name)
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, "typedef %s T;\nKERNEL %s(", e.compute, name)
		for _, o := range names {
			fmt.Fprintf(b, "GLOBAL const %s *%s_in, ", e.stored, o)
		}
		fmt.Fprintf(b, "GLOBAL %s *z, i64 n, f32 p) {\n  EACH(i, n) {\n", e.stored)
		for _, o := range names {
			fmt.Fprintf(b, "    T %s = %s;\n", o, e.load(o+"_in[i]"))
		}
		for row, op := range ops {
			f := unary[op]
			if len(operands) == 2 {
				f = binary[op]
			}
			fmt.Fprintf(b, "    z[%d * n + i] = %s;\n", row, e.store(f.result))
		}
		b.WriteString("  }\n}\n")
	}, e)
	c := &call{}
	for _, o := range operands {
		c.reads(o.Buffer)
	}
	return c.writes(z.Buffer).i64(n).f32(p).flat(f, n), nil
}

// Formula computes floats z element by element, by an expression of type T over operands of z's
// type that are not broadcast, which are called v0, v1, and so on. Its name is that of the
// function.
func Formula(name, expression string, z Array, operands ...Array) ([]devices.Launch, error) {
	e, err := floating(z.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	var arrays, loads strings.Builder
	c := &call{}
	for i, o := range operands {
		if o.Type != z.Type || o.Elements() != z.Elements() {
			return nil, mistake("%s of %v%v into %v%v", name, o.Type, o.Dims, z.Type, z.Dims)
		}
		fmt.Fprintf(&arrays, "GLOBAL const %s *in%d, ", e.stored, i)
		fmt.Fprintf(&loads, "    T v%d = %s;\n", i, e.load(fmt.Sprintf("in%d[i]", i)))
		c.reads(o.Buffer)
	}
	f := typed(name+"_"+e.name, e, arrays.String()+"GLOBAL "+e.stored+" *z", loads.String()+"    z[i] = "+e.store(expression)+";\n")
	return c.writes(z.Buffer).i64(z.Elements()).flat(f, z.Elements()), nil
}

// Cast converts elements. Floats become integers towards zero, and what is too large
// for them anything.
func Cast(z, x Array) ([]devices.Launch, error) {
	from, err := elementOf(x.Type)
	if err != nil {
		return nil, err
	}
	to, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	result := "x"
	if to.class == 'b' {
		result = "x != (T)0"
	}
	return elementwise("cast_"+from.name+"_"+to.name, result, 0, to, z, x)
}

// Scale multiplies floats by a number.
func Scale(z, x Array, factor float64) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil {
		return nil, err
	}
	return elementwise("scale_"+e.name, "x * (T)p", factor, e, z, x)
}

// Select takes x where the condition is true, and y elsewhere.
func Select(z, condition, x, y Array) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	return elementwise("select_"+e.name, "x ? y : w", 0, e, z, condition, x, y)
}

// elementwise is the launch of an expression of up to three operands.
func elementwise(name, result string, p float64, out element, z Array, operands ...Array) ([]devices.Launch, error) {
	n := z.Elements()
	if n == 0 {
		return nil, nil
	}
	var shapes [][]int64
	for _, o := range operands {
		shapes = append(shapes, o.Dims)
	}
	w, err := broadcasting(z.Dims, shapes...)
	if err != nil {
		return nil, err
	}
	var types []element
	for _, o := range operands {
		e, err := elementOf(o.Type)
		if err != nil {
			return nil, err
		}
		types = append(types, e)
	}
	names := []string{"x", "y", "w"}[:len(operands)]
	f := function(fmt.Sprintf("%s_r%d", name, len(w.dims)), func(b *strings.Builder) {
		compute := types[0]
		fmt.Fprintf(b, "typedef %s T;\nKERNEL %s_r%d(", compute.compute, name, len(w.dims))
		for i, o := range names {
			fmt.Fprintf(b, "GLOBAL const %s *%s_in, ", types[i].stored, o)
		}
		fmt.Fprintf(b, "GLOBAL %s *z, i64 n, f32 p%s) {\n  EACH(i, n) {\n", out.stored, w.parameters("", names...))
		w.places(b, "", "i", names...)
		for i, o := range names {
			fmt.Fprintf(b, "    %s %s = %s;\n", types[i].compute, o, types[i].load(o+"_in["+o+"_at]"))
		}
		fmt.Fprintf(b, "    z[i] = %s;\n  }\n}\n", out.store(result))
	}, append(types, out)...)
	c := &call{}
	for _, o := range operands {
		c.reads(o.Buffer)
	}
	c.writes(z.Buffer).i64(n).f32(p)
	w.args(c)
	return c.flat(f, n), nil
}
