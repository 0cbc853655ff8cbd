package train_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/train"
)

// A straight line is fitted to points.
func Example() {
	ctx := context.Background()
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	x := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(-1)))
	y := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(-1)))
	slope := m.Variable("slope", train.Zeros, tf.Float)
	offset := m.Variable("offset", train.Zeros, tf.Float)
	line := op.AddV2(s, op.Mul(s, x, slope.Value), offset.Value)
	loss := op.Mean(s, op.SquaredDifference(s, line, y), op.Const(s, int32(0)))
	goal := m.Minimize(loss, train.SGD{Rate: train.Fixed(0.1), Momentum: 0.9}, train.Options{})

	session, err := tf.NewSession(m.Graph(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	t, err := m.Start(ctx, session)
	if err != nil {
		log.Fatal(err)
	}
	xs, err := tf.NewTensor([]float32{-1, 0, 1, 2})
	if err != nil {
		log.Fatal(err)
	}
	ys, err := tf.NewTensor([]float32{1, 3, 5, 7}) // 2x + 3
	if err != nil {
		log.Fatal(err)
	}
	data, err := train.NewData(train.Batch{x: xs, y: ys})
	if err != nil {
		log.Fatal(err)
	}
	for step, err := range t.Steps(ctx, goal, data.Shuffled(4, 1, 0, 300)) {
		if err != nil {
			log.Fatal(err)
		}
		if step.N%30 == 1 && step.N < 100 {
			fmt.Printf("%d: %.2f\n", step.N, step.Loss)
		}
	}
	out, err := session.Run(nil, []tf.Output{slope.Value, offset.Value}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f x + %.3f\n", out[0].Value(), out[1].Value())
	// Output:
	// 1: 21.00
	// 31: 0.87
	// 61: 0.04
	// 91: 0.00
	// 2.000 x + 3.000
}

// parity returns a network that learns whether an odd number of its two inputs is 1, and
// what it is trained on.
func parity() (m *train.Model, goal *train.Goal, data *train.Data, in, odd tf.Output) {
	m = train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	in = op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(-1, 2)))
	want := op.Placeholder(s, tf.Float, op.PlaceholderShape(tf.MakeShape(-1, 1)))
	w1 := m.Variable("hidden/kernel", train.GlorotUniform, tf.Float, 2, 8)
	b1 := m.Variable("hidden/bias", train.Zeros, tf.Float, 8)
	w2 := m.Variable("odd/kernel", train.GlorotUniform, tf.Float, 8, 1)
	hidden := op.Tanh(s, op.BiasAdd(s, op.MatMul(s, in, w1.Value), b1.Value))
	odd = op.MatMul(s, hidden, w2.Value)
	loss := op.Mean(s, op.SquaredDifference(s, odd, want), op.Const(s, []int32{0, 1}))
	goal = m.Minimize(loss, train.Adam{Rate: train.Fixed(0.05)}, train.Options{Clip: train.ClipByGlobalNorm(1)})
	xs, err := tf.NewTensor([][]float32{{0, 0}, {0, 1}, {1, 0}, {1, 1}})
	if err != nil {
		log.Fatal(err)
	}
	ys, err := tf.NewTensor([][]float32{{0}, {1}, {1}, {0}})
	if err != nil {
		log.Fatal(err)
	}
	if data, err = train.NewData(train.Batch{in: xs, want: ys}); err != nil {
		log.Fatal(err)
	}
	return m, goal, data, in, odd
}

// Training goes on from the last checkpoint, if there is one, and with the batches
// that are left.
func ExampleCheckpoints() {
	dir, err := os.MkdirTemp("", "checkpoints")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	run := func(ctx context.Context, until int64) error {
		m, goal, data, _, _ := parity()
		session, err := tf.NewSession(m.Graph(), nil)
		if err != nil {
			return err
		}
		defer session.Close()
		t, err := m.Start(ctx, session)
		if err != nil {
			return err
		}
		kept := &train.Checkpoints{Dir: dir}
		if _, err := kept.Restore(ctx, t); err != nil {
			return err
		}
		done, err := t.Updates(ctx, goal)
		if err != nil {
			return err
		}
		fmt.Println("beginning after", done)
		for step, err := range t.Steps(ctx, goal, data.Shuffled(4, 1, done, until)) {
			if err != nil {
				return err
			}
			if step.N%50 == 0 {
				if err := kept.Save(ctx, t, goal); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, until := range []int64{120, 200} {
		if err := run(context.Background(), until); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// beginning after 0
	// beginning after 100
}

// What was trained is exported and loaded again.
func ExampleTrainer_Export() {
	dir, err := os.MkdirTemp("", "export")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	dir = filepath.Join(dir, "parity")
	ctx := context.Background()
	m, goal, data, in, odd := parity()
	session, err := tf.NewSession(m.Graph(), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	t, err := m.Start(ctx, session)
	if err != nil {
		log.Fatal(err)
	}
	for _, err := range t.Steps(ctx, goal, data.Shuffled(4, 1, 0, 500)) {
		if err != nil {
			log.Fatal(err)
		}
	}
	err = t.Export(ctx, dir, map[string]model.ExportSignature{"serving_default": {
		Inputs: map[string]tf.Output{"in": in}, Outputs: map[string]tf.Output{"odd": odd},
	}})
	if err != nil {
		log.Fatal(err)
	}

	loaded, err := model.Load(dir, []string{"serve"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer loaded.Session.Close()
	x, err := tf.NewTensor([][]float32{{0, 1}, {1, 1}})
	if err != nil {
		log.Fatal(err)
	}
	g := loaded.Graph
	out, err := loaded.Session.Run(map[tf.Output]*tf.Tensor{g.Operation(in.Op.Name()).Output(0): x},
		[]tf.Output{g.Operation(odd.Op.Name()).Output(0)}, nil)
	if err != nil {
		log.Fatal(err)
	}
	is := out[0].Value().([][]float32)
	fmt.Println(is[0][0] > 0.5, is[1][0] > 0.5)
	// Output: true false
}

// noisy is an optimizer of a program's own: gradient descent that shakes variables.
type noisy struct {
	rate  train.Schedule
	noise float64
}

func (o noisy) Schedule() train.Schedule { return o.rate }

func (o noisy) Update(u *train.Update) {
	s := u.Scope
	seed := op.Const(s, []int64{rand.Int64(), 0})
	shake := op.StatelessRandomNormal(s, op.Const(s, u.Variable.Shape), seed)
	step := op.AddV2(s, op.Mul(s, u.Dense(), u.Rate), op.Mul(s, shake, u.Number(o.noise)))
	u.Done(op.AssignSubVariableOp(s, u.Variable.Handle, step))
}

func ExampleOptimizer() {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	w := m.Variable("w", train.Given([]float32{3, -4}), tf.Float, 2)
	m.Minimize(op.L2Loss(s, w.Value), noisy{train.Fixed(0.1), 0.01}, train.Options{})
	fmt.Println(m.Err())
	// Output: <nil>
}
