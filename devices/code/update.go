package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

// An update is the code of an optimizer: statements on the elements of its states, v0,
// v1, …, the gradient, g, and numbers, n0, n1, …, of type T.
type update struct {
	states, numbers int
	statements      string
}

// updates are the operations that apply gradients to variables, without Apply. The
// formulas are those of the operations' definitions.
var updates = map[string]update{
	"GradientDescent": {1, 1, "v0 -= n0 * g;"},                                                                                    // alpha
	"Momentum":        {2, 2, "v1 = v1 * n1 + g; v0 -= n0 * v1;"},                                                                 // lr, momentum
	"Nesterov":        {2, 2, "v1 = v1 * n1 + g; v0 -= g * n0 + v1 * n1 * n0;"},                                                   // lr, momentum
	"Adagrad":         {2, 1, "v1 += g * g; v0 -= n0 * g / sqrt(v1);"},                                                            // lr
	"RMSProp":         {3, 4, "v1 += (g * g - v1) * ((T)1 - n1); v2 = v2 * n2 + g * n0 / sqrt(v1 + n3); v0 -= v2;"},               // lr, rho, momentum, epsilon
	"Adam":            {3, 4, "v1 += (g - v1) * ((T)1 - n1); v2 += (g * g - v2) * ((T)1 - n2); v0 -= n0 * v1 / (sqrt(v2) + n3);"}, // rate, beta1, beta2, epsilon
}

// Update applies a gradient to a variable and its slots, which come first in states.
// numbers are the operation's, in the order in which package code lists them; Adam's
// rate is lr·√(1−β₂ᵗ)/(1−β₁ᵗ).
func Update(op string, states []Array, gradient Array, numbers ...float64) ([]devices.Launch, error) {
	u, ok := updates[op]
	if !ok || len(states) != u.states || len(numbers) != u.numbers {
		return nil, mistake("no update %s of %d arrays with %d numbers", op, len(states), len(numbers))
	}
	e, err := floating(gradient.Type)
	if err != nil {
		return nil, err
	}
	n := gradient.Elements()
	for _, s := range states {
		if s.Elements() != n || s.Type != gradient.Type {
			return nil, mistake("%s of arrays that differ", op)
		}
	}
	if n == 0 {
		return nil, nil
	}
	name := "apply" + strings.ToLower(op) + "_" + e.name
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, "typedef %s T;\nKERNEL %s(", e.compute, name)
		for i := range states {
			fmt.Fprintf(b, "GLOBAL %s *s%d, ", e.stored, i)
		}
		fmt.Fprintf(b, "GLOBAL const %s *gradient, i64 n", e.stored)
		for i := range numbers {
			fmt.Fprintf(b, ", f32 f%d", i)
		}
		b.WriteString(") {\n  EACH(i, n) {\n")
		fmt.Fprintf(b, "    T g = %s;\n", e.load("gradient[i]"))
		for i := range states {
			fmt.Fprintf(b, "    T v%d = %s;\n", i, e.load(fmt.Sprintf("s%d[i]", i)))
		}
		for i := range numbers {
			fmt.Fprintf(b, "    T n%[1]d = (T)f%[1]d;\n", i)
		}
		fmt.Fprintf(b, "    %s\n", u.statements)
		for i := range states {
			fmt.Fprintf(b, "    s%d[i] = %s;\n", i, e.store(fmt.Sprintf("v%d", i)))
		}
		b.WriteString("  }\n}\n")
	}, e)
	c := &call{}
	for _, s := range states {
		c.updates(s.Buffer)
	}
	return c.reads(gradient.Buffer).i64(n).f32(numbers...).flat(f, n), nil
}

// A Cell is what an LSTM cell reads and puts out: CS is its state before, Out what
// LSTMBlockCell puts out, in its order: i, cs, f, o, ci, co, h.
type Cell struct {
	Gates      Array // [batch, 4·size]: the product of input and weights with the bias, for i, ci, f and o
	CS         Array // [batch, size]
	Out        [7]Array
	ForgetBias float64
	Clip       float64 // of the state; none if it is not positive
}

// LSTM computes a cell without peepholes from the product of its matrices.
func LSTM(c Cell) ([]devices.Launch, error) {
	e, err := floating(c.CS.Type)
	if err != nil {
		return nil, err
	}
	n, size := c.CS.Elements(), c.CS.Dims[1]
	if n == 0 {
		return nil, nil
	}
	name := "lstm_" + e.name
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, "typedef %[2]s T;\nHELPER T gate(T x) { return (T)1 / ((T)1 + exp(-x)); }\nKERNEL %[1]s(GLOBAL const %[3]s *gates, GLOBAL const %[3]s *before", name, e.compute, e.stored)
		outputs := []string{"i", "cs", "f", "o", "ci", "co", "h"}
		for _, o := range outputs {
			fmt.Fprintf(b, ", GLOBAL %s *%s_out", e.stored, o)
		}
		fmt.Fprintf(b, `, i64 n, i64 size, f32 bias, f32 clip) {
  EACH(k, n) {
    i64 at = k / size * 4 * size + k %% size;
    T i = gate(%s), ci = tanh(%s), f = gate(%s + (T)bias), o = gate(%s);
    T cs = ci * i + %s * f, co, h;
    if (clip > 0.0f) cs = cs < (T)-clip ? (T)-clip : cs > (T)clip ? (T)clip : cs;
    co = tanh(cs);
    h = co * o;
`, e.load("gates[at]"), e.load("gates[at + size]"), e.load("gates[at + 2 * size]"), e.load("gates[at + 3 * size]"), e.load("before[k]"))
		for _, o := range outputs {
			fmt.Fprintf(b, "    %s_out[k] = %s;\n", o, e.store(o))
		}
		b.WriteString("  }\n}\n")
	}, e)
	l := (&call{}).reads(c.Gates.Buffer, c.CS.Buffer)
	for _, o := range c.Out {
		l.writes(o.Buffer)
	}
	return l.i64(n, size).f32(c.ForgetBias, c.Clip).flat(f, n), nil
}
