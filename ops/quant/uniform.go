package quant

import (
	"math"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Numbers that integers stand for as (integer - zero point)·scale, with one scale
// and zero point for a tensor or for each slice of a dimension.
func init() {
	registry.Define("UniformQuantize").
		Input("input: Tin").Input("scales: float").Input("zero_points: int32").Output("output: Tout").
		Attr("Tin: {float}").
		Attr("Tout: {qint8, quint8, qint32}").
		Attr("quantization_axis: int = -1").
		Attr("quantization_min_val: int").
		Attr("quantization_max_val: int").
		Doc(`Turns numbers into integers that stand for them by scales and zero points.

scales: The distance of the numbers of two integers.
zero_points: The integers that stand for 0.
Tout: The type of the integers.
quantization_axis: The dimension of the result whose slices have scales of their own; -1 for one of all.
quantization_min_val: The lowest integer of the result.
quantization_max_val: The highest integer of the result.`)
	registry.Define("UniformDequantize").
		Input("input: Tin").Input("scales: float").Input("zero_points: int32").Output("output: Tout").
		Attr("Tin: {qint8, quint8, qint32}").
		Attr("Tout: {float}").
		Attr("quantization_axis: int = -1").
		Attr("quantization_min_val: int").
		Attr("quantization_max_val: int").
		Doc(`Gives the numbers that integers stand for by scales and zero points.

scales: The distance of the numbers of two integers.
zero_points: The integers that stand for 0.
Tout: The type of the numbers.
quantization_axis: The dimension of the input whose slices have scales of their own; -1 for one of all.
quantization_min_val: The lowest integer of the input.
quantization_max_val: The highest integer of the input.`)
	registry.Define("UniformRequantize").
		Input("input: Tin").Input("input_scales: float").Input("input_zero_points: int32").
		Input("output_scales: float").Input("output_zero_points: int32").Output("output: Tout").
		Attr("Tin: {qint8, qint32}").
		Attr("Tout: {qint8, qint32}").
		Attr("input_quantization_axis: int = -1").
		Attr("input_quantization_min_val: int").
		Attr("input_quantization_max_val: int").
		Attr("output_quantization_axis: int = -1").
		Attr("output_quantization_min_val: int").
		Attr("output_quantization_max_val: int").
		Doc(`Turns integers into those that stand for the same numbers by other scales and zero points.

input_scales: The distance of the numbers of two integers of the input.
input_zero_points: The integers of the input that stand for 0.
output_scales: The distance of the numbers of two integers of the result.
output_zero_points: The integers of the result that stand for 0.
Tout: The type of the result.
input_quantization_axis: The dimension of the input whose slices have scales of their own; -1 for one of all.
input_quantization_min_val: The lowest integer of the input.
input_quantization_max_val: The highest integer of the input.
output_quantization_axis: The dimension of the result whose slices have scales of their own; -1 for one of all.
output_quantization_min_val: The lowest integer of the result.
output_quantization_max_val: The highest integer of the result.`)
	registry.Define("UniformQuantizedClipByValue").
		Input("operand: T").Input("min: T").Input("max: T").Input("scales: float").Input("zero_points: int32").
		Output("output: T").
		Attr("T: {qint32}").
		Attr("quantization_axis: int = -1").
		Attr("quantization_min_val: int").
		Attr("quantization_max_val: int").
		Doc(`Limits integers that stand for numbers.

operand: The integers.
min: The lowest ones, a scalar or one for each slice.
max: The highest ones, likewise.
scales: The distance of the numbers of two integers.
zero_points: The integers that stand for 0.
quantization_axis: The dimension of the operand whose slices have scales of their own; -1 for one of all.
quantization_min_val: The lowest integer of the operand.
quantization_max_val: The highest integer of the operand.`)
	registry.Define("UniformQuantizedDot").
		Input("lhs: Tin").Input("rhs: Tin").Input("lhs_scales: float").Input("lhs_zero_points: int32").
		Input("rhs_scales: float").Input("rhs_zero_points: int32").Input("output_scales: float").
		Input("output_zero_points: int32").Output("output: Tout").
		Attr("Tin: {qint8}").
		Attr("Tout: {qint32}").
		Attr("lhs_quantization_axis: int = -1").
		Attr("lhs_quantization_min_val: int").
		Attr("lhs_quantization_max_val: int").
		Attr("rhs_quantization_axis: int = -1").
		Attr("rhs_quantization_min_val: int").
		Attr("rhs_quantization_max_val: int").
		Attr("output_quantization_axis: int = -1").
		Attr("output_quantization_min_val: int").
		Attr("output_quantization_max_val: int").
		Doc(`Multiplies matrices of integers that stand for numbers.

lhs: The left operand.
rhs: The right operand.
lhs_scales: The distance of the numbers of two integers of lhs, a scalar.
lhs_zero_points: The integer of lhs that stands for 0.
rhs_scales: The distance of the numbers of two integers of rhs, perhaps for each column.
rhs_zero_points: The integers of rhs that stand for 0.
output_scales: The distance of the numbers of two integers of the result.
output_zero_points: The integers of the result that stand for 0.
Tout: The type of the result.
lhs_quantization_axis: The dimension of lhs whose slices have scales of their own; -1 for one of all.
lhs_quantization_min_val: The lowest integer of lhs.
lhs_quantization_max_val: The highest integer of lhs.
rhs_quantization_axis: The dimension of rhs whose slices have scales of their own; -1 for one of all.
rhs_quantization_min_val: The lowest integer of rhs.
rhs_quantization_max_val: The highest integer of rhs.
output_quantization_axis: The dimension of the result whose slices have scales of their own; -1 for one of all.
output_quantization_min_val: The lowest integer of the result.
output_quantization_max_val: The highest integer of the result.`)

	shape.Register(shape.Unchanged, "UniformQuantize", "UniformDequantize", "UniformRequantize", "UniformQuantizedClipByValue")
	shape.Register(shape.Rule(`lhs: [m,k], rhs: [k,n], lhs_scales: [], lhs_zero_points: [], rhs_scales: ?, rhs_zero_points: ?, output_scales: ?, output_zero_points: ?
		-> output: [m,n]`), "UniformQuantizedDot")

	uniformFor[int8](tensor.Qint8)
	uniformFor[uint8](tensor.Quint8)
	uniformFor[int32](tensor.Qint32)
	kernel.Register(kernel.Registration{Op: "UniformRequantize", Types: map[string][]tensor.DType{"Tin": {tensor.Qint8}, "Tout": {tensor.Qint8}}, New: newRequantizer[int8]})
	kernel.Register(kernel.Registration{Op: "UniformRequantize", Types: map[string][]tensor.DType{"Tin": {tensor.Qint32}, "Tout": {tensor.Qint8}}, New: newRequantizer[int32]})
	kernel.ForAll(newUniformDot, "UniformQuantizedDot")
	kernel.ForAll(newUniformClip, "UniformQuantizedClipByValue")
}

func uniformFor[T int8 | uint8 | int32](dt tensor.DType) {
	kernel.ForType("UniformQuantize", "Tout", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		u, err := uniformOf[T](c, "")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
			return uniformQuantize[T](ctx, u, dt, in, out)
		}), err
	})
	kernel.ForType("UniformDequantize", "Tin", dt, func(c *kernel.Construction) (kernel.Kernel, error) {
		u, err := uniformOf[T](c, "")
		return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error { return uniformDequantize[T](ctx, u, in, out) }), err
	})
}

