package code

import (
	"fmt"

	"github.com/troupe-go/troupe/devices"
)

// MatMul computes z = x·y of matrices, or of batches of them: dimensions before the
// last two, which are broadcast to z's. transX and transY say that the last two are
// the other way round. Scratch is what [MatMulScratch] says, or nothing, which may be
// slower.
func MatMul(z, x, y Array, transX, transY bool, scratch Array) ([]devices.Launch, error) {
	e, err := elementOf(z.Type)
	if err != nil {
		return nil, err
	}
	p, err := productOf(z, x, y, transX, transY)
	if err != nil || z.Elements() == 0 {
		return nil, err
	}
	if l := byLibrary(&p, e, z, x, y); l != nil {
		return l, nil
	}
	if l := slender(&p, e, z, x, y); l != nil {
		return l, nil
	}
	return contractionOf(&p, e, z, x, y).launches(z, x, y, scratch)
}

// MatMulScratch returns the memory that [MatMul] needs beside, without a buffer; no elements: it
// needs none.
func MatMulScratch(z, x, y Array, transX, transY bool) Array {
	e, err := elementOf(z.Type)
	if err != nil {
		return none
	}
	p, err := productOf(z, x, y, transX, transY)
	if err != nil || z.Elements() == 0 || min(p.M, p.N) <= slenderest || callable(&p, x) {
		return none
	}
	return contractionOf(&p, e, z, x, y).scratch()
}

// contractionOf returns how a product is computed in blocks.
func contractionOf(p *devices.Product, e element, z, x, y Array) *contraction {
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

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
