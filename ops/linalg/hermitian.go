package linalg

import (
	"math"

	"github.com/troupe-go/troupe/devices/cpu/vec"
)

// hermitian finds the eigenvalues, in ascending order, of the self-adjoint
// matrix whose lower triangle is a's, and, if they are wanted, the eigenvectors
// as the columns of vectors. It overwrites a. ok is false if a has elements that
// are not finite, or the iteration does not end.
//
// The matrix is made tridiagonal by reflections and diagonal by implicit QR
// steps with Wilkinson's shift. Golub and Van Loan, Matrix Computations, 8.3.
func hermitian[T wide](ctx *context, a matrix[T], wanted bool) (values []float64, vectors matrix[T], ok bool) {
	rows, values, ok := hermitianRows(ctx, a, wanted)
	if ok && wanted {
		conjugate(ctx, rows.data)
		vectors = rows.adjoint(ctx)
	}
	return values, vectors, ok
}

// hermitianRows is hermitian with the vectors as rows.
func hermitianRows[T wide](ctx *context, a matrix[T], wanted bool) (rows matrix[T], values []float64, ok bool) {
	n := a.rows
	clearUpper(ctx, a)
	if !a.finite(ctx) {
		return rows, nil, false
	}
	size := a.largest(ctx)
	if size < 0x1p-1000 {
		size = 1 // its inverse would overflow
	}
	scale(ctx, a.data, of[T](1/size))
	diagonal, beside := temporary[float64](ctx, n), temporary[float64](ctx, max(0, n-1))
	if wanted {
		rows = newMatrix[T](ctx, n, n)
	}
	mark := ctx.mark()
	q := tridiagonalize(ctx, a, diagonal, beside)
	if wanted {
		q.columns(ctx, n, n).transposeTo(ctx, rows)
	}
	ctx.release(mark)
	var turns turns
	steps := 0
	for end := n - 1; end > 0; {
		for i := range end {
			if math.Abs(beside[i]) <= 0x1p-52*math.Sqrt(math.Abs(diagonal[i])+math.Abs(diagonal[i+1])) || math.Abs(beside[i]) < 0x1p-1022 {
				beside[i] = 0
			}
		}
		for end > 0 && beside[end-1] == 0 {
			end--
		}
		if end == 0 {
			break
		}
		start := end - 1
		for start > 0 && beside[start-1] != 0 {
			start--
		}
		ctx.Ask()
		if steps++; steps > 30*n {
			return rows, nil, false
		}
		chase(ctx, diagonal, beside, start, end, &turns)
		if !wanted {
			turns.clear()
		}
		if turns.len() > mostTurns {
			turnRows(ctx, rows, &turns)
			turns.clear()
		}
	}
	turnRows(ctx, rows, &turns)
	for i := range n - 1 { // by selection, which moves few vectors
		k := i
		for j := i + 1; j < n; j++ {
			if diagonal[j] < diagonal[k] {
				k = j
			}
		}
		if k != i {
			diagonal[i], diagonal[k] = diagonal[k], diagonal[i]
			if wanted {
				rows.swapRows(i, k)
			}
		}
	}
	for i := range diagonal {
		diagonal[i] *= size
	}
	return rows, diagonal, true
}

