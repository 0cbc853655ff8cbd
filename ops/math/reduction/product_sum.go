package reduction

import (
	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

const (
	// summedElements bounds the product that is added to a sum in pieces, and
	// pieceElements a piece: it is in the nearest cache when it is added.
	summedElements = 1 << 16
	pieceElements  = 1 << 13
)

// A matMulFloat is the kernel of MatMul for float32.
type matMulFloat struct{ matMul }

// PrepareSum makes ready what adds a small product to a matrix, some rows at a time.
// Each row of a product is computed by itself, so bits are those of the whole product
// and the sum of two matrices.
func (p *matMulFloat) PrepareSum(in []tensor.Value, _ uint64) (kernel.PreparedSum, bool) {
	s := kernel.PreparedSum{DType: p.dt}
	if in[0].Rank() != 2 || in[1].Rank() != 2 {
		return s, false
	}
	m, n, k, ok := p.sizes(in)
	if !ok || m == 0 || n == 0 || k == 0 || n > pieceElements || m > summedElements/n || k > preparedWork/(m*n) {
		return s, false
	}
	s.Dims = []int64{int64(m), int64(n)}
	rows, ldx, ldy := min(m, pieceElements/n), in[0].Dim(1), in[1].Dim(1)
	full := vec.GemmAgain[float32](p.transA, p.transB, rows, n, k, ldx, ldy, n)
	rest := full
	if m%rows != 0 {
		rest = vec.GemmAgain[float32](p.transA, p.transB, m%rows, n, k, ldx, ldy, n)
	}
	step := rows * ldx // from the elements of the first factor for some rows to the next
	if p.transA {
		step = rows
	}
	piece := make([]float32, rows*n)
	s.Run = func(in []tensor.Value, sum *tensor.Value) {
		x, y, o := tensor.Of[float32](&in[0]), tensor.Of[float32](&in[1]), tensor.Of[float32](sum)
		for ; len(o) >= len(piece); x, o = x[min(step, len(x)):], o[len(piece):] {
			full(piece, x, y)
			vec.Add(o[:len(piece)], o[:len(piece)], piece)
		}
		if len(o) > 0 {
			rest(piece[:len(o)], x, y)
			vec.Add(o, o, piece[:len(o)])
		}
	}
	return s, true
}
