package reduction

import "github.com/troupe-go/troupe/devices/cpu/vec"

// vectorLeast is the length from which on the vector reductions pay.
const vectorLeast = 64

// floatReducer is realReducer with vector loops.
func floatReducer(kind reduction) reducer[float32] {
	r := realReducer[float32](kind)
	switch kind {
	case total, mean:
		r.of, r.into, r.all = sumFloats, func(o, x []float32) { vec.Add(o, o, x) }, vec.SumRows
	case norm:
		r.into = func(o, x []float32) { vec.MulAdd(o, x, x) }
	case largest:
		r.of, r.into = longer(vec.Largest, r.of), func(o, x []float32) { vec.Max(o, o, x) }
	case smallest:
		r.of, r.into = longer(vec.Smallest, r.of), func(o, x []float32) { vec.Min(o, o, x) }
	}
	return r
}

// longer is f where vectors pay, and short elsewhere.
func longer(f, short func(x []float32) float32) func(x []float32) float32 {
	return func(x []float32) float32 {
		if len(x) < vectorLeast {
			return short(x)
		}
		return f(x)
	}
}

// sumFloats is sum with longer leaves, each of vec's partial sums.
func sumFloats(x []float32) float32 {
	const leaf = 1 << 12
	switch {
	case len(x) < vectorLeast:
		return sum(x)
	case len(x) <= leaf:
		return vec.Sum(x)
	}
	half := (len(x)/2 + leaf - 1) / leaf * leaf
	return sumFloats(x[:half]) + sumFloats(x[half:])
}
