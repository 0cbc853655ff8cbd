package image_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph/notation"
)

// BenchmarkSuppression takes 50 of the boxes that a detector of hands, or of many classes, puts
// out.
func BenchmarkSuppression(b *testing.B) {
	const n = 2000
	g := troupe.NewGraph()
	if err := notation.Add(g, `
boxes = Placeholder() {dtype=DT_FLOAT, shape=shape [2000,4]}
scores = Placeholder() {dtype=DT_FLOAT, shape=shape [2000]}
most = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 50>}
iou = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0.5>}
least = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0.01>}
y = NonMaxSuppressionV3(boxes, scores, most, iou, least) {T=DT_FLOAT, T_threshold=DT_FLOAT}
`); err != nil {
		b.Fatal(err)
	}
	s, err := troupe.NewSession(g, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	at := func(name string) troupe.Output { return g.Operation(name).Output(0) }
	c, err := s.MakeCallable([]troupe.Output{at("boxes"), at("scores")}, []troupe.Output{at("y")}, nil)
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	boxes, scores := make([]float32, 4*n), make([]float32, n)
	for i := range scores {
		y, x := rng.Float32(), rng.Float32()
		copy(boxes[4*i:], []float32{y, x, y + 0.2*rng.Float32(), x + 0.2*rng.Float32()})
		scores[i] = rng.Float32() * rng.Float32()
	}
	feed := func(v []float32, dims ...int64) *troupe.Tensor {
		t, err := troupe.FromSlice(v, dims...)
		if err != nil {
			b.Fatal(err)
		}
		return t
	}
	x, y := feed(boxes, n, 4), feed(scores, n)
	var out [1]*troupe.Tensor
	for b.Loop() {
		if err := c.RunInto(context.Background(), out[:], x, y); err != nil {
			b.Fatal(err)
		}
	}
}
