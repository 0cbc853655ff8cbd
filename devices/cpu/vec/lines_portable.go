package vec

// The conversions keep the compiler from fusing products with sums.

func addScaledPortable[T Float](dst []T, s T, x []T) {
	for i, v := range x[:len(dst)] {
		dst[i] += T(s * v)
	}
}

func rotatePortable[T Float](x, y []T, c, s T) {
	for i, q := range y[:len(x)] {
		p := x[i]
		x[i], y[i] = T(c*p)-T(s*q), T(s*p)+T(c*q)
	}
}

// dotPortable adds up in these partial sums, which are zero.
func dotPortable[T Float](sums, x, y []T) T {
	for len(x) > 0 {
		n := min(len(sums), len(x))
		for i, v := range x[:n] {
			sums[i] += T(v * y[i])
		}
		x, y = x[n:], y[n:]
	}
	for n := len(sums) / 2; n > 0; n /= 2 {
		for i := range n {
			sums[i] += sums[i+n]
		}
	}
	return sums[0]
}
