package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for _, dt := range []tensor.DType{tensor.Float, tensor.Half} {
		kernel.ForType("LSTMBlockCell", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			return widened(dt, newLSTM(c).cell), nil
		})
		for _, op := range []string{"BlockLSTM", "BlockLSTMV2"} {
			kernel.ForType(op, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
				return widened(dt, newLSTM(c).block), nil
			})
		}
		kernel.ForType("LSTMBlockCellGrad", "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
			return widened(dt, newLSTM(c).cellGradient), nil
		})
		for _, op := range []string{"BlockLSTMGrad", "BlockLSTMGradV2"} {
			kernel.ForType(op, "T", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
				return widened(dt, newLSTM(c).gradient), nil
			})
		}
	}
}

// widened is k, which computes in float32, for dt.
func widened(dt tensor.DType, k kernel.Func) kernel.Kernel {
	if dt == tensor.Float {
		return k
	}
	return elementwise.Widen(dt, k)
}

// An lstm is the kernels of cells with an input, a forget and an output gate and
// a new input, i, f, o and ci:
//
//	i = sigmoid(x·W + h·U + b + wci·cs), f likewise with forgetBias and wcf
//	cs = ci·i + cs·f, ci = tanh(x·W + h·U + b), clipped
//	o = sigmoid(x·W + h·U + b + wco·cs)
//	h = tanh(cs)·o
//
// The peepholes wci, wcf and wco are diagonal.
type lstm struct {
	forgetBias, clip float32
	peephole         bool
	second           bool // the second version: f comes before ci
}

func newLSTM(c *kernel.Construction) *lstm {
	return &lstm{c.Float("forget_bias"), c.Float("cell_clip"), c.Bool("use_peephole"), c.Op.Name == "BlockLSTMV2" || c.Op.Name == "BlockLSTMGradV2"}
}

// Places of LSTMBlockCell's inputs and outputs. Block operations have them
// behind others.
const (
	lstmX = iota
	lstmCS
	lstmH
	lstmW
	lstmWCI
	lstmWCF
	lstmWCO
	lstmB
)

const (
	cellI = iota
	cellCS
	cellF
	cellO
	cellCI
	cellCO
	cellH
	cellOutputs
)

// An lstmSizes is what the shapes of an LSTM's inputs come to.
type lstmSizes struct{ steps, batch, in, cell int }

// sizes checks the inputs from x on; with a dimension of time if steps is set.
func (l *lstm) sizes(in []tensor.Value, steps bool) (s lstmSizes, err error) {
	x, w := in[lstmX].Dims(), in[lstmW].Dims()
	s.steps = 1
	if steps {
		if len(x) != 3 {
			return s, status.Invalid("x must be 3D but got %s", tensor.FormatDims(x))
		}
		s.steps, x = int(x[0]), x[1:]
	}
	if len(x) != 2 {
		return s, status.Invalid("x must be rank 2 but is rank %d", len(x))
	}
	cs := in[lstmCS].Dims()
	if len(cs) != 2 {
		return s, status.Invalid("cs_prev must be rank 2 but is rank %d", len(cs))
	}
	s.batch, s.in, s.cell = int(x[0]), int(x[1]), int(cs[1])
	if len(w) != 2 || w[0] != x[1]+cs[1] || w[1] != 4*cs[1] {
		return s, status.Invalid("w must be a matrix of %d and %d, got %s", x[1]+cs[1], 4*cs[1], tensor.FormatDims(w))
	}
	batch, cell := int64(s.batch), int64(s.cell)
	for _, c := range []struct {
		i    int
		name string
		dims []int64
	}{
		{lstmCS, "cs_prev", []int64{batch, cell}}, {lstmH, "h_prev", []int64{batch, cell}},
		{lstmWCI, "wci", []int64{cell}}, {lstmWCF, "wcf", []int64{cell}}, {lstmWCO, "wco", []int64{cell}},
		{lstmB, "b", []int64{4 * cell}},
	} {
		unused := !l.peephole && !steps && len(in) == lstmB+1 && c.i >= lstmWCI && c.i <= lstmWCO
		if unused && in[c.i].Rank() == 1 {
			continue // nobody looks at it
		}
		if got := in[c.i].Dims(); tensor.FormatDims(got) != tensor.FormatDims(c.dims) {
			return s, status.Invalid("%s must have shape %s, got %s", c.name, tensor.FormatDims(c.dims), tensor.FormatDims(got))
		}
	}
	return s, nil
}

