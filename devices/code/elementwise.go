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
	types  string // classes of elements: f, i, u, b; h is f but for bfloat16, d float and double
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
	"Lgamma":     {"h", "lgamma(x)", false},
	"Floor":      {"f", "floor(x)", false},
	"Ceil":       {"f", "ceil(x)", false},
	"Rint":       {"d", "rint(x)", false},
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

	"Digamma":    {"h", "(T)s_digamma((f64)x)", false},
	"Erfinv":     {"d", "(T)s_erfinv((f64)x)", false},
	"Ndtri":      {"d", "(T)s_ndtri((f64)x)", false},
	"BesselI0e":  {"h", "(T)s_besselie(0, (f64)x)", false},
	"BesselI1e":  {"h", "(T)s_besselie(1, (f64)x)", false},
	"BesselI0":   {"h", "(T)s_besseli(0, (f64)x)", false},
	"BesselI1":   {"h", "(T)s_besseli(1, (f64)x)", false},
	"BesselJ0":   {"h", "(T)s_besseljy(0, 0, (f64)x)", false},
	"BesselJ1":   {"h", "(T)s_besseljy(1, 0, (f64)x)", false},
	"BesselY0":   {"h", "(T)s_besseljy(0, 1, (f64)x)", false},
	"BesselY1":   {"h", "(T)s_besseljy(1, 1, (f64)x)", false},
	"BesselK0":   {"h", "(T)s_besselk(0, 0, (f64)x)", false},
	"BesselK1":   {"h", "(T)s_besselk(1, 0, (f64)x)", false},
	"BesselK0e":  {"h", "(T)s_besselk(0, 1, (f64)x)", false},
	"BesselK1e":  {"h", "(T)s_besselk(1, 1, (f64)x)", false},
	"Dawsn":      {"h", "(T)s_dawson((f64)x)", false},
	"Expint":     {"h", "(T)s_expint((f64)x)", false},
	"FresnelCos": {"h", "(T)s_fresnel(0, (f64)x)", false},
	"FresnelSin": {"h", "(T)s_fresnel(1, (f64)x)", false},
	"Spence":     {"h", "(T)s_spence((f64)x)", false},
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
	"BiasAddV1":         {"fiu", "x + y", false},
	"TruncateDiv":       {"f", "trunc(x / y)", false},
	"FloorMod":          {"f", "fmod(x, y) != (T)0 && (fmod(x, y) < (T)0) != (y < (T)0) ? fmod(x, y) + y : fmod(x, y)", false},
	"NextAfter":         {"d", "x == y ? y : nextafter(x, y)", false},
	"ApproximateEqual":  {"f", "fabs(x - y) < (T)p", true},
	"LeftShift":         {"iu", "(T)((u64)x << " + within8 + ")", false},
	"RightShift":        {"iu", "(T)(x >> " + within8 + ")", false},
	"Zeta":              {"d", "(T)s_zeta((f64)x, (f64)y)", false},
	"Polygamma":         {"d", "(T)s_polygamma((f64)x, (f64)y)", false},
	"Igamma":            {"d", "(T)s_igamma(0, (f64)x, (f64)y)", false},
	"Igammac":           {"d", "(T)s_igamma(1, (f64)x, (f64)y)", false},
	"IgammaGradA":       {"d", "(T)s_igamma(2, (f64)x, (f64)y)", false},
	"RandomGammaGrad":   {"d", "(T)s_gammadraw((f64)x, (f64)y)", false},
}

// within8 is y, or the nearest number of bits that elements can be shifted by.
const within8 = "(y < (T)0 ? 0 : y > (T)(8 * sizeof(T) - 1) ? (i32)(8 * sizeof(T) - 1) : (i32)y)"

// whole are formulas of integers that are not those of floats. What is divided by zero is
// zero.
var whole = map[string]formula{
	"Abs":         {"i", "x < (T)0 ? (T)-x : x", false},
	"Sign":        {"i", "x > (T)0 ? (T)1 : x < (T)0 ? (T)-1 : (T)0", false},
	"Div":         {"iu", over, false},
	"TruncateDiv": {"iu", over, false},
	"FloorDiv":    {"iu", "y == (T)0 ? (T)0 : y == (T)-1 && (T)-1 < (T)0 ? (T)-x : (T)(x / y - (x % y != (T)0 && (x % y < (T)0) != (y < (T)0)))", false},
	"FloorMod":    {"iu", "y == (T)0 || (y == (T)-1 && (T)-1 < (T)0) ? (T)0 : (T)(x % y + (x % y != (T)0 && (x % y < (T)0) != (y < (T)0) ? y : (T)0))", false},
	"Mod":         {"l", rest, false},
	"TruncateMod": {"l", rest, false},
}

const (
	over = "y == (T)0 ? (T)0 : y == (T)-1 && (T)-1 < (T)0 ? (T)-x : (T)(x / y)"
	rest = "y == (T)0 || y == (T)-1 ? (T)0 : (T)(x % y)"
)

