package programs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/conformance/programs"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/math"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inline is a pool without workers.
type inline struct{}

func (inline) Parallel(n, _ int, f func(lo, hi int)) { f(0, n) }
func (inline) Workers() int                          { return 1 }

// run compiles and runs the program's graph on an engine.
func run(e nodes.Engine, g *graph.Graph, in, out []graph.Output, feeds []int32) ([]int32, error) {
	p, err := nodes.Compile(context.Background(), g, nodes.Spec{Feeds: in, Fetches: out})
	if err != nil {
		return nil, err
	}
	// Programs are short: one that takes long never ends.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	step := &kernel.Step{Context: ctx, Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: inline{}}
	values := make([]tensor.Value, len(feeds))
	for i, x := range feeds {
		values[i] = tensor.Scalar(x)
	}
	fetched := make([]tensor.Value, len(out))
	if err := e.Run(step, p, values, fetched); err != nil {
		return nil, err
	}
	got := make([]int32, len(out))
	for i := range fetched {
		got[i] = tensor.At0[int32](&fetched[i])
	}
	return got, nil
}

// feedsFor makes inputs that send loops and branches both ways.
func feedsFor(n int, rng *rand.Rand) []int32 {
	feeds := make([]int32, n)
	for i := range feeds {
		feeds[i] = rng.Int32N(23) - 6
	}
	return feeds
}

type engine struct {
	nodes.Engine
	label string
}

func engines(seeds int) []engine {
	all := []engine{
		{actors.New(actors.Config{}), "actors"},
		{actors.New(actors.Config{Tokens: true}), "actors, tokens"},
		{sequential.New(nil), "sequential"},
	}
	for s := range seeds {
		e := sequential.Seeded(uint64(s), nil)
		all = append(all, engine{e, e.Name()})
	}
	return all
}

// check compares the answers of all engines with what the program means, in its
// form as frames and perhaps also with its branches and loops as functions.
func check(t interface{ Fatalf(string, ...any) }, all []engine, p *programs.Program, feeds []int32, functional bool) {
	want := p.Eval(feeds)
	forms := []func() (*graph.Graph, []graph.Output, []graph.Output){p.Lower, p.Functional}
	if !functional {
		forms = forms[:1]
	}
	for _, form := range forms {
		g, in, out := form()
		for _, e := range all {
			got, err := run(e, g, in, out, feeds)
			if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s%v on %s: got %v, %v; want %v\n\n%v", p, feeds, e.label, got, err, want, g.Text(graph.TextOptions{}))
			}
		}
	}
}

type drawn struct{ t *rapid.T }

func (d drawn) Int(label string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(d.t, label) }

// TestPrograms runs random programs on the engines and under many schedules;
// a failure is shrunk to a small program, printed with its graph.
func TestPrograms(t *testing.T) {
	all := engines(3)
	defer closeAll(all)
	rapid.Check(t, func(t *rapid.T) {
		parallel := rapid.SampledFrom([]int{1, 2, 32}).Draw(t, "parallel_iterations")
		p := programs.Random(drawn{t}, 3, parallel)
		feeds := make([]int32, p.Inputs)
		for i := range feeds {
			feeds[i] = int32(rapid.IntRange(-6, 16).Draw(t, "feed"))
		}
		check(t, all, p, feeds, true)
	})
}

type seeded struct{ *rand.Rand }

func (s seeded) Int(_ string, lo, hi int) int { return lo + s.IntN(hi-lo+1) }

// TestDeepPrograms runs deeper programs from fixed seeds.
func TestDeepPrograms(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 100
	}
	all := engines(2)
	defer closeAll(all)
	for seed := range n {
		rng := rand.New(rand.NewPCG(uint64(seed), 1))
		p := programs.Random(seeded{rng}, 4, []int{1, 2, 32}[seed%3])
		check(t, all, p, feedsFor(p.Inputs, rng), seed%8 == 0)
	}
}

// TestMessages runs some programs with every node a spawned actor.
func TestMessages(t *testing.T) {
	all := []engine{{actors.NewMessages(actors.Config{}), "messages"}}
	for seed := range 30 {
		rng := rand.New(rand.NewPCG(uint64(seed), 2))
		p := programs.Random(seeded{rng}, 2, []int{1, 2, 32}[seed%3])
		check(t, all, p, feedsFor(p.Inputs, rng), seed%8 == 0)
	}
}

func closeAll(all []engine) {
	for _, e := range all {
		e.Close()
	}
}
