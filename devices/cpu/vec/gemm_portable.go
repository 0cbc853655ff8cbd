package vec

// portable computes rows lo to hi in plain Go.
func (q *product[T]) portable(lo, hi int) {
	r := rows[T]{q.m, q.n, q.k, q.a, q.rowA, q.colA, q.b, q.rowB, q.transB, q.c, q.rowC, q.add}
	r.compute(lo, hi)
}

// rows is a product whose rows are computed in plain Go. Strides count elements.
type rows[T Number] struct {
	m, n, k    int
	a          []T
	rowA, colA int // from an element of A to the next below and to the right
	b          []T
	rowB       int // from a row of B, as stored, to the next
	transB     bool
	c          []T
	rowC       int
	add        bool
}

// compute computes rows lo to hi, a few columns at a time. The conversion of each
// product keeps the compiler from fusing it with the sum.
func (q *rows[T]) compute(lo, hi int) {
	const width = 64
	var sums [width]T
	for i := lo; i < hi; i++ {
		a := q.a[i*q.rowA:]
		for j := 0; j < q.n; j += width {
			w := min(width, q.n-j)
			c := q.c[i*q.rowC+j:][:w]
			if !q.add {
				clear(c)
			}
			for p := 0; p < q.k; p += GemmBlock {
				end := min(p+GemmBlock, q.k)
				s := sums[:w]
				clear(s)
				if q.transB {
					for col := range s {
						s[col] = dot(a, q.colA, q.b[(j+col)*q.rowB:], p, end)
					}
				} else {
					for r := p; r < end; r++ {
						x := a[r*q.colA]
						for col, y := range q.b[r*q.rowB+j:][:w] {
							s[col] += T(x * y)
						}
					}
				}
				for col, v := range s {
					c[col] += v
				}
			}
		}
	}
}

// dot sums the products of elements lo to hi of a, each stride after the one
// before it, and of b.
func dot[T Number](a []T, stride int, b []T, lo, hi int) T {
	var s T
	for p := lo; p < hi; p++ {
		s += T(a[p*stride] * b[p])
	}
	return s
}
