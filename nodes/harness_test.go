package nodes_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/messages"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// caller runs every range on the goroutine that asks.
type caller struct{}

func (caller) Parallel(n, _ int, f func(lo, hi int)) { f(0, n) }
func (caller) Workers() int                          { return 1 }
func (caller) Expect(time.Duration)                  {}

// newStep returns what the kernels of one step share, with resources of its own.
func newStep(ctx context.Context) *kernel.Step {
	return &kernel.Step{Context: ctx, Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: caller{}}
}

// parse imports a graph in text form.
func parse(text string) (*graph.Graph, error) {
	def, err := notation.Parse(text)
	if err != nil {
		return nil, err
	}
	g := graph.New()
	return g, g.Import(def, "")
}

// output finds "node:1"; "node" is "node:0".
func output(g *graph.Graph, name string) (graph.Output, error) {
	node, index, found := strings.Cut(name, ":")
	i := 0
	if found {
		var err error
		if i, err = strconv.Atoi(index); err != nil {
			return graph.Output{}, err
		}
	}
	n := g.Operation(node)
	if n == nil {
		return graph.Output{}, fmt.Errorf("no node %q", node)
	}
	return n.Output(i), nil
}

// compiled makes a program of a graph in text form.
func compiled(t testing.TB, text string, feeds []string, fetches ...string) *nodes.Program {
	t.Helper()
	g, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	var spec compile.Spec
	for _, list := range []struct {
		names []string
		to    *[]graph.Output
	}{{feeds, &spec.Feeds}, {fetches, &spec.Fetches}} {
		for _, name := range list.names {
			o, err := output(g, name)
			if err != nil {
				t.Fatal(err)
			}
			*list.to = append(*list.to, o)
		}
	}
	p, err := compile.Graph(context.Background(), g, spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// An engine is an engine with a name that tells it from the others.
type engine struct {
	nodes.Engine
	label  string
	budget *tensor.Budget // what its steps have charged
}

// engines are all engines, and that many seeds. They are closed with the test.
func engines(t testing.TB, seeds int) []engine {
	budget := tensor.NewBudget(1 << 40)
	all := []engine{
		{sequential.New(budget), "sequential", budget},
		{actors.New(actors.Config{Budget: budget}), "actors", budget},
		{actors.New(actors.Config{Budget: budget, Tokens: true}), "tokens", budget},
		{messages.New(actors.Config{Budget: budget}), "messages", budget},
	}
	for seed := range uint64(seeds) {
		e := sequential.Seeded(seed, budget)
		all = append(all, engine{e, e.Name(), budget})
	}
	t.Cleanup(func() {
		for _, e := range all {
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	return all
}

// run runs a program once and gives what it fetches.
func run(ctx context.Context, e nodes.Engine, p *nodes.Program, feeds ...tensor.Value) ([]tensor.Value, error) {
	fetched := make([]tensor.Value, len(p.Fetches()))
	err := e.Run(newStep(ctx), p, feeds, fetched)
	return fetched, err
}
