package linalg

import "github.com/troupe-go/troupe/kernel"

// factorize replaces the square matrix a by the factors of P·A = L·U: U on and
// above the diagonal, L below, which has ones on its diagonal. Row i of P·A is
// row p[i] of A; odd reports whether that is an odd permutation. A column without
// a pivot is left as it is, with 0 on the diagonal of U.
func factorize[T scalar](ctx *kernel.Context, a matrix[T]) (p []int, odd bool) {
	n := a.rows
	p = make([]int, n)
	for i := range p {
		p[i] = i
	}
	for k := range n {
		ctx.Ask()
		pivot, most := k, abs(a.at(k, k))
		for i := k + 1; i < n; i++ {
			if x := abs(a.at(i, k)); x > most {
				pivot, most = i, x
			}
		}
		if most == 0 {
			continue
		}
		if pivot != k {
			a.swapRows(pivot, k)
			p[pivot], p[k] = p[k], p[pivot]
			odd = !odd
		}
		top := a.row(k)
		each := 1 << 17 / (n - k)
		for i := k + 1; i < n; i++ {
			if (i-k)%(each+1) == 0 {
				ctx.Ask()
			}
			row := a.row(i)
			f := row[k] / top[k]
			row[k] = f
			addTo(row[k+1:], -f, top[k+1:])
		}
	}
	return p, odd
}

// regular reports whether factors have no zero, and no NaN, on U's diagonal.
func regular[T scalar](lu matrix[T]) bool {
	for i := range lu.rows {
		if !(abs(lu.at(i, i)) > 0) {
			return false
		}
	}
	return true
}

// solveFactored sets x to the solution of A·X = B, where lu and p are what
// factorize made of A.
func solveFactored[T scalar](ctx *kernel.Context, x, lu matrix[T], p []int, b matrix[T]) {
	for i, from := range p {
		copy(x.row(i), b.row(from))
	}
	substitute(ctx, lu, x, true, true)
	substitute(ctx, lu, x, false, false)
}

// substitute replaces x by the solution of A·Y = X for the lower or the upper
// triangle of a. With unit, the diagonal is 1.
func substitute[T scalar](ctx *kernel.Context, a, x matrix[T], lower, unit bool) {
	n := a.rows
	each := max(1, 1<<17/max(1, x.cols))
	for step := range n {
		ctx.Ask()
		i, from, to := step, 0, step
		if !lower {
			i = n - 1 - step
			from, to = i+1, n
		}
		row, y := a.row(i), x.row(i)
		if x.cols == 1 {
			y[0] -= dot(row[from:to], x.data[from:to])
		} else {
			for k := from; k < to; k++ {
				if (k-from)%each == each-1 {
					ctx.Ask()
				}
				addTo(y, -row[k], x.row(k))
			}
		}
		if !unit {
			for j := range y {
				y[j] /= row[i]
			}
		}
	}
}
