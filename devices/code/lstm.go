package code

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/devices"
)

// A Cell is what an LSTM cell reads and puts out in one step: its state before, CS from BeforeAt
// on, and what LSTMBlockCell puts out, from At on, in its order: i, cs, f, o, ci, co, h.
type Cell struct {
	Gates    Array // [batch, 4·size]: the product of input and weights with the bias, for i, ci, f and o
	CS       Array // of steps of [batch, size]
	BeforeAt int64
	Out      [7]Array // of steps of [batch, size]
	At       int64
	CellVariant
}

// A CellVariant is what distinguishes the cells.
type CellVariant struct {
	Peepholes  []Array // none, or wci, wcf and wco, each of size elements
	Second     bool    // the gates are in the order i, f, ci and o
	ForgetBias float64
	Clip       float64 // of the state; none if it is not positive
}

func (v CellVariant) name(name string, e element) string {
	if len(v.Peepholes) > 0 {
		name += "peephole"
	}
	if v.Second {
		name += "2"
	}
	return name + "_" + e.name
}

// places are where in a row of gates those of ci and f begin, in sizes.
func (v CellVariant) places() (ci, f int) {
	if v.Second {
		return 2, 1
	}
	return 1, 2
}

var cellOutputs = []string{"i", "cs", "f", "o", "ci", "co", "h"}

// LSTM computes a cell from the product of its matrices. n is the number of its elements, batch
// times size.
func LSTM(c Cell, n, size int64) ([]devices.Launch, error) {
	e, err := floating(c.CS.Type)
	if err != nil || n == 0 {
		return nil, err
	}
	name := c.name("lstm", e)
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, "typedef %[2]s T;\nHELPER T gate(T x) { return (T)1 / ((T)1 + exp(-x)); }\nKERNEL %[1]s(GLOBAL const %[3]s *gates, GLOBAL const %[3]s *before", name, e.compute, e.stored)
		for _, o := range cellOutputs {
			fmt.Fprintf(b, ", GLOBAL %s *%s_out", e.stored, o)
		}
		peep := func(of, state string) string { return "" }
		if len(c.Peepholes) > 0 {
			fmt.Fprintf(b, ", GLOBAL const %[1]s *wci, GLOBAL const %[1]s *wcf, GLOBAL const %[1]s *wco", e.stored)
			peep = func(of, state string) string { return " + " + state + " * " + e.load(of+"[k % size]") }
		}
		ci, f := c.places()
		fmt.Fprintf(b, `, i64 n, i64 size, i64 before_at, i64 out_at, f32 bias, f32 clip) {
  EACH(k, n) {
    i64 at = k / size * 4 * size + k %% size, z = out_at + k;
    T was = %[1]s, i = gate(%[2]s%[3]s), f = gate(%[4]s + (T)bias%[5]s), ci = tanh(%[6]s), o = %[7]s;
    T cs = ci * i + was * f, co, h;
    if (clip > 0.0f) cs = cs < (T)-clip ? (T)-clip : cs > (T)clip ? (T)clip : cs;
    o = gate(o%[8]s);
    co = tanh(cs);
    h = co * o;
`, e.load("before[before_at + k]"), e.load("gates[at]"), peep("wci", "was"), e.load(fmt.Sprintf("gates[at + %d * size]", f)), peep("wcf", "was"),
			e.load(fmt.Sprintf("gates[at + %d * size]", ci)), e.load("gates[at + 3 * size]"), peep("wco", "cs"))
		for _, o := range cellOutputs {
			fmt.Fprintf(b, "    %s_out[z] = %s;\n", o, e.store(o))
		}
		b.WriteString("  }\n}\n")
	}, e)
	l := (&call{}).reads(c.Gates.Buffer, c.CS.Buffer)
	for _, o := range c.Out {
		l.writes(o.Buffer)
	}
	for _, w := range c.Peepholes {
		l.reads(w.Buffer)
	}
	return l.i64(n, size, c.BeforeAt, c.At).f32(c.ForgetBias, c.Clip).flat(f, n), nil
}

