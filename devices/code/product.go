package code

import (
	"math"

	"github.com/troupe-go/troupe/devices"
)

// mostCalls bounds the dimensions of batches but the innermost, for each of which a library
// is called once.
const mostCalls = 64

// callable reports whether a device multiplies by a library, which takes what it is given.
func callable(p *devices.Product, x Array) bool {
	m, ok := x.Buffer.(devices.Multiplier)
	if !ok || !m.Multiplies(p.Type) {
		return false
	}
	calls := int64(1)
	for _, d := range p.Batches[:max(len(p.Batches)-1, 0)] {
		calls *= d
	}
	return calls <= mostCalls && min(p.M, p.N, p.K) >= 1 && max(p.M, p.N, p.K) <= math.MaxInt32
}

// byLibrary returns the launch of a product by a library; nil where none does it.
func byLibrary(p *devices.Product, e element, z, x, y Array) []devices.Launch {
	if !callable(p, x) {
		return nil
	}
	c := (&call{launch: devices.Launch{Product: p}}).reads(x.Buffer, y.Buffer).writes(z.Buffer)
	return c.grid(&devices.Code{Entry: "product_" + e.name}, [3]int{1, 1, 1}, [3]int{1, 1, 1})
}

// productOf reports what product z is of two operands whose dimensions before the last two are
// broadcast to z's.
func productOf(z, x, y Array, transX, transY bool) (devices.Product, error) {
	p := devices.Product{Type: z.Type, TransX: transX, TransY: transY}
	r := len(z.Dims)
	if r < 2 || len(x.Dims) < 2 || len(y.Dims) < 2 {
		return p, mistake("a product of %v and %v is not %v", x.Dims, y.Dims, z.Dims)
	}
	p.M, p.N = z.Dims[r-2], z.Dims[r-1]
	xm, xk := x.Dims[len(x.Dims)-2], x.Dims[len(x.Dims)-1]
	if transX {
		xm, xk = xk, xm
	}
	yk, yn := y.Dims[len(y.Dims)-2], y.Dims[len(y.Dims)-1]
	if transY {
		yk, yn = yn, yk
	}
	if p.K = xk; xm != p.M || yn != p.N || xk != yk {
		return p, mistake("a product of %v and %v is not %v", x.Dims, y.Dims, z.Dims)
	}
	w, err := broadcasting(z.Dims[:r-2], x.Dims[:len(x.Dims)-2], y.Dims[:len(y.Dims)-2])
	if err != nil {
		return p, err
	}
	p.Batches, p.XStrides, p.YStrides = w.dims, w.strides[0], w.strides[1]
	for i := range p.Batches {
		p.XStrides[i] *= p.M * p.K
		p.YStrides[i] *= p.K * p.N
	}
	return p, nil
}
