package vec

import (
	"fmt"
	"math"
	"testing"
)

// The functions on rows give the same bits as their definitions, for all lengths and
// special numbers, and touch nothing else.
func TestLines(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		t.Run("float32", testLines[float32])
		t.Run("float64", testLines[float64])
	})
}

func testLines[T Float](t *testing.T) {
	same := func(x, y T) bool {
		return math.Float64bits(float64(x)) == math.Float64bits(float64(y)) || x != x && y != y
	}
	numbers := func(n, seed int, unusual bool) []T {
		x := guarded[T](t, n)
		for i := range x {
			x[i] = T(math.Sin(float64(i+seed)*1.7) * math.Exp2(float64((i+seed)%9-4)))
			if unusual && (i+seed)%5 == 0 {
				x[i] = T(special[(i/5+seed)%len(special)])
			}
		}
		return x
	}
	for _, n := range lengths() {
		for _, unusual := range []bool{false, true} {
			if unusual && n > 300 {
				continue
			}
			x, y := numbers(n, 1, unusual), numbers(n, 7, unusual)
			c, s := T(0.7), T(-1.3)
			ax, ay := append([]T(nil), x...), append([]T(nil), y...)
			check := func(what string, got []T, want func(i int) T) {
				t.Helper()
				for i, v := range got {
					if !same(v, want(i)) {
						t.Fatalf("%s of %d: element %d is %v, not %v", what, n, i, v, want(i))
					}
				}
			}
			count := 256 / sizeOf[T]()
			sums := make([]T, count)
			for i := range x {
				sums[i%count] += T(x[i] * y[i])
			}
			for h := count / 2; h > 0; h /= 2 {
				for i := range h {
					sums[i] += sums[i+h]
				}
			}
			if got := Dot(x, y); !same(got, sums[0]) {
				t.Fatalf("the product of %d is %v, not %v", n, got, sums[0])
			}
			AddScaled(x, s, y)
			check("AddScaled", x, func(i int) T { return ax[i] + T(s*ay[i]) })
			check("what AddScaled reads", y, func(i int) T { return ay[i] })
			copy(x, ax)
			Rotate(x, y, c, s)
			check("Rotate, x", x, func(i int) T { return T(c*ax[i]) - T(s*ay[i]) })
			check("Rotate, y", y, func(i int) T { return T(s*ax[i]) + T(c*ay[i]) })
			for from := range min(n, 3) { // elements before and after stay
				copy(x, ax)
				AddScaled(x[from:n-1], s, ay[from:])
				check("AddScaled of a part", x, func(i int) T {
					if i < from || i == n-1 {
						return ax[i]
					}
					return ax[i] + T(s*ay[i])
				})
				copy(x, ax)
				copy(y, ay)
				Rotate(x[from:n-1], y[from:], c, s)
				check("Rotate of a part", y, func(i int) T {
					if i < from || i == n-1 {
						return ay[i]
					}
					return T(s*ax[i]) + T(c*ay[i])
				})
			}
		}
	}
	for _, short := range []func(){
		func() { AddScaled(make([]T, 3), 1, make([]T, 2)) },
		func() { Rotate(make([]T, 3), make([]T, 2), 1, 1) },
		func() { Dot(make([]T, 3), make([]T, 2)) },
	} {
		mustPanic(t, "a short operand", short)
	}
}

// RotateRows does what as many calls of Rotate do, and leaves what is beside.
func TestRotateRows(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for count := range 6 {
			for cols := range 90 {
				for _, ld := range []int{cols, cols + 3} {
					if cols == 0 {
						continue
					}
					rows := guarded[float64](t, count*ld+cols)
					for i := range rows {
						rows[i] = math.Sin(float64(i) * 1.7)
						if i%11 == 5 {
							rows[i] = float64(special[i%len(special)])
						}
					}
					turns := guarded[float64](t, 2*count)
					for i := range turns {
						turns[i] = math.Cos(float64(i*i + 1))
					}
					want := append([]float64(nil), rows...)
					for i := range count {
						rotatePortable(want[i*ld:][:cols], want[(i+1)*ld:], turns[2*i], turns[2*i+1])
					}
					RotateRows(rows, ld, cols, turns)
					for i, x := range rows {
						if math.Float64bits(x) != math.Float64bits(want[i]) && (x == x || want[i] == want[i]) {
							t.Fatalf("%d turns of %d columns in rows of %d: element %d is %v, not %v", count, cols, ld, i, x, want[i])
						}
					}
				}
			}
		}
	})
	mustPanic(t, "too few rows", func() { RotateRows(make([]float64, 11), 4, 4, make([]float64, 4)) })
}

func sizeOf[T Float]() int {
	if T(1)/3 == T(float32(1)/3) {
		return 4
	}
	return 8
}

func BenchmarkLines(b *testing.B) {
	for _, n := range []int{8, 64, 200} {
		x, y := make([]float64, n), make([]float64, n)
		b.Run(fmt.Sprintf("AddScaled/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				AddScaled(x, 1.5, y)
			}
		})
		b.Run(fmt.Sprintf("Rotate/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				Rotate(x, y, 0.8, 0.6)
			}
		})
		rows, turns := make([]float64, n*n), make([]float64, 2*(n-1))
		b.Run(fmt.Sprintf("RotateRows/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				RotateRows(rows, n, n, turns)
			}
		})
		b.Run(fmt.Sprintf("Dot/n=%d", n), func(b *testing.B) {
			for b.Loop() {
				Dot(x, y)
			}
		})
	}
}
