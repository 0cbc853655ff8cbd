package quant

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	for op, f := range map[string]kernel.Factory{
		"QuantizedAdd": plain(add),
		"QuantizedMul": plain(multiply),
		"QuantizedMatMul": func(c *kernel.Construction) (kernel.Kernel, error) {
			return product{c.Bool("transpose_a"), c.Bool("transpose_b")}, nil
		},
	} {
		kernel.Register(kernel.Registration{Op: op, New: f, Types: map[string][]tensor.DType{
			"T1": {tensor.Quint8}, "T2": {tensor.Quint8}, "Toutput": {tensor.Qint32}}})
	}
	kernel.Register(kernel.Registration{Op: "QuantizedBiasAdd", New: newBiasAdd, Types: map[string][]tensor.DType{
		"T1": {tensor.Quint8, tensor.Qint8}, "T2": {tensor.Quint8, tensor.Qint8}, "out_type": {tensor.Qint32}}})
}

func plain(f kernel.Func) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) { return f, nil }
}

// rangesOf reads the ranges of two operands, which are inputs 2 to 5.
func rangesOf(in []tensor.Value) (r [4]float32, err error) {
	for i := range r {
		v := &in[2+i]
		if v.Rank() != 0 {
			return r, status.Invalid("the ends of ranges must be scalars, got shape %s", tensor.FormatDims(v.Dims()))
		}
		r[i] = tensor.At0[float32](v)
	}
	if !(r[0] < r[1]) || !(r[2] < r[3]) {
		return r, status.Invalid("the high end of a range must be larger than the low one: [%v, %v], [%v, %v]", r[0], r[1], r[2], r[3])
	}
	return r, nil
}

// broadcast makes the result of two operands, which f computes element by
// element.
func broadcast(ctx *kernel.Context, in, out []tensor.Value, f func(o []int32, i, x, y int)) error {
	b, err := elementwise.NewBroadcast(in[0].Dims(), in[1].Dims())
	if err != nil {
		return err
	}
	if (in[0].NumElements() == 0) != (in[1].NumElements() == 0) {
		return status.Invalid("Must have elements in both operands: %s, %s", tensor.FormatDims(in[0].Dims()), tensor.FormatDims(in[1].Dims()))
	}
	if out[0], err = ctx.Alloc(tensor.Qint32, b.Dims); err != nil {
		return err
	}
	o := tensor.Of[int32](&out[0])
	ctx.Parallel(len(o), elementwise.Grain/4, func(lo, hi int) {
		if ctx.Err() == nil {
			b.Pairs(lo, hi, func(i, x, y int) { f(o, i, x, y) })
		}
	})
	return ctx.Err()
}

// add is QuantizedAdd: both operands are taken to a range in which 2^14 such numbers
// can be added up.
func add(ctx *kernel.Context, in, out []tensor.Value) error {
	r, err := rangesOf(in)
	if err != nil {
		return err
	}
	low, high := sumRange(r[0], r[1], r[2], r[3], 14)
	scalarX := in[0].NumElements() == 1
	scalarY := !scalarX && in[1].NumElements() == 1 // of two, one counts as the other operand
	termsX := addends[uint8](r[0], r[1], low, high, scalarX)
	termsY := addends[uint8](r[2], r[3], low, high, scalarY)
	return added[uint8, uint8](ctx, in, out, &termsX, &termsY, low, high)
}

// sum is QuantizedBiasAdd: both operands are taken to the range of the sum.
func sum[X, Y int8 | uint8](spare int) kernel.Func {
	return func(ctx *kernel.Context, in, out []tensor.Value) error {
		r, err := rangesOf(in)
		if err != nil {
			return err
		}
		low, high := sumRange(r[0], r[1], r[2], r[3], spare)
		termsX, termsY := terms[X](r[0], r[1], low, high), terms[Y](r[2], r[3], low, high)
		return added[X, Y](ctx, in, out, &termsX, &termsY, low, high)
	}
}

// added adds what integers of two operands are in a range.
func added[X, Y int8 | uint8](ctx *kernel.Context, in, out []tensor.Value, termsX, termsY *[256]int32, low, high float32) error {
	leastX, _ := limits[X]()
	leastY, _ := limits[Y]()
	x, y := tensor.Of[X](&in[0]), tensor.Of[Y](&in[1])
	out[1], out[2] = tensor.Scalar(low), tensor.Scalar(high)
	return broadcast(ctx, in, out, func(o []int32, i, a, b int) {
		o[i] = termsX[int(x[a])-int(leastX)] + termsY[int(y[b])-int(leastY)]
	})
}

