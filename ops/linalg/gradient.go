package linalg

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// What the gradients of this package are made of. Sources: M. Giles, An extended
// collection of matrix derivative results for forward and reverse mode algorithmic
// differentiation, 2008; C. Boeddeker et al., On the computation of complex-valued
// gradients, 2017; Z. Wan and S. Zhang, Automatic differentiation for complex valued
// SVD, 2019.

// times returns the product of matrices, of which the adjoints are taken where it is said.
func times(c *gradient.Context, a graph.Output, aa bool, b graph.Output, ab bool) graph.Output {
	return c.Op("BatchMatMulV2", graph.Attrs{"adj_x": aa, "adj_y": ab}, a, b)
}

// adjoint returns the conjugate transposes of matrices.
func adjoint(c *gradient.Context, a graph.Output) graph.Output {
	rank := c.Rank(a)
	from := func(k int32) graph.Output { return c.Sub(rank, c.Const(k)) }
	order := c.Op("ConcatV2", nil, graph.OutputList{
		c.Range(from(2)), c.Op("Pack", nil, graph.OutputList{from(1), from(2)}),
	}, c.Const(int32(0)))

	return c.Apply("ConjugateTranspose", a, order)
}

// eachMatrix is numbers in a shape that broadcasts with a matrix for each.
func eachMatrix(c *gradient.Context, v graph.Output) graph.Output {
	last := c.Const(int32(-1))
	return c.Apply("ExpandDims", c.Apply("ExpandDims", v, last), last)
}

// row and column are vectors as matrices of one row or column.
func row(c *gradient.Context, v graph.Output) graph.Output {
	return c.Apply("ExpandDims", v, c.Const(int32(-2)))
}

func column(c *gradient.Context, v graph.Output) graph.Output {
	return c.Apply("ExpandDims", v, c.Const(int32(-1)))
}

func diagonalMatrix(c *gradient.Context, v graph.Output) graph.Output {
	return c.Apply("MatrixDiag", v)
}

func diagonalOf(c *gradient.Context, a graph.Output) graph.Output {
	return c.Apply("MatrixDiagPart", a)
}

// triangle returns the lower or upper triangle of matrices.
func triangle(c *gradient.Context, a graph.Output, lower bool) graph.Output {
	all, none := c.Const(int64(-1)), c.Const(int64(0))
	if lower {
		return c.Apply("MatrixBandPart", a, all, none)
	}
	return c.Apply("MatrixBandPart", a, none, all)
}

// dim returns the length of a dimension that is counted from the last, -1, an int32.
func dim(c *gradient.Context, a graph.Output, k int32) graph.Output {
	at := c.Int32s(k)
	return c.Op("StridedSlice", graph.Attrs{"shrink_axis_mask": int64(1)}, c.Shape(a), at, c.Int32s(0), c.Int32s(1))
}

// unitMatrix returns the unit matrix of n rows, of the type of another tensor.
func unitMatrix(c *gradient.Context, n, like graph.Output) graph.Output {
	return diagonalMatrix(c, c.Apply("Fill", column(c, n), c.Scalar(like, 1)))
}

// columns returns the columns of matrices from lo up to but not including hi, scalars;
// nil for hi stands for the last.
func columns(c *gradient.Context, a, lo graph.Output, hi *graph.Output) graph.Output {
	zero := c.Const(int32(0))
	first := c.Op("Pack", nil, graph.OutputList{zero, lo})
	end := c.Op("Pack", nil, graph.OutputList{zero, zero})
	attrs := graph.Attrs{"ellipsis_mask": int64(1), "end_mask": int64(2)}
	if hi != nil {
		attrs["end_mask"] = int64(0)
		end = c.Op("Pack", nil, graph.OutputList{zero, *hi})
	}
	return c.Op("StridedSlice", attrs, a, first, end, c.Int32s(1, 1))
}

// solve is x with a·x = b, or a'·x = b, for lower or upper triangular matrices.
func solve(c *gradient.Context, a, b graph.Output, lower, adjoint bool) graph.Output {
	return c.Op("MatrixTriangularSolve", graph.Attrs{"lower": lower, "adjoint": adjoint}, a, b)
}

