package lower_test

import (
	"context"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/tensor"
)

// inline is a pool without workers.
type inline struct{}

func (inline) Parallel(n, _ int, f func(lo, hi int)) { f(0, n) }
func (inline) Workers() int                          { return 1 }
func (inline) Expect(time.Duration)                  {}

// BenchmarkWhile counts to 10,000 in a While, which is a unit once it is lowered.
func BenchmarkWhile(b *testing.B) {
	g := graph.New()
	if err := notation.Add(g, `
		n = Placeholder() {dtype=DT_INT32, shape=shape []}
		zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
		w = While(zero, n) {T=[DT_INT32, DT_INT32], body=func More, cond=func Below}
		func Below(i: int32, n: int32) -> (b: bool) {
		  less = Less(i, n) {T=DT_INT32}
		  return b = less:z:0
		}
		func More(i: int32, n: int32) -> (j: int32, m: int32) {
		  one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
		  sum = AddV2(i, one:output:0) {T=DT_INT32}
		  return j = sum:z:0, m = n
		}
	`); err != nil {
		b.Fatal(err)
	}
	const turns = 10_000
	feeds, fetches := []graph.Output{g.Operation("n").Output(0)}, []graph.Output{g.Operation("w").Output(0)}
	p, err := compile.Graph(context.Background(), g, compile.Spec{Feeds: feeds, Fetches: fetches})
	if err != nil {
		b.Fatal(err)
	}
	e := actors.New(actors.Config{})
	defer e.Close()
	step := &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: inline{}}
	in, out := []tensor.Value{tensor.Scalar(int32(turns))}, make([]tensor.Value, 1)
	b.ReportAllocs()
	for b.Loop() {
		if err := e.Run(step, p, in, out); err != nil {
			b.Fatal(err)
		}
	}
	if got := tensor.At0[int32](&out[0]); got != turns {
		b.Fatalf("counted to %d", got)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/turns, "ns/iteration")
}
