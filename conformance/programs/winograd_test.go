package programs_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/tensor"
)

// newSquares draws a network of convolutions that Winograd's transforms compute, most of them,
// with what stands behind them and with others between.
func newSquares(rng *rand.Rand) *network {
	o := &network{g: graph.New(), rng: rng}
	channels := []int64{24, 32, 33, 48, 64}
	dims := []int64{1 + rng.Int64N(3), 12 + rng.Int64N(36), 12 + rng.Int64N(36), channels[rng.IntN(len(channels))]}
	o.fed = o.spread(dims, 1)
	o.image = o.add("Placeholder", map[string]any{"dtype": tensor.Float}).Output(0)
	x, depth := o.image, dims[3]
	for range 1 + rng.IntN(4) {
		attrs := map[string]any{"strides": []int64{1, 1, 1, 1}, "padding": []string{"SAME", "SAME", "VALID"}[rng.IntN(3)]}
		size, more := int64(3), channels[rng.IntN(len(channels))]
		switch rng.IntN(6) {
		case 0:
			size = 1 + rng.Int64N(4)
		case 1:
			attrs["padding"] = "EXPLICIT"
			attrs["explicit_paddings"] = []int64{0, 0, rng.Int64N(4), rng.Int64N(4), rng.Int64N(4), rng.Int64N(4), 0, 0}
		case 2:
			attrs["padding"], more = "SAME", depth
		}
		before := x
		x = o.add("Conv2D", attrs, x, o.constant(o.spread([]int64{size, size, depth, more}, 1/math.Sqrt(float64(size*size*depth))))).Output(0)
		for range rng.IntN(3) {
			switch rng.IntN(4) {
			case 0:
				x = o.add([]string{"BiasAdd", "AddV2", "Mul"}[rng.IntN(3)], nil, x, o.constant(o.spread([]int64{more}, 1))).Output(0)
			case 1:
				x = o.add([]string{"Relu", "Relu6", "Tanh", "LeakyRelu"}[rng.IntN(4)], nil, x).Output(0)
			case 2:
				if attrs["padding"] == "SAME" && more == depth {
					x = o.add("AddV2", nil, x, before).Output(0)
				}
			}
		}
		depth = more
	}
	o.fetches = []graph.Output{x}
	return o
}

// spread draws floats from a normal distribution.
func (o *network) spread(dims []int64, deviation float64) *tensor.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(o.rng.NormFloat64() * deviation)
	}
	t, err := tensor.FromSlice(x, dims...)
	if err != nil {
		panic(err)
	}
	return t
}

// TestWinogradNetworks runs random networks whose convolutions are computed by Winograd's
// transforms: results are those of plain convolutions but for some digits, and to the bit the same
// on all engines and for an image alone.
func TestWinogradNetworks(t *testing.T) {
	n := *seeds
	if n == 0 {
		n = 60
		if testing.Short() {
			n = 20
		}
	}
	all, end := engines(t, "sequential,actors,actors/3,bands,tokens,messages", memoryLimit)
	defer end()
	passes, err := rewrite.Parse("+winograd")
	if err != nil {
		t.Fatal(err)
	}
	others := 0
	for seed := *first; seed < *first+n; seed++ {
		o := newSquares(rand.New(rand.NewPCG(uint64(seed), 31)))
		fail := func(what string, args ...any) {
			t.Helper()
			t.Fatalf("seed %d: "+what+"\n%s", append(append([]any{seed}, args...), notation.Format(o.g, notation.Options{}))...)
		}
		plain, err := o.run(all[0], rewrite.Options{Passes: rewrite.Default()}, nil)
		if err != nil {
			fail("%v", err)
		}
		var want []float32
		for i, e := range all {
			got, err := o.run(e, rewrite.Options{Passes: passes}, nil)
			if err != nil {
				fail("on %s: %v", e.label, err)
			}
			if i == 0 {
				want = got
			} else if !slices.EqualFunc(got, want, sameFloatBits) {
				fail("on %s other bits than on %s", e.label, all[0].label)
			}
		}
		square := 0.0
		for _, v := range plain {
			square += float64(v) * float64(v)
		}
		unit := math.Sqrt(square / float64(len(plain)))
		for i, v := range want {
			if d := math.Abs(float64(v) - float64(plain[i])); d > 1e-4*(unit+math.Abs(float64(v))) {
				fail("element %d is %v, and %v by plain convolutions", i, v, plain[i])
			}
		}
		if !slices.EqualFunc(want, plain, sameFloatBits) {
			others++
		}
		dims := slices.Clone(o.fed.Dims())
		value := tensor.ValueOf(o.fed)
		image := tensor.Of[float32](&value)[:len(tensor.Of[float32](&value))/int(dims[0])]
		dims[0] = 1
		if o.fed, err = tensor.FromSlice(slices.Clone(image), dims...); err != nil {
			t.Fatal(err)
		}
		got, err := o.run(all[1], rewrite.Options{Passes: passes}, nil)
		if err != nil {
			fail("an image alone: %v", err)
		}
		if !slices.EqualFunc(got, want[:len(got)], sameFloatBits) {
			fail("an image alone has other bits than in a batch")
		}
	}
	if others < n/2 {
		t.Errorf("only %d of %d networks were computed otherwise", others, n)
	}
}