// inverses is 1/x, and 0 for what is so near to 0 that x² is nothing.
func inverses(c *gradient.Context, x graph.Output) graph.Output {
	return c.Div(x, c.Add(c.Square(x), c.Scalar(x, 1e-20)))
}

// differences is 1/(v[j]-v[i]), with zeros on the diagonal.
func differences(c *gradient.Context, v graph.Output) graph.Output {
	return c.Apply("MatrixSetDiag", inverses(c, c.Sub(row(c, v), column(c, v))), c.Zeros(v))
}

// solveGradient: of x with a·x = b, db solves a'·db = dx, and da = -db·x'. If the
// node takes a's adjoint, da is the adjoint of that. A triangle of a matrix, or a
// band, has the gradient of what it is of. attrs are those of the node.
func solveGradient(c *gradient.Context, attrs ...string) {
	if !c.Has(0) {
		return
	}
	op, adjoint, lower := c.Node().Type(), c.Bool("adjoint"), c.Bool("lower")
	a, b, x := c.Input(0), c.Input(1), c.Output(0)
	same := c.Attrs(attrs...)
	same["adjoint"] = !adjoint
	db := c.Op(op, same, a, c.Dy(0))
	c.Set(1, c.SumTo(db, b))
	if !c.Wants(0) {
		return
	}
	left, right := db, x
	if adjoint {
		left, right = x, db
	}
	da := c.Neg(times(c, left, false, right, true))
	switch op {
	case "MatrixTriangularSolve":
		da = triangle(c, da, lower)
	case "BandedTriangularSolve":
		zero := c.Const(int32(0))
		last := c.Sub(dim(c, a, -2), c.Const(int32(1)))
		band := graph.OutputList{zero, last}
		if lower {
			band = graph.OutputList{c.Neg(last), zero}
		}
		da = c.Op("MatrixDiagPartV3", graph.Attrs{"align": "LEFT_RIGHT"}, da, c.Op("Pack", nil, band), c.Scalar(da, 0))
	}
	c.Set(0, c.SumTo(da, a))
}

// squareRootGradient: of S·S = A the gradient X solves T·X + X·T = dS, where T is the
// transpose of S (as in TensorFlow, of complex numbers too). That is a system of n²
// equations for the elements of X, row by row.
func squareRootGradient(c *gradient.Context, _, s, ds graph.Output) graph.Output {
	n := dim(c, s, -1)
	one := unitMatrix(c, n, s)
	st := c.Conj(adjoint(c, s))
	kronecker := func(a, b graph.Output) graph.Output { // elements a[i,j]·b[k,l] at row ik and column jl
		minus := func(k int32) graph.Output { return c.Const(k) }
		a = c.Apply("ExpandDims", c.Apply("ExpandDims", a, minus(-1)), minus(-3))
		b = c.Apply("ExpandDims", c.Apply("ExpandDims", b, minus(-2)), minus(-4))
		return c.Mul(a, b)
	}
	batch := c.Op("StridedSlice", graph.Attrs{"begin_mask": int64(1)}, c.Shape(s), c.Int32s(0), c.Int32s(-2), c.Int32s(1))
	shaped := func(v graph.Output, dims ...graph.Output) graph.Output {
		return c.Reshape(v, c.Op("ConcatV2", nil, graph.OutputList{batch, c.Op("Pack", nil, graph.OutputList(dims))}, c.Const(int32(0))))
	}
	square := c.Mul(n, n)
	system := c.Add(shaped(kronecker(st, one), square, square), shaped(kronecker(one, s), square, square))
	x := c.Apply("MatrixSolve", system, shaped(ds, square, c.Const(int32(1))))
	return c.ReshapeLike(x, s)
}

