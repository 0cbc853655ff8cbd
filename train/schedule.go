package train

import "math"

// A Schedule returns the learning rate of an update, given the number of updates before
// it. It must be deterministic.
type Schedule func(step int64) float64

// Fixed returns a constant rate.
func Fixed(rate float64) Schedule { return func(int64) float64 { return rate } }

// Piecewise is rates[i] while fewer than steps[i] updates have been made, for the
// smallest such i, and the last rate after that: steps ascend, and there is one rate
// more than steps.
func Piecewise(steps []int64, rates []float64) Schedule {
	return func(step int64) float64 {
		for i, until := range steps {
			if step < until {
				return rates[i]
			}
		}
		return rates[len(steps)]
	}
}

// ExponentialDecay multiplies rate by factor over each period of updates, continuously.
func ExponentialDecay(rate, factor float64, period int64) Schedule {
	return func(step int64) float64 { return rate * math.Pow(factor, float64(step)/float64(period)) }
}

// StepDecay multiplies rate by factor after every period of updates.
func StepDecay(rate, factor float64, period int64) Schedule {
	return func(step int64) float64 { return rate * math.Pow(factor, float64(step/period)) }
}

// InverseTimeDecay is rate / (1 + factor·step/period).
func InverseTimeDecay(rate, factor float64, period int64) Schedule {
	return func(step int64) float64 { return rate / (1 + factor*float64(step)/float64(period)) }
}

// PolynomialDecay decays from rate to end in steps updates along a polynomial of the
// given power; 1 is linear.
func PolynomialDecay(rate, end float64, steps int64, power float64) Schedule {
	return func(step int64) float64 {
		left := 1 - float64(min(step, steps))/float64(steps)
		return (rate-end)*math.Pow(left, power) + end
	}
}

// CosineDecay decays from rate to end in steps updates, along half a period of the
// cosine. (Loshchilov and Hutter, 2017.)
func CosineDecay(rate, end float64, steps int64) Schedule {
	return func(step int64) float64 {
		x := float64(min(step, steps)) / float64(steps)
		return end + (rate-end)*(1+math.Cos(math.Pi*x))/2
	}
}

// Restarted restarts a schedule after steps updates, then after factor times as many,
// and so on; decay multiplies the rate each time. The schedule is that of the first
// period, and is stretched in later ones. (Loshchilov and Hutter, 2017.)
func Restarted(then Schedule, steps int64, factor, decay float64) Schedule {
	return func(step int64) float64 {
		at, length, scale := float64(step), float64(steps), 1.0
		for length >= 1 && at >= length {
			at, length, scale = at-length, length*factor, scale*decay
		}
		return scale * then(int64(at*float64(steps)/length))
	}
}

// Warmup rises linearly to the schedule over steps updates; the first update has 1/steps
// of the rate.
func Warmup(then Schedule, steps int64) Schedule {
	return func(step int64) float64 {
		if step < steps {
			return then(step) * float64(step+1) / float64(steps)
		}
		return then(step)
	}
}
