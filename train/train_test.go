package train_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

func TestTry(t *testing.T) {
	ctx := context.Background()
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(-1, 2)))
	y := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(-1, 1)))
	w := m.Variable("w", train.GlorotUniform, tf.Float, 2, 1)
	losses := op.SquaredDifference(s, op.MatMul(s, x, w.Value), y)
	loss := op.Mean(s, losses, op.Const(s, []int32{0, 1}))
	g := m.Minimize(loss, train.Adam{Rate: train.Fixed(0.1)}, train.Options{Average: 0.99, WeightDecay: 0.001, Clip: train.ClipByGlobalNorm(1)})
	sess, err := tf.NewSession(m.Graph(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer sess.Close()
	tr, err := m.Start(ctx, sess)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := tf.NewTensor([][]float32{{1, 2}, {3, 4}, {0, 1}})
	b, _ := tf.NewTensor([][]float32{{5}, {11}, {2}})
	seq := func(yield func(train.Batch) bool) {
		for range 200 {
			if !yield(train.Batch{x: a, y: b}) {
				return
			}
		}
	}
	for st, err := range tr.Steps(ctx, g, seq) {
		if err != nil {
			t.Fatal(err)
		}
		if st.N%20 == 0 {
			fmt.Println(st)
		}
	}
	out, err := sess.Run(nil, []tf.Output{w.Value, m.Lookup("w/ExponentialMovingAverage").Value}, nil)
	fmt.Println(out[0].Value(), out[1].Value(), err)
}
