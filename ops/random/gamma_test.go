package random

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Draws of a batch have the bits of those one by one.
func TestGammaBatches(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	special := []float64{0, 1, -1, math.Inf(1), math.NaN(), 1e-3, 0x1p-1074, 1e300}
	for range 300 {
		n := 1 + rng.IntN(batch)
		alpha, got, want := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range alpha {
			switch rng.IntN(8) {
			case 0:
				alpha[i] = special[rng.IntN(len(special))]
			case 1:
				if i > 0 {
					alpha[i] = alpha[i-1]
				}
			default:
				alpha[i] = math.Ldexp(1+rng.Float64(), rng.IntN(14)-7)
			}
		}
		g := philox.New(rng.Uint64(), rng.Uint64())
		g.Skip(rng.Uint64())
		drawGammas(got, alpha, g)
		one(drawGamma)(want, alpha, g)
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("draw %d of %d with %v is %v, alone %v", i, n, alpha[i], got[i], want[i])
			}
		}
	}
}

// Elements of a draw that several workers share are where they would be alone: those of a
// parameter after those of the one before take the generator's values.
func TestGammaShared(t *testing.T) {
	alphas, each := []float64{0.5, 1, 2.5}, 700
	shape, err := tensor.FromSlice([]int32{int32(each), 3}, 2)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := tensor.FromSlice([]int32{3, 4}, 2)
	if err != nil {
		t.Fatal(err)
	}
	alpha, err := tensor.FromSlice(alphas, 3)
	if err != nil {
		t.Fatal(err)
	}
	r := kerneltest.Runner{Pool: kerneltest.Threads{}}
	out, err := r.Run("draw", "StatelessRandomGammaV2", registry.Attrs{{Name: "dtype", Value: registry.TypeAttr(tensor.Double)}}, shape, seed, alpha)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tensor.Data[float64](out[0])
	if err != nil {
		t.Fatal(err)
	}
	v := tensor.ValueOf(seed)
	g, err := philox.FromSeed(&v)
	if err != nil {
		t.Fatal(err)
	}
	for k, alpha := range alphas {
		for i := range each {
			if want := drawGamma(alpha, g); math.Float64bits(got[3*i+k]) != math.Float64bits(want) {
				t.Fatalf("draw %d with %v is %v, alone %v", i, alpha, got[3*i+k], want)
			}
			g.Skip(reserved)
		}
	}
}
