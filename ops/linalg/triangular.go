package linalg

import (
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("MatrixTriangularSolve").
		Input("matrix: T").Input("rhs: T").Output("output: T").
		Attr("lower: bool = true").
		Attr("adjoint: bool = false").
		Attr("T: {bfloat16, double, float, half, complex64, complex128}").
		Doc(`Solves A·X = B for triangular matrices, by substitution.

matrix: A, of which the other triangle is not read.
rhs: B; batch dimensions broadcast.
lower: Whether A is lower triangular.
adjoint: Whether to solve Aᴴ·X = B.`)
	registry.Define("BandedTriangularSolve").
		Input("matrix: T").Input("rhs: T").Output("output: T").
		Attr("lower: bool = true").
		Attr("adjoint: bool = false").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Solves A·X = B for triangular matrices given by their bands.

matrix: The bands as rows, from the main diagonal down for a lower matrix, aligned with the rows of A.
rhs: B.
lower: Whether A is lower triangular.
adjoint: Whether to solve Aᴴ·X = B.`)

	native("MatrixTriangularSolve", newTriangular[float32], newTriangular[float64], newTriangular[complex64], newTriangular[complex128])
	native("BandedTriangularSolve", newBanded[float32], newBanded[float64], newBanded[complex64], newBanded[complex128])

	gradient.Register(func(c *gradient.Context) { solveGradient(c, "lower", "adjoint") }, "MatrixTriangularSolve", "BandedTriangularSolve")
}

// A triangular is the kernel of the operations on triangular matrices, whose
// batches broadcast.
type triangular[T scalar] struct {
	lower, adjoint bool
	banded         bool
}

func newTriangular[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	return &triangular[T]{lower: c.Bool("lower"), adjoint: c.Bool("adjoint")}, nil
}

func newBanded[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	return &triangular[T]{lower: c.Bool("lower"), adjoint: c.Bool("adjoint"), banded: true}, nil
}

func (k *triangular[T]) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if err := k.check(in); err != nil {
		return err
	}
	a, x := in[0].Dims(), in[1].Dims()
	ra, rx := len(a), len(x)
	b, err := elementwise.NewBroadcast(a[:ra-2], x[:rx-2])
	if err != nil {
		return status.Invalid("In[0] and In[1] must have compatible batch dimensions: %s vs. %s", tensor.FormatDims(a), tensor.FormatDims(x))
	}
	n, cols := in[1].Dim(rx-2), in[1].Dim(rx-1)
	dims := append(append(make([]int64, 0, len(b.Dims)+2), b.Dims...), x[rx-2:]...)
	if out[0], err = ctx.Alloc(tensor.DTypeOf[T](), dims); err != nil || out[0].NumElements() == 0 {
		return err
	}
	lhs, rhs, o := tensor.Of[T](&in[0]), tensor.Of[T](&in[1]), tensor.Of[T](&out[0])
	size, share := in[0].Dim(ra-2)*n, n*cols
	var failure first
	ctx.Parallel(len(o)/share, max(1, (1<<14)/(size*cols)), func(lo, hi int) {
		ctx := newContext(ctx)
		defer ctx.memory.Free()
		b.Pairs(lo, hi, func(i, p, q int) {
			x := matrix[T]{n, cols, o[i*share : (i+1)*share]}
			copy(x.data, rhs[q*share:])
			a := matrix[T]{size / n, n, lhs[p*size : (p+1)*size]}
			switch {
			case k.banded:
				if err := k.solveBands(ctx, a, x); err != nil {
					failure.at(i, err)
				}
			case k.adjoint:
				mark := ctx.mark()
				substitute(ctx, a.adjoint(ctx), x, !k.lower, false)
				ctx.release(mark)
			default:
				substitute(ctx, a, x, k.lower, false)
			}
		})
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	return failure.err
}

func (k *triangular[T]) check(in []tensor.Value) error {
	for i := range 2 {
		if in[i].Rank() < 2 {
			return status.Invalid("In[%d] ndims must be >= 2: %d", i, in[i].Rank())
		}
	}
	r := in[0].Rank()
	rows, n := in[0].Dim(r-2), in[0].Dim(r-1)
	if k.banded && in[0].NumElements() == 0 {
		return status.Invalid("In[0] must not be an empty tensor: Tensor<type: %v shape: %s values: >", in[0].DType(), tensor.FormatDims(in[0].Dims()))
	}
	if !k.banded && rows != n {
		return status.Invalid("In[0] matrices in the last dimensions must be square (%d =/= %d)", n, rows)
	}
	if have := in[1].Dim(in[1].Rank() - 2); have != n {
		return status.Invalid("In[0] mismatch In[1] shape: %d vs. %d: %s %s %d %d", n, have,
			tensor.FormatDims(in[0].Dims()), tensor.FormatDims(in[1].Dims()), digit(k.lower), digit(k.adjoint))
	}
	return nil
}

func digit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// solveBands replaces x by the solution for the triangular matrix of these
// bands: row b holds what is b below the diagonal, or, of an upper matrix
// counted from the last row, above. Bands beyond the matrix are passed over.
func (k *triangular[T]) solveBands(ctx *context, bands, x matrix[T]) error {
	n := bands.cols
	at := func(i, b int) T { // what is b beside the diagonal in row i
		if k.lower {
			return bands.at(b, i)
		}
		return bands.at(bands.rows-1-b, i)
	}
	for i := range n {
		if at(i, 0) == 0 {
			return status.Invalid("Input matrix is not invertible.")
		}
	}
	width := min(bands.rows, n)
	forward := k.lower != k.adjoint // from the first row
	for step := 0; step < n && ctx.Err() == nil; step++ {
		i, direction := step, 1
		if !forward {
			i, direction = n-1-step, -1
		}
		y := x.row(i)
		for b := 1; b < width && b <= step; b++ {
			j := i - direction*b // solved before
			f := at(i, b)
			if k.adjoint {
				f = conj(at(j, b))
			}
			addTo(y, -f, x.row(j))
		}
		d := at(i, 0)
		if k.adjoint {
			d = conj(d)
		}
		divide(y, d)
	}
	return nil
}
