package code

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/tensor"
)

// A rule is how an optimizer applies a gradient: statements that change an element of each
// of its states, v0 (the variable), v1, …, by that of the gradient, g, and by its numbers,
// which are called as the operation's inputs. They are of type T.
type rule struct {
	states     int
	numbers    []string
	statements string
}

// rules are those of the operations that apply gradients to variables, without Apply, and
// of their variants. The formulas are those of the operations' definitions.
var rules = map[string]rule{
	"GradientDescent":         {1, words("alpha"), "v0 -= g * alpha;"},
	"ProximalGradientDescent": {1, words("alpha l1 l2"), "v0 -= g * alpha; if (l1 > (T)0) v0 = sgn(v0) * fmax(fabs(v0) - alpha * l1, (T)0); v0 /= (T)1 + alpha * l2;"},
	"Momentum":                {2, words("lr momentum"), "v1 = v1 * momentum + g; v0 -= v1 * lr;"},
	"MomentumNesterov":        {2, words("lr momentum"), "v1 = v1 * momentum + g; v0 -= g * lr + v1 * momentum * lr;"},
	"KerasMomentum":           {2, words("lr momentum"), "v1 = v1 * momentum - g * lr; v0 += v1;"},
	"KerasMomentumNesterov":   {2, words("lr momentum"), "v1 = v1 * momentum - g * lr; v0 += v1 * momentum - g * lr;"},
	"Adagrad":                 {2, words("lr"), "v1 += g * g; v0 -= g * lr / sqrt(v1);"},
	"AdagradKept":             {2, words("lr"), "v0 -= g * lr / sqrt(v1);"},
	"AdagradV2":               {2, words("lr epsilon"), "v1 += g * g; v0 -= g * lr / (sqrt(v1) + epsilon);"},
	"AdagradV2Kept":           {2, words("lr epsilon"), "v0 -= g * lr / (sqrt(v1) + epsilon);"},
	"ProximalAdagrad": {2, words("lr l1 l2"), "v1 += g * g; { T rate = lr / sqrt(v1); v0 -= g * rate; " +
		"if (l1 > (T)0) v0 = sgn(v0) * fmax(fabs(v0) - rate * l1, (T)0); v0 /= (T)1 + rate * l2; }"},
	"Adadelta": {3, words("lr rho epsilon"), "v1 = v1 * rho + g * g * ((T)1 - rho); T step = sqrt(v2 + epsilon) / sqrt(v1 + epsilon) * g; " +
		"v0 -= step * lr; v2 = v2 * rho + step * step * ((T)1 - rho);"},
	"RMSProp": {3, words("lr rho momentum epsilon"), "v1 += (g * g - v1) * ((T)1 - rho); v2 = v2 * momentum + g * lr / sqrt(v1 + epsilon); v0 -= v2;"},
	"CenteredRMSProp": {4, words("lr rho momentum epsilon"), "v2 += (g * g - v2) * ((T)1 - rho); v1 += (g - v1) * ((T)1 - rho); " +
		"v3 = v3 * momentum + g * lr / sqrt(v2 - v1 * v1 + epsilon); v0 -= v3;"},
	"Adam":            {3, words(adams), moments + "v0 -= v1 * rate / (sqrt(v2) + epsilon);"},
	"AdamNesterov":    {3, words(adams), moments + "v0 -= (g * ((T)1 - beta1) + beta1 * v1) * rate / (sqrt(v2) + epsilon);"},
	"AdamWithAmsgrad": {4, words(adams), moments + "v3 = fmax(v3, v2); v0 -= v1 * rate / (sqrt(v3) + epsilon);"},
	"AdaMax": {3, words("beta1_power lr beta1 beta2 epsilon"), "v1 += (g - v1) * ((T)1 - beta1); v2 = fmax(beta2 * v2, fabs(g)); " +
		"v0 -= lr / ((T)1 - beta1_power) * (v1 / (v2 + epsilon));"},
	"AddSign":    {2, words("lr alpha sign_decay beta"), "v1 = v1 * beta + g * ((T)1 - beta); v0 -= lr * (alpha + sign_decay * (sgn(g) * sgn(v1))) * g;"},
	"PowerSign":  {2, words("lr logbase sign_decay beta"), "v1 = v1 * beta + g * ((T)1 - beta); v0 -= lr * exp(logbase * sign_decay * (sgn(g) * sgn(v1))) * g;"},
	"Ftrl":       {3, words("lr l1 l2 lr_power"), ftrl("(T)0", "(T)1", "lr")},
	"FtrlByLR":   {3, words("lr l1 l2 lr_power"), ftrl("(T)0", "lr", "(T)1")},
	"FtrlV2":     {3, words("lr l1 l2 l2_shrinkage lr_power"), ftrl("l2_shrinkage", "(T)1", "lr")},
	"FtrlV2ByLR": {3, words("lr l1 l2 l2_shrinkage lr_power"), ftrl("l2_shrinkage", "lr", "(T)1")},
}

