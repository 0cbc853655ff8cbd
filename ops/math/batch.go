package math

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/tensor"
)

// batch is how many floats special functions compute at a time, in doubles, of which vectors
// take logarithms and exponentials. Each element depends on its own operands alone.
const batch = 64

// A precision is what a term of a sum may be to the sum and be left out.
type precision float64

const (
	single precision = 0x1p-40 // for results of type float: what follows may be larger than the term
	double precision = 0x1p-54
)

// batched2 registers op for float by a function on vectors and the same on one pair of
// numbers, and for double by a function on float64.
func batched2(op string, floats elementwise.Vectors, one func(x, y float32) float32, f func(x, y float64) float64) {
	slow2(op, floats, one, f)
}

// reals2 registers op for float and double, by a function on float64.
func reals2(op string, f func(x, y float64) float64) { slow2(op, nil, narrow2(f), f) }

func slow2(op string, loops elementwise.Loops[float32, float32], f32 func(x, y float32) float32, f64 func(x, y float64) float64) {
	kernel.ForTypes(op, "T", func(dt tensor.DType) kernel.Kernel {
		if dt == tensor.Float {
			return &elementwise.Zip[float32, float32]{In: dt, Out: dt, F: f32, Loops: loops, Slow: true}
		}
		return &elementwise.Zip[float64, float64]{In: dt, Out: dt, F: f64, Slow: true}
	}, tensor.Float, tensor.Double)
}
