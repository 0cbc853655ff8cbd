package signal

import (
	"sync/atomic"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/fourier"
	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Transforms are computed in float64 line by line, one dimension after the
// other; between dimensions elements have the type of the tensor.

type realNumber interface{ float32 | float64 }

type complexNumber interface{ complex64 | complex128 }

// A transform is what the kernels share: the dimensions, counted from the last
// one, and the small plans of earlier runs.
type transform struct {
	dims    int
	inverse bool
	plans   [3]atomic.Pointer[fourier.Plan]
}

// mostOwned is how large a plan may be that a node keeps for itself.
const mostOwned = 64 << 10

// plan returns the plan for lines of n elements along the dimension that has that
// many behind it. What a large one takes stays reserved until the kernel is done.
func (t *transform) plan(ctx *kernel.Context, n, behind int) (*fourier.Plan, error) {
	cached := &t.plans[behind]
	if p := cached.Load(); p != nil && p.Len() == n {
		return p, nil
	}
	size := fourier.Bytes(n)
	if size > mostOwned {
		if p := fourier.Kept(n); p != nil {
			return p, nil
		}
	}
	if err := ctx.Reserve(size); err != nil {
		return nil, err
	}
	p := fourier.NewPlan(n, stopping(ctx))
	switch {
	case p == nil:
		return nil, ctx.Err()
	case size <= mostOwned:
		cached.Store(p)
	default:
		p.Keep()
	}
	return p, ctx.Err()
}

// stopping asks whether the step has ended.
func stopping(ctx *kernel.Context) fourier.Stop { return func() bool { return ctx.Err() != nil } }

func (t *transform) checkRank(v *tensor.Value) error {
	if v.Rank() < t.dims {
		return status.Invalid("Input must have rank of at least %d but got: %s", t.dims, tensor.FormatDims(v.Dims()))
	}
	return nil
}

// lengths reads fft_length, in[1], and checks it against the input; the result
// is the lengths of the dimensions that are transformed.
func (t *transform) lengths(in []tensor.Value) ([]int64, error) {
	if err := t.checkRank(&in[0]); err != nil {
		return nil, err
	}
	if in[1].Rank() != 1 || in[1].NumElements() != t.dims {
		return nil, status.Invalid("fft_length must have shape [%d]", t.dims)
	}
	lengths := kernel.AppendInts(make([]int64, 0, t.dims), &in[1])
	for i, n := range lengths {
		if n < 0 {
			return nil, status.Invalid("fft_length[%d] must >= 0, but got: %d", i, n)
		}
		if n == 0 && in[0].NumElements() > 0 {
			return nil, status.Invalid("fft_length[%d] is 0 for an input that is not empty", i)
		}
		need, at := n, in[0].Rank()-t.dims+i
		if t.inverse && i == t.dims-1 {
			need = n/2 + 1
		}
		if have := in[0].Dims()[at]; have != 0 && have < need {
			return nil, status.Invalid("Input dimension %d must have length of at least %d but got: %d", at, need, have)
		}
	}
	return lengths, nil
}

// A line is one line of a tensor: n elements, step apart.
type line struct{ at, step, n int }

// each calls f for every line along dimension axis of a tensor of shape dims,
// with room for the line's transform. The calls run on several goroutines.
func (t *transform) each(ctx *kernel.Context, dims []int64, axis int, p *fourier.Plan, f func(l line, x, scratch []complex128)) error {
	n, behind, count := int(dims[axis]), 1, 1
	for i, d := range dims {
		if i > axis {
			behind *= int(d)
		}
		if i != axis {
			count *= int(d)
		}
	}
	room := int64(p.Len() + p.Scratch())
	grain := max(1, strided.Grain/8/max(n, p.Len()))
	// One buffer for each of the ranges that may be computed at the same time.
	some := min(ctx.Step.Pool.Workers(), (count+grain-1)/grain)
	buffers := make(chan tensor.Value, some)
	for range some {
		buffer, err := ctx.Alloc(tensor.Complex128, []int64{room})
		if err != nil {
			return err
		}
		defer ctx.Free(buffer)
		buffers <- buffer
	}
	ctx.Parallel(count, grain, func(lo, hi int) {
		buffer := <-buffers
		defer func() { buffers <- buffer }()
		x := tensor.Of[complex128](&buffer)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			f(line{i/behind*behind*n + i%behind, behind, n}, x[:p.Len()], x[p.Len():])
		}
	})
	return ctx.Err()
}

