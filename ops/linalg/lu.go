package linalg

// block is how many rows or columns are treated by themselves before the rest of a matrix
// takes part, by a product.
const block = 32

// factorize replaces the square matrix a by the factors of P·A = L·U: U on and
// above the diagonal, L below, which has ones on its diagonal. Row i of P·A is
// row p[i] of A; odd reports whether that is an odd permutation. A column without
// a pivot is left as it is, with 0 on the diagonal of U.
//
// The columns of a panel are reduced by those before them in it, then all that is right of
// the panel by one product. Golub and Van Loan, Matrix Computations, 3.2.11.
func factorize[T scalar](ctx *context, a matrix[T]) (p []int, odd bool) {
	n := a.rows
	p = temporary[int](ctx, n)
	for i := range p {
		p[i] = i
	}
	defer ctx.release(ctx.mark())
	columns := temporary[T](ctx, min(n, block)*n) // of a panel, one after the other
	for first := 0; first < n; first += block {
		width, rows := min(n-first, block), n-first
		column := func(j int) []T { return columns[j*rows:][:rows] }
		ctx.Ask()
		for i := range rows {
			for j, x := range a.row(first + i)[first:][:width] {
				columns[j*rows+i] = x
			}
		}
		for j := range width {
			ctx.Ask()
			c := column(j)
			for i := range j {
				addTo(c[i+1:], -c[i], column(i)[i+1:])
			}
			pivot, most := j, abs(c[j])
			for i := j + 1; i < rows; i++ {
				if x := abs(c[i]); x > most {
					pivot, most = i, x
				}
			}
			if most == 0 {
				continue // there is nothing to eliminate
			}
			if pivot != j {
				for i := range width {
					c := column(i)
					c[pivot], c[j] = c[j], c[pivot]
				}
				a.swapRows(first+pivot, first+j)
				p[first+pivot], p[first+j] = p[first+j], p[first+pivot]
				odd = !odd
			}
			divide(c[j+1:], c[j])
		}
		ctx.Ask()
		for i := range rows {
			row := a.row(first + i)[first:][:width]
			for j := range row {
				row[j] = columns[j*rows+i]
			}
		}
		if width == rows {
			break
		}
		for j := range width { // what is right of the panel
			ctx.Ask()
			top := a.row(first + j)[first+width:]
			c := column(j)
			for i := j + 1; i < width; i++ {
				addTo(a.row(first + i)[first+width:], -c[i], top)
			}
			negated(c, c)
		}
		addProduct(ctx, true, false, rows-width, rows-width, width, columns[width:], rows,
			a.data[first*n+first+width:], n, a.data[(first+width)*(n+1):], n)
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
func solveFactored[T scalar](ctx *context, x, lu matrix[T], p []int, b matrix[T]) {
	for i, from := range p {
		copy(x.row(i), b.row(from))
	}
	substitute(ctx, lu, x, true, true)
	substitute(ctx, lu, x, false, false)
}

// substitute replaces x by the solution of A·Y = X for the lower or the upper
// triangle of a. With unit, the diagonal is 1.
func substitute[T scalar](ctx *context, a, x matrix[T], lower, unit bool) {
	if x.cols == 1 {
		substituteRows(ctx, a, x, 0, a.rows, lower, unit)
		return
	}
	n := a.rows
	defer ctx.release(ctx.mark())
	minus := temporary[T](ctx, min(block, n)*n)
	for done := 0; done < n; done += block {
		count := min(block, n-done)
		first, from := done, 0
		if !lower {
			first, from = n-done-count, n-done
		}
		for i := range count {
			negated(minus[i*done:][:done], a.row(first + i)[from:])
		}
		addProduct(ctx, false, false, count, x.cols, done, minus, done, x.data[from*x.cols:], x.cols, x.data[first*x.cols:], x.cols)
		substituteRows(ctx, a, x, first, first+count, lower, unit)
	}
}

// substituteRows does so for some rows, from which the others are subtracted already.
func substituteRows[T scalar](ctx *context, a, x matrix[T], lo, hi int, lower, unit bool) {
	each := max(1, 1<<17/max(1, x.cols))
	for step := range hi - lo {
		ctx.Ask()
		i, from, to := lo+step, lo, lo+step
		if !lower {
			i = hi - 1 - step
			from, to = i+1, hi
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
			divide(y, row[i])
		}
	}
}