// A uniform is how a tensor is quantized, as attributes say it.
type uniform struct {
	axis, low, high int64
	anyScale        bool // scales need not be positive
}

// uniformOf reads the attributes with that prefix, for integers of type T.
func uniformOf[T int8 | uint8 | int32](c *kernel.Construction, prefix string) (uniform, error) {
	u := uniform{c.Int(prefix + "quantization_axis"), c.Int(prefix + "quantization_min_val"), c.Int(prefix + "quantization_max_val"), c.Op.Name == "UniformQuantize"}
	least, most := limits[T]()
	if u.axis < -1 {
		return u, c.Errorf("%squantization_axis must be at least -1, given: %d", prefix, u.axis)
	}
	if float64(u.low) < least || float64(u.high) > most || u.low >= u.high {
		return u, c.Errorf("%squantization_min_val and %squantization_max_val must be a range of the type, given: %d and %d", prefix, prefix, u.low, u.high)
	}
	return u, nil
}

// steps checks scales and zero points of a tensor of that shape: how it falls into
// slices, and what each has.
func (u uniform) steps(dims []int64, scales, zeros *tensor.Value) (s slicing, scale []float32, zero []int32, err error) {
	if u.axis >= int64(len(dims)) {
		return s, nil, nil, status.Invalid("quantization_axis %d is not below the rank, %d", u.axis, len(dims))
	}
	if s, err = slicingOf(dims, u.axis); err != nil {
		return s, nil, nil, err
	}
	for i, v := range []*tensor.Value{scales, zeros} {
		if u.axis == -1 && v.Rank() != 0 || u.axis >= 0 && (v.Rank() != 1 || v.NumElements() != s.n) {
			return s, nil, nil, status.Invalid("%s of shape %s do not fit a tensor of shape %s that is quantized along %d", []string{"scales", "zero_points"}[i], tensor.FormatDims(v.Dims()), tensor.FormatDims(dims), u.axis)
		}
	}
	scale, zero = tensor.Of[float32](scales), tensor.Of[int32](zeros)
	for _, x := range scale {
		if !(x > 0) && !u.anyScale {
			return s, nil, nil, status.Invalid("scales elements must be all positive.")
		}
	}
	return s, scale, zero, nil
}

