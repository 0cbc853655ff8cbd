package linalg

import (
	"cmp"
	"math"
	"math/cmplx"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("Cholesky").
		Input("input: T").Output("output: T").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Decomposes positive definite matrices: A = L·Lᴴ.

input: Square matrices in the last two dimensions, of which the lower triangle is read.
output: The lower triangular L.`)
	registry.Define("CholeskyGrad").
		Input("l: T").Input("grad: T").Output("output: T").
		Attr("T: {half, float, double}").
		Doc(`Computes the gradient of Cholesky.

l: The output of Cholesky.
grad: The gradient of that.`)
	registry.Define("Lu").
		Input("input: T").Output("lu: T").Output("p: output_idx_type").
		Attr("T: {double, float, half, complex64, complex128}").
		Attr("output_idx_type: {int32, int64} = DT_INT32").
		Doc(`Decomposes square matrices into triangular ones with pivoting: P·A = L·U.

lu: U on and above the diagonal, L below; L has ones on its diagonal.
p: The row of A that each row of L·U is.
output_idx_type: The type of p.`)
	registry.Define("Qr").
		Input("input: T").Output("q: T").Output("r: T").
		Attr("full_matrices: bool = false").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Decomposes matrices: A = Q·R with Q unitary and R upper triangular.

full_matrices: Whether q is square, or has as many columns as r has rows.`)
	registry.Define("Svd").
		Input("input: T").Output("s: T").Output("u: T").Output("v: T").
		Attr("compute_uv: bool = true").
		Attr("full_matrices: bool = false").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Computes singular values and vectors: A = U·diag(s)·Vᴴ.

s: The singular values, from the largest.
u: The left singular vectors as columns.
v: The right singular vectors as columns.
compute_uv: Whether u and v are wanted; else they are scalars without meaning.
full_matrices: Whether u and v are square.`)
	registry.Define("SelfAdjointEigV2").
		Input("input: T").Output("e: T").Output("v: T").
		Attr("compute_v: bool = true").
		Attr("T: {double, float, half, complex64, complex128}").
		Doc(`Computes eigenvalues and eigenvectors of self-adjoint matrices.

input: Square matrices in the last two dimensions, of which the lower triangle is read.
e: The eigenvalues in ascending order.
v: The eigenvectors as columns.
compute_v: Whether v is wanted; else it is a scalar without meaning.`)
	registry.Define("Eig").
		Input("input: T").Output("e: Tout").Output("v: Tout").
		Attr("compute_v: bool = true").
		Attr("T: {float, double, complex64, complex128}").
		Attr("Tout: {complex64, complex128}").
		Doc(`Computes eigenvalues and eigenvectors of square matrices.