func multiply(ctx *kernel.Context, in, out []tensor.Value) error {
	r, err := rangesOf(in)
	if err != nil {
		return err
	}
	low, high := productRange[uint8](r[0], r[1], r[2], r[3])
	zeroX, zeroY := int32(quantized[uint8](0, r[0], r[1])), int32(quantized[uint8](0, r[2], r[3]))
	x, y := tensor.Of[uint8](&in[0]), tensor.Of[uint8](&in[1])
	out[1], out[2] = tensor.Scalar(low), tensor.Scalar(high)
	return broadcast(ctx, in, out, func(o []int32, i, a, b int) {
		o[i] = (int32(x[a]) - zeroX) * (int32(y[b]) - zeroY)
	})
}

// A product is the kernel of QuantizedMatMul.
type product struct{ transA, transB bool }

func (p product) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	for i, name := range []string{"First", "Second"} {
		if in[i].Rank() != 2 {
			return status.Invalid("%s input must be a matrix, got shape %s", name, tensor.FormatDims(in[i].Dims()))
		}
	}
	r, err := rangesOf(in)
	if err != nil {
		return err
	}
	m, k, l, n := in[0].Dim(0), in[0].Dim(1), in[1].Dim(0), in[1].Dim(1)
	if p.transA {
		m, k = k, m
	}
	if p.transB {
		l, n = n, l
	}
	if k != l {
		return status.Invalid("Matrix size-compatible: In[0]: %s, In[1]: %s", tensor.FormatDims(in[0].Dims()), tensor.FormatDims(in[1].Dims()))
	}
	low, high := productRange[uint8](r[0], r[1], r[2], r[3])
	out[1], out[2] = tensor.Scalar(low), tensor.Scalar(high)
	if out[0], err = ctx.AllocZeroed(tensor.Qint32, []int64{int64(m), int64(n)}); err != nil {
		return err
	}
	if m*n*k == 0 {
		return nil
	}
	var wide [2]tensor.Value
	for i := range wide {
		if wide[i], err = ctx.Alloc(tensor.Int32, in[i].Dims()); err != nil {
			return err
		}
		defer ctx.Free(wide[i])
		zero, w := int32(quantized[uint8](0, r[2*i], r[2*i+1])), tensor.Of[int32](&wide[i])
		narrow := tensor.Of[uint8](&in[i])
		ctx.Parallel(len(w), 1<<14, func(lo, hi int) {
			for j, x := range narrow[lo:hi] {
				w[lo+j] = int32(x) - zero
			}
		})
	}
	a, b, o := tensor.Of[int32](&wide[0]), tensor.Of[int32](&wide[1]), tensor.Of[int32](&out[0])
	const most = 1 << 22 // multiplications, in a few milliseconds
	rows := max(1, most/(n*k))
	for i := 0; i < m && ctx.Err() == nil; i += rows {
		from := i * in[0].Dim(1)
		if p.transA {
			from = i
		}
		vec.Gemm(ctx.Step.Pool, p.transA, p.transB, min(rows, m-i), n, k, a[from:], in[0].Dim(1), b, in[1].Dim(1), o[i*n:], n)
	}
	return ctx.Err()
}

// newBiasAdd makes the kernel of QuantizedBiasAdd.
func newBiasAdd(c *kernel.Construction) (kernel.Kernel, error) {
	const spare = 17
	sums := map[[2]tensor.DType]kernel.Func{
		{tensor.Quint8, tensor.Quint8}: sum[uint8, uint8](spare), {tensor.Qint8, tensor.Qint8}: sum[int8, int8](spare),
		{tensor.Quint8, tensor.Qint8}: sum[uint8, int8](spare), {tensor.Qint8, tensor.Quint8}: sum[int8, uint8](spare),
	}
	add := sums[[2]tensor.DType{c.Type("T1"), c.Type("T2")}]
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		x := in[0].Dims()
		if len(x) < 2 {
			return status.Invalid("Input tensor must be at least 2D: %s", tensor.FormatDims(x))
		}
		if in[1].Rank() != 1 {
			return status.Invalid("Biases must be 1D: %s", tensor.FormatDims(in[1].Dims()))
		}
		if last := x[len(x)-1]; int64(in[1].NumElements()) != last {
			return status.Invalid("Must provide as many biases as the last dimension of the input tensor: %s vs. %s", tensor.FormatDims(in[1].Dims()), tensor.FormatDims(x))
		}
		return add(ctx, in, out)
	}), nil
}
