package linalg

import (
	"math"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

func init() {
	registry.Define("TridiagonalSolve").
		Input("diagonals: T").Input("rhs: T").Output("output: T").
		Attr("partial_pivoting: bool = true").
		Attr("perturb_singular: bool = false").
		Attr("T: {double, float, complex64, complex128}").
		Doc(`Solves A·X = B for tridiagonal matrices.

diagonals: Three rows: superdiagonal, main diagonal and subdiagonal, padded to equal length.
rhs: B.
partial_pivoting: Whether rows are exchanged for accuracy.
perturb_singular: Whether a singular matrix is made regular, rather than an error.`)
	registry.Define("TridiagonalMatMul").
		Input("superdiag: T").Input("maindiag: T").Input("subdiag: T").Input("rhs: T").
		Output("output: T").
		Attr("T: {double, float, complex64, complex128}").
		Doc(`Multiplies tridiagonal matrices by matrices.

superdiag: The superdiagonal as a row, whose last element is not read.
maindiag: The main diagonal as a row.
subdiag: The subdiagonal as a row, whose first element is not read.
rhs: What to multiply by.`)

	native("TridiagonalSolve", newTridiagonalSolve[float32], newTridiagonalSolve[float64], newTridiagonalSolve[complex64], newTridiagonalSolve[complex128])
	native("TridiagonalMatMul", newTridiagonalMatMul[float32], newTridiagonalMatMul[float64], newTridiagonalMatMul[complex64], newTridiagonalMatMul[complex128])

	gradient.Register(tridiagonalProductGradient, "TridiagonalMatMul")
	gradient.Register(tridiagonalSolveGradient, "TridiagonalSolve")
}

func newTridiagonalMatMul[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	sizes := func(in []matrix[T]) ([][]int, error) {
		n := in[3].rows
		for i, name := range []string{"superdiagonal", "main diagonal", "subdiagonal"} {
			if in[i].rows != 1 || in[i].cols != n {
				return nil, status.Invalid("Invalid %s shape.", name)
			}
		}
		return [][]int{{n, in[3].cols}}, nil
	}
	return &batch[T]{inputs: 4, sizes: sizes, outputs: c.Outputs, run: func(s *scratch[T]) error {
		above, main, below, x := s.in[0].data, s.in[1].data, s.in[2].data, s.in[3]
		each := max(1, 1<<14/max(1, x.cols))
		for i := range x.rows {
			if i%each == each-1 {
				s.ctx.Ask()
			}
			y := s.out[0].row(i)
			addTo(y, main[i], x.row(i))
			if i > 0 {
				addTo(y, below[i], x.row(i-1))
			}
			if i < x.rows-1 {
				addTo(y, above[i], x.row(i+1))
			}
		}
		return nil
	}}, nil
}

func newTridiagonalSolve[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	pivoting, perturb := c.Bool("partial_pivoting"), c.Bool("perturb_singular")
	if perturb && !pivoting {
		return nil, c.Errorf("Setting perturb_singular requires also setting partial_pivoting.")
	}
	sizes := func(in []matrix[T]) ([][]int, error) {
		switch d, x := in[0], in[1]; {
		case d.rows != 3:
			return nil, status.Invalid("Expected diagonals to be provided as a matrix with 3 rows, got %d rows.", d.rows)
		case d.cols != x.rows:
			return nil, status.Invalid("Expected the same number of left-hand sides and right-hand sides, got %d and %d.", d.cols, x.rows)
		}
		return [][]int{{in[1].rows, in[1].cols}}, nil
	}
	return &batch[T]{inputs: 2, sizes: sizes, outputs: c.Outputs, run: func(s *scratch[T]) error {
		d, x := s.in[0], s.out[0]
		copy(x.data, s.in[1].data)
		if !solveTridiagonal(s.ctx, d.row(0), d.row(1), d.row(2), x, pivoting, perturb) {
			x.fill(s.ctx, of[T](math.NaN()))
		}
		return nil
	}}, nil
}

// solveTridiagonal replaces x by the solution, by elimination. It overwrites
// the diagonals: row i of the triangle is main[i], above[i] and below[i], two
// beside the diagonal. It is false if it meets a pivot of 0, unless such are
// to be perturbed.
func solveTridiagonal[T scalar](ctx *context, above, main, below []T, x matrix[T], pivoting, perturb bool) bool {
	n := x.rows
	each := max(1, 1<<14/max(1, x.cols))
	for i := range n - 1 {
		if i%each == each-1 {
			ctx.Ask()
		}
		under := below[i+1]
		below[i] = 0
		if pivoting && abs(under) > abs(main[i]) {
			// The rows change places; the other one then begins at i+1.
			x.swapRows(i, i+1)
			f := main[i] / under
			main[i] = under
			above[i], main[i+1] = main[i+1], above[i]-f*main[i+1]
			if i+2 < n {
				below[i] = above[i+1]
				above[i+1] *= -f
			}
			addTo(x.row(i+1), -f, x.row(i))
			continue
		}
		if main[i] == 0 {
			if under == 0 && perturb {
				continue
			}
			return false
		}
		f := under / main[i]
		main[i+1] -= f * above[i]
		addTo(x.row(i+1), -f, x.row(i))
	}
	if n > 0 {
		below[n-1] = 0
		if main[n-1] == 0 && !perturb {
			return false
		}
	}
	tolerance := 0.0
	if perturb {
		tolerance = perturbation(above, main, below)
	}
	for i := n - 1; i >= 0; i-- {
		if i%each == each-1 {
			ctx.Ask()
		}
		y := x.row(i)
		if i+1 < n {
			addTo(y, -above[i], x.row(i+1))
		}
		if i+2 < n {
			addTo(y, -below[i], x.row(i+2))
		}
		d := main[i]
		if perturb {
			d = perturbed(d, y, tolerance)
		}
		divide(y, d)
	}
	return true
}

// perturbation returns the rounding error of the greatest element.
func perturbation[T scalar](diagonals ...[]T) float64 {
	epsilon, least := precision[T]()
	most := 0.0
	for i, d := range diagonals {
		if i == 0 && len(d) > 0 {
			d = d[:len(d)-1] // there is nothing above the last row
		}
		for _, x := range d {
			most = max(most, abs(x))
		}
	}
	return max(most*epsilon, least)
}

// perturbed returns the pivot d, moved away from 0 as far as is needed for what y is
// divided by it not to overflow, in steps that double. LAPACK's xLAGTS.
func perturbed[T scalar](d T, y []T, tolerance float64) T {
	_, least := precision[T]()
	most := 0.0
	for _, v := range y {
		most = max(most, abs(v))
	}
	step := math.Copysign(tolerance, realPart(d))
	for size := abs(d); size < 1 && (size == 0 || most*least > size); size = abs(d) {
		d += of[T](step)
		step *= 2
	}
	return d
}
