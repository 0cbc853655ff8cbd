package random

import (
	_ "embed"
	"math"
	"math/bits"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("SobolSample").
		Input("dim: int32").Input("num_results: int32").Input("skip: int32").Output("samples: dtype").
		Attr("dtype: {float, double} = DT_FLOAT").
		Doc(`Gives points of the Sobol sequence, which fills the unit cube evenly.

dim: The number of dimensions.
num_results: How many points.
skip: How many points are left out first.
samples: A point a row, its coordinates in [0, 1).`)

	kernel.ForTypes("SobolSample", "dtype", func(dt tensor.DType) kernel.Kernel {
		if dt == tensor.Float {
			return sobol[float32]{dt}
		}
		return sobol[float64]{dt}
	}, tensor.Float, tensor.Double)
}

const (
	sobolDims = 1111 // those whose polynomials are of degree 13 at most
	sobolBits = 32
)

// sobolStart is the first direction numbers that S. Joe and F. Y. Kuo chose
// (ACM Transactions on Mathematical Software 29, 2003, and SIAM Journal on
// Scientific Computing 30, 2008), for each dimension from the second on: as many
// as the degree of its polynomial, number i of i-1 bits, as it is odd and below
// 2^i. Bits are packed from the lowest on.
//
//go:embed sobol.bin
var sobolStart []byte

// sobolDirections is the direction numbers of all dimensions.
var sobolDirections = sync.OnceValue(func() *[sobolDims][sobolBits]uint32 {
	all := new([sobolDims][sobolBits]uint32)
	for i := range all[0] {
		all[0][i] = 1 << (31 - i)
	}
	at, dim := 0, 1
	for degree := 1; dim < sobolDims; degree++ {
		for inner := range uint32(1) << (degree - 1) {
			if !primitive(1<<degree|inner<<1|1, degree) {
				continue
			}
			v := &all[dim]
			dim++
			for i := range degree {
				m := uint32(1)
				for b := range i {
					m |= uint32(sobolStart[at/8]>>(at%8)&1) << (b + 1)
					at++
				}
				v[i] = m << (31 - i)
			}
			for i := degree; i < sobolBits; i++ {
				v[i] = v[i-degree] ^ v[i-degree]>>degree
				for k := 1; k < degree; k++ {
					if inner>>(degree-1-k)&1 != 0 {
						v[i] ^= v[i-k]
					}
				}
			}
		}
	}
	return all
})

// primitive reports whether a polynomial over the field of two elements, by the
// bits of its coefficients, is primitive: x has order 2^degree - 1.
func primitive(polynomial uint32, degree int) bool {
	order := 1<<degree - 1
	v := uint32(1)
	for i := 1; ; i++ {
		if v <<= 1; v>>degree != 0 {
			v ^= polynomial
		}
		if v == 1 || i == order {
			return v == 1 && i == order
		}
	}
}

// A sobol is the kernel for one type.
type sobol[T float32 | float64] struct{ dt tensor.DType }

func (k sobol[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	var n [3]int64
	for i, what := range []string{"dim", "num_results", "skip"} {
		if in[i].Rank() != 0 {
			return status.Invalid("%s must be a scalar, got shape %s", what, tensor.FormatDims(in[i].Dims()))
		}
		n[i] = int64(tensor.At0[int32](&in[i]))
	}
	dims, points, skip := n[0], n[1], n[2]
	switch {
	case dims < 1:
		return status.Invalid("dim must be at least one")
	case dims > 21200:
		return status.Invalid("dim must be at most 21200")
	case dims > sobolDims:
		return status.Errorf(status.Unimplemented, "SobolSample of %d dimensions; %d at most", dims, sobolDims)
	case points < 1:
		return status.Invalid("num_results must be at least one")
	case skip < 0:
		return status.Invalid("skip must be non-negative")
	case points+skip >= math.MaxInt32:
		return status.Invalid("num_results+skip must be less than %d", math.MaxInt32)
	}
	var err error
	if out[0], err = ctx.Alloc(k.dt, []int64{points, dims}); err != nil {
		return err
	}
	to := tensor.Of[T](&out[0])
	directions := sobolDirections()
	// Points come in the order of the Gray code, without the first, the origin.
	ctx.Parallel(int(points), max(1, 1<<14/int(dims)), func(lo, hi int) {
		for d := range int(dims) {
			v := &directions[d]
			number := uint32(int(skip) + lo + 1)
			x := uint32(0)
			for gray := number ^ number>>1; gray != 0; gray &= gray - 1 {
				x ^= v[bits.TrailingZeros32(gray)]
			}
			for i := lo; i < hi; i++ {
				to[i*int(dims)+d] = T(float64(x) * 0x1p-32)
				number++
				x ^= v[bits.TrailingZeros32(number)]
			}
		}
	})
	return ctx.Err()
}