// gradientOfCholesky: of A = L·L', with M = L'·dL, of which the lower triangle counts,
// the diagonal half, dA is the mean of L⁻'·M·L⁻¹ and its adjoint.
func gradientOfCholesky(c *gradient.Context, _, l, dl graph.Output) graph.Output {
	m := triangle(c, times(c, l, true, dl, false), true)
	m = c.Apply("MatrixSetDiag", m, c.Mul(c.Scalar(m, 0.5), diagonalOf(c, m)))
	half := solve(c, l, m, true, true)
	da := solve(c, l, adjoint(c, half), true, true)
	return c.Mul(c.Scalar(da, 0.5), c.Add(da, adjoint(c, da)))
}

// symmetricEigenGradient: with F[i,j] = 1/(e[j]-e[i]), dA = V·(diag(de) +
// F∘(V'·dV))·V'. As the operation reads the lower triangle, what is above is added to
// it.
func symmetricEigenGradient(c *gradient.Context) {
	if !c.Has(0) && !c.Has(1) {
		return
	}
	e, v := c.Output(0), c.Output(1)
	if !c.Bool("compute_v") {
		all := c.Outputs("SelfAdjointEigV2", nil, c.Input(0))
		if all == nil {
			return
		}
		e, v = all[0], all[1]
	}
	inner := diagonalMatrix(c, c.Dy(0))
	if c.Bool("compute_v") && c.Has(1) {
		inner = c.Add(inner, c.Mul(differences(c, e), times(c, v, true, c.Dy(1), false)))
	}
	da := times(c, v, false, times(c, inner, false, v, true), false)
	da = triangle(c, c.Add(da, adjoint(c, da)), true)
	c.Set(0, c.Apply("MatrixSetDiag", da, c.Mul(c.Scalar(da, 0.5), diagonalOf(c, da))))
}

// eigenGradient: dA = V⁻'·(diag(de) + conj(F)∘(V'·dV - V'·V·Re(diag(V'·dV))))·V'.
// The second term is there because vectors are of length 1.
func eigenGradient(c *gradient.Context) {
	if !c.Has(0) && !c.Has(1) {
		return
	}
	a, e, v := c.Input(0), c.Output(0), c.Output(1)
	if !c.Bool("compute_v") {
		all := c.Outputs("Eig", c.Attrs("Tout"), a)
		if all == nil {
			return
		}
		e, v = all[0], all[1]
	}
	inner := diagonalMatrix(c, c.Dy(0))
	if c.Bool("compute_v") && c.Has(1) {
		vdv := times(c, v, true, c.Dy(1), false)
		lengths := c.Cast(realOf(c, diagonalOf(c, vdv)), e.DataType())
		vdv = c.Sub(vdv, times(c, v, true, c.Mul(v, row(c, lengths)), false))
		inner = c.Add(inner, c.Mul(c.Conj(differences(c, e)), vdv))
	}
	va := adjoint(c, v)
	c.Set(0, c.Cast(c.Apply("MatrixSolve", va, times(c, inner, false, va, false)), a.DataType()))
}

// realOf returns the real part of complex numbers.
func realOf(c *gradient.Context, z graph.Output) graph.Output {
	if z.Op == nil {
		return z
	}
	switch z.DataType() {
	case tensor.Complex64:
		return c.Apply("Real", z)
	case tensor.Complex128:
		return c.Op("Real", graph.Attrs{"Tout": tensor.Double}, z)
	}
	return z
}