func (l *lstm) cell(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := l.sizes(in, false)
	if err != nil {
		return err
	}
	return l.run(ctx, &s, 1, in, out, in[lstmCS].Dims())
}

func (l *lstm) block(ctx *kernel.Context, in, out []tensor.Value) error {
	s, err := l.sizes(in[1:], true)
	if err != nil {
		return err
	}
	n, err := s.stepsOf(&in[0])
	if err != nil {
		return err
	}
	return l.run(ctx, &s, n, in[1:], out, []int64{int64(s.steps), int64(s.batch), int64(s.cell)})
}

// stepsOf returns how many steps there are to compute.
func (s *lstmSizes) stepsOf(v *tensor.Value) (int, error) {
	if v.Rank() != 0 {
		return 0, status.Invalid("seq_len_max must be rank 0 but is rank %d", v.Rank())
	}
	n := tensor.At0[int64](v)
	if n < 0 || n > int64(s.steps) {
		return 0, status.Invalid("seq_len_max must be in [0, %d], got %d", s.steps, n)
	}
	return int(n), nil
}

// run computes n steps; later ones are zeros.
func (l *lstm) run(ctx *kernel.Context, s *lstmSizes, n int, in, out []tensor.Value, dims []int64) (err error) {
	var o [cellOutputs][]float32
	for i := range o {
		if out[i], err = ctx.AllocZeroed(tensor.Float, dims); err != nil {
			return err
		}
		o[i] = tensor.Of[float32](&out[i])
	}
	if n == 0 || s.batch*s.cell == 0 {
		return nil
	}
	scratch, err := ctx.Alloc(tensor.Float, []int64{int64(n), int64(s.batch), int64(4 * s.cell)})
	if err != nil {
		return err
	}
	defer ctx.Free(scratch)
	gates, width, size := tensor.Of[float32](&scratch), 4*s.cell, s.batch*s.cell
	w, b := tensor.Of[float32](&in[lstmW]), tensor.Of[float32](&in[lstmB])
	for r := range n * s.batch {
		copy(gates[r*width:], b)
	}
	pool := vec.PoolOf(ctx, n*s.batch, width, s.in+s.cell)
	vec.GemmAdd(pool, false, false, n*s.batch, width, s.in, tensor.Of[float32](&in[lstmX]), s.in, w, width, gates, width)
	cs, h := tensor.Of[float32](&in[lstmCS]), tensor.Of[float32](&in[lstmH])
	for t := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		g := gates[t*s.batch*width:][:s.batch*width]
		vec.GemmAdd(pool, false, false, s.batch, width, s.cell, h, s.cell, w[s.in*width:], width, g, width)
		var at [cellOutputs][]float32
		for i := range at {
			at[i] = o[i][t*size:][:size]
		}
		l.step(s, g, cs, &at, in)
		cs, h = at[cellCS], at[cellH]
	}
	return ctx.Err()
}

// step computes one step from the sums of the gates.
func (l *lstm) step(s *lstmSizes, gates, csPrev []float32, o *[cellOutputs][]float32, in []tensor.Value) {
	wci, wcf, wco := tensor.Of[float32](&in[lstmWCI]), tensor.Of[float32](&in[lstmWCF]), tensor.Of[float32](&in[lstmWCO])
	n := s.cell
	placeCI, placeF := n, 2*n
	if l.second {
		placeCI, placeF = placeF, placeCI
	}
	for b := range s.batch {
		lo, hi := b*n, (b+1)*n
		g, cs := gates[4*lo:], csPrev[lo:hi]
		i, f, ci, sum, out := o[cellI][lo:hi], o[cellF][lo:hi], o[cellCI][lo:hi], o[cellCS][lo:hi], o[cellO][lo:hi]
		copy(i, g)
		vec.AddScalar(f, g[placeF:], l.forgetBias)
		copy(out, g[3*n:])
		if l.peephole {
			for k, c := range cs {
				i[k] += c * wci[k]
				f[k] += c * wcf[k]
			}
		}
		vec.Sigmoid(i, i)
		vec.Sigmoid(f, f)
		vec.Tanh(ci, g[placeCI:])
		for k, c := range cs {
			v := ci[k]*i[k] + c*f[k]
			if l.clip > 0 {
				v = min(max(v, -l.clip), l.clip)
			}
			sum[k] = v
			if l.peephole {
				out[k] += v * wco[k]
			}
		}
		vec.Sigmoid(out, out)
		vec.Tanh(o[cellCO][lo:hi], sum)
		vec.Mul(o[cellH][lo:hi], o[cellCO][lo:hi], out)
	}
}
