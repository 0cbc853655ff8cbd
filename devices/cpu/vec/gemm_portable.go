package vec

// gemmPortable is Gemm in plain Go. The conversion of each product keeps the
// compiler from fusing it with the sum.
func gemmPortable[T Number](transA, transB bool, m, n, k int, a []T, lda int, b []T, ldb int, c []T, ldc int, add bool) {
	rowA, colA := lda, 1
	if transA {
		rowA, colA = 1, lda
	}
	sum := make([]T, n)
	for i := range m {
		row := c[i*ldc:][:n]
		if !add {
			clear(row)
		}
		for lo := 0; lo < k; lo += GemmBlock {
			hi := min(lo+GemmBlock, k)
			clear(sum)
			if transB {
				for j := range sum {
					sum[j] = dot(a[i*rowA:], colA, b[j*ldb:], lo, hi)
				}
			} else {
				for p := lo; p < hi; p++ {
					x := a[i*rowA+p*colA]
					for j, y := range b[p*ldb:][:n] {
						sum[j] += T(x * y)
					}
				}
			}
			for j, s := range sum {
				row[j] += s
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
