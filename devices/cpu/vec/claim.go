package vec

// Claim adds elements of rest to sum where x equals best, and makes them 0: of several x
// of one element that are best the first claims it.
func Claim(sum, rest, x, best []float32) {
	n := len(sum)
	rest, x, best = rest[:n], x[:n], best[:n]
	done := 0
	switch isa {
	case avx512:
		done = n &^ 15
		claimAVX512(sum[:done], rest, x, best)
	case avx2:
		done = n &^ 7
		claimAVX2(sum[:done], rest, x, best)
	}
	for i := done; i < n; i++ {
		if x[i] == best[i] {
			sum[i] += rest[i]
			rest[i] = 0
		}
	}
}

// ClaimFirst is Claim for the first x, from which best was found by [AtLeast]: it also
// claims where that is NaN, and best with it.
func ClaimFirst(sum, rest, x, best []float32) {
	n := len(sum)
	rest, x, best = rest[:n], x[:n], best[:n]
	done := 0
	switch isa {
	case avx512:
		done = n &^ 15
		claimFirstAVX512(sum[:done], rest, x, best)
	case avx2:
		done = n &^ 7
		claimFirstAVX2(sum[:done], rest, x, best)
	}
	for i := done; i < n; i++ {
		if x[i] == best[i] || x[i] != x[i] {
			sum[i] += rest[i]
			rest[i] = 0
		}
	}
}
