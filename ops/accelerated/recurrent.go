package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Recurrent cells: the input beside the last output, times the weights, makes the gates. The
// gradient of a block of LSTM cells goes back from the last step, and then has those of inputs
// and weights of all steps in one product each.

func init() {
	types := map[string][]tensor.DType{"T": {tensor.Float, tensor.Half}}
	resident.Register("LSTMBlockCell", types, nil, func(c *kernel.Construction) (resident.Plan, error) {
		l := lstmOf(c)
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				s, err := l.sizes(in, in[0].Dims)
				return slices.Repeat([]resident.Shape{{Type: in[0].Type, Dims: []int64{s.batch, s.cell}}}, 7), err
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) { l.forward(w, 1, out, in) },
		}, nil
	})
	resident.Register("LSTMBlockCellGrad", types, nil, func(c *kernel.Construction) (resident.Plan, error) {
		l := lstmOf(c)
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				s, err := l.sizes(in[:8], in[0].Dims)
				if err == nil {
					err = l.like(in[8:], []int64{s.batch, s.cell})
				}
				t, one := in[0].Type, resident.Shape{Type: in[0].Type, Dims: []int64{s.cell}}
				return []resident.Shape{{Type: t, Dims: []int64{s.batch, s.cell}}, {Type: t, Dims: []int64{s.batch, 4 * s.cell}}, one, one, one}, err
			},
			Run: l.cellGradient,
		}, nil
	})
	for _, version := range []string{"", "V2"} {
		resident.Register("BlockLSTM"+version, types, []string{"seq_len_max"}, func(c *kernel.Construction) (resident.Plan, error) {
			l := lstmOf(c)
			return resident.Plan{
				Shapes: func(in []resident.Input) ([]resident.Shape, error) {
					s, err := l.block(in)
					return slices.Repeat([]resident.Shape{{Type: in[1].Type, Dims: []int64{s.steps, s.batch, s.cell}}}, 7), err
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					for _, z := range out {
						w.Add(code.Fill(z, 0)) // of steps that are not computed
					}
					l.forward(w, integers(in[0].Host)[0], out, in[1:])
				},
			}, nil
		})
		resident.Register("BlockLSTMGrad"+version, types, []string{"seq_len_max"}, func(c *kernel.Construction) (resident.Plan, error) {
			l := lstmOf(c)
			return resident.Plan{
				Shapes: func(in []resident.Input) (all []resident.Shape, err error) {
					s, err := l.block(in[:9])
					if err == nil {
						err = l.like(in[9:], []int64{s.steps, s.batch, s.cell})
					}
					for _, x := range in[1:9] {
						all = append(all, resident.Shape{Type: x.Type, Dims: x.Dims})
					}
					return all, err
				},
				Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
					l.backward(w, integers(in[0].Host)[0], out, in[1:])
				},
			}, nil
		})
	}
	gru := map[string][]tensor.DType{"T": {tensor.Float}}
	resident.Register("GRUBlockCell", gru, nil, func(*kernel.Construction) (resident.Plan, error) {
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				return slices.Repeat([]resident.Shape{{Type: in[0].Type, Dims: in[1].Dims}}, 4), gruShapes(in)
			},
			Run: gruCell,
		}, nil
	})
	resident.Register("GRUBlockCellGrad", gru, nil, func(*kernel.Construction) (resident.Plan, error) {
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				if err := gruShapes(in); err != nil {
					return nil, err
				}
				t, h := in[0].Type, in[1].Dims
				return []resident.Shape{{Type: t, Dims: in[0].Dims}, {Type: t, Dims: h}, {Type: t, Dims: h}, {Type: t, Dims: []int64{h[0], 2 * h[1]}}}, nil
			},
			Run: gruGradient,
		}, nil
	})
}

// An lstm is what the attributes of a cell say.
type lstm struct {
	code.CellVariant
	peephole bool
	strict   bool // peepholes have shapes even if they are not used
}

func lstmOf(c *kernel.Construction) lstm {
	l := lstm{peephole: c.Bool("use_peephole"), strict: c.Op.Name != "LSTMBlockCell"}
	l.ForgetBias, l.Clip = float64(c.Float("forget_bias")), float64(c.Float("cell_clip"))
	l.Second = c.Op.Name == "BlockLSTMV2" || c.Op.Name == "BlockLSTMGradV2"
	return l
}

// Inputs of a cell: x, cs_prev, h_prev, w, wci, wcf, wco and b.
type lstmSizes struct{ steps, batch, in, cell int64 }

