package quant

import "math"

// quantized returns the integer of type T that stands for x over a range, not
// clamped to those that there are.
func quantized[T integer](x, low, high float32) float64 {
	if low == high {
		return 0
	}
	least, most := limits[T]()
	steps := most - least + 1
	scale := steps / (float64(high-low) * (steps / (steps - 1)))
	return math.Round(float64(x)*scale) - math.Round(float64(low)*scale) + least
}

// number returns what an integer of type T stands for over a range.
func number[T integer](x T, low, high float32) float64 {
	if low == high {
		return float64(low)
	}
	least, most := limits[T]()
	steps := most - least + 1
	scale := float64(high-low) * (steps / (steps - 1)) / steps
	return math.Round(float64(low)/scale)*scale + (float64(x)-least)*scale
}

// clamped is x as a T, the nearest that there is.
func clamped[T integer](x float64) T {
	least, most := limits[T]()
	return T(min(max(x, least), most))
}

// productRange returns the range of int32 products of integers of type T over
// ranges a and b.
func productRange[T integer](lowA, highA, lowB, highB float32) (low, high float32) {
	least, most := limits[T]()
	level := (highA - lowA) / float32(most-least) * ((highB - lowB) / float32(most-least))
	return level * math.MinInt32, level * math.MaxInt32
}

// sumRange returns a range for int32 sums of numbers of ranges a and b: large enough
// for 2^spare of them.
func sumRange(lowA, highA, lowB, highB float32, spare int) (low, high float32) {
	high = max(highA, -lowA, highB, -lowB) * float32(int(1)<<spare)
	return -high, high
}

// terms are what the integers of type T, of 8 bits, that stand for numbers of
// one range are in another as int32: from the least integer on.
func terms[T int8 | uint8](low, high, newLow, newHigh float32) (all [256]int32) {
	least, most := limits[T]()
	scale := (high - low) / float32(most-least)
	first := float32(math.Round(float64(low/scale))) * scale
	for i := range all {
		all[i] = clamped[int32](quantized[int32](first+float32(i)*scale, newLow, newHigh))
	}
	return all
}

// addends are terms as QuantizedAdd has them: of a scalar each is rounded by itself, of
// other operands all are in whole steps, the distance from one to the next being that
// of the first two.
func addends[T int8 | uint8](low, high, newLow, newHigh float32, scalar bool) (all [256]int32) {
	const steps = 256
	scale := float64(high-low) * (steps / (steps - 1.0)) / steps
	narrow := float32(scale)
	first := math.Round(float64(low/narrow)) * float64(narrow)
	at := func(i int) float64 {
		return quantized[int32](float32(first+float64(i)*scale), newLow, newHigh)
	}
	begin, step := at(0), at(1)-at(0)
	for i := range all {
		if scalar {
			all[i] = clamped[int32](at(i))
		} else {
			all[i] = clamped[int32](begin + float64(i)*step)
		}
	}
	return all
}