// tridiagonalize finds Qᴴ·A·Q with real diagonals. It overwrites a.
func tridiagonalize[T wide](ctx *context, a matrix[T], diagonal, beside []float64) (q reflections[T]) {
	n := a.rows
	if data, ok := any(a.data).([]float64); ok {
		return any(tridiagonalizeReal(ctx, matrix[float64]{n, n, data}, diagonal, beside)).(reflections[T])
	}
	q.shift = 1
	for k := range n - 1 {
		ctx.Ask()
		v := temporary[T](ctx, n-k-1)
		for i := range v {
			v[i] = a.at(k+1+i, k)
		}
		tau, beta := reflect(ctx, v)
		beside[k] = beta
		q.add(v, tau)
		if tau == 0 {
			continue
		}
		// A - v·wᴴ - w·vᴴ, where w = p - (p·v)/2·v and p = conj(tau)·A·v.
		mark := ctx.mark()
		w := temporary[T](ctx, len(v))
		for i := range v {
			row := a.row(k + 1 + i)[k+1:]
			for j := range i {
				w[i] += row[j] * v[j]
				w[j] += conj(row[j]) * v[i]
			}
			w[i] += of[T](realPart(row[i])) * v[i]
		}
		scale(ctx, w, conj(tau))
		var inner T
		for i := range v {
			inner += conj(w[i]) * v[i]
		}
		addTo(w, -conj(tau)*inner/2, v)
		for i := range v {
			row := a.row(k + 1 + i)[k+1:]
			for j := range i + 1 {
				row[j] -= v[i]*conj(w[j]) + w[i]*conj(v[j])
			}
		}
		ctx.release(mark)
	}
	for i := range diagonal {
		diagonal[i] = realPart(a.at(i, i))
	}
	return q
}

// tridiagonalizeReal is tridiagonalize for real numbers. The reflections of a panel change
// only its own columns, and all that is behind them at its end, by one product: J. Dongarra,
// S. Hammarling and D. Sorensen, Block reduction of matrices to condensed forms, 1989.
func tridiagonalizeReal(ctx *context, a matrix[float64], diagonal, beside []float64) (q reflections[float64]) {
	const panel = 16
	n := a.rows
	q.shift = 1
	for i := range n { // both triangles
		if i%32 == 31 {
			ctx.Ask()
		}
		for j, x := range a.row(i)[:i] {
			a.set(j, i, x)
		}
	}
	left, right := temporary[float64](ctx, 2*min(n, panel)*n), temporary[float64](ctx, 2*min(n, panel)*n)
	for first := 0; first < n-1; first += panel {
		width, size := min(panel, n-1-first), n-first
		v := newMatrix[float64](ctx, width, size) // of which q has the rows
		mark := ctx.mark()
		w := newMatrix[float64](ctx, width, size)
		for j := range width {
			ctx.Ask()
			x, y := v.row(j)[j:], w.row(j)[j+1:]
			copy(x, a.row(first + j)[first+j:]) // of the row, which is the column
			for i := range j {
				addTo(x, -w.at(i, j), v.row(i)[j:])
				addTo(x, -v.at(i, j), w.row(i)[j:])
			}
			diagonal[first+j] = x[0]
			x[0] = 0
			x = x[1:]
			tau, beta := reflect(ctx, x)
			beside[first+j] = beta
			q.add(x, tau)
			if tau == 0 {
				continue
			}
			// A - v·wᵀ - w·vᵀ, where w = p - tau·(p·v)/2·v and p = tau·A·v.
			vec.Gemm(ctx.Pool(), false, false, 1, len(x), len(x), x, len(x), a.data[(first+j+1)*(n+1):], n, y, len(y))
			ctx.Ask()
			for i := range j {
				p, q := v.row(i)[j+1:], w.row(i)[j+1:]
				along, across := dot(p, x), dot(q, x)
				addTo(y, -across, p)
				addTo(y, -along, q)
			}
			for i := range y {
				y[i] *= tau
			}
			addTo(y, -tau*dot(y, x)/2, x)
		}
		rest := size - width
		for j := range width {
			negated(left[j*rest:][:rest], v.row(j)[width:])
			negated(left[(width+j)*rest:][:rest], w.row(j)[width:])
			copy(right[j*rest:][:rest], w.row(j)[width:])
			copy(right[(width+j)*rest:][:rest], v.row(j)[width:])
		}
		addProduct(ctx, true, false, rest, rest, 2*width, left, rest, right, rest, a.data[(first+width)*(n+1):], n)
		ctx.release(mark)
	}
	if n > 0 {
		diagonal[n-1] = a.at(n-1, n-1)
	}
	return q
}