// inPlace transforms complex numbers along one dimension.
func inPlace[C complexNumber](ctx *kernel.Context, t *transform, v *tensor.Value, axis int) error {
	data := tensor.Of[C](v)
	p, err := t.plan(ctx, v.Dim(axis), v.Rank()-1-axis)
	if err != nil {
		return err
	}
	stop := stopping(ctx)
	scale := complex(1, 0)
	if t.inverse {
		scale /= complex(float64(p.Len()), 0)
	}
	return t.each(ctx, v.Dims(), axis, p, func(l line, x, scratch []complex128) {
		for i := range x {
			x[i] = complex128(data[l.at+i*l.step])
		}
		p.Transform(x, scratch, t.inverse, stop)
		for i, y := range x {
			data[l.at+i*l.step] = C(y * scale)
		}
	})
}

// A complexTransform is the kernel of FFT, IFFT and the like.
type complexTransform[C complexNumber] struct{ transform }

func (k *complexTransform[C]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return ctx.Within(func() error { return k.run(ctx, in, out) })
}

func (k *complexTransform[C]) run(ctx *kernel.Context, in, out []tensor.Value) error {
	if err := k.checkRank(&in[0]); err != nil {
		return err
	}
	x := in[0]
	v, err := ctx.ReuseOrAlloc(in, 0, tensor.DTypeOf[C](), in[0].Dims())
	if err != nil {
		return err
	}
	out[0] = v
	if v.NumElements() == 0 {
		return nil
	}
	if !in[0].IsZero() { // not reused
		strided.Move(&out[0], 0, &x, 0, v.NumElements())
	}
	for d := 1; d <= k.dims; d++ {
		if err := inPlace[C](ctx, &k.transform, &out[0], v.Rank()-d); err != nil {
			return err
		}
	}
	return nil
}

// A realTransform is the kernel of RFFT and the like.
type realTransform[R realNumber, C complexNumber] struct{ transform }

func (k *realTransform[R, C]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return ctx.Within(func() error { return k.run(ctx, in, out) })
}

func (k *realTransform[R, C]) run(ctx *kernel.Context, in, out []tensor.Value) error {
	lengths, err := k.lengths(in)
	if err != nil {
		return err
	}
	rank := in[0].Rank()
	outer := in[0].Dims()[:rank-k.dims]
	n := int(lengths[k.dims-1])
	half := int64(n/2 + 1)
	if n == 0 {
		half = 0
	}
	dims := append(append(append(make([]int64, 0, rank), outer...), lengths[:k.dims-1]...), half)
	if in[0].NumElements() == 0 {
		out[0], err = ctx.AllocZeroed(tensor.DTypeOf[C](), dims)
		return err
	}
	if out[0], err = ctx.Alloc(tensor.DTypeOf[C](), dims); err != nil || out[0].NumElements() == 0 {
		return err
	}
	data, o := tensor.Of[R](&in[0]), tensor.Of[C](&out[0])
	rows := rows{dims, in[0].Dims()}
	p, err := k.plan(ctx, n, 0)
	if err != nil {
		return err
	}
	stop := stopping(ctx)
	err = k.each(ctx, dims, rank-1, p, func(l line, x, scratch []complex128) {
		from := data[rows.start(l.at/l.n):]
		if p.Halves() {
			for i := range n / 2 {
				x[i] = complex(float64(from[2*i]), float64(from[2*i+1]))
			}
			p.TransformReal(x, scratch, false, stop)
		} else {
			for i := range x {
				x[i] = complex(float64(from[i]), 0)
			}
			p.Transform(x, scratch, false, stop)
		}
		for i := range l.n {
			o[l.at+i] = C(x[i])
		}
	})
	for d := 2; d <= k.dims && err == nil; d++ {
		err = inPlace[C](ctx, &k.transform, &out[0], rank-d)
	}
	return err
}