e: The eigenvalues, in no particular order.
v: The eigenvectors as columns.
compute_v: Whether v is wanted; else it is a scalar without meaning.
Tout: The type of the results: complex64 of float and complex64, complex128 of the others.`)

	native("Cholesky", newCholesky[float32], newCholesky[float64], newCholesky[complex64], newCholesky[complex128])
	native("CholeskyGrad", newCholeskyGrad[float32], newCholeskyGrad[float64], nil, nil)
	native("Lu", newLu[float32], newLu[float64], newLu[complex64], newLu[complex128])
	widened("Qr", newQr[float64], newQr[complex128])
	kernel.ForType("Qr", "T", tensor.Half, newQr[float64])
	widened("Svd", newSvd[float64], newSvd[complex128])
	widened("SelfAdjointEigV2", newHermitian[float64], newHermitian[complex128])
	widened("Eig", newEig, newEig)

	gradient.Unary(gradientOfCholesky, "Cholesky")
	gradient.Register(qrGradient, "Qr")
	gradient.Register(symmetricEigenGradient, "SelfAdjointEigV2")
	gradient.Register(eigenGradient, "Eig")
	gradient.Register(svdGradient, "Svd")
}

func newCholesky[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	return &batch[T]{inputs: 1, sizes: square[T](2), outputs: c.Outputs, run: func(s *scratch[T]) error {
		l := s.out[0]
		copy(l.data, s.in[0].data)
		if !cholesky(s.ctx, l) {
			l.fill(s.ctx, of[T](math.NaN()))
		}
		clearUpper(s.ctx, l)
		return nil
	}}, nil
}

func newCholeskyGrad[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	sizes := func(in []matrix[T]) ([][]int, error) {
		switch l, grad := in[0], in[1]; {
		case l.rows != grad.rows || l.cols != grad.cols:
			return nil, status.Invalid("Inputs (L and grad) must have the same shape.")
		case l.rows != l.cols:
			return nil, status.Invalid("Inputs must be a square matrices.")
		}
		return [][]int{{in[0].rows, in[0].cols}}, nil
	}
	return &batch[T]{inputs: 2, sizes: sizes, outputs: c.Outputs, run: func(s *scratch[T]) error {
		copy(s.out[0].data, choleskyGradient(s.ctx, s.in[0], s.in[1]).data)
		return nil
	}}, nil
}

func newLu[T scalar](c *kernel.Construction) (kernel.Kernel, error) {
	k := &batch[T]{inputs: 1, sizes: square[T](2, 1), outputs: c.Outputs, run: func(s *scratch[T]) error {
		lu := s.out[0]
		copy(lu.data, s.in[0].data)
		p, _ := factorize(s.ctx, lu)
		if !regular(lu) {
			return status.Invalid("Input is not invertible.")
		}
		for i, from := range p {
			s.out[1].data[i] = of[T](float64(from))
		}
		return nil
	}}
	return kernel.Func(func(ctx *kernel.Context, in, out []tensor.Value) error {
		if r := in[0].Rank(); r < 2 {
			return status.Invalid("Input tensor must have rank >= 2, got %d", r)
		}
		return k.Run(ctx, in, out)
	}), nil
}

func newQr[T wide](c *kernel.Construction) (kernel.Kernel, error) {
	full := c.Bool("full_matrices")
	sizes := func(in []matrix[T]) ([][]int, error) {
		m, n := in[0].rows, in[0].cols
		p := min(m, n)
		if full {
			p = m
		}
		return [][]int{{m, p}, {p, n}}, nil
	}
	return &batch[T]{inputs: 1, sizes: sizes, outputs: c.Outputs, run: func(s *scratch[T]) error {
		a, r := s.in[0], s.out[1]
		reflections := triangularize(s.ctx, a)
		copy(r.data, a.data) // as many rows as r has
		copy(s.out[0].data, reflections.columns(s.ctx, a.rows, s.out[0].cols).data)
		return nil
	}}, nil
}

func newSvd[T wide](c *kernel.Construction) (kernel.Kernel, error) {
	vectors, full := c.Bool("compute_uv"), c.Bool("full_matrices")
	tolerance := 0x1p-52
	if c.Type("T") == tensor.Float {
		tolerance = 0x1p-30 // far below what is rounded off
	}
	sizes := func(in []matrix[T]) ([][]int, error) {
		m, n := in[0].rows, in[0].cols
		p := min(m, n)
		switch {
		case !vectors:
			return [][]int{{p}}, nil
		case full:
			return [][]int{{p}, {m, m}, {n, n}}, nil
		}
		return [][]int{{p}, {m, p}, {n, p}}, nil
	}
	return &batch[T]{inputs: 1, sizes: sizes, outputs: c.Outputs, run: func(s *scratch[T]) error {
		values, u, v := singular(s.ctx, s.in[0], vectors, full, tolerance)
		for i, x := range values {
			s.out[0].data[i] = of[T](x)
		}
		if vectors {
			copy(s.out[1].data, u.data)
			copy(s.out[2].data, v.data)
		}
		return nil
	}}, nil
}

// spectrum returns the shares of eigenvalues and, if they are wanted, eigenvectors.
func spectrum[T scalar](wanted bool) func(in []matrix[T]) ([][]int, error) {
	if wanted {
		return square[T](1, 2)
	}
	return square[T](1)
}

func newHermitian[T wide](c *kernel.Construction) (kernel.Kernel, error) {
	wanted := c.Bool("compute_v")
	return &batch[T]{inputs: 1, sizes: spectrum[T](wanted), outputs: c.Outputs, run: func(s *scratch[T]) error {
		values, vectors, ok := hermitian(s.ctx, s.in[0], wanted)
		if !ok {
			return status.Invalid("Self-adjoint eigen decomposition was not successful. The input might not be valid.")
		}
		for i, x := range values {
			s.out[0].data[i] = of[T](x)
		}
		if wanted {
			copy(s.out[1].data, vectors.data)
		}
		return nil
	}}, nil
}

func newEig(c *kernel.Construction) (kernel.Kernel, error) {
	in, out := c.Type("T"), c.Type("Tout")
	isReal := in == tensor.Float || in == tensor.Double
	if narrow := in == tensor.Float || in == tensor.Complex64; narrow != (out == tensor.Complex64) {
		return nil, c.Errorf("Invalid output dtype %d vs %d", out, map[bool]tensor.DType{true: tensor.Complex64, false: tensor.Complex128}[narrow])
	}
	wanted := c.Bool("compute_v")
	return &batch[complex128]{inputs: 1, sizes: spectrum[complex128](wanted), outputs: c.Outputs, run: func(s *scratch[complex128]) error {
		t := s.in[0]
		u, ok := schur(s.ctx, t, wanted)
		if !ok {
			return status.Invalid("Eigen decomposition was not successful. The input might not be valid.")
		}
		n := t.rows
		values, order := temporary[complex128](s.ctx, n), temporary[int](s.ctx, n)
		for i := range n {
			values[i], order[i] = t.at(i, i), i
		}
		var vectors matrix[complex128]
		if wanted {
			vectors = eigenvectors(s.ctx, t, u)
		}
		if isReal {
			order = tidy(values, vectors)
		} else { // TensorFlow's order for complex matrices
			sorted.Stably(order, func(i, j int) int {
				return cmp.Compare(cmplx.Abs(values[i]), cmplx.Abs(values[j]))
			})
		}
		for to, from := range order {
			s.out[0].data[to] = values[from]
			for i := range vectors.rows {
				s.out[1].set(i, to, vectors.at(i, from))
			}
		}
		return nil
	}}, nil
}

// tidy returns the eigenvalues of a real matrix, and their vectors, the form that
// rounding has blurred: real, or pairs of conjugates, which stand side by side in
// the order that it returns, the one above the real axis first.
func tidy(values []complex128, vectors matrix[complex128]) (order []int) {
	largest := 0.0
	for _, x := range values {
		largest = max(largest, cmplx.Abs(x))
	}
	rounding := 0x1p-52 * largest * float64(len(values))
	placed := make([]bool, len(values))
	for k, x := range values {
		if placed[k] {
			continue
		}
		if math.Abs(imag(x)) <= rounding {
			values[k] = complex(real(x), 0)
			makeReal(vectors, k)
			order = append(order, k)
			continue
		}
		partner := -1
		for j := k + 1; j < len(values); j++ {
			if !placed[j] && (partner < 0 || cmplx.Abs(values[j]-cmplx.Conj(x)) < cmplx.Abs(values[partner]-cmplx.Conj(x))) {
				partner = j
			}
		}
		if partner < 0 {
			order = append(order, k)
			continue
		}
		placed[partner] = true
		upper, lower := k, partner
		if imag(x) < 0 {
			upper, lower = partner, k
		}
		values[lower] = cmplx.Conj(values[upper])
		for i := range vectors.rows {
			vectors.set(i, lower, cmplx.Conj(vectors.at(i, upper)))
		}
		order = append(order, upper, lower)
	}
	return order
}

// makeReal turns the vector in column k, a real one but for its phase, into a
// real one.
func makeReal(vectors matrix[complex128], k int) {
	most := complex128(0)
	for i := range vectors.rows {
		if v := vectors.at(i, k); cmplx.Abs(v) > cmplx.Abs(most) {
			most = v
		}
	}
	if most == 0 {
		return
	}
	turn := cmplx.Conj(most) / complex(math.Copysign(cmplx.Abs(most), real(most)), 0)
	for i := range vectors.rows {
		vectors.set(i, k, complex(real(vectors.at(i, k)*turn), 0))
	}
}