// chase is one QR step on rows start to end of a tridiagonal matrix: the first
// rotation is that of the shifted matrix, and the others chase what it puts
// outside of the diagonals down to the end. It appends the
// rotations to turns.
func chase(ctx *context, d, e []float64, start, end int, turns *turns) {
	half := (d[end-1] - d[end]) / 2
	off := e[end-1]
	shift := d[end]
	if half == 0 {
		shift -= math.Abs(off)
	} else if off != 0 {
		shift -= off / ((half + math.Copysign(math.Hypot(half, off), half)) / off)
	}
	x, z := d[start]-shift, e[start]
	for k := start; k < end && z != 0; k++ {
		if k%64 == 63 {
			ctx.Ask()
		}
		c, s := rotation(x, z)
		lower := s*d[k] + c*e[k]
		next := s*e[k] + c*d[k+1]
		d[k] = c*(c*d[k]-s*e[k]) - s*(c*e[k]-s*d[k+1])
		d[k+1] = s*lower + c*next
		e[k] = c*lower - s*next
		if k > start {
			e[k-1] = c*e[k-1] - s*z
		}
		x = e[k]
		if k < end-1 {
			z = -s * e[k+1]
			e[k+1] *= c
		}
		turns.add(k, c, s)
	}
}

// A turns is a sequence of rotations of rows and those below them.
type turns struct {
	runs  []run
	pairs []float64 // the cosine and the sine of each
}

// A run is the rotations of pairs of rows from the first on, one after the other.
type run struct{ first, count int }

// mostTurns is how many rotations are collected before they are applied.
const mostTurns = 1 << 11

func (t *turns) len() int { return len(t.pairs) / 2 }

func (t *turns) clear() { t.runs, t.pairs = t.runs[:0], t.pairs[:0] }

// add adds the rotation of row k and the one below it.
func (t *turns) add(k int, c, s float64) {
	if n := len(t.runs); n > 0 && k > 0 && t.runs[n-1].first+t.runs[n-1].count == k {
		t.runs[n-1].count++
	} else {
		t.runs = append(t.runs, run{k, 1})
	}
	t.pairs = append(t.pairs, c, s)
}

// turnRows applies rotations to rows, if there are any. A core does so for some columns.
func turnRows[T wide](ctx *context, rows matrix[T], t *turns) {
	if rows.rows == 0 || t.len() == 0 {
		return
	}
	ctx.Parallel(rows.cols, max(64, 1<<16/t.len()), func(lo, hi int) {
		pairs := t.pairs
		each := max(1, 1<<14/(hi-lo)) // of a run before it asks again
		for _, r := range t.runs {
			if data, ok := any(rows.data).([]float64); ok {
				for from := 0; from < r.count; from += each {
					if ctx.Err() != nil {
						return
					}
					vec.RotateRows(data[(r.first+from)*rows.cols+lo:], rows.cols, hi-lo, pairs[2*from:2*min(r.count, from+each)])
				}
			} else {
				if ctx.Err() != nil {
					return
				}
				for i := range r.count {
					p, q := rows.row(r.first + i)[lo:hi], rows.row(r.first + i + 1)[lo:hi]
					cc, ss := of[T](pairs[2*i]), of[T](pairs[2*i+1])
					for i, u := range p {
						w := q[i]
						p[i], q[i] = cc*u-ss*w, ss*u+cc*w
					}
				}
			}
			pairs = pairs[2*r.count:]
		}
	})
	ctx.Ask()
}

// rotation returns the cosine and the sine for which s·x + c·z = 0.
func rotation(x, z float64) (c, s float64) {
	if square := x*x + z*z; square > 0x1p-900 && square < 0x1p900 {
		inverse := 1 / math.Sqrt(square)
		return x * inverse, -z * inverse
	}
	switch { // of what squares might be rounded to nothing, or be infinite
	case z == 0:
		return math.Copysign(1, x), 0
	case x == 0:
		return 0, -math.Copysign(1, z)
	case math.Abs(x) > math.Abs(z):
		t := z / x
		c = math.Copysign(1/math.Sqrt(1+t*t), x)
		return c, -t * c
	default:
		t := x / z
		s = -math.Copysign(1/math.Sqrt(1+t*t), z)
		return -t * s, s
	}
}
