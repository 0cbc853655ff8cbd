package tile

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/tensor"
)

// BenchmarkBytes writes results of so many bytes and reads them again on one core, as two kernels
// after another do: what a byte costs that fits into the second cache, and one that does not.
func BenchmarkBytes(b *testing.B) {
	for _, size := range []int{64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20} {
		b.Run(fmt.Sprint(size>>10, "KiB"), func(b *testing.B) {
			o := make([]float32, size/4)
			for b.Loop() {
				vec.MulScalar(o, o, 1.25)
				vec.Relu(o, o)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/byte")
		})
	}
}

// convolutions returns so many of one after another.
func convolutions(many int) (*network, []kernel.TileInput) {
	n := &network{rng: rand.New(rand.NewPCG(1, 1)), images: true}
	x := n.outsider(1, 64, 1, 8)
	for len(n.results) < many {
		from := x
		if len(n.results) > 0 {
			from = len(n.results) - 1
		}
		n.add("Conv2D", `strides=[1, 1, 1, 1], padding="SAME"`, from, n.outsider(1, 1, 8, 8))
	}
	inputs := make([]kernel.TileInput, len(n.outside))
	for i := range inputs {
		inputs[i] = kernel.TileInput{DType: tensor.Float, Dims: n.outside[i].Dims()}
	}
	return n, inputs
}

// BenchmarkTile begins with rows that have nothing to compute: a step of a band alone.
func BenchmarkTile(b *testing.B) {
	n, inputs := convolutions(8)
	p := planner{group: &n.group, outside: inputs, workers: 1, budget: 7 * 16}
	p.look()
	s := p.segment(0, 7, 1)
	s.settle()
	given := make([][]float32, len(s.Inputs))
	for i := range given {
		given[i] = n.floats(s.Inputs[i])
	}
	r, ctx, out := NewRunner(s), (&kerneltest.Runner{}).Context(), make([]float32, n.results[7].NumElements())
	for b.Loop() {
		if _, err := r.Run(ctx, func(i int) []float32 { return given[i] }, func(int) []float32 { return out }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(64/s.Height*8), "ns/tile")
}

// BenchmarkPlan divides convolutions one after another.
func BenchmarkPlan(b *testing.B) {
	n, inputs := convolutions(200)
	b.ReportAllocs()
	for b.Loop() {
		NewPlan(&n.group, inputs, 2)
	}
}
