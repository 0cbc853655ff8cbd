package math

import "math"

// ndtri returns the x for which a standard normal number is below x with probability
// p. Small p start from the rational approximation of Abramowitz and Stegun,
// 26.2.23, and Halley's method makes them exact.
func ndtri(p float64) float64 {
	switch {
	case p < 0:
		return math.NaN()
	case p > 0.5:
		return -ndtri(1 - p)
	case !(p > 0) || p > 0.1:
		return math.Sqrt2 * math.Erfinv(2*p-1)
	}
	log := math.Log(p)
	t := math.Sqrt(-2 * log)
	x := (2.515517+t*(0.802853+t*0.010328))/(1+t*(1.432788+t*(0.189269+t*0.001308))) - t
	for range 3 {
		// The relative error of the probability, divided by its derivative in x.
		u := (math.Erfc(-x/math.Sqrt2)/2/p - 1) * math.Sqrt(2*math.Pi) * math.Exp(x*x/2+log)
		x -= u / (1 + x*u/2)
	}
	return x
}
