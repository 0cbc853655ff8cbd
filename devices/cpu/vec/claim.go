package vec

// Claim adds elements of rest to sum where x equals best, and makes them 0: of several x
// of one element that are best the first claims it.
func Claim(sum, rest, x, best []float32) {
	n := whole(len(sum))
	choose(claimAVX512, claimAVX2, nobody)(sum[:n], rest[:len(sum)], x[:len(sum)], best[:len(sum)])
	for i := n; i < len(sum); i++ {
		if x[i] == best[i] {
			sum[i] += rest[i]
			rest[i] = 0
		}
	}
}

// ClaimFirst is Claim for the first x, from which best was found by [AtLeast]: it also
// claims where that is NaN, and best with it.
func ClaimFirst(sum, rest, x, best []float32) {
	n := whole(len(sum))
	choose(claimFirstAVX512, claimFirstAVX2, nobody)(sum[:n], rest[:len(sum)], x[:len(sum)], best[:len(sum)])
	for i := n; i < len(sum); i++ {
		if x[i] == best[i] || x[i] != x[i] {
			sum[i] += rest[i]
			rest[i] = 0
		}
	}
}

// nobody leaves all elements to Go.
func nobody(sum, rest, x, best []float32) {}
