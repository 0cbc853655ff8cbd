package troupe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	tf "github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/train"
)

// must returns the value, where nothing can fail.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// An exported model: its variables are restored and its tables filled, and it is asked
// by the names of its signature.
func ExampleLoadSavedModel() {
	model, err := tf.LoadSavedModel("model/testdata/vocabulary", []string{"serve"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Session.Close()
	words := must(tf.NewTensor([]string{"cat", "alpha", "mat"}))
	out, err := model.Run(context.Background(), "serving_default", map[string]*tf.Tensor{"text": words})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out["ids"]) // the table has five words; alpha is none of them
	// Output: [1 5 4]
}

// A Callable is prepared once and called from any number of goroutines.
func ExampleCallable() {
	s := op.NewScope()
	x := op.Placeholder(s, tf.Float)
	y := op.Square(s, x)
	session := must(tf.NewSession(must(s.Finalize()), nil))
	defer session.Close()
	square := must(session.MakeCallable([]tf.Output{x}, []tf.Output{y}, nil))

	results := make([]float32, 5)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() {
			in := must(tf.NewTensor(float32(i)))
			out := must(square.Call(context.Background(), in))
			results[i] = out[0].Value().(float32)
		})
	}
	wg.Wait()
	fmt.Println(results)
	// Output: [0 1 4 9 16]
}

// A loop is two functions: of its condition and of its body. This one computes 40
// Fibonacci numbers.
func Example_loop() {
	s := op.NewScope()
	n := op.Placeholder(s, tf.Int32, op.PlaceholderShape(tf.ScalarShape()))
	zero, one := op.Const(s.SubScope("zero"), int32(0)), op.Const(s.SubScope("one"), int32(1))
	results := op.While(s, []tf.Output{zero, zero, one},
		func(s *op.Scope, v []tf.Output) tf.Output { return op.Less(s, v[0], n) },
		func(s *op.Scope, v []tf.Output) []tf.Output {
			i, a, b := v[0], v[1], v[2]
			return []tf.Output{op.Add(s, i, one), b, op.Add(s, a, b)}
		})
	session := must(tf.NewSession(must(s.Finalize()), nil))
	defer session.Close()
	forty := must(tf.NewTensor(int32(40)))
	out := must(session.Run(map[tf.Output]*tf.Tensor{n: forty}, []tf.Output{results[1]}, nil))
	fmt.Println(out[0].Value())
	// Output: 102334155
}

// endless returns a loop that never ends.
func endless() (*tf.Graph, tf.Output) {
	s := op.NewScope()
	yes := op.Const(s.SubScope("yes"), true)
	zero, one := op.Const(s.SubScope("zero"), int64(0)), op.Const(s.SubScope("one"), int64(1))
	out := op.While(s, []tf.Output{zero},
		func(s *op.Scope, v []tf.Output) tf.Output {
			return op.LogicalAnd(s, yes, op.GreaterEqual(s, v[0], v[0]))
		},
		func(s *op.Scope, v []tf.Output) []tf.Output { return []tf.Output{op.BitwiseAnd(s, v[0], one)} })
	return must(s.Finalize()), out[0]
}

// The end of a context ends a step, whatever it is doing.
func Example_cancellation() {
	graph, out := endless()
	session := must(tf.NewSession(graph, nil))
	defer session.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err := session.RunContext(ctx, nil, []tf.Output{out}, nil)
	fmt.Println(tf.CodeOf(err))
	// Output: DEADLINE_EXCEEDED
}

// A session that runs what others send has limits of memory and time.
func ExampleSessionOptions() {
	s := op.NewScope()
	dims := op.Placeholder(s, tf.Int32, op.PlaceholderShape(tf.MakeShape(1)))
	sum := op.Sum(s, op.Fill(s, dims, op.Const(s.SubScope("one"), float32(1))), op.Const(s.SubScope("axis"), int32(0)))
	session := must(tf.NewSession(must(s.Finalize()), &tf.SessionOptions{
		MemoryLimit: 1 << 20,
		Timeout:     time.Minute,
		Files:       &tf.FilePolicy{}, // none
	}))
	defer session.Close()
	for _, n := range []int32{1000, 1_000_000} {
		in := must(tf.NewTensor([]int32{n}))
		out, err := session.Run(map[tf.Output]*tf.Tensor{dims: in}, []tf.Output{sum}, nil)
		var e *tf.Error
		if errors.As(err, &e) {
			fmt.Println(e.Code, "at", e.Node)
			continue
		}
		fmt.Println(out[0].Value())
	}
	// Output:
	// 1000
	// RESOURCE_EXHAUSTED at Fill
}