// svdGradient: with F[i,j] = 1/(s[j]²-s[i]²) and sk(X) = X - X',
//
//	dA = U·((F∘sk(U'·dU))·S + S·(F∘sk(V'·dV)) + diag(ds))·V'
//	   + (1-U·U')·dU·S⁻¹·V' + U·S⁻¹·dV'·(1-V·V')
//
// and for complex numbers U·S⁻¹·(D'-D)/2·V' with the diagonal D of V'·dV, as phases
// are free. Columns of a full U beyond those that belong to values turn with these:
// W has the gradient -W·dW'·U in them. If there are several they are not unique.
func svdGradient(c *gradient.Context) {
	a, s, u, v := c.Input(0), c.Output(0), c.Output(1), c.Output(2)
	vectors := c.Bool("compute_uv")
	if !vectors {
		all := c.Outputs("Svd", graph.Attrs{"compute_uv": true}, a)
		if all == nil {
			return
		}
		s, u, v = all[0], all[1], all[2]
	}
	ds := c.Cast(c.Dy(0), c.Type("T"))
	if !vectors || !c.Has(1) && !c.Has(2) {
		if vectors && c.Bool("full_matrices") {
			k := dim(c, s, -1)
			zero := c.Const(int32(0))
			u, v = columns(c, u, zero, &k), columns(c, v, zero, &k)
		}
		c.Set(0, times(c, u, false, times(c, diagonalMatrix(c, ds), false, v, true), false))
		return
	}
	du, dv := c.Dy(1), c.Dy(2)
	if c.Bool("full_matrices") {
		shape := c.StaticShape(a)
		if !shape.Known() || shape.Dim(-1+shape.Rank()) < 0 || shape.Dim(-2+shape.Rank()) < 0 {
			c.Fail(status.Errorf(status.Unimplemented, "SVD gradient has not been implemented for input with unknown inner matrix shape."))
			return
		}
		if m, n := shape.Dim(shape.Rank()-2), shape.Dim(shape.Rank()-1); m > n+1 || n > m+1 {
			c.Fail(status.Errorf(status.Unimplemented, "svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True"))
			return
		}
		k := dim(c, s, -1)
		u, du = reduced(c, u, du, k)
		v, dv = reduced(c, v, dv, k)
	}
	// Values are real in the type of the vectors.
	squares := c.Square(s)
	f := differences(c, squares)
	inverse := inverses(c, s)
	udu, vdv := times(c, u, true, du, false), times(c, v, true, dv, false)
	skew := func(x graph.Output) graph.Output { return c.Mul(f, c.Sub(x, adjoint(c, x))) }
	inner := c.Add(c.Mul(skew(udu), row(c, s)), c.Mul(column(c, s), skew(vdv)))
	inner = c.Add(inner, diagonalMatrix(c, ds))
	if s.Op != nil && (s.DataType() == tensor.Complex64 || s.DataType() == tensor.Complex128) {
		d := diagonalOf(c, vdv)
		inner = c.Add(inner, diagonalMatrix(c, c.Mul(c.Mul(c.Scalar(s, 0.5), inverse), c.Sub(c.Conj(d), d))))
	}
	da := times(c, u, false, times(c, inner, false, v, true), false)
	beyond := func(w, dw, wdw graph.Output) graph.Output {
		return c.Mul(c.Sub(dw, times(c, w, false, wdw, false)), row(c, inverse))
	}
	da = c.Add(da, times(c, beyond(u, du, udu), false, v, true))
	c.Set(0, c.Add(da, times(c, u, false, beyond(v, dv, vdv), true)))
}

// reduced returns the first k columns of W, and their gradient with what flows through
// the others.
func reduced(c *gradient.Context, w, dw, k graph.Output) (first, gradient graph.Output) {
	zero := c.Const(int32(0))
	first, rest := columns(c, w, zero, &k), columns(c, w, k, nil)
	dFirst, dRest := columns(c, dw, zero, &k), columns(c, dw, k, nil)
	return first, c.Sub(dFirst, times(c, rest, false, times(c, dRest, true, first, false), false))
}

