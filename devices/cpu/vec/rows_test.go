package vec

import "testing"

func TestSumRows(t *testing.T) {
	eachISA(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 127, 130, 511, 512, 513} {
			for _, rows := range []int{0, 1, 2, 5, 37} {
				x := mixed(t, n*rows)
				for i := range x {
					if i%11 == 3 {
						x[i] = special[i%len(special)]
					}
				}
				got, want := guarded[float32](t, n), make([]float32, n)
				for i := range got {
					got[i] = 7
				}
				for i, v := range x {
					want[i%n] += v
				}
				if SumRows(got, x); !same(got, want) {
					t.Fatalf("%d rows of %d: %v, want %v", rows, n, got, want)
				}
				func() {
					defer func() {
						if recover() == nil && n > 1 {
							t.Errorf("a row of %d was not whole", n)
						}
					}()
					SumRows(got, mixed(t, n*rows+1))
				}()
			}
		}
		sums, x := make([]float32, 48), make([]float32, 48*10)
		if n := testing.AllocsPerRun(10, func() { SumRows(sums, x) }); n != 0 {
			t.Errorf("%v allocations", n)
		}
	})
}

func BenchmarkSumRows(b *testing.B) {
	sums, x := make([]float32, 32), make([]float32, 32*1024)
	for b.Loop() {
		SumRows(sums, x)
	}
}
