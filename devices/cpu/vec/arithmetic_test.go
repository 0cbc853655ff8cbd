package vec

import (
	"fmt"
	"math"
	"testing"
)

// An operation in its three forms; nil where there is none.
type operation struct {
	name    string
	vectors func(dst, x, y []float32)
	scalar  func(dst, x []float32, s float32)
	first   func(dst []float32, s float32, y []float32)
	exact   func(x, y float32) float32
}

var operations = []operation{
	{"Add", Add, AddScalar, nil, func(x, y float32) float32 { return x + y }},
	{"Sub", Sub, SubScalar, ScalarSub, func(x, y float32) float32 { return x - y }},
	{"Mul", Mul, MulScalar, nil, func(x, y float32) float32 { return x * y }},
	{"Div", Div, DivScalar, ScalarDiv, func(x, y float32) float32 { return x / y }},
	{"Max", Max, MaxScalar, nil, func(x, y float32) float32 { return max(x, y) }},
	{"Min", Min, MinScalar, nil, func(x, y float32) float32 { return min(x, y) }},
	{"Above", Above, AboveScalar, nil, func(x, y float32) float32 {
		if x > y {
			return x
		}
		return y
	}},
	{"AtMost", AtMost, AtMostScalar, nil, func(x, y float32) float32 {
		if y < x {
			return y
		}
		return x
	}},
	{"AtLeast", AtLeast, AtLeastScalar, nil, func(x, y float32) float32 {
		if y > x {
			return y
		}
		return x
	}},
	{"LeakyRelu", func(dst, x, y []float32) {
		for i := range dst {
			LeakyRelu(dst[i:i+1], x[i:i+1], y[i])
		}
	}, LeakyRelu, nil, func(x, y float32) float32 {
		if x > 0 {
			return x
		}
		return x * y
	}},
	{"ReluGrad", ReluGrad, nil, nil, func(x, y float32) float32 {
		if y > 0 {
			return x
		}
		return x * 0
	}},
	{"Relu6Grad", Relu6Grad, nil, nil, func(x, y float32) float32 {
		if y > 0 && y < 6 {
			return x
		}
		return x * 0
	}},
	{"Abs", func(dst, x, _ []float32) { Abs(dst, x) }, nil, nil, func(x, _ float32) float32 {
		return float32(math.Abs(float64(x)))
	}},
	{"Neg", func(dst, x, _ []float32) { Neg(dst, x) }, nil, nil, func(x, _ float32) float32 { return -x }},
	{"Floor", func(dst, x, _ []float32) { Floor(dst, x) }, nil, nil, func(x, _ float32) float32 { return float32(math.Floor(float64(x))) }},
	{"Ceil", func(dst, x, _ []float32) { Ceil(dst, x) }, nil, nil, func(x, _ float32) float32 { return float32(math.Ceil(float64(x))) }},
	{"RoundToEven", func(dst, x, _ []float32) { RoundToEven(dst, x) }, nil, nil, func(x, _ float32) float32 { return float32(math.RoundToEven(float64(x))) }},
	{"Round", func(dst, x, _ []float32) { Round(dst, x) }, nil, nil, func(x, _ float32) float32 { return float32(math.Round(float64(x))) }},
	{"Relu", func(dst, x, _ []float32) { Relu(dst, x) }, nil, nil, func(x, _ float32) float32 {
		if x <= 0 {
			return 0
		}
		return x
	}},
}