// ternary are the operations of three operands.
var ternary = map[string]formula{
	"ClipByValue": {"fiu", "(x > w ? w : x) < y ? y : x > w ? w : x", false},
	"Betainc":     {"d", "(T)s_betainc((f64)x, (f64)y, (f64)w)", false},
}

// formulaOf returns that of an operation for elements of a type.
func formulaOf(op string, operands int, e element) (formula, error) {
	f, ok := []map[string]formula{unary, binary, ternary}[max(1, min(operands, 3))-1][op]
	if w, is := whole[op]; is && (e.class == 'i' || e.class == 'u') {
		f, ok = w, true
	}
	if !ok {
		return f, status.Errorf(status.Unimplemented, "accelerators have no code for %s of %d operands", op, operands)
	}
	if !f.takes(e) {
		return f, status.Errorf(status.Unimplemented, "accelerators have no code for %s of %s", op, e.name)
	}
	return f, nil
}

func (f formula) takes(e element) bool {
	for _, c := range []byte(f.types) {
		switch {
		case c == e.class && e.class != 0, c == 'h' && e.class == 'f' && e.name != "bf16", c == 'd' && (e.name == "f32" || e.name == "f64"), c == 'l' && (e.name == "i32" || e.name == "i64"):
			return true
		}
	}
	return false
}

// Takes reports whether an operation of one to three operands has code for a type, and
// whether it puts out truth values.
func Takes(op string, t tensor.DType) (takes, truth bool) {
	for operands := 1; operands <= 3; operands++ {
		if f, err := formulaOf(op, operands, elements[t]); err == nil {
			return true, f.bool
		}
	}
	return false, binary[op].bool || unary[op].bool
}

// Unary returns the names of the operations that [Map] has with one operand, and Binary of
// those with two, sorted.
func Unary() []string { return sorted(unary) }

// Binary is explained at [Unary].
func Binary() []string { return sorted(binary) }

// Ternary returns those of three operands.
func Ternary() []string { return sorted(ternary) }

func sorted(m map[string]formula) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Map computes z from one to three operands, element by element, with the operands
// broadcast to z. p is what LeakyRelu calls alpha, and ApproximateEqual tolerance.
func Map(op string, p float64, z Array, operands ...Array) ([]devices.Launch, error) {
	e, err := elementOf(operands[0].Type)
	if err != nil {
		return nil, err
	}
	f, err := formulaOf(op, len(operands), e)
	if err != nil {
		return nil, err
	}
	out := e
	if f.bool {
		out = elements[tensor.Bool]
	}
	return elementwise(strings.ToLower(op)+"_"+e.name, op, f.result, p, out, z, operands...)
}

// Several computes operations of the same operands, none of which is broadcast, into
// rows of z, which has their type: truth values are 0 and 1. It takes one compilation.
func Several(ops []string, p float64, z Array, operands ...Array) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	for _, op := range ops {
		if _, err := formulaOf(op, len(operands), e); err != nil {
			return nil, err
		}
	}
	n := operands[0].Elements()
	names := []string{"x", "y", "w"}[:len(operands)]
	helpers, double := specials(ops...)
	types := []element{e}
	if double {
		types = append(types, elements[tensor.Double])
	}
	digest := fnv.New64a()
	digest.Write([]byte(strings.Join(ops, " ")))
	name := fmt.Sprintf("several%d_%x_%s", len(operands), digest.Sum64(), e.name)
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, "%stypedef %s T;\nKERNEL %s(", helpers, e.compute, name)
		for _, o := range names {
			fmt.Fprintf(b, "GLOBAL const %s *%s_in, ", e.stored, o)
		}
		fmt.Fprintf(b, "GLOBAL %s *z, i64 n, f32 p) {\n  EACH(i, n) {\n", e.stored)
		for _, o := range names {
			fmt.Fprintf(b, "    T %s = %s;\n", o, e.load(o+"_in[i]"))
		}
		for row, op := range ops {
			f, _ := formulaOf(op, len(operands), e)
			fmt.Fprintf(b, "    z[%d * n + i] = %s;\n", row, e.store(f.result))
		}
		b.WriteString("  }\n}\n")
	}, types...)
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

// PopulationCount counts the bits that are set in integers.
func PopulationCount(z, x Array) ([]devices.Launch, error) {
	e, err := elementOf(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	f := typed("populationcount_"+e.name, e, fmt.Sprintf("GLOBAL const %s *x, GLOBAL u8 *z", e.stored),
		"    u64 v = (u64)x[i];\n    i32 count = 0;\n    for (i32 k = 0; k < (i32)(8 * sizeof(T)); k++) count += (i32)(v >> k & 1u);\n    z[i] = (u8)count;\n")
	return (&call{}).reads(x.Buffer).writes(z.Buffer).i64(z.Elements()).flat(f, z.Elements()), nil
}

// Cross computes vector products of the rows, of 3 elements, of x and y.
func Cross(z, x, y Array) ([]devices.Launch, error) {
	e, err := elementOf(x.Type)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	at := func(array, k string) string { return e.load(array + "[i - c + " + k + "]") }
	f := typed("cross_"+e.name, e, fmt.Sprintf("GLOBAL const %[1]s *x, GLOBAL const %[1]s *y, GLOBAL %[1]s *z", e.stored),
		"    i64 c = i % 3, a = (c + 1) % 3, b = (c + 2) % 3;\n    z[i] = "+e.store(at("x", "a")+" * "+at("y", "b")+" - "+at("x", "b")+" * "+at("y", "a"))+";\n")
	return (&call{}).reads(x.Buffer, y.Buffer).writes(z.Buffer).i64(z.Elements()).flat(f, z.Elements()), nil
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
	return elementwise("cast_"+from.name+"_"+to.name, "", result, 0, to, z, x)
}

// Scale multiplies floats by a number.
func Scale(z, x Array, factor float64) ([]devices.Launch, error) {
	e, err := floating(x.Type)
	if err != nil {
		return nil, err
	}
	return elementwise("scale_"+e.name, "", "x * (T)p", factor, e, z, x)
}

// Select takes x where the condition is true, and y elsewhere.
func Select(z, condition, x, y Array) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	return elementwise("select_"+e.name, "", "x ? y : w", 0, e, z, condition, x, y)
}

