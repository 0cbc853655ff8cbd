// Package fourier computes discrete Fourier transforms of any length:
//
//	X[k] = Σ x[j]·exp(-2πi·jk/n)
//
// A [Plan] holds what transforms of one length have in common. Lengths without
// a prime factor above 31 are transformed by the mixed-radix algorithm that
// Stockham gave an order without bit reversal, others as convolutions of such
// a length, after Bluestein. Both take O(n log n) operations in float64.
//
// Plans do no scaling: the inverse transform of the transform is n times what
// it was.
package fourier