// A CellGrad is what the gradient of one step reads and puts out: what the cell has put out but
// for h, and the gradients of cs and h, all from At on.
type CellGrad struct {
	CS       Array // the state before, from BeforeAt on
	BeforeAt int64
	Out      [6]Array
	DCS, DH  Array
	At       int64
	CarryCS  Array   // the gradient of cs that comes from the step after; that of the state before is put in its place
	CarryH   Array   // the same of h, read
	Gates    Array   // written: gradients of the gates, in their order
	Sums     []Array // of peepholes: their gradients for each element of the batch are added to these
	CellVariant
}

// LSTMGrad computes a step of the gradient of a cell.
func LSTMGrad(c CellGrad, n, size int64) ([]devices.Launch, error) {
	e, err := floating(c.CS.Type)
	if err != nil || n == 0 {
		return nil, err
	}
	name := c.name("lstmgrad", e)
	f := function(name, func(b *strings.Builder) {
		fmt.Fprintf(b, "typedef %[2]s T;\nKERNEL %[1]s(GLOBAL const %[3]s *before, GLOBAL const %[3]s *dcs_in, GLOBAL const %[3]s *dh_in, GLOBAL const %[3]s *h_carry, GLOBAL %[3]s *cs_carry, GLOBAL %[3]s *gates", name, e.compute, e.stored)
		for _, o := range cellOutputs[:6] {
			fmt.Fprintf(b, ", GLOBAL const %s *%s_in", e.stored, o)
		}
		peepholes := len(c.Peepholes) > 0
		if peepholes {
			fmt.Fprintf(b, ", GLOBAL const %[1]s *wci, GLOBAL const %[1]s *wcf, GLOBAL const %[1]s *wco, GLOBAL %[1]s *sci, GLOBAL %[1]s *scf, GLOBAL %[1]s *sco", e.stored)
		}
		b.WriteString(", i64 n, i64 size, i64 before_at, i64 in_at) {\n  EACH(k, n) {\n    i64 at = k / size * 4 * size + k % size, from = in_at + k;\n")
		fmt.Fprintf(b, "    T was = %s;\n", e.load("before[before_at + k]"))
		for _, o := range cellOutputs[:6] {
			fmt.Fprintf(b, "    T %s = %s;\n", o, e.load(o+"_in[from]"))
		}
		fmt.Fprintf(b, `    T dh = %s + %s;
    T dout = o * ((T)1 - o) * dh * co, dcs = ((T)1 - co * co) * dh * o + %s + %s, dci, df, di, carry;
`, e.load("dh_in[from]"), e.load("h_carry[k]"), e.load("dcs_in[from]"), e.load("cs_carry[k]"))
		if peepholes {
			fmt.Fprintf(b, "    dcs += dout * %s;\n", e.load("wco[k % size]"))
		}
		b.WriteString("    dci = ((T)1 - ci * ci) * dcs * i;\n    df = f * ((T)1 - f) * dcs * was;\n    di = i * ((T)1 - i) * dcs * ci;\n    carry = dcs * f;\n")
		if peepholes {
			fmt.Fprintf(b, "    carry += di * %s + df * %s;\n", e.load("wci[k % size]"), e.load("wcf[k % size]"))
			for _, s := range [][2]string{{"sci", "di * was"}, {"scf", "df * was"}, {"sco", "dout * cs"}} {
				fmt.Fprintf(b, "    %s[k] = %s;\n", s[0], e.store(e.load(s[0]+"[k]")+" + "+s[1]))
			}
		} else {
			b.WriteString("    (void)cs;\n")
		}
		ci, f := c.places()
		fmt.Fprintf(b, "    gates[at] = %s;\n    gates[at + %d * size] = %s;\n    gates[at + %d * size] = %s;\n    gates[at + 3 * size] = %s;\n    cs_carry[k] = %s;\n  }\n}\n",
			e.store("di"), ci, e.store("dci"), f, e.store("df"), e.store("dout"), e.store("carry"))
	}, e)
	l := (&call{}).reads(c.CS.Buffer, c.DCS.Buffer, c.DH.Buffer, c.CarryH.Buffer).updates(c.CarryCS.Buffer).writes(c.Gates.Buffer)
	for _, o := range c.Out {
		l.reads(o.Buffer)
	}
	for _, w := range c.Peepholes {
		l.reads(w.Buffer)
	}
	for _, s := range c.Sums {
		l.updates(s.Buffer)
	}
	return l.i64(n, size, c.BeforeAt, c.At).flat(f, n), nil
}