// limit is x as the nearest integer of the range.
func (u uniform) limit(x int64) int64 { return min(max(x, u.low), u.high) }

func uniformQuantize[T int8 | uint8 | int32](ctx *kernel.Context, u uniform, dt tensor.DType, in, out []tensor.Value) error {
	s, scale, zero, err := u.steps(in[0].Dims(), &in[1], &in[2])
	if err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(dt, in[0].Dims()); err != nil {
		return err
	}
	x, o := tensor.Of[float32](&in[0]), tensor.Of[T](&out[0])
	var credit kernel.Credit
	stopped := false
	s.each(ctx, func(i, lo, hi int) {
		if stopped = stopped || !credit.Spend(ctx, hi-lo); stopped {
			return
		}
		inverse := 1 / scale[i]
		for k := lo; k < hi; k++ {
			// What is no int32 becomes the lowest, as with the instruction that converts.
			rounded := int32(math.MinInt32)
			if r := math.Floor(float64(x[k]*inverse + 0.5)); r >= math.MinInt32 && r <= math.MaxInt32 {
				rounded = int32(r)
			}
			o[k] = T(u.limit(int64(rounded + zero[i])))
		}
	})
	if stopped {
		return ctx.Err()
	}
	return nil
}

func uniformDequantize[T int8 | uint8 | int32](ctx *kernel.Context, u uniform, in, out []tensor.Value) error {
	s, scale, zero, err := u.steps(in[0].Dims(), &in[1], &in[2])
	if err != nil {
		return err
	}
	if out[0], err = ctx.Alloc(tensor.Float, in[0].Dims()); err != nil {
		return err
	}
	x, o := tensor.Of[T](&in[0]), tensor.Of[float32](&out[0])
	var credit kernel.Credit
	stopped := false
	s.each(ctx, func(i, lo, hi int) {
		if stopped = stopped || !credit.Spend(ctx, hi-lo); stopped {
			return
		}
		for k := lo; k < hi; k++ {
			o[k] = float32(int32(x[k])-zero[i]) * scale[i]
		}
	})
	if stopped {
		return ctx.Err()
	}
	return nil
}

// A multiplier is a factor as an integer of 31 bits and a power of two.
type multiplier struct {
	factor int64
	shift  int
}

func multiplierOf(x float64) multiplier {
	fraction, shift := math.Frexp(x)
	m := multiplier{int64(math.Round(fraction * (1 << 31))), shift}
	if m.factor == 1<<31 {
		m.factor, m.shift = m.factor/2, m.shift+1
	}
	if m.shift < -31 {
		return multiplier{}
	}
	if m.shift > 30 {
		return multiplier{1<<31 - 1, 30}
	}
	return m
}

// apply returns the product, rounded to the nearest integer and limited to an int32.
func (m multiplier) apply(x int32) int64 {
	total := 31 - m.shift
	return min(max((int64(x)*m.factor+1<<(total-1))>>total, math.MinInt32), math.MaxInt32)
}

func newRequantizer[F int8 | int32](c *kernel.Construction) (kernel.Kernel, error) {
	from, err := uniformOf[F](c, "input_")
	if err != nil {
		return nil, err
	}
	to, err := uniformOf[int8](c, "output_")
	if err != nil {
		return nil, err
	}
	if from.axis >= 0 && to.axis >= 0 && from.axis != to.axis {
		return nil, c.Errorf("If input and output is both per-axis quantized, the quantization axis must be same.")
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		s, scale, zero, err := from.steps(in[0].Dims(), &in[1], &in[2])
		if err != nil {
			return err
		}
		s2, newScale, newZero, err := to.steps(in[0].Dims(), &in[3], &in[4])
		if err != nil {
			return err
		}
		if from.axis < 0 {
			s = s2
		}
		if out[0], err = ctx.Alloc(tensor.Qint8, in[0].Dims()); err != nil {
			return err
		}
		x, o := tensor.Of[F](&in[0]), tensor.Of[int8](&out[0])
		var credit kernel.Credit
		stopped := false
		s.each(ctx, func(i, lo, hi int) {
			if stopped = stopped || !credit.Spend(ctx, hi-lo); stopped {
				return
			}
			a, b := min(i, len(scale)-1), min(i, len(newScale)-1)
			m := multiplierOf(float64(scale[a]) / float64(newScale[b]))
			for k := lo; k < hi; k++ {
				o[k] = int8(to.limit(m.apply(int32(x[k])-zero[a]) + int64(newZero[b])))
			}
		})
		if stopped {
			return ctx.Err()
		}
		return nil
	}), nil
}

