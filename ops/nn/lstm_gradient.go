package nn

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Places of the outputs of BlockLSTMGrad and BlockLSTMGradV2.
const (
	gradX = iota
	gradCS
	gradH
	gradW
	gradWCI
	gradWCF
	gradWCO
	gradB
)

// gradient is BlockLSTMGrad and BlockLSTMGradV2: inputs are the number of steps,
// those of the LSTM, its outputs, and the gradients of cs and h. Gates are in the
// order i, ci, f, o, in the second version i, f, ci, o.
func (l *lstm) gradient(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	args, results := in[1:], in[1+lstmB+1:]
	s, err := l.sizes(args, true)
	if err != nil {
		return err
	}
	n, err := s.stepsOf(&in[0])
	if err != nil {
		return err
	}
	want := []int64{int64(s.steps), int64(s.batch), int64(s.cell)}
	for i := range cellOutputs + 2 {
		if got := results[i].Dims(); tensor.FormatDims(got) != tensor.FormatDims(want) {
			return status.Invalid("input %d must have shape %s, got %s", 9+i, tensor.FormatDims(want), tensor.FormatDims(got))
		}
	}
	var o [gradB + 1][]float32
	for i := range o {
		if out[i], err = ctx.AllocZeroed(tensor.Float, args[i].Dims()); err != nil {
			return err
		}
		o[i] = tensor.Of[float32](&out[i])
	}
	if n == 0 || s.batch*s.cell == 0 {
		return nil
	}
	size, width := s.batch*s.cell, 4*s.cell
	scratch, err := ctx.Alloc(tensor.Float, []int64{int64(s.batch), int64(width)})
	if err != nil {
		return err
	}
	defer ctx.Free(scratch)
	gates := tensor.Of[float32](&scratch)
	w, x, pool := tensor.Of[float32](&args[lstmW]), tensor.Of[float32](&args[lstmX]), vec.PoolOf(ctx, s.batch, width, s.in+s.cell)
	for t := n - 1; t >= 0; t-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		var r [cellOutputs + 2][]float32
		for i := range r {
			r[i] = tensor.Of[float32](&results[i])[t*size:][:size]
		}
		cs, h := tensor.Of[float32](&args[lstmCS]), tensor.Of[float32](&args[lstmH])
		if t > 0 {
			cs, h = tensor.Of[float32](&results[cellCS])[(t-1)*size:][:size], tensor.Of[float32](&results[cellH])[(t-1)*size:][:size]
		}
		l.back(&s, gates, &r, cs, &o, args)
		xt := x[t*s.batch*s.in:][:s.batch*s.in]
		vec.Gemm(pool, false, true, s.batch, s.in, width, gates, width, w, width, o[gradX][t*s.batch*s.in:], max(s.in, 1))
		vec.Gemm(pool, false, true, s.batch, s.cell, width, gates, width, w[s.in*width:], width, o[gradH], s.cell)
		vec.GemmAdd(pool, true, false, s.in, width, s.batch, xt, max(s.in, 1), gates, width, o[gradW], width)
		vec.GemmAdd(pool, true, false, s.cell, width, s.batch, h, s.cell, gates, width, o[gradW][s.in*width:], width)
		for b := range s.batch {
			vec.Add(o[gradB], o[gradB], gates[b*width:])
		}
	}
	return ctx.Err()
}

// cellGradient is LSTMBlockCellGrad: inputs are those of the cell, its outputs but
// for h, and the gradients of cs and h.
func (l *lstm) cellGradient(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	s, err := l.sizes(in, false)
	if err != nil {
		return err
	}
	batch, cell := int64(s.batch), int64(s.cell)
	var r [cellOutputs + 2][]float32
	for i, v := range in[lstmB+1:] {
		if want := []int64{batch, cell}; tensor.FormatDims(v.Dims()) != tensor.FormatDims(want) {
			return status.Invalid("input %d must have shape %s, got %s", lstmB+1+i, tensor.FormatDims(want), tensor.FormatDims(v.Dims()))
		}
		if i >= cellH {
			i++ // there is no h
		}
		r[i] = tensor.Of[float32](&v)
	}
	var o [gradB + 1][]float32
	for i, dims := range [][]int64{{batch, cell}, {batch, 4 * cell}, {cell}, {cell}, {cell}} {
		if out[i], err = ctx.AllocZeroed(tensor.Float, dims); err != nil {
			return err
		}
	}
	none, err := ctx.AllocZeroed(tensor.Float, []int64{batch, cell}) // what comes from later steps to h
	if err != nil {
		return err
	}
	defer ctx.Free(none)
	o[gradCS], o[gradH] = tensor.Of[float32](&out[0]), tensor.Of[float32](&none)
	for i := range 3 {
		o[gradWCI+i] = tensor.Of[float32](&out[2+i])
	}
	l.back(&s, tensor.Of[float32](&out[1]), &r, tensor.Of[float32](&in[lstmCS]), &o, in)
	return nil
}

// back computes the gradients of the gates of one step, adds up those of the
// peepholes, and turns the gradient of cs into that of the step before.
func (l *lstm) back(s *lstmSizes, gates []float32, r *[cellOutputs + 2][]float32, csPrev []float32, o *[gradB + 1][]float32, in []tensor.Value) {
	wci, wcf, wco := tensor.Of[float32](&in[lstmWCI]), tensor.Of[float32](&in[lstmWCF]), tensor.Of[float32](&in[lstmWCO])
	n := s.cell
	for at := range s.batch * n {
		b, k := at/n, at%n
		i, f, out, ci, co := r[cellI][at], r[cellF][at], r[cellO][at], r[cellCI][at], r[cellCO][at]
		dh := r[cellOutputs+1][at] + o[gradH][at]
		do := out * (1 - out) * dh * co
		dcs := (1-co*co)*dh*out + r[cellOutputs][at] + o[gradCS][at]
		if l.peephole {
			dcs += do * wco[k]
		}
		dci := (1 - ci*ci) * dcs * i
		df := f * (1 - f) * dcs * csPrev[at]
		di := i * (1 - i) * dcs * ci
		g := gates[4*b*n:]
		g[k], g[n+k], g[2*n+k], g[3*n+k] = di, dci, df, do
		if l.second {
			g[n+k], g[2*n+k] = df, dci
		}
		before := dcs * f
		if l.peephole {
			before += di*wci[k] + df*wcf[k]
			o[gradWCI][k] += di * csPrev[at]
			o[gradWCF][k] += df * csPrev[at]
			o[gradWCO][k] += do * r[cellCS][at]
		}
		o[gradCS][at] = before
	}
}