// qrGradient is for matrices of full rank. Of a wide one, [X Y] = Q·[U V], Q and U
// are the decomposition of X, and V = Q'·Y.
func qrGradient(c *gradient.Context) {
	a, q, r, dq, dr := c.Input(0), c.Output(0), c.Output(1), c.Dy(0), c.Dy(1)
	shape := c.StaticShape(a)
	if !shape.Known() || shape.Dim(shape.Rank()-2) < 0 || shape.Dim(shape.Rank()-1) < 0 {
		c.Fail(status.Errorf(status.Unimplemented, "QrGrad not implemented with dynamic shapes."))
		return
	}
	m, n := shape.Dim(shape.Rank()-2), shape.Dim(shape.Rank()-1)
	switch {
	case m > n && c.Bool("full_matrices"):
		c.Fail(status.Errorf(status.Unimplemented, "QrGrad not implemented when nrows > ncols and full_matrices is true."))
	case m >= n:
		c.Set(0, tallQrGradient(c, q, r, dq, dr, m == n))
	default:
		zero, k := c.Const(int32(0)), c.Const(int32(m))
		y, dv := columns(c, a, k, nil), columns(c, dr, k, nil)
		dx := tallQrGradient(c, q, columns(c, r, zero, &k), c.Add(dq, times(c, y, false, dv, true)), columns(c, dr, zero, &k), true)
		c.Set(0, c.Op("ConcatV2", nil, graph.OutputList{dx, times(c, q, false, dv, false)}, c.Const(int32(-1))))
	}
}

// tallQrGradient: with sk(X) = X - X' and the lower triangle L of sk(Q'·dQ) +
// sk(R·dR'), dA = Q·(dR + L·R⁻') + (dQ - Q·Q'·dQ)·R⁻'. The diagonal of a complex
// square R is real, so its phases count for Q alone.
func tallQrGradient(c *gradient.Context, q, r, dq, dr graph.Output, square bool) graph.Output {
	over := func(x graph.Output) graph.Output { return adjoint(c, solve(c, r, adjoint(c, x), false, false)) } // x·R⁻'
	qdq, rdr := times(c, q, true, dq, false), times(c, r, false, dr, true)
	skew := func(x graph.Output) graph.Output { return c.Sub(x, adjoint(c, x)) }
	lower := triangle(c, c.Add(skew(qdq), skew(rdr)), true)
	da := c.Add(times(c, q, false, c.Add(dr, over(lower)), false), over(c.Sub(dq, times(c, q, false, qdq, false))))
	if r.Op == nil || !square || r.DataType() != tensor.Complex64 && r.DataType() != tensor.Complex128 {
		return da
	}
	d := diagonalOf(c, c.Sub(rdr, adjoint(c, qdq)))
	phases := diagonalMatrix(c, c.Sub(d, c.Cast(realOf(c, d), r.DataType())))
	return c.Add(da, times(c, q, false, over(phases), false))
}

// leastSquaresGradient is for x = (A'A+λ)⁻¹·A'·b, of as many equations as unknowns
// or more, and for x = A'·(AA'+λ)⁻¹·b, of fewer.
func leastSquaresGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	if !c.Bool("fast") {
		c.Fail(status.Invalid("Gradient not defined for fast=False"))
		return
	}
	a, b, x, dx := c.Input(0), c.Input(1), c.Output(0), c.Dy(0)
	lambda := c.Cast(c.Input(2), c.Type("T"))
	if shape := c.StaticShape(a); shape.Known() {
		if m, n := shape.Dim(shape.Rank()-2), shape.Dim(shape.Rank()-1); m >= 0 && n >= 0 {
			f := manyEquations
			if m < n {
				f = fewEquations
			}
			da, db := f(c, a, b, x, dx, lambda)
			c.Set(0, da)
			c.Set(1, db)
			return
		}
	}
	many := c.Apply("GreaterEqual", dim(c, a, -2), dim(c, a, -1))
	var args [2][]graph.Output
	for _, v := range []graph.Output{a, b, x, dx, lambda} {
		sides := c.Outputs("Switch", nil, v, many)
		if sides == nil {
			return
		}
		args[0], args[1] = append(args[0], sides[0]), append(args[1], sides[1])
	}
	da, db := fewEquations(c, args[0][0], args[0][1], args[0][2], args[0][3], args[0][4])
	da1, db1 := manyEquations(c, args[1][0], args[1][1], args[1][2], args[1][3], args[1][4])
	c.Set(0, c.Op("Merge", nil, graph.OutputList{da, da1}))
	c.Set(1, c.Op("Merge", nil, graph.OutputList{db, db1}))
}