func newUniformClip(c *kernel.Construction) (kernel.Kernel, error) {
	u, err := uniformOf[int32](c, "")
	if err != nil {
		return nil, err
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		s, _, _, err := u.steps(in[0].Dims(), &in[3], &in[4])
		if err != nil {
			return err
		}
		for i, v := range in[1:3] {
			if u.axis == -1 && v.Rank() != 0 || u.axis >= 0 && (v.Rank() != 1 || v.NumElements() != s.n) {
				return status.Invalid("%s of shape %s does not fit an operand of shape %s", []string{"min", "max"}[i], tensor.FormatDims(v.Dims()), tensor.FormatDims(in[0].Dims()))
			}
		}
		low, high := tensor.Of[int32](&in[1]), tensor.Of[int32](&in[2])
		if out[0], err = ctx.Alloc(tensor.Qint32, in[0].Dims()); err != nil {
			return err
		}
		x, o := tensor.Of[int32](&in[0]), tensor.Of[int32](&out[0])
		s.each(ctx, func(i, lo, hi int) {
			for k := lo; k < hi; k++ {
				o[k] = min(max(x[k], low[i]), high[i])
			}
		})
		return ctx.Err()
	}), nil
}

func newUniformDot(c *kernel.Construction) (kernel.Kernel, error) {
	var u [3]uniform
	var err error
	for i, prefix := range []string{"lhs_", "rhs_", "output_"} {
		if i < 2 {
			u[i], err = uniformOf[int8](c, prefix)
		} else {
			u[i], err = uniformOf[int32](c, prefix)
		}
		if err != nil {
			return nil, err
		}
		if i == 0 && u[i].axis != -1 || u[i].axis != -1 && u[i].axis != 1 {
			return nil, c.Errorf("%squantization_axis is %d: lhs must be quantized as a whole, rhs and the result so or by columns", prefix, u[i].axis)
		}
	}
	if u[1].axis < 0 && u[2].axis >= 0 {
		return nil, c.Errorf("If rhs is quantized as a whole, the result must be so, too.")
	}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		a, b := in[0].Dims(), in[1].Dims()
		if len(a) != 2 || len(b) != 2 || a[1] != b[0] {
			return status.Invalid("lhs of shape %s and rhs of shape %s cannot be multiplied", tensor.FormatDims(a), tensor.FormatDims(b))
		}
		dims := []int64{a[0], b[1]}
		var scales [3][]float32
		var zeros [3][]int32
		for i, d := range [][]int64{a, b, dims} {
			var err error
			if _, scales[i], zeros[i], err = u[i].steps(d, &in[2+2*i], &in[3+2*i]); err != nil {
				return err
			}
		}
		var err error
		if out[0], err = ctx.Alloc(tensor.Qint32, dims); err != nil {
			return err
		}
		m, k, n := int(a[0]), int(a[1]), int(b[1])
		x, y, o := tensor.Of[int8](&in[0]), tensor.Of[int8](&in[1]), tensor.Of[int32](&out[0])
		of := func(list []int32, j int) int32 { return list[min(j, len(list)-1)] }
		// Factors, and sums of as many rows as are computed at a time.
		defer ctx.UnreserveTo(ctx.Reserved())
		if err := ctx.Reserve(n * (16 + 4*min(m, ctx.Step.Pool.Workers()))); err != nil {
			return err
		}
		factors := make([]multiplier, n)
		var credit kernel.Credit
		for j := range factors {
			if !credit.Spend(ctx, 16) {
				return ctx.Err()
			}
			factors[j] = multiplierOf(float64(scales[0][0]) * float64(scales[1][min(j, len(scales[1])-1)]) / float64(scales[2][min(j, len(scales[2])-1)]))
		}
		ctx.Parallel(m, max(1, 1<<16/max(1, k*n)), func(lo, hi int) {
			sums := make([]int32, n)
			var credit kernel.Credit
			for i := lo; i < hi && ctx.Err() == nil; i++ {
				clear(sums)
				for l := range k {
					if !credit.Spend(ctx, 2*n) {
						return
					}
					v := int32(x[i*k+l]) - zeros[0][0]
					for j, w := range y[l*n:][:n] {
						sums[j] += v * (int32(w) - of(zeros[1], j))
					}
				}
				for j, sum := range sums {
					o[i*n+j] = int32(u[2].limit(factors[j].apply(sum) + int64(of(zeros[2], j))))
				}
			}
		})
		return ctx.Err()
	}), nil
}