// What a session does is logged where its options say so.
func Example_logging() {
	var lines bytes.Buffer
	logger := zerolog.New(zerolog.SyncWriter(&lines)).Level(zerolog.DebugLevel)
	s := op.NewScope()
	hello := op.Const(s, "hello")
	session := must(tf.NewSession(must(s.Finalize()), &tf.SessionOptions{Logger: &logger}))
	must(session.Run(nil, []tf.Output{hello}, nil))
	session.Close()
	for line := range strings.Lines(lines.String()) {
		_, message, _ := strings.Cut(line, `"message":`)
		fmt.Println(strings.TrimSuffix(message, "}\n"))
	}
	// Unordered output:
	// "session opened"
	// "program compiled"
	// "session started"
	// "device started"
	// "device stopped"
	// "session stopped"
	// "session closed"
}

// Training fits a line through points that lie on 3x + 1.
func Example_training() {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	x := op.Placeholder(s.SubScope("x"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1)))
	y := op.Placeholder(s.SubScope("y"), tf.Float, op.PlaceholderShape(tf.MakeShape(-1)))
	w, b := m.Variable("w", train.Zeros, tf.Float), m.Variable("b", train.Zeros, tf.Float)
	line := op.Add(s, op.Mul(s, x, w.Value), b.Value)
	loss := op.Mean(s.SubScope("loss"), op.SquaredDifference(s, line, y), op.Const(s.SubScope("axis"), int32(0)))
	goal := m.Minimize(loss, train.SGD{Rate: train.Fixed(0.1)}, train.Options{})

	session := must(tf.NewSession(m.Graph(), nil))
	defer session.Close()
	ctx := context.Background()
	trainer := must(m.Start(ctx, session))
	data := must(train.NewData(train.Batch{
		x: must(tf.NewTensor([]float32{-1, 0, 1, 2})),
		y: must(tf.NewTensor([]float32{-2, 1, 4, 7})),
	}))
	for _, err := range trainer.Steps(ctx, goal, data.Shuffled(4, 1, 0, 200)) {
		if err != nil {
			log.Fatal(err)
		}
	}
	out := must(session.Run(nil, []tf.Output{w.Value, b.Value}, nil))
	fmt.Printf("%.2f x + %.2f\n", out[0].Value(), out[1].Value())
	// Output: 3.00 x + 1.00
}

// A profiled run tells what each node took.
func ExampleRunOptions() {
	s := op.NewScope()
	y := op.Exp(s, op.Const(s, []float32{1, 2, 3}))
	session := must(tf.NewSession(must(s.Finalize()), &tf.SessionOptions{Rewrite: "none"}))
	defer session.Close()
	var meta tf.RunMetadata
	must(session.RunWithOptions(context.Background(), tf.RunOptions{Metadata: &meta, Profile: true}, nil, []tf.Output{y}, nil))
	for _, n := range meta.Stats.Nodes {
		if n.Timed > 0 {
			fmt.Println(n.Name, n.Op, n.Count, n.Bytes, n.Total > 0)
		}
	}
	// meta.Stats.WriteTrace(file) writes a trace for ui.perfetto.dev.

	// Output: Exp Exp 1 12 true
}

// A Sampler profiles a service as it runs, at 2% of its time.
func ExampleSampler() {
	model := must(tf.LoadSavedModel("examples/serve/digits", []string{"serve"}, nil))
	defer model.Session.Close()
	predict := must(model.Prepare(context.Background(), "serving_default"))
	inputs := map[string]*tf.Tensor{"image": must(tf.FromSlice(grayscale("examples/serve/two.png"), 1, 8, 8, 1))}

	var sampler tf.Sampler // shared by all requests
	for range 1000 {
		must(predict.RunWithOptions(context.Background(), tf.RunOptions{Sampler: &sampler}, inputs))
	}
	costs := sampler.Model()
	for _, o := range costs.ByOp() { // the costliest operation first
		if o.Op == "_FusedConv2D" {
			fmt.Println(o.Nodes, "convolutions, run", o.Count, "times:", o.Total > 0)
		}
	}
	// costs.WriteTable(os.Stdout, 20) prints what troupe profile prints.

	// Output: 2 convolutions, run 2000 times: true
}