const (
	adams   = "beta1_power beta2_power lr beta1 beta2 epsilon"
	moments = "T rate = lr * sqrt((T)1 - beta2_power) / ((T)1 - beta1_power); v1 += (g - v1) * ((T)1 - beta1); v2 += (g * g - v2) * ((T)1 - beta2); "
)

// ftrl returns the rule of FTRL-proximal, where scale is what the gradient counts, and divide
// what it is balanced with.
func ftrl(shrinkage, scale, divide string) string {
	return strings.NewReplacer("SHRINKAGE", shrinkage, "SCALE", scale, "DIVIDE", divide).Replace(
		"T sum = v1 + g * g, after = raise(sum, -lr_power), before = raise(v1, -lr_power), bound = l1 * SCALE; " +
			"v2 += (g + (T)2 * SHRINKAGE * v0) * SCALE - (after - before) / DIVIDE * v0; v1 = sum; " +
			"v0 = fabs(v2) > bound ? (bound * sgn(v2) - v2) / (after / DIVIDE + (T)2 * l2 * SCALE) : (T)0;")
}

func words(names string) []string { return strings.Fields(names) }

// Update makes the next elements of a variable and its slots from those now, which may be
// in the same memory, by a gradient of their shape. The rule is the operation's name without
// Apply, with what its attributes choose: Nesterov, Kept (slots are not updated), ByLR. The
// numbers are the operation's, each an array of one element, in the order of its inputs.
func Update(by string, next, now []Array, gradient Array, numbers []Array) ([]devices.Launch, error) {
	r, ok := rules[by]
	if !ok || len(next) != r.states || len(now) != r.states || len(numbers) != len(r.numbers) {
		return nil, mistake("no update %s of %d arrays with %d numbers", by, len(now), len(numbers))
	}
	e, err := floating(gradient.Type)
	if err != nil {
		return nil, err
	}
	n := gradient.Elements()
	for _, a := range slices.Concat(next, now) {
		if a.Elements() != n || a.Type != gradient.Type {
			return nil, mistake("%s of arrays that differ", by)
		}
	}
	if err := scalars(by, numbers, gradient.Type); err != nil || n == 0 {
		return nil, err
	}
	name := "apply" + strings.ToLower(by) + "_" + e.name
	f := function(name, func(b *strings.Builder) {
		r.begin(b, name, e, "")
		b.WriteString("  EACH(i, n) {\n")
		fmt.Fprintf(b, "    T g = %s;\n", e.load("gradient[i]"))
		for i := range r.states {
			fmt.Fprintf(b, "    T v%d = %s;\n", i, e.load(fmt.Sprintf("now%d[i]", i)))
		}
		fmt.Fprintf(b, "    %s\n", r.statements)
		for i := range r.states {
			fmt.Fprintf(b, "    next%d[i] = %s;\n", i, e.store(fmt.Sprintf("v%d", i)))
		}
		b.WriteString("  }\n}\n")
	}, e)
	c := &call{}
	for i := range now {
		c.reads(now[i].Buffer).writes(next[i].Buffer)
	}
	for _, x := range numbers {
		c.reads(x.Buffer)
	}
	return c.reads(gradient.Buffer).i64(n).flat(f, n), nil
}