// sizes checks the inputs of a cell, whose x has the shape x.
func (l lstm) sizes(in []resident.Input, x []int64) (s lstmSizes, err error) {
	cs, w, b := in[1].Dims, in[3].Dims, in[7].Dims
	if len(x) != 2 || len(cs) != 2 || cs[0] != x[0] || !slices.Equal(in[2].Dims, cs) ||
		!slices.Equal(w, []int64{x[1] + cs[1], 4 * cs[1]}) || !slices.Equal(b, w[1:]) {
		return s, status.Invalid("an LSTM cell of x %s, cs_prev %s, h_prev %s, w %s and b %s", tensor.FormatDims(x), tensor.FormatDims(cs),
			tensor.FormatDims(in[2].Dims), tensor.FormatDims(w), tensor.FormatDims(b))
	}
	for _, p := range in[4:7] { // of a cell without peepholes nobody looks at them
		if (l.peephole || l.strict || len(p.Dims) != 1) && !slices.Equal(p.Dims, cs[1:]) {
			return s, status.Invalid("wci, wcf and wco must have shape %s, got %s", tensor.FormatDims(cs[1:]), tensor.FormatDims(p.Dims))
		}
	}
	return lstmSizes{1, x[0], x[1], cs[1]}, nil
}

// block checks the inputs of a block: the number of steps to compute, and those of a cell.
func (l lstm) block(in []resident.Input) (lstmSizes, error) {
	x := in[1].Dims
	if len(x) != 3 {
		return lstmSizes{}, status.Invalid("x must be 3D but got %s", tensor.FormatDims(x))
	}
	if n := integers(in[0].Host); len(in[0].Dims) != 0 || n[0] < 0 || n[0] > x[0] {
		return lstmSizes{}, status.Invalid("seq_len_max must be in [0, %d], got %d", x[0], n)
	}
	s, err := l.sizes(in[1:], x[1:])
	s.steps = x[0]
	return s, err
}

func (l lstm) like(in []resident.Input, dims []int64) error {
	for _, x := range in {
		if !slices.Equal(x.Dims, dims) {
			return status.Invalid("what an LSTM has put out, and its gradient, must have shape %s, got %s", tensor.FormatDims(dims), tensor.FormatDims(x.Dims))
		}
	}
	return nil
}

// variant returns the cell with the peepholes of its inputs.
func (l lstm) variant(in []resident.Input) code.CellVariant {
	v := l.CellVariant
	if l.peephole {
		v.Peepholes = arrays(in[4:7])
	}
	return v
}

// beside puts rows of two arrays next to each other, from certain elements on.
func beside(w *resident.Work, z, x code.Array, xAt int64, h code.Array, hAt int64, rows, left, right int64) {
	to := code.Part{Array: z, Strides: []int64{left + right, 1}}
	w.Add(code.Move(to, code.Part{Array: x, Start: xAt, Strides: []int64{left, 1}}, []int64{rows, left}))
	to.Start = left
	w.Add(code.Move(to, code.Part{Array: h, Start: hAt, Strides: []int64{right, 1}}, []int64{rows, right}))
}

// forward computes n steps, each from what the one before has put out. Inputs are those of a
// cell; x may have a dimension of time.
func (l lstm) forward(w *resident.Work, n int64, out []code.Array, in []resident.Input) {
	x, cs, h, t := in[0].Array, in[1].Array, in[2].Array, in[0].Type
	batch, inputs, size := cs.Dims[0], in[3].Dims[0]-cs.Dims[1], cs.Dims[1]
	if cs.Elements() == 0 {
		return
	}
	joined, product, gates := w.Scratch(t, batch, inputs+size), w.Scratch(t, batch, 4*size), w.Scratch(t, batch, 4*size)
	c := code.Cell{Gates: gates, CS: cs, Out: [7]code.Array(out), CellVariant: l.variant(in)}
	for step := range n {
		beside(w, joined, x, step*batch*inputs, h, c.BeforeAt, batch, inputs, size)
		multiply(w, product, joined, in[3].Array, false, false)
		w.Add(code.Map("BiasAdd", 0, gates, product, in[7].Array))
		c.At = step * batch * size
		w.Add(code.LSTM(c, batch*size, size))
		c.CS, h, c.BeforeAt = out[1], out[6], c.At
	}
}

// gradient returns one of a step; results are what the cell has put out, and the gradients of cs and
// h.
func (l lstm) gradient(in []resident.Input, results [6]code.Array, dcs, dh code.Array) code.CellGrad {
	return code.CellGrad{CS: in[1].Array, Out: results, DCS: dcs, DH: dh, CellVariant: l.variant(in)}
}