// normal solves (g+λ)·x = y for a Gramian matrix g.
func normal(c *gradient.Context, g, lambda graph.Output) func(y graph.Output) graph.Output {
	l := c.Apply("Cholesky", c.Add(g, c.Mul(lambda, unitMatrix(c, dim(c, g, -1), g))))
	return func(y graph.Output) graph.Output { return solve(c, l, solve(c, l, y, true, false), true, true) }
}

func manyEquations(c *gradient.Context, a, b, x, dx, lambda graph.Output) (da, db graph.Output) {
	z := normal(c, times(c, a, true, a, false), lambda)(dx)
	xz := times(c, x, false, z, true)
	da = c.Sub(times(c, b, false, z, true), times(c, a, false, c.Add(xz, adjoint(c, xz)), false))
	return da, times(c, a, false, z, false)
}

func fewEquations(c *gradient.Context, a, b, x, dx, lambda graph.Output) (da, db graph.Output) {
	by := normal(c, times(c, a, false, a, true), lambda)
	db = by(times(c, a, false, dx, false))
	rest := c.Sub(dx, times(c, a, true, db, false))
	return c.Sub(times(c, by(b), false, rest, true), times(c, db, false, x, true)), db
}

// shifted is v moved by so many places along an axis, around the end.
func shifted(c *gradient.Context, v graph.Output, by, axis int32) graph.Output {
	rank := c.Rank(v)
	return c.Apply("Roll", v, c.Const(by), c.Add(rank, c.Const(axis)))
}

// diagonalsOfProduct returns the three diagonals of y times x transposed, vectors: elements of y by those
// of x one behind, beside and one before. Those that would be outside are zero.
func diagonalsOfProduct(c *gradient.Context, y, x graph.Output) (above, main, below graph.Output) {
	last := c.Const(int32(-1))
	by := func(x graph.Output) graph.Output { return c.Apply("Sum", c.Mul(y, x), last) }
	n := dim(c, y, -2)
	places := c.Range(n)
	unless := func(at, v graph.Output) graph.Output {
		return c.Select(c.Apply("Equal", places, at), c.Scalar(v, 0), v)
	}
	above = unless(c.Sub(n, c.Const(int32(1))), by(shifted(c, x, -1, -2)))
	below = unless(c.Const(int32(0)), by(shifted(c, x, 1, -2)))
	return above, by(x), below
}

// tridiagonalProductGradient: the adjoint of a tridiagonal matrix has its diagonals
// beside the main one exchanged, and moved by one place.
func tridiagonalProductGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	above, main, below, x, dy := c.Input(0), c.Input(1), c.Input(2), c.Input(3), c.Dy(0)
	if c.Wants(0) || c.Wants(1) || c.Wants(2) {
		da, dm, db := diagonalsOfProduct(c, dy, c.Conj(x))
		c.SetList(0, []graph.Output{row(c, da), row(c, dm), row(c, db)})
	}
	if c.Wants(3) {
		c.Set(3, c.Apply("TridiagonalMatMul", c.Conj(shifted(c, below, -1, -1)), c.Conj(main), c.Conj(shifted(c, above, 1, -1)), dy))
	}
}

// tridiagonalSolveGradient takes no conjugates, as TensorFlow does not.
func tridiagonalSolveGradient(c *gradient.Context) {
	if !c.Has(0) {
		return
	}
	middle := graph.Attrs{"axis": int64(-2)}
	parts := c.Outputs("Unpack", graph.Attrs{"axis": int64(-2), "num": int64(3)}, c.Input(0))
	if parts == nil {
		return
	}
	transposed := c.Op("Pack", middle, graph.OutputList{shifted(c, parts[2], -1, -1), parts[1], shifted(c, parts[0], 1, -1)})
	db := c.Op("TridiagonalSolve", c.Attrs("partial_pivoting", "perturb_singular"), transposed, c.Dy(0))
	c.Set(1, db)
	if c.Wants(0) {
		above, main, below := diagonalsOfProduct(c, db, c.Output(0))
		c.Set(0, c.Neg(c.Op("Pack", middle, graph.OutputList{above, main, below})))
	}
}
