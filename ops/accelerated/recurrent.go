package accelerated

import (
	"slices"

	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// LSTM cells without peepholes: the input beside the last output, times the weights,
// makes the gates.

func init() {
	types := map[string][]tensor.DType{"T": {tensor.Float}}
	resident.Register("LSTMBlockCell", types, nil, func(c *kernel.Construction) (resident.Plan, error) {
		l, err := lstmOf(c)
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) { return l.shapes(in, 0, in[0].Dims) },
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				l.cell(w, code.All(in[0].Array), in[1].Array, code.All(in[2].Array), in[3:], [7]code.Array(out[:7]), out[7:], parts(w, out[7:], in[3].Array))
			},
		}, err
	})
	resident.Register("BlockLSTM", types, []string{"seq_len_max"}, func(c *kernel.Construction) (resident.Plan, error) {
		l, err := lstmOf(c)
		return resident.Plan{
			Shapes: func(in []resident.Input) ([]resident.Shape, error) {
				x := in[1].Dims
				if len(x) != 3 {
					return nil, status.Invalid("x must be 3D but got %s", tensor.FormatDims(x))
				}
				if n := integers(in[0].Host); len(n) != 1 || n[0] < 0 || n[0] > x[0] {
					return nil, status.Invalid("seq_len_max must be in [0, %d], got %d", x[0], n)
				}
				return l.shapes(in[1:], x[0], x[1:])
			},
			Run: func(w *resident.Work, out []code.Array, in []resident.Input) {
				l.steps(w, integers(in[0].Host)[0], out, in[1:])
			},
		}, err
	})
}

// An lstm is what the attributes of a cell say.
type lstm struct{ forgetBias, clip float64 }

func lstmOf(c *kernel.Construction) (lstm, error) {
	if c.Bool("use_peephole") {
		return lstm{}, status.Errorf(status.Unimplemented, "%s with peepholes has no kernel for accelerators", c.Op.Name)
	}
	return lstm{float64(c.Float("forget_bias")), float64(c.Float("cell_clip"))}, nil
}

// shapes are of the seven outputs, with a dimension of time before the others if there are
// so many steps, and of scratch: the input beside the output before, the gates without
// and with the bias, and, of steps, the outputs of one.
func (l lstm) shapes(in []resident.Input, steps int64, x []int64) (all []resident.Shape, err error) {
	cs, w, b := in[1].Dims, in[3].Dims, in[7].Dims
	if len(x) != 2 || len(cs) != 2 || cs[0] != x[0] || !slices.Equal(in[2].Dims, cs) ||
		!slices.Equal(w, []int64{x[1] + cs[1], 4 * cs[1]}) || !slices.Equal(b, w[1:]) {
		return nil, status.Invalid("an LSTM cell of x %s, cs_prev %s, h_prev %s, w %s and b %s", tensor.FormatDims(x), tensor.FormatDims(cs),
			tensor.FormatDims(in[2].Dims), tensor.FormatDims(w), tensor.FormatDims(b))
	}
	add := func(n int, dims ...int64) {
		for range n {
			all = append(all, resident.Shape{Type: tensor.Float, Dims: dims})
		}
	}
	one := []int64{x[0], cs[1]}
	if steps > 0 || len(in[0].Dims) == 3 {
		add(7, steps, x[0], cs[1])
	} else {
		add(7, one...)
	}
	add(1, x[0], w[0])
	add(2, x[0], w[1])
	if len(in[0].Dims) == 3 {
		add(7, one...)
	}
	return all, nil
}

// parts is the memory that the product of a cell needs beside.
func parts(w *resident.Work, scratch []code.Array, weights code.Array) code.Array {
	return w.Beside(code.MatMulScratch(scratch[1], scratch[0], weights, false, false))
}

// cell computes one step from parts of arrays; weights are the inputs from w on.
func (l lstm) cell(w *resident.Work, x code.Part, cs code.Array, h code.Part, weights []resident.Input, out [7]code.Array, scratch []code.Array, parts code.Array) {
	joined, product, gates := scratch[0], scratch[1], scratch[2]
	batch, width, size := joined.Dims[0], joined.Dims[1], cs.Dims[1]
	w.Add(code.Move(code.Part{Array: joined, Strides: []int64{width, 1}}, x, []int64{batch, width - size}))
	w.Add(code.Move(code.Part{Array: joined, Start: width - size, Strides: []int64{width, 1}}, h, []int64{batch, size}))
	w.Add(code.MatMul(product, joined, weights[0].Array, false, false, parts))
	w.Add(code.Map("BiasAdd", 0, gates, product, weights[4].Array))
	w.Add(code.LSTM(code.Cell{Gates: gates, CS: cs, Out: out, ForgetBias: l.forgetBias, Clip: l.clip}))
}

// steps computes n cells, each from what the one before put out; later ones are zeros.
func (l lstm) steps(w *resident.Work, n int64, out []code.Array, in []resident.Input) {
	for _, z := range out[:7] {
		w.Add(code.Fill(z, 0))
	}
	scratch, made := out[7:10], [7]code.Array(out[10:17])
	x, cs, h := in[0].Array, in[1].Array, in[2].Array
	batch, inputs, size := x.Dims[1], x.Dims[2], cs.Dims[1]
	if cs.Elements() == 0 {
		return
	}
	beside := parts(w, scratch, in[3].Array)
	for t := range n {
		l.cell(w, code.Part{Array: x, Start: t * batch * inputs, Strides: []int64{inputs, 1}}, cs, code.All(h), in[3:], made, scratch, beside)
		for i, z := range made {
			w.Add(code.Move(code.Part{Array: out[i], Start: t * batch * size, Strides: []int64{size, 1}}, code.All(z), []int64{batch, size}))
		}
		cs, h = made[1], made[6]
	}
}