// sums are those of the gradients of peepholes, before the batch is summed up.
func (l lstm) sums(w *resident.Work, g *code.CellGrad, cs code.Array) {
	for range g.Peepholes {
		s := w.Scratch(cs.Type, cs.Dims...)
		w.Add(code.Fill(s, 0))
		g.Sums = append(g.Sums, s)
	}
}

// peepholes puts out the gradients of peepholes.
func (l lstm) peepholes(w *resident.Work, g *code.CellGrad, out []code.Array) {
	for i, z := range out {
		if g.Sums == nil {
			w.Add(code.Fill(z, 0))
		} else {
			fold(w, "Sum", z, g.Sums[i], []int{0})
		}
	}
}

func (l lstm) cellGradient(w *resident.Work, out []code.Array, in []resident.Input) {
	cs := in[1].Array
	none := w.Scratch(cs.Type, cs.Dims...)
	w.Add(code.Fill(none, 0))
	w.Add(code.Fill(out[0], 0))
	g := l.gradient(in, [6]code.Array(arrays(in[8:14])), in[14].Array, in[15].Array)
	g.CarryCS, g.CarryH, g.Gates = out[0], none, out[1]
	l.sums(w, &g, cs)
	w.Add(code.LSTMGrad(g, cs.Elements(), cs.Dims[1]))
	l.peepholes(w, &g, out[2:])
}

// backward computes the gradient of n steps. Inputs are those of a cell, x with a dimension of
// time, what the steps have put out, and the gradients of cs and h. Outputs are the gradients
// of the inputs.
func (l lstm) backward(w *resident.Work, n int64, out []code.Array, in []resident.Input) {
	x, cs, h, t := in[0].Array, in[1].Array, in[2].Array, in[0].Type
	batch, inputs, size := cs.Dims[0], in[3].Dims[0]-cs.Dims[1], cs.Dims[1]
	for _, z := range out {
		w.Add(code.Fill(z, 0))
	}
	if n == 0 || cs.Elements() == 0 {
		return
	}
	results := arrays(in[8:15])
	g := l.gradient(in, [6]code.Array(results[:6]), in[15].Array, in[16].Array)
	g.CarryCS, g.CarryH, g.Gates = out[1], out[2], w.Scratch(t, batch, 4*size)
	l.sums(w, &g, cs)
	recurrent, all := w.Scratch(t, size, 4*size), w.Scratch(t, n*batch, 4*size)
	w.Add(code.Slice(recurrent, in[3].Array, []int64{inputs, 0}, []int64{1, 1}))
	step := batch * size
	for i := n - 1; i >= 0; i-- {
		if g.At = i * step; i > 0 {
			g.CS, g.BeforeAt = results[1], (i-1)*step
		} else {
			g.CS, g.BeforeAt = cs, 0
		}
		w.Add(code.LSTMGrad(g, step, size))
		multiply(w, out[2], g.Gates, recurrent, false, true)
		w.Add(code.Place(all, g.Gates, []int64{i * batch, 0}))
	}
	// of all steps at once
	rows, joined := n*batch, w.Scratch(t, n*batch, inputs+size)
	beside(w, joined, x, 0, h, 0, batch, inputs, size)
	later := code.Part{Array: joined, Start: batch * (inputs + size), Strides: []int64{inputs + size, 1}}
	w.Add(code.Move(later, code.Part{Array: x, Start: batch * inputs, Strides: []int64{inputs, 1}}, []int64{rows - batch, inputs}))
	later.Start += inputs
	w.Add(code.Move(later, code.Part{Array: results[6], Strides: []int64{size, 1}}, []int64{rows - batch, size}))
	multiply(w, out[3], joined, all, true, false)
	fold(w, "Sum", out[7], all, []int{0})
	if inputs > 0 {
		ofInputs, dx := w.Scratch(t, inputs, 4*size), out[0]
		w.Add(code.Slice(ofInputs, in[3].Array, []int64{0, 0}, []int64{1, 1}))
		dx.Dims = []int64{rows, inputs}
		multiply(w, dx, all, ofInputs, false, true)
	}
	l.peepholes(w, &g, out[4:7])
}

