package linalg

import (
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A batch is the kernel of an operation that does something with each matrix
// of its inputs by itself. The elements are computed as T, whatever their type
// in the tensors.
type batch[T scalar] struct {
	inputs int // those that are matrices, which come first
	// sizes says of what shape each output's share is, for matrices of these
	// sizes, or what is wrong with them.
	sizes func(in []matrix[T]) ([][]int, error)
	// run computes the outputs' shares, which are zero. A share that is no
	// matrix has one column, and one row if it is a scalar. The inputs may be
	// overwritten. Algorithms stop anywhere once the step has ended, as then
	// their results do not count.
	run func(s *scratch[T]) error
	// outputs are the types of the outputs.
	outputs []tensor.DType
}

// A scratch is what is done with one matrix of each input.
type scratch[T scalar] struct {
	ctx     *context
	inputs  []tensor.Value // the kernel's inputs
	in, out []matrix[T]
}

func (k *batch[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	outer, err := k.outer(in)
	if err != nil {
		return err
	}
	shapes := make([]matrix[T], k.inputs)
	count := 1
	for _, d := range outer {
		count *= int(d)
	}
	cost := 1
	for i := range shapes {
		r := in[i].Rank()
		shapes[i] = matrix[T]{rows: in[i].Dim(r - 2), cols: in[i].Dim(r - 1)}
		cost = max(cost, shapes[i].rows*shapes[i].cols*min(shapes[i].rows, shapes[i].cols))
	}
	results, err := k.sizes(shapes)
	if err != nil {
		return err
	}
	some := false
	for i := range out {
		dims := []int64{} // an output that is not wanted is a scalar, of what value TensorFlow leaves open
		if i < len(results) {
			dims = append(make([]int64, 0, len(outer)+2), outer...)
			for _, n := range results[i] {
				dims = append(dims, int64(n))
			}
		}
		if out[i], err = ctx.AllocZeroed(k.outputs[i], dims); err != nil {
			return err
		}
		some = some || out[i].NumElements() > 0
	}
	if !some {
		return nil
	}
	inputs := append([]tensor.Value(nil), in...)
	var failure first
	ctx.Parallel(count, max(1, (1<<14)/cost), func(lo, hi int) {
		s := scratch[T]{ctx: newContext(ctx), inputs: inputs}
		defer s.ctx.memory.Free()
		for _, m := range shapes {
			s.in = append(s.in, newMatrix[T](s.ctx, m.rows, m.cols))
		}
		for _, dims := range results {
			rows, cols := 1, 1
			if len(dims) > 0 {
				rows = dims[0]
			}
			if len(dims) > 1 {
				cols = dims[1]
			}
			s.out = append(s.out, newMatrix[T](s.ctx, rows, cols))
		}
		mark := s.ctx.mark()
		for b := lo; b < hi; b++ {
			for i, m := range s.in {
				for at, to := range ctx.Ranges(len(m.data), 1<<16) {
					load(m.data[at:to], &in[i], b*len(m.data)+at)
				}
			}
			for _, m := range s.out {
				for at, to := range ctx.Ranges(len(m.data), 1<<16) {
					clear(m.data[at:to])
				}
			}
			err := k.run(&s)
			s.ctx.release(mark)
			if ended := ctx.Err(); ended != nil {
				err = ended
			}
			if err != nil {
				failure.at(b, err)
				return
			}
			for i, m := range s.out {
				for at, to := range ctx.Ranges(len(m.data), 1<<16) {
					store(&out[i], b*len(m.data)+at, m.data[at:to])
				}
			}
		}
	})
	return failure.err
}

// outer returns the dimensions before those of the matrices, which all inputs share.
func (k *batch[T]) outer(in []tensor.Value) ([]int64, error) {
	for i := range k.inputs {
		if in[i].Rank() < 2 {
			return nil, status.Invalid("Input tensor %d must have rank >= 2, got %d", i, in[i].Rank())
		}
		if in[i].Rank() != in[0].Rank() {
			return nil, status.Invalid("All input tensors must have the same rank.")
		}
	}
	outer := in[0].Dims()[:in[0].Rank()-2]
	for i := range k.inputs {
		for j, d := range outer {
			if in[i].Dims()[j] != d {
				return nil, status.Invalid("All input tensors must have the same outer dimensions.")
			}
		}
	}
	return outer, nil
}

// A first keeps the error of the lowest place.
type first struct {
	mu    sync.Mutex
	place int
	err   error
}

func (f *first) at(place int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil || place < f.place {
		f.place, f.err = place, err
	}
}

// load sets dst to elements of v from at on.
func load[T scalar](dst []T, v *tensor.Value, at int) {
	switch v.DType() {
	case tensor.Float:
		loadReal(dst, tensor.Of[float32](v)[at:])
	case tensor.Double:
		loadReal(dst, tensor.Of[float64](v)[at:])
	case tensor.Complex64:
		loadComplex(dst, tensor.Of[complex64](v)[at:])
	case tensor.Complex128:
		loadComplex(dst, tensor.Of[complex128](v)[at:])
	default: // half
		for i, x := range tensor.Of[tensor.Float16](v)[at : at+len(dst)] {
			dst[i] = of[T](float64(x.Float32()))
		}
	}
}

func loadReal[T scalar, S float32 | float64](dst []T, src []S) {
	if same, ok := any(src).([]T); ok {
		copy(dst, same)
		return
	}
	for i := range dst {
		dst[i] = of[T](float64(src[i]))
	}
}

func loadComplex[T scalar, S complex64 | complex128](dst []T, src []S) {
	if same, ok := any(src).([]T); ok {
		copy(dst, same)
		return
	}
	switch dst := any(dst).(type) {
	case []complex64:
		for i := range dst {
			dst[i] = complex64(src[i])
		}
	case []complex128:
		for i := range dst {
			dst[i] = complex128(src[i])
		}
	}
}

// store sets elements of v from at on to src.
func store[T scalar](v *tensor.Value, at int, src []T) {
	switch v.DType() {
	case tensor.Float:
		storeReal(tensor.Of[float32](v)[at:], src)
	case tensor.Double:
		storeReal(tensor.Of[float64](v)[at:], src)
	case tensor.Int32:
		storeReal(tensor.Of[int32](v)[at:], src)
	case tensor.Int64:
		storeReal(tensor.Of[int64](v)[at:], src)
	case tensor.Complex64:
		storeComplex(tensor.Of[complex64](v)[at:], src)
	case tensor.Complex128:
		storeComplex(tensor.Of[complex128](v)[at:], src)
	default: // half
		o := tensor.Of[tensor.Float16](v)[at:]
		for i, x := range src {
			o[i] = tensor.ToFloat16(float32(realPart(x)))
		}
	}
}

func storeReal[D float32 | float64 | int32 | int64, T scalar](dst []D, src []T) {
	if same, ok := any(src).([]D); ok {
		copy(dst, same)
		return
	}
	for i, x := range src {
		dst[i] = D(realPart(x))
	}
}

func storeComplex[D complex64 | complex128, T scalar](dst []D, src []T) {
	if same, ok := any(src).([]D); ok {
		copy(dst, same)
		return
	}
	wide, _ := any(src).([]complex128)
	for i, x := range wide {
		dst[i] = D(x)
	}
}

// square returns the check of operations on one square matrix, of whose size each
// output is a share of so many dimensions.
//
//go:noinline
func square[T scalar](dims ...int) func(in []matrix[T]) ([][]int, error) {
	return func(in []matrix[T]) ([][]int, error) {
		n := in[0].rows
		if n != in[0].cols {
			return nil, status.Invalid("Input matrix must be square.")
		}
		var sizes [][]int
		for _, d := range dims {
			sizes = append(sizes, []int{n, n}[:d])
		}
		return sizes, nil
	}
}

// native registers op for the types that TensorFlow's kernels take, each
// computed in itself. The constructors are those for the element types; one
// may be nil.
func native(op string, f32, f64, c64, c128 kernel.Factory) {
	for dt, f := range map[tensor.DType]kernel.Factory{
		tensor.Float: f32, tensor.Double: f64, tensor.Complex64: c64, tensor.Complex128: c128,
	} {
		if f != nil {
			kernel.ForType(op, "T", dt, f)
		}
	}
}

// widened registers op for real and complex numbers, computed in float64.
func widened(op string, real, complex kernel.Factory) {
	native(op, real, real, complex, complex)
}