// elementwise returns the launch of an expression of up to three operands.
func elementwise(name, op, result string, p float64, out element, z Array, operands ...Array) ([]devices.Launch, error) {
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
	needs := append(types, out)
	helpers, double := specials(op)
	if double {
		needs = append(needs, elements[tensor.Double])
	}
	packed := ""
	if n >= worthPacks && helpers == "" {
		packed = w.pack()
	}
	name = fmt.Sprintf("%s_r%d%s", name, len(w.dims), packed)
	f := indexed(name, w.reach(), func(name string, b *strings.Builder) {
		fmt.Fprintf(b, "%stypedef %s T;\n", helpers, types[0].compute)
		if packed != "" {
			packs(b, append(types, out)...)
		}
		fmt.Fprintf(b, "KERNEL %s(", name)
		for i, o := range names {
			fmt.Fprintf(b, "GLOBAL const %s *%s_in, ", types[i].stored, o)
		}
		fmt.Fprintf(b, "GLOBAL %s *z, i64 n, f32 p%s) {\n  EACH(i, n) {\n", out.stored, w.parameters("", names...))
		w.places(b, "", "i", names...)
		if packed == "" {
			for i, o := range names {
				fmt.Fprintf(b, "    %s %s = %s;\n", types[i].compute, o, types[i].load(o+"_in["+o+"_at]"))
			}
			fmt.Fprintf(b, "    z[i] = %s;\n  }\n}\n", out.store(result))
			return
		}
		for i, o := range names {
			if packed[i] == 'p' {
				fmt.Fprintf(b, "    PACK_%s %s_p = ((GLOBAL const PACK_%[1]s *)%[2]s_in)[%[2]s_at];\n", types[i].stored, o)
			} else {
				fmt.Fprintf(b, "    %s %s = %s;\n", types[i].compute, o, types[i].load(o+"_in["+o+"_at]"))
			}
		}
		fmt.Fprintf(b, "    PACK_%s z_p;\n#pragma unroll\n    for (i32 j = 0; j < 4; j++) {\n", out.stored)
		for i, o := range names {
			if packed[i] == 'p' {
				fmt.Fprintf(b, "      %s %s = %s;\n", types[i].compute, o, types[i].load(o+"_p.v[j]"))
			}
		}
		fmt.Fprintf(b, "      z_p.v[j] = %s;\n    }\n    ((GLOBAL PACK_%s *)z)[i] = z_p;\n  }\n}\n", out.store(result), out.stored)
	}, needs...)
	c := &call{}
	for _, o := range operands {
		c.reads(o.Buffer)
	}
	if packed != "" {
		n /= 4
	}
	c.writes(z.Buffer).i64(n).f32(p)
	w.args(c)
	return c.flat(f, n), nil
}

// worthPacks is how many elements an array has at least of which threads take four at once.
const worthPacks = 1 << 14

// pack makes a walk one over packs of four elements of the last dimension, where it can, and
// says which of its arrays has packs: p, or only one element for all four: s. An array's
// last stride is 1 or 0 then.
func (w *walk) pack() string {
	last := len(w.dims) - 1
	if last < 0 || w.dims[last]%4 != 0 {
		return ""
	}
	var how []byte
	for _, s := range w.strides {
		switch s[last] {
		case 0:
			how = append(how, 's')
		case 1:
			how = append(how, 'p')
			for _, other := range s[:last] {
				if other%4 != 0 {
					return ""
				}
			}
		default:
			return ""
		}
	}
	w.dims[last] /= 4
	for i, s := range w.strides {
		if how[i] == 'p' {
			for k := range s[:last] {
				s[k] /= 4
			}
		}
	}
	return string(how)
}

// packs declares packs of four of elements as they are stored.
func packs(b *strings.Builder, types ...element) {
	var have []string
	for _, e := range types {
		if !slices.Contains(have, e.stored) {
			have = append(have, e.stored)
			fmt.Fprintf(b, "typedef struct ALIGNED(%d) { %s v[4]; } PACK_%[2]s;\n", 4*sizes[e.stored], e.stored)
		}
	}
}