// gruShapes checks x, h_prev, w_ru, w_c, b_ru and b_c, and what is behind them, which has the
// shape of h_prev.
func gruShapes(in []resident.Input) error {
	x, h := in[0].Dims, in[1].Dims
	if len(x) != 2 || len(h) != 2 {
		return status.Invalid("x and h_prev must be matrices, got %s and %s", tensor.FormatDims(x), tensor.FormatDims(h))
	}
	n := h[1]
	want := [][]int64{x, {x[0], n}, {x[1] + n, 2 * n}, {x[1] + n, n}, {2 * n}, {n}}
	names := []string{"x", "h_prev", "w_ru", "w_c", "b_ru", "b_c", "r", "u", "c", "d_h"}
	for i := range in {
		dims := want[1]
		if i < len(want) {
			dims = want[i]
		}
		if !slices.Equal(in[i].Dims, dims) {
			return status.Invalid("%s must have shape %s, got %s", names[i], tensor.FormatDims(dims), tensor.FormatDims(in[i].Dims))
		}
	}
	return nil
}

// gruCell computes
//
//	r, u = sigmoid([x h]·w_ru + b_ru)
//	c = tanh([x h·r]·w_c + b_c)
//	h = u·h + (1 - u)·c
func gruCell(w *resident.Work, out []code.Array, in []resident.Input) {
	x, h, t := in[0].Array, in[1].Array, in[0].Type
	batch, inputs, n := x.Dims[0], x.Dims[1], h.Dims[1]
	joined, product, gates := w.Scratch(t, batch, inputs+n), w.Scratch(t, batch, 2*n), w.Scratch(t, batch, 2*n)
	beside(w, joined, x, 0, h, 0, batch, inputs, n)
	multiply(w, product, joined, in[2].Array, false, false)
	w.Add(code.Map("BiasAdd", 0, gates, product, in[4].Array))
	w.Add(code.Map("Sigmoid", 0, product, gates))
	for i := range 2 {
		w.Add(code.Slice(out[i], product, []int64{0, int64(i) * n}, []int64{1, 1}))
	}
	hr, c, sum := w.Scratch(t, batch, n), w.Scratch(t, batch, n), w.Scratch(t, batch, n)
	w.Add(code.Map("Mul", 0, hr, h, out[0]))
	beside(w, joined, x, 0, hr, 0, batch, inputs, n)
	multiply(w, c, joined, in[3].Array, false, false)
	w.Add(code.Map("BiasAdd", 0, sum, c, in[5].Array))
	w.Add(code.Map("Tanh", 0, out[2], sum))
	w.Add(code.Formula("gru", "v0 * v1 + ((T)1 - v0) * v2", out[3], out[1], h, out[2]))
}

// gruGradient: inputs are those of the cell, its r, u and c, and the gradient of h; outputs the
// gradients of x and h_prev, and those of c and of r beside u, before tanh and sigmoid.
func gruGradient(w *resident.Work, out []code.Array, in []resident.Input) {
	h, r, u, c, dh, t := in[1].Array, in[6].Array, in[7].Array, in[8].Array, in[9].Array, in[0].Type
	batch, inputs, n := h.Dims[0], in[0].Dims[1], h.Dims[1]
	dx, before, dc, dru := out[0], out[1], out[2], out[3]
	w.Add(code.Formula("grudc", "v0 * ((T)1 - v1) * ((T)1 - v2 * v2)", dc, dh, u, c))
	ofC, ofRU := w.Scratch(t, batch, inputs+n), w.Scratch(t, batch, inputs+n) // of what was beside each other
	multiply(w, ofC, dc, in[3].Array, false, true)
	dhr, dr, du := w.Scratch(t, batch, n), w.Scratch(t, batch, n), w.Scratch(t, batch, n)
	w.Add(code.Slice(dhr, ofC, []int64{0, inputs}, []int64{1, 1}))
	w.Add(code.Formula("grudr", "v0 * v1 * v2 * ((T)1 - v2)", dr, dhr, h, r))
	w.Add(code.Formula("grudu", "v0 * (v1 - v2) * v3 * ((T)1 - v3)", du, dh, h, c, u))
	beside(w, dru, dr, 0, du, 0, batch, n, n)
	multiply(w, ofRU, dru, in[2].Array, false, true)
	both, direct := w.Scratch(t, batch, inputs+n), w.Scratch(t, batch, n)
	w.Add(code.Map("AddV2", 0, both, ofC, ofRU))
	w.Add(code.Slice(dx, both, []int64{0, 0}, []int64{1, 1}))
	w.Add(code.Slice(direct, ofRU, []int64{0, inputs}, []int64{1, 1}))
	w.Add(code.Formula("grudh", "v0 + v1 * v2 + v3 * v4", before, direct, dhr, r, dh, u))
}
