package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

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
	f := indexed(name, c.Gates.Elements(), func(name string, b *strings.Builder) {
		fmt.Fprintf(b, "typedef %[2]s T;\nHELPER T gate(T x) { return (T)1 / ((T)1 + exp(-x)); }\nKERNEL %[1]s(GLOBAL const %[3]s *gates, GLOBAL const %[3]s *before", name, e.compute, e.stored)
		outputs := []string{"i", "cs", "f", "o", "ci", "co", "h"}
		for _, o := range outputs {
			fmt.Fprintf(b, ", GLOBAL %s *%s_out", e.stored, o)
		}
		fmt.Fprintf(b, `, i64 n%s, f32 bias, f32 clip) {
  EACH(k, n) {
    I row = OVER(k, size, size_by), at = k + row * 3 * (I)size;
    T i = gate(%s), ci = tanh(%s), f = gate(%s + (T)bias), o = gate(%s);
    T cs = ci * i + %s * f, co, h;
    if (clip > 0.0f) cs = cs < (T)-clip ? (T)-clip : cs > (T)clip ? (T)clip : cs;
    co = tanh(cs);
    h = co * o;
`, divisors("size"), e.load("gates[at]"), e.load("gates[at + (I)size]"), e.load("gates[at + 2 * (I)size]"), e.load("gates[at + 3 * (I)size]"), e.load("before[k]"))
		for _, o := range outputs {
			fmt.Fprintf(b, "    %s_out[k] = %s;\n", o, e.store(o))
		}
		b.WriteString("  }\n}\n")
	}, e)
	l := (&call{}).reads(c.Gates.Buffer, c.CS.Buffer)
	for _, o := range c.Out {
		l.writes(o.Buffer)
	}
	return l.i64(n).over(size).f32(c.ForgetBias, c.Clip).flat(f, n), nil
}
