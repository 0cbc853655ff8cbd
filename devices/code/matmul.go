package code

import (
	"fmt"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/tensor"
)

// A Product is z = x·y of matrices of M by K and K by N elements, which lie row by row, or
// of batches of them. TransX and TransY say that an operand's rows are the product's
// columns.
type Product struct {
	Type           tensor.DType
	M, N, K        int64
	TransX, TransY bool
	// Batches are the dimensions of batches that are left when those are joined that all
	// operands walk through as one; none: there is one product. XStrides and YStrides are
	// how many elements an operand's matrix is from the next, 0 where it is the same.
	Batches, XStrides, YStrides []int64
}

// ProductOf says what product z is of two operands whose dimensions before the last two are
// broadcast to z's.
func ProductOf(z, x, y Array, transX, transY bool) (Product, error) {
	p := Product{Type: z.Type, TransX: transX, TransY: transY}
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
	if xm != p.M || yn != p.N || xk != yk {
		return p, mistake("a product of %v and %v is not %v", x.Dims, y.Dims, z.Dims)
	}
	p.K = xk
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

// contraction is how the product is computed in blocks.
func (p *Product) contraction(e element, z, x, y Array) *contraction {
	w := walk{p.Batches, [][]int64{p.XStrides, p.YStrides, dense(p.Batches)}}
	for i := range p.Batches {
		w.strides[2][i] *= p.M * p.N
	}
	xld, yld := p.K, p.N
	if p.TransX {
		xld = p.M
	}
	if p.TransY {
		yld = p.K
	}
	return &contraction{
		name: fmt.Sprintf("matmul_%d%d", btoi(p.TransX), btoi(p.TransY)), e: e, rows: p.M, columns: p.N, depth: p.K, ld: p.N,
		x: matrix("x", !p.TransX, xld, x.Elements()), y: matrix("y", p.TransY, yld, y.Elements()), batches: w, size: z.Elements(),
	}
}

// MatMul computes z = x·y of matrices, or of batches of them: dimensions before the
// last two, which are broadcast to z's. transX and transY say that the last two are
// the other way round. Scratch is what [MatMulScratch] says, or nothing, which may be
// slower.
func MatMul(z, x, y Array, transX, transY bool, scratch Array) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	p, err := ProductOf(z, x, y, transX, transY)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if l := p.slender(e, z, x, y); l != nil {
		return l, nil
	}
	return p.contraction(e, z, x, y).launches(z, x, y, scratch)
}

// MatMulScratch is the memory that [MatMul] needs beside, without a buffer; no elements: it
// needs none.
func MatMulScratch(z, x, y Array, transX, transY bool) Array {
	e, err := elementOf(z.Type)
	if err != nil {
		return Array{Dims: []int64{0}}
	}
	p, err := ProductOf(z, x, y, transX, transY)
	if err != nil || z.Elements() == 0 || min(p.M, p.N) <= slenderest {
		return Array{Dims: []int64{0}}
	}
	return p.contraction(e, z, x, y).scratch()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