// Every pair of special numbers, in every place of a vector, at the end of
// slices of every length.
func TestArithmetic(t *testing.T) {
	pairs := len(special) * len(special)
	eachISA(t, func(t *testing.T) {
		for _, op := range operations {
			for n := range 150 {
				x, y, dst := guarded[float32](t, n), guarded[float32](t, n), guarded[float32](t, n)
				want := make([]float32, n)
				for start := 0; start < pairs; start += max(n, 1) * 7 {
					for i := range x {
						p := (start + i*7) % pairs
						x[i], y[i] = special[p/len(special)], special[p%len(special)]
					}
					check := func(form string, compute func(), exact func(i int) float32) {
						t.Helper()
						for i := range want {
							want[i] = exact(i)
						}
						compute()
						if !same(dst, want) {
							t.Fatalf("%s %s of %v and %v is %v, want %v", op.name, form, x, y, dst, want)
						}
					}
					s := special[(start+n)%len(special)]
					check("of vectors", func() { op.vectors(dst, x, y) }, func(i int) float32 { return op.exact(x[i], y[i]) })
					if op.scalar != nil {
						check(fmt.Sprint("with ", s), func() { op.scalar(dst, x, s) }, func(i int) float32 { return op.exact(x[i], s) })
					}
					if op.first != nil {
						check(fmt.Sprint("of ", s), func() { op.first(dst, s, y) }, func(i int) float32 { return op.exact(s, y[i]) })
					}
				}
				copy(dst, x)
				for i := range want {
					want[i] = op.exact(x[i], y[i])
				}
				op.vectors(dst, dst, y)
				if !same(dst, want) {
					t.Fatalf("%s of %v and %v in place is %v, want %v", op.name, x, y, dst, want)
				}
			}
		}
	})
}

// Products and sums that are rounded one by one, in place and not.
func TestMulAddAndNormalize(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range lengths() {
			dst, x, y, z, w := mixed(t, n), mixed(t, n+1)[1:], mixed(t, n+2)[2:], mixed(t, n+3)[3:], mixed(t, n+4)[4:]
			sums, normal := make([]float32, n), make([]float32, n)
			for i := range n {
				sums[i] = dst[i] + float32(x[i]*y[i])
				normal[i] = float32((x[i]-y[i])*z[i]) + w[i]
			}
			MulAdd(dst, x, y)
			if !same(dst, sums) {
				t.Fatalf("the sum of %d products is %v, want %v", n, dst, sums)
			}
			Normalize(dst, x, y, z, w)
			if !same(dst, normal) {
				t.Fatalf("%d normalized numbers are %v, want %v", n, dst, normal)
			}
			Normalize(x, x, y, z, w)
			if !same(x, normal) {
				t.Fatalf("%d numbers normalized in place are %v, want %v", n, x, normal)
			}
		}
	})
}

func TestOperandTooShort(t *testing.T) {
	dst, x := make([]float32, 10), make([]float32, 9, 20)
	for name, f := range map[string]func(){
		"Add":       func() { Add(dst, dst, x) },
		"AddScalar": func() { AddScalar(dst, x, 1) },
		"ScalarSub": func() { ScalarSub(dst, 1, x) },
		"Exp":       func() { Exp(dst, x) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s took 9 elements for 10", name)
				}
			}()
			f()
		}()
	}
}

// Halves and the numbers next to them, of all sizes at which there are halves and beyond.
func TestRounding(t *testing.T) {
	var x []float32
	for e := -2; e < 26; e++ {
		for i := range 16 {
			half := float32(math.Ldexp(1+float64(i)/16, e)) + 0.5
			for _, v := range []float32{half, math.Nextafter32(half, 0), math.Nextafter32(half, inf), half - 0.5} {
				x = append(x, v, -v)
			}
		}
	}
	eachISA(t, func(t *testing.T) {
		for _, op := range []struct {
			name  string
			all   func(dst, x []float32)
			exact func(float64) float64
		}{{"Floor", Floor, math.Floor}, {"Ceil", Ceil, math.Ceil}, {"RoundToEven", RoundToEven, math.RoundToEven}, {"Round", Round, math.Round}} {
			got := make([]float32, len(x))
			op.all(got, x)
			for i, v := range x {
				if want := float32(op.exact(float64(v))); math.Float32bits(got[i]) != math.Float32bits(want) {
					t.Errorf("%s of %v is %v, want %v", op.name, v, got[i], want)
				}
			}
		}
	})
}
