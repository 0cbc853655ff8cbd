package linalg_test

import (
	"context"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A dense is a matrix in its simplest form, for products by the definition.
type dense [][]complex128

func zeros(m, n int) dense {
	a := make(dense, m)
	for i := range a {
		a[i] = make([]complex128, n)
	}
	return a
}

func random(m, n int, complexes bool) dense {
	r := rand.New(rand.NewPCG(uint64(m), uint64(n)))
	a := zeros(m, n)
	for i := range a {
		for j := range a[i] {
			a[i][j] = complex(r.NormFloat64(), 0)
			if complexes {
				a[i][j] += complex(0, r.NormFloat64())
			}
		}
	}
	return a
}

func (a dense) times(b dense) dense {
	c := zeros(len(a), len(b[0]))
	for i := range a {
		for j := range b[0] {
			for k := range b {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	return c
}

func (a dense) adjoint() dense {
	b := zeros(len(a[0]), len(a))
	for i := range a {
		for j, x := range a[i] {
			b[j][i] = cmplx.Conj(x)
		}
	}
	return b
}

// distance returns the greatest difference of two elements.
func (a dense) distance(b dense) (most float64) {
	for i := range a {
		for j := range a[i] {
			most = max(most, cmplx.Abs(a[i][j]-b[i][j]))
		}
	}
	return most
}

func diagonal(x []complex128) dense {
	d := zeros(len(x), len(x))
	for i, v := range x {
		d[i][i] = v
	}
	return d
}

func one(n int) dense {
	x := make([]complex128, n)
	for i := range x {
		x[i] = 1
	}
	return diagonal(x)
}

func (a dense) tensor(t *testing.T, complexes bool) *tensor.Tensor {
	t.Helper()
	var re []float64
	var all []complex128
	for _, row := range a {
		for _, x := range row {
			re, all = append(re, real(x)), append(all, x)
		}
	}
	shape := []int64{int64(len(a)), int64(len(a[0]))}
	v, err := tensor.FromSlice(all, shape...)
	if !complexes {
		v, err = tensor.FromSlice(re, shape...)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// numbers are the elements of a double or complex128 tensor.
func numbers(t *testing.T, v *tensor.Tensor) []complex128 {
	t.Helper()
	if v.DType() == tensor.Complex128 {
		x, _ := tensor.Data[complex128](v)
		return x
	}
	re, err := tensor.Data[float64](v)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]complex128, len(re))
	for i, r := range re {
		x[i] = complex(r, 0)
	}
	return x
}

func matrixOf(t *testing.T, v *tensor.Tensor) dense {
	t.Helper()
	x := numbers(t, v)
	a := zeros(int(v.Dims()[0]), int(v.Dims()[1]))
	for i := range a {
		copy(a[i], x[i*len(a[i]):])
	}
	return a
}

func run(t *testing.T, op string, attrs registry.Attrs, in ...*tensor.Tensor) []*tensor.Tensor {
	t.Helper()
	out, err := kerneltest.Run(op, attrs, in...)
	if err != nil {
		t.Fatal(op, err)
	}
	return out
}

// each runs a test for square sizes, of real and of complex numbers.
func each(t *testing.T, f func(t *testing.T, n int, complexes bool)) {
	for _, n := range []int{1, 2, 3, 10, 17, 40} {
		for _, complexes := range []bool{false, true} {
			t.Run(fmt.Sprintf("n=%d/complex=%v", n, complexes), func(t *testing.T) { f(t, n, complexes) })
		}
	}
}

func near(t *testing.T, what string, got, want dense, limit float64) {
	t.Helper()
	if d := got.distance(want); !(d <= limit) {
		t.Errorf("%s is off by %.2g", what, d)
	}
}

func TestSvd(t *testing.T) {
	full := registry.Attrs{{Name: "full_matrices", Value: registry.BoolAttr(true)}}
	each(t, func(t *testing.T, n int, complexes bool) {
		for _, a := range []dense{
			random(n, n, complexes), random(2*n, n, complexes), random(n, n+3, complexes),
			random(n, 1, complexes).times(random(1, n, complexes)), // of rank 1
			zeros(n, n+1),
		} {
			in := a.tensor(t, complexes)
			out := run(t, "Svd", nil, in)
			s, u, v := numbers(t, out[0]), matrixOf(t, out[1]), matrixOf(t, out[2])
			near(t, "U·S·Vᴴ", u.times(diagonal(s)).times(v.adjoint()), a, 1e-12)
			near(t, "Uᴴ·U", u.adjoint().times(u), one(len(s)), 1e-13)
			near(t, "Vᴴ·V", v.adjoint().times(v), one(len(s)), 1e-13)
			for i := range s {
				if real(s[i]) < 0 || i > 0 && real(s[i]) > real(s[i-1]) {
					t.Errorf("singular values are out of order: %v", s)
				}
			}
			out = run(t, "Svd", full, in)
			u, v = matrixOf(t, out[1]), matrixOf(t, out[2])
			near(t, "all of Uᴴ·U", u.adjoint().times(u), one(len(a)), 1e-13)
			near(t, "all of Vᴴ·V", v.adjoint().times(v), one(len(a[0])), 1e-13)
		}
	})
}

// Small singular values of a matrix of well-conditioned columns, scaled, are
// as exact as large ones.
func TestSmallSingularValues(t *testing.T) {
	a := zeros(3, 3)
	a[0][0], a[1][1], a[2][2] = 1, 1e-50, 1e-120
	s := numbers(t, run(t, "Svd", nil, a.tensor(t, false))[0])
	for i, want := range []float64{1, 1e-50, 1e-120} {
		if math.Abs(real(s[i])/want-1) > 1e-15 {
			t.Errorf("singular value %d is %v", i, s[i])
		}
	}
}

// So are those of many columns, which the general algorithm of complex numbers finds, too.
func TestSmallSingularValuesOfManyColumns(t *testing.T) {
	a := random(20, 14, false)
	for i := range a {
		for j := range a[i] {
			a[i][j] *= complex(math.Pow(10, -10*float64(j)), 0)
		}
	}
	out := run(t, "Svd", nil, a.tensor(t, false))
	s, u, want := numbers(t, out[0]), matrixOf(t, out[1]), numbers(t, run(t, "Svd", nil, a.tensor(t, true))[0])
	near(t, "Uᴴ·U", u.adjoint().times(u), one(len(s)), 1e-13)
	for i := range s {
		if !(math.Abs(real(s[i])/real(want[i])-1) <= 1e-13) {
			t.Errorf("singular value %d is %v, not %v", i, s[i], want[i])
		}
	}
}

// Eigenvectors of a matrix so large that a sequence of rotations is not applied at once.
func TestSelfAdjointEigOfManyRows(t *testing.T) {
	const n = 530
	a := random(n, n, false)
	for i := range a {
		for j := range i {
			a[j][i] = a[i][j]
		}
	}
	out := run(t, "SelfAdjointEigV2", nil, a.tensor(t, false))
	e, v := numbers(t, out[0]), matrixOf(t, out[1])
	some := []int{0, 1, 200, n - 1}
	vectors := zeros(n, len(some))
	var values []complex128
	for k, j := range some {
		for i := range v {
			vectors[i][k] = v[i][j]
		}
		values = append(values, e[j])
	}
	near(t, "A·V", a.times(vectors), vectors.times(diagonal(values)), 1e-11)
	near(t, "Vᵀ·V", vectors.adjoint().times(vectors), one(len(some)), 1e-12)
}

func TestSelfAdjointEig(t *testing.T) {
	each(t, func(t *testing.T, n int, complexes bool) {
		b := random(n, n, complexes)
		for _, a := range []dense{b.times(b.adjoint()), one(n), zeros(n, n), diagonal(b[0]).times(diagonal(b.adjoint().adjoint()[0]).adjoint())} {
			out := run(t, "SelfAdjointEigV2", nil, a.tensor(t, complexes))
			e, v := numbers(t, out[0]), matrixOf(t, out[1])
			near(t, "V·E·Vᴴ", v.times(diagonal(e)).times(v.adjoint()), a, 1e-11)
			near(t, "Vᴴ·V", v.adjoint().times(v), one(n), 1e-13)
			for i := 1; i < n; i++ {
				if real(e[i]) < real(e[i-1]) {
					t.Errorf("eigenvalues are out of order: %v", e)
				}
			}
		}
	})
}

func TestEig(t *testing.T) {
	each(t, func(t *testing.T, n int, complexes bool) {
		shift := zeros(n, n) // its eigenvalues are the roots of 1
		for i := range n {
			shift[i][(i+1)%n] = 1
		}
		for _, a := range []dense{random(n, n, complexes), one(n), zeros(n, n), shift} {
			out := run(t, "Eig", registry.Attrs{{Name: "Tout", Value: registry.TypeAttr(tensor.Complex128)}}, a.tensor(t, complexes))
			e, v := numbers(t, out[0]), matrixOf(t, out[1])
			near(t, "A·V", a.times(v), v.times(diagonal(e)), 1e-11)
			for j := range n {
				sum := 0.0
				for i := range n {
					sum += real(v[i][j])*real(v[i][j]) + imag(v[i][j])*imag(v[i][j])
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("vector %d has the length %v", j, math.Sqrt(sum))
				}
			}
		}
	})
}

// Functions of matrices: the square of the root, and the exponential of the
// logarithm, are the matrix.
func TestFunctionsUndoEachOther(t *testing.T) {
	each(t, func(t *testing.T, n int, _ bool) {
		a := random(n, n, true)
		root := matrixOf(t, run(t, "MatrixSquareRoot", nil, a.tensor(t, true))[0])
		near(t, "the square of the root", root.times(root), a, 1e-9)
		log := run(t, "MatrixLogarithm", nil, a.tensor(t, true))[0]
		near(t, "the exponential of the logarithm", matrixOf(t, run(t, "MatrixExponential", nil, log)[0]), a, 1e-9)
	})
	// A rotation by 1000 radians.
	turn := matrixOf(t, run(t, "MatrixExponential", nil, dense{{0, -1000}, {1000, 0}}.tensor(t, false))[0])
	s, c := math.Sincos(1000)
	near(t, "the rotation", turn, dense{{complex(c, 0), complex(-s, 0)}, {complex(s, 0), complex(c, 0)}}, 1e-10)
}

// The half types of TensorFlow's kernels.
func TestHalf(t *testing.T) {
	x, err := tensor.FromSlice(tensor.AppendFloat16s(nil, []float32{2, 0, 0, 4}), 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	inverse, _ := tensor.Data[tensor.Float16](run(t, "MatrixInverse", nil, x)[0])
	if inverse[0].Float32() != 0.5 || inverse[3].Float32() != 0.25 {
		t.Errorf("the inverse is %v", inverse)
	}
	r, _ := tensor.Data[tensor.Float16](run(t, "Qr", nil, x)[1])
	if r[0].Float32() != 2 || r[3].Float32() != 4 {
		t.Errorf("R is %v", r)
	}
}

// Every core gives the same answer, and the first singular matrix of a batch
// is the error.
func TestBatches(t *testing.T) {
	x, err := tensor.FromSlice(make([]float64, 500*4), 500, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	r := kerneltest.Runner{Pool: kerneltest.Threads{}}
	if _, err := r.Run("n", "MatrixInverse", nil, x); err == nil || err.Error() != "INVALID_ARGUMENT: Input is not invertible." {
		t.Error(err)
	}
	data, _ := tensor.Data[float64](x)
	for i := range data {
		data[i] = float64(i%7) + float64(i%4)*10
	}
	parallel, err := r.Run("n", "Svd", nil, x)
	if err != nil {
		t.Fatal(err)
	}
	for i, serial := range run(t, "Svd", nil, x) {
		if err := tensor.Compare(parallel[i], serial, tensor.Tolerance{Exact: true}); err != nil {
			t.Error(err)
		}
	}
	limited := kerneltest.Runner{Limit: 1 << 10}
	if _, err := limited.Run("n", "Qr", nil, x); err == nil {
		t.Error("passed the memory limit")
	}
}

// A step that has ended stops the algorithms, and its reason is the error.
func TestEndedStep(t *testing.T) {
	in := random(40, 40, false).tensor(t, false)
	for _, op := range []string{"Cholesky", "MatrixInverse", "Lu", "Qr", "Svd", "SelfAdjointEigV2", "MatrixSquareRoot", "MatrixExponential"} {
		k, outputs, err := kerneltest.New("n", op, nil, tensor.Double)
		if err != nil {
			t.Fatal(err)
		}
		ended, end := context.WithCancel(context.Background())
		end()
		ctx := new(kerneltest.Runner).Context()
		ctx.Step.Context = ended
		err = kerneltest.Play(k, ctx, []tensor.Value{tensor.ValueOf(in)}, make([]tensor.Value, len(outputs)))
		if status.CodeOf(err) != status.Canceled {
			t.Errorf("%s: %v", op, err)
		}
	}
}

// Matrices of several panels, whose sizes are no multiples of a panel's.
func TestPanels(t *testing.T) {
	for _, complexes := range []bool{false, true} {
		for _, n := range []int{33, 70} {
			a := random(n, n, complexes)
			for i := range a {
				a[i][i] += 3
			}
			in := a.tensor(t, complexes)
			inverse := matrixOf(t, run(t, "MatrixInverse", nil, in)[0])
			near(t, "A·A⁻¹", a.times(inverse), one(n), 1e-10)
			x := matrixOf(t, run(t, "MatrixSolve", nil, in, random(n, 5, complexes).tensor(t, complexes))[0])
			near(t, "A·X", a.times(x), random(n, 5, complexes), 1e-10)

			spd := a.times(a.adjoint())
			l := matrixOf(t, run(t, "Cholesky", nil, spd.tensor(t, complexes))[0])
			near(t, "L·Lᴴ", l.times(l.adjoint()), spd, 1e-10)

			for _, lower := range []bool{true, false} {
				for _, adjoint := range []bool{true, false} {
					m := zeros(n, n)
					for i := range m {
						for j := range m[i] {
							if i == j || i > j == lower {
								m[i][j] = l[max(i, j)][min(i, j)]
							}
						}
					}
					b := random(n, 40, complexes)
					x := matrixOf(t, run(t, "MatrixTriangularSolve", registry.Attrs{
						{Name: "lower", Value: registry.BoolAttr(lower)}, {Name: "adjoint", Value: registry.BoolAttr(adjoint)},
					}, m.tensor(t, complexes), b.tensor(t, complexes))[0])
					if adjoint {
						m = m.adjoint()
					}
					near(t, "the triangle times X", m.times(x), b, 1e-9)
				}
			}

			for _, a := range []dense{a, random(n, 2*n, complexes), random(n+40, n, complexes)} {
				out := run(t, "Qr", registry.Attrs{{Name: "full_matrices", Value: registry.BoolAttr(true)}}, a.tensor(t, complexes))
				q, r := matrixOf(t, out[0]), matrixOf(t, out[1])
				near(t, "Q·R", q.times(r), a, 1e-12)
				near(t, "Qᴴ·Q", q.adjoint().times(q), one(len(a)), 1e-13)
				for i := range r {
					for j := range min(i, len(r[i])) {
						if r[i][j] != 0 {
							t.Fatalf("R has %v at %d, %d", r[i][j], i, j)
						}
					}
				}
			}

			out := run(t, "SelfAdjointEigV2", nil, spd.tensor(t, complexes))
			e, v := numbers(t, out[0]), matrixOf(t, out[1])
			near(t, "V·E·Vᴴ", v.times(diagonal(e)).times(v.adjoint()), spd, 1e-10)
			near(t, "Vᴴ·V", v.adjoint().times(v), one(n), 1e-13)
			out = run(t, "Svd", nil, in)
			s, u, v := numbers(t, out[0]), matrixOf(t, out[1]), matrixOf(t, out[2])
			near(t, "U·S·Vᴴ", u.times(diagonal(s)).times(v.adjoint()), a, 1e-12)
			near(t, "Uᴴ·U", u.adjoint().times(u), one(n), 1e-13)
		}
	}
	// Columns without a pivot, in the first panel and in others.
	a := random(70, 70, false)
	for i := range a {
		a[i][3], a[i][40] = 0, a[i][50]
	}
	lu := numbers(t, run(t, "MatrixDeterminant", nil, a.tensor(t, false))[0])
	if cmplx.Abs(lu[0]) > 1e-6 {
		t.Errorf("the determinant is %v", lu[0])
	}
}

// Singular values of all sizes, zeros among them, of matrices so large that the rotations
// begin at eigenvectors.
func TestSvdOfIllConditionedMatrices(t *testing.T) {
	hilbert := func(m, n int) dense {
		a := zeros(m, n)
		for i := range a {
			for j := range a[i] {
				a[i][j] = complex(1/float64(i+j+1), 0)
			}
		}
		return a
	}
	repeated := zeros(50, 40) // of rank 7
	for i := range repeated {
		for j := range repeated[i] {
			repeated[i][j] = complex(float64((3*i+j)%7), 0)
		}
	}
	huge := random(20, 20, false)
	for i := range huge {
		for j := range huge[i] {
			huge[i][j] *= 1e300
		}
	}
	for name, a := range map[string]dense{
		"hilbert": hilbert(24, 24), "hilbert, high": hilbert(60, 30), "hilbert, broad": hilbert(30, 60),
		"rank 10": random(40, 10, false).times(random(10, 40, false)), "rank 7": repeated, "one": one(33),
		"zeros": zeros(20, 20), "huge": huge,
	} {
		size := 0.0
		for i := range a {
			for _, x := range a[i] {
				size = max(size, cmplx.Abs(x))
			}
		}
		out := run(t, "Svd", nil, a.tensor(t, false))
		s, u, v := numbers(t, out[0]), matrixOf(t, out[1]), matrixOf(t, out[2])
		near(t, name+": U·S·Vᴴ", u.times(diagonal(s)).times(v.adjoint()), a, 1e-13*size)
		near(t, name+": Uᴴ·U", u.adjoint().times(u), one(len(s)), 1e-13)
		near(t, name+": Vᴴ·V", v.adjoint().times(v), one(len(s)), 1e-13)
		for i := 1; i < len(s); i++ {
			if !(real(s[i]) <= real(s[i-1])) || real(s[i]) < 0 {
				t.Errorf("%s: singular values are out of order: %v", name, s)
			}
		}
		// Computed in float64, rounded once.
		narrow, err := tensor.FromSlice(floats(a, 1/max(size, 1)), int64(len(a)), int64(len(a[0])))
		if err != nil {
			t.Fatal(err)
		}
		got, _ := tensor.Data[float32](run(t, "Svd", nil, narrow)[0])
		for i, x := range got {
			if want := real(s[i]) / max(size, 1); math.Abs(float64(x)-want) > 1e-5 {
				t.Errorf("%s: singular value %d is %v of float32, %v of float64", name, i, x, want)
			}
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1)} {
		a := random(40, 40, false)
		a[7][9] = complex(x, 0)
		if s := numbers(t, run(t, "Svd", nil, a.tensor(t, false))[0]); !cmplx.IsNaN(s[0]) {
			t.Errorf("a singular value of a matrix with %v is %v", x, s[0])
		}
	}
}

// floats returns the elements, scaled.
func floats(a dense, by float64) (x []float32) {
	for _, row := range a {
		for _, v := range row {
			x = append(x, float32(real(v)*by))
		}
	}
	return x
}

// Large matrices, whose products and rotations are shared out, have the same bits on one
// core and on many, alone and in a batch.
func TestLargeMatricesOnManyCores(t *testing.T) {
	const n = 150
	data := make([]float64, 2*n*n)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range data {
		data[i] = r.NormFloat64()
	}
	for i := range n {
		for j := range i { // the first is symmetric and positive definite
			data[j*n+i] = data[i*n+j]
		}
		data[i*n+i] += 4 * n
	}
	alone, err := tensor.FromSlice(data[:n*n], n, n)
	if err != nil {
		t.Fatal(err)
	}
	both, err := tensor.FromSlice(data, 2, n, n)
	if err != nil {
		t.Fatal(err)
	}
	many := kerneltest.Runner{Pool: kerneltest.Threads{}}
	for _, op := range []string{"MatrixInverse", "Cholesky", "Lu", "Qr", "Svd", "SelfAdjointEigV2"} {
		for _, in := range []*tensor.Tensor{alone, both} {
			shared, err := many.Run("n", op, nil, in)
			if err != nil {
				t.Fatal(op, err)
			}
			for i, serial := range run(t, op, nil, in) {
				if op == "Cholesky" && in == both {
					continue // the second is NaN
				}
				if err := tensor.Compare(shared[i], serial, tensor.Tolerance{Exact: true}); err != nil {
					t.Error(op, err)
				}
			}
		}
	}
}

// Singular values without vectors are those with vectors, of float matrices of all conditions.
func TestSingularValuesAlone(t *testing.T) {
	alone := registry.Attrs{{Name: "compute_uv", Value: registry.BoolAttr(false)}}
	for _, small := range []float64{1, 1e-2, 1e-4, 1e-6, 1e-9, 0} {
		for _, n := range []int{5, 20, 40} {
			a := random(2*n, n, false)
			for i := range a { // one column is nearly the sum of two others
				a[i][n-1] = a[i][0] + a[i][1] + complex(small, 0)*a[i][n-1]
			}
			in, err := tensor.FromSlice(floats(a, 1), int64(2*n), int64(n))
			if err != nil {
				t.Fatal(err)
			}
			with, _ := tensor.Data[float32](run(t, "Svd", nil, in)[0])
			without, _ := tensor.Data[float32](run(t, "Svd", alone, in)[0])
			for i, x := range without {
				if math.Abs(float64(x-with[i])) > 0x1p-24*float64(max(x, 0x1p-5*with[0])) {
					t.Errorf("%d columns, %v apart: singular value %d is %v, with vectors %v", n, small, i, x, with[i])
				}
			}
		}
	}
}
