package op_test

import (
	"testing"

	_ "github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// Gradients through one loop may be asked for again: of gradients, and of another loss.
func TestGradientsAgain(t *testing.T) {
	s := op.NewScope()
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.ScalarShape()))
	zero, one, three := op.Const(s.SubScope("zero"), int32(0)), op.Const(s.SubScope("one"), int32(1)), op.Const(s.SubScope("three"), int32(3))
	y := op.While(s, []tf.Output{zero, x}, // y = x⁸, by squaring three times
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], three) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			return []tf.Output{op.AddV2(s, v[0], one), op.Mul(s, v[1], v[1])}
		})[1]
	z := op.Mul(s.SubScope("z"), y, y)
	xs := []tf.Output{x}
	first := op.Gradients(s, []tf.Output{y}, xs)
	second := op.Gradients(s.SubScope("second"), first, xs)
	third := op.Gradients(s.SubScope("third"), second, xs)
	other := op.Gradients(s.SubScope("other"), []tf.Output{z}, xs)
	g, err := s.Finalize()
	if err != nil {
		t.Fatal(err)
	}
	added, err := g.AddGradients("added", []tf.Output{z}, xs, nil)
	if err != nil {
		t.Fatal(err)
	}
	fetches := []tf.Output{first[0], second[0], third[0], other[0], added[0]}
	want := []float32{8 << 7, 56 << 6, 336 << 5, 16 << 15, 16 << 15}
	for _, engine := range []string{"actors", "sequential", "messages"} {
		session, err := tf.NewSession(g, &tf.SessionOptions{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		two, _ := tf.NewTensor(float32(2))
		got, err := session.Run(map[tf.Output]*tf.Tensor{x: two}, fetches, nil)
		if err != nil {
			t.Errorf("%s: %v", engine, err)
		}
		for i, v := range got {
			if v.Value() != want[i] {
				t.Errorf("%s: %v is %v, want %v", engine, fetches[i], v.Value(), want[i])
			}
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
}