// An inverseRealTransform is the kernel of IRFFT and the like.
type inverseRealTransform[R realNumber, C complexNumber] struct{ transform }

func (k *inverseRealTransform[R, C]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return ctx.Within(func() error { return k.run(ctx, in, out) })
}

func (k *inverseRealTransform[R, C]) run(ctx *kernel.Context, in, out []tensor.Value) error {
	lengths, err := k.lengths(in)
	if err != nil {
		return err
	}
	rank := in[0].Rank()
	dims := append(append(make([]int64, 0, rank), in[0].Dims()[:rank-k.dims]...), lengths...)
	if in[0].NumElements() == 0 {
		out[0], err = ctx.AllocZeroed(tensor.DTypeOf[R](), dims)
		return err
	}
	if out[0], err = ctx.Alloc(tensor.DTypeOf[R](), dims); err != nil || out[0].NumElements() == 0 {
		return err
	}
	n := int(dims[rank-1])
	from := in[0]
	if k.dims > 1 {
		// The other dimensions first, on a copy of what the lengths leave.
		cut := append(append(make([]int64, 0, rank), dims[:rank-1]...), int64(n/2+1))
		if from, err = ctx.Alloc(tensor.DTypeOf[C](), cut); err != nil {
			return err
		}
		defer ctx.Free(from)
		view := strided.Whole(in[0])
		for i, d := range cut {
			view.Slice(i, 0, 1, int(d))
		}
		if err := strided.Copy(ctx, &from, strided.Whole(from), &in[0], view); err != nil {
			return err
		}
		for d := 2; d <= k.dims; d++ {
			if err := inPlace[C](ctx, &k.transform, &from, rank-d); err != nil {
				return err
			}
		}
	}
	data, o := tensor.Of[C](&from), tensor.Of[R](&out[0])
	rows := rows{dims, from.Dims()}
	p, err := k.plan(ctx, n, 0)
	if err != nil {
		return err
	}
	stop := stopping(ctx)
	return k.each(ctx, dims, rank-1, p, func(l line, x, scratch []complex128) {
		row := data[rows.start(l.at/l.n):]
		if p.Halves() {
			for i := range n/2 + 1 {
				x[i] = complex128(row[i])
			}
			p.TransformReal(x, scratch, true, stop)
			for i, y := range x[:n/2] {
				o[l.at+2*i], o[l.at+2*i+1] = R(real(y)/float64(n)), R(imag(y)/float64(n))
			}
			return
		}
		// What is missing is the conjugate of what is there; X[0] and, of an even
		// number, X[n/2] are their own.
		for i := range n/2 + 1 {
			y := complex128(row[i])
			x[(n-i)%n] = complex(real(y), -imag(y))
			x[i] = y
		}
		x[0] = complex(real(x[0]), 0)
		if n%2 == 0 {
			x[n/2] = complex(real(x[n/2]), 0)
		}
		p.Transform(x, scratch, true, stop)
		for i, y := range x {
			o[l.at+i] = R(real(y) / float64(n))
		}
	})
}

// A rows finds the rows, along the last dimension, of a tensor that are also
// rows of a smaller one of the same rank in its corner.
type rows struct{ small, whole []int64 }

// start returns where row i of the smaller shape begins in the whole.
func (r rows) start(i int) int {
	at, below := 0, int(r.whole[len(r.whole)-1])
	for d := len(r.small) - 2; d >= 0; d-- {
		n := int(r.small[d])
		at += i % n * below
		i /= n
		below *= int(r.whole[d])
	}
	return at
}
