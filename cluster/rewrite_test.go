package cluster_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

// convolved convolves rows, by a kernel and by a function that a kernel calls, with a filter of
// another worker.
const convolved = `
x = Placeholder() @/job:worker/task:0 {dtype=DT_FLOAT}
first = Placeholder() @/job:worker/task:1 {dtype=DT_FLOAT}
v = VarHandleOp() @/job:worker/task:1 {dtype=DT_FLOAT, shape=shape [3,3,32,32], shared_name="filter"}
init = AssignVariableOp(v, first) @/job:worker/task:1 {dtype=DT_FLOAT}
filter = ReadVariableOp(v) @/job:worker/task:1 {dtype=DT_FLOAT}
far = Conv2D(x, filter) @/job:worker/task:0 {T=DT_FLOAT, strides=[1, 1, 1, 1], padding="SAME"}
relu = Relu(far) @/job:worker/task:0 {T=DT_FLOAT}
near = Conv2D(relu, filter) @/job:worker/task:1 {T=DT_FLOAT, strides=[1, 1, 1, 1], padding="SAME"}
each = MapDefun(x, filter) @/job:worker/task:1 {Targuments=[DT_FLOAT], Tcaptured=[DT_FLOAT], f=func Convolve, output_shapes=list(shape) [[1,28,28,32]], output_types=[DT_FLOAT]}

func Convolve(x: float, w: float) -> (y: float) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  image = ExpandDims(x, zero:output:0) {T=DT_FLOAT}
  conv = Conv2D(image:output:0, w) {T=DT_FLOAT, strides=[1, 1, 1, 1], padding="SAME"}
  return y = conv:output:0
}
`

// TestRewrite: the passes that a session names are those of its workers, in functions too, so
// that bits are those of a session without workers.
func TestRewrite(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	normal := func(dims ...int64) *tensor.Tensor {
		n := int64(1)
		for _, d := range dims {
			n *= d
		}
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		x, err := tensor.FromSlice(v, dims...)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	_, target := startWorkers(t, 2)
	x, filters := normal(2, 28, 28, 32), []*tensor.Tensor{normal(3, 3, 32, 32), normal(3, 3, 32, 32)}
	fetches := []string{"far", "near", "each"}
	results := func(target, rewrite string) (all [][]float32) {
		t.Helper()
		g := text(t, convolved)
		s := newSession(t, target, g, rewrite)
		defer s.Close()
		for _, f := range filters {
			if _, err := run(t.Context(), s, g, map[string]*tensor.Tensor{"first": f}, nil, []string{"init"}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				got, err := run(t.Context(), s, g, map[string]*tensor.Tensor{"x": x}, fetches, nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range got {
					all = append(all, floats(v))
				}
			}
		}
		return all
	}
	plain, want := results("", ""), results("", "+winograd")
	for i, got := range results(target, "+winograd") {
		name := fetches[i%len(fetches)]
		if !slices.Equal(got, want[i]) {
			t.Errorf("%d: %s has other bits than without workers", i/len(fetches), name)
		}
		if slices.Equal(got, plain[i]) {
			t.Errorf("%d: %s is not computed by transforms", i/len(fetches), name)
		}
	}
}
