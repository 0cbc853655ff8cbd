package programs_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/tensor"
)

// TestAttention runs random blocks of attention as Keras writes them: products for queries,
// keys and values, heads moved forward, scores that are scaled and masked, softmax, the way
// back, a residual sum. What is fetched must have the bits on all engines and numbers of
// threads, with the default passes and without, that one thread has without rewriting.
func TestAttention(t *testing.T) {
	n := *seeds / 4
	if n == 0 {
		n = 32
		if testing.Short() {
			n = 6
		}
	}
	all, end := engines(t, "actors,actors/2,actors/3,actors/8,tokens/2,messages/2", memoryLimit)
	defer end()
	plain, stop := engines(t, "sequential", memoryLimit)
	defer stop()
	made := map[string]int{}
	for seed := *first; seed < *first+n; seed++ {
		o := newAttention(rand.New(rand.NewPCG(uint64(seed), 31)))
		want, err := o.run(plain[0], rewrite.Options{}, nil)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, notation.Format(o.g, notation.Options{}))
		}
		for _, e := range all {
			for _, passes := range []rewrite.Options{{}, {Passes: rewrite.Default()}} {
				got, err := o.run(e, passes, made)
				if err != nil || !slices.EqualFunc(got, want, sameFloatBits) {
					t.Fatalf("seed %d on %s with %s: %v\n%.500v, want\n%.500v\n%s", seed, e.label, passes.Passes, err,
						fmt.Sprint(got), fmt.Sprint(want), notation.Format(o.g, notation.Options{}))
				}
			}
		}
	}
	for _, op := range []string{"Softmax", "BatchMatMulV2", "Einsum"} {
		if made[op] < n/4 {
			t.Errorf("only %d of %s in %d networks", made[op], op, n)
		}
	}
}

func newAttention(rng *rand.Rand) *network {
	o := &network{g: graph.New(), rng: rng}
	batch, length, heads, size := 1+rng.Int64N(3), 1+rng.Int64N(70), 1+rng.Int64N(4), 1+rng.Int64N(24)
	width := heads * size
	o.fed = o.normal(batch, length, width)
	o.image = o.add("Placeholder", map[string]any{"dtype": tensor.Float}).Output(0)
	x := o.image
	for range 1 + rng.IntN(2) {
		einsum := rng.IntN(2) == 0
		var parts [3]graph.Output
		for i := range parts {
			if einsum {
				parts[i] = o.einsum("abc,cde->abde", x, o.constant(o.normal(width, heads, size)))
			} else {
				y := o.add("BatchMatMulV2", nil, x, o.constant(o.normal(width, width))).Output(0)
				parts[i] = o.add("Reshape", nil, y, o.integers(int32(batch), int32(length), int32(heads), int32(size))).Output(0)
			}
			if rng.IntN(2) == 0 {
				parts[i] = o.add("AddV2", nil, parts[i], o.constant(o.normal(heads, size))).Output(0)
			}
		}
		scale, _ := tensor.NewTensor(float32(1 / math.Sqrt(float64(size))))
		q := o.add("Mul", nil, parts[0], o.constant(scale)).Output(0)
		if !einsum {
			q = o.add("Transpose", nil, q, o.integers(0, 2, 1, 3)).Output(0)
			for i := 1; i < 3; i++ {
				parts[i] = o.add("Transpose", nil, parts[i], o.integers(0, 2, 1, 3)).Output(0)
			}
		}
		var scores graph.Output
		if einsum {
			scores = o.einsum("aecd,abcd->acbe", parts[1], q)
		} else {
			scores = o.add("BatchMatMulV2", map[string]any{"adj_y": true}, q, parts[1]).Output(0)
		}
		if rng.IntN(2) == 0 {
			mask := make([]float32, length*length)
			for i := range mask {
				if int64(i)%length > int64(i)/length {
					mask[i] = -1e9
				}
			}
			m, _ := tensor.FromSlice(mask, length, length)
			scores = o.add("AddV2", nil, scores, o.constant(m)).Output(0)
		}
		p := o.add("Softmax", nil, scores).Output(0)
		var y graph.Output
		if einsum {
			y = o.einsum("acbe,aecd->abcd", p, parts[2])
			y = o.einsum("abcd,cde->abe", y, o.constant(o.normal(heads, size, width)))
		} else {
			y = o.add("BatchMatMulV2", nil, p, parts[2]).Output(0)
			y = o.add("Transpose", nil, y, o.integers(0, 2, 1, 3)).Output(0)
			y = o.add("Reshape", nil, y, o.integers(int32(batch), int32(length), int32(width))).Output(0)
			y = o.add("BatchMatMulV2", nil, y, o.constant(o.normal(width, width))).Output(0)
		}
		x = o.add("AddV2", nil, x, y).Output(0)
		if rng.IntN(3) == 0 {
			x = o.add([]string{"Relu", "Tanh", "Elu"}[rng.IntN(3)], nil, x).Output(0)
		}
	}
	o.fetches = []graph.Output{x}
	return o
}

func (o *network) einsum(equation string, x, y graph.Output) graph.Output {
	n, err := o.g.AddOperation(graph.OpSpec{Type: "Einsum", Name: o.g.UniqueName("Einsum"),
		Attrs: map[string]any{"equation": equation}, Input: []graph.Input{graph.OutputList{x, y}}})
	if err != nil {
		panic(err)
	}
	return n.Output(0)
}

// normal draws numbers around zero.
func (o *network) normal(dims ...int64) *tensor.Tensor {
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(o.rng.NormFloat64()) / 2
	}
	t, err := tensor.FromSlice(x, dims...)
	if err != nil {
		panic(err)
	}
	return t
}

func (o *network) integers(x ...int32) graph.Output {
	t, err := tensor.FromSlice(x, int64(len(x)))
	if err != nil {
		panic(err)
	}
	return o.constant(t)
}