// scalars reports whether the numbers of an update are.
func scalars(by string, numbers []Array, t tensor.DType) error {
	for _, a := range numbers {
		if a.Elements() != 1 || a.Type != t {
			return mistake("%s by a number %v%v", by, a.Type, a.Dims)
		}
	}
	return nil
}

// begin writes what functions of a rule have before their loops. States are in now0 and next0,
// …, or, if there are indices of a type, in next0, … alone.
func (r rule) begin(b *strings.Builder, name string, e element, indices string) {
	fmt.Fprintf(b, "typedef %s T;\nHELPER T sgn(T x) { return x > (T)0 ? (T)1 : x < (T)0 ? (T)-1 : x; }\n", e.compute)
	b.WriteString("HELPER T raise(T x, T p) { return p == (T)0.5 ? sqrt(x) : pow(x, p); }\n")
	fmt.Fprintf(b, "KERNEL %s(", name)
	for i := range r.states {
		if indices == "" {
			fmt.Fprintf(b, "GLOBAL const %s *now%d, ", e.stored, i)
		}
		fmt.Fprintf(b, "GLOBAL %s *next%d, ", e.stored, i)
	}
	for _, x := range r.numbers {
		fmt.Fprintf(b, "GLOBAL const %s *%s_in, ", e.stored, x)
	}
	if indices != "" {
		fmt.Fprintf(b, "GLOBAL const %s *indices, i64 count, i64 limit, ", indices)
	}
	fmt.Fprintf(b, "GLOBAL const %s *gradient, i64 n) {\n", e.stored)
	for _, x := range r.numbers {
		fmt.Fprintf(b, "  T %s = %s;\n", x, e.load(x+"_in[0]"))
	}
}

// UpdateRows is Update of rows of states, in their place: of row indices[i] by row i of the
// gradient, one after the other whatever the device.
func UpdateRows(by string, states []Array, indices, gradient Array, numbers []Array) ([]devices.Launch, error) {
	r, ok := rules[by]
	if !ok || len(states) != r.states || len(numbers) != len(r.numbers) || len(states[0].Dims) == 0 {
		return nil, mistake("no update %s of rows of %d arrays with %d numbers", by, len(states), len(numbers))
	}
	e, err := floating(gradient.Type)
	if err != nil {
		return nil, err
	}
	index, err := elementOf(indices.Type)
	if err != nil {
		return nil, err
	}
	if err := scalars(by, numbers, gradient.Type); err != nil || gradient.Elements() == 0 {
		return nil, err
	}
	t := into(states[0], 1)
	name := "applyrows" + strings.ToLower(by) + "_" + e.name + "_" + index.name
	f := function(name, func(b *strings.Builder) {
		r.begin(b, name, e, index.stored)
		b.WriteString("  EACH(column, n) {\n    for (i64 row = 0; row < count; row++) {\n      i64 at = (i64)indices[row];\n      if (at < 0 || at >= limit) continue;\n      at = at * n + column;\n      {\n")
		fmt.Fprintf(b, "    T g = %s;\n", e.load("gradient[row * n + column]"))
		for i := range r.states {
			fmt.Fprintf(b, "    T v%d = %s;\n", i, e.load(fmt.Sprintf("next%d[at]", i)))
		}
		fmt.Fprintf(b, "    %s\n", r.statements)
		for i := range r.states {
			fmt.Fprintf(b, "    next%d[at] = %s;\n", i, e.store(fmt.Sprintf("v%d", i)))
		}
		b.WriteString("      }\n    }\n  }\n}\n")
	}, e, index)
	c := &call{}
	for _, s := range states {
		c.updates(s.Buffer)
	}
	for _, x := range numbers {
		c.reads(x.Buffer)
	}
	return c.reads(indices.Buffer).i64(indices.Elements(), t.limits[0]).reads(gradient.Buffer).i64(t.inner).flat(f, t.inner), nil
}
