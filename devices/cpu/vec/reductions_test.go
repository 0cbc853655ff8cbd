package vec

import (
	"math"
	"testing"
)

// lengths are all short ones, and some long ones about the multiples of what is
// taken at a time.
func lengths() []int {
	var ns []int
	for n := range 200 {
		ns = append(ns, n)
	}
	return append(ns, 255, 256, 257, 1023, 4097, 33333)
}

// mixed is n numbers of both signs and many sizes.
func mixed(t *testing.T, n int) []float32 {
	x := guarded[float32](t, n)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)*1.7) * math.Exp2(float64(i%9-4)))
	}
	return x
}

// byLanes returns what Sum documents, and the exact sum with that of the magnitudes.
func byLanes(x []float32) (want float32, exact, magnitude float64) {
	var l [64]float32
	for i, v := range x {
		l[i%64] += v
		exact += float64(v)
		magnitude += math.Abs(float64(v))
	}
	for n := 32; n > 0; n /= 2 {
		for i := range n {
			l[i] += l[i+n]
		}
	}
	return l[0], exact, magnitude
}

func TestSum(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range lengths() {
			x := mixed(t, n)
			for from := range min(n, 3) {
				x := x[from:]
				want, exact, magnitude := byLanes(x)
				got := Sum(x)
				if got != want {
					t.Errorf("the sum of %d elements is %v, in its order %v", len(x), got, want)
				}
				if e := math.Abs(float64(got) - exact); e > magnitude*float64(n/64+7)*0x1p-24 {
					t.Errorf("the sum of %d elements is wrong by %v", len(x), e)
				}
			}
			for i := 0; i < n; i += 13 {
				v := x[i]
				if x[i] = nan; Sum(x) == Sum(x) {
					t.Errorf("the sum of %d elements with NaN at %d is not NaN", n, i)
				}
				if x[i] = inf; Sum(x) != inf {
					t.Errorf("the sum of %d elements with Inf at %d is %v", n, i, Sum(x))
				}
				x[i] = v
			}
		}
	})
}

func TestExtremes(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		check := func(x []float32) {
			t.Helper()
			most, least, number, first := -inf, inf, -inf, -1
			for i, v := range x {
				most, least = max(most, v), min(least, v)
				if v > number {
					number, first = v, i
				}
			}
			if number == -inf {
				for i, v := range x {
					if v == number {
						first = i
						break
					}
				}
			}
			if got := Largest(x); !same([]float32{got}, []float32{most}) {
				t.Errorf("the largest of %v is %v, want %v", x, got, most)
			}
			if got := Smallest(x); !same([]float32{got}, []float32{least}) {
				t.Errorf("the smallest of %v is %v, want %v", x, got, least)
			}
			if got := LargestNumber(x); got != number {
				t.Errorf("the largest number of %v is %v, want %v", x, got, number)
			}
			if got := Index(x, number); got != first {
				t.Errorf("the index of %v in %v is %d, want %d", number, x, got, first)
			}
			if got := Index(x, 1234); got != -1 {
				t.Errorf("the index of what is not there is %d", got)
			}
			if got := Index(x, nan); got != -1 {
				t.Errorf("the index of NaN is %d", got)
			}
		}
		for _, n := range lengths() {
			x := mixed(t, n)
			check(x)
			for i := 0; i < n; i += 1 + n/31 {
				v := x[i]
				for _, s := range special {
					x[i] = s
					check(x)
				}
				x[i] = v
			}
			for _, all := range special {
				for i := range x {
					x[i] = all
				}
				check(x)
				if n > 0 {
					x[n/2] = -all
					check(x)
					x[n-1] = nan
					check(x)
				}
			}
		}
	})
}

func TestConversions(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range lengths() {
			x := mixed(t, n)
			for i := range x {
				if i%3 == 0 {
					x[i] = special[i/3%len(special)]
				} else {
					x[i] *= 1e9
				}
			}
			wide, whole := guarded[float64](t, n), guarded[int32](t, n)
			ToFloat64(wide, x)
			ToInt32(whole, x)
			for i, v := range x {
				if math.Float64bits(wide[i]) != math.Float64bits(float64(v)) && v == v || v != v && wide[i] == wide[i] {
					t.Fatalf("%v in float64 is %v", v, wide[i])
				}
				if whole[i] != int32(v) {
					t.Fatalf("%v in int32 is %d, want %d", v, whole[i], int32(v))
				}
			}
		}
	})
}
