package nodes_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/math"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/tensor"
)

// TestGolden runs testdata: a graph in text form below a command. Commands are
//
//	run feed=(x:0=3,…) fetch=(y:0,…) target=(t,…)   values or the error, the same on every engine
//	trace …                                          the nodes as they act, oldest first
//	plan …                                           the units' instructions
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out, err := command(t, d)
			if err != nil {
				return err.Error() + "\n"
			}
			return out
		})
	})
}

func command(t *testing.T, d *datadriven.TestData) (string, error) {
	g := graph.New()
	def, err := graph.ParseText(d.Input)
	if err == nil {
		err = g.Import(def, "")
	}
	if err != nil {
		return "", err
	}
	output := func(name string) (graph.Output, error) {
		node, index, found := strings.Cut(name, ":")
		i := 0
		if found {
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
	var spec nodes.Spec
	var feeds []tensor.Value
	for _, arg := range d.CmdArgs {
		for _, v := range arg.Vals {
			switch arg.Key {
			case "feed":
				name, text, _ := strings.Cut(v, "=")
				o, err := output(name)
				if err != nil {
					return "", err
				}
				x, err := tensor.Parse(text, o.Op.OutputTypes()[o.Index].Base())
				if err != nil {
					return "", err
				}
				spec.Feeds, feeds = append(spec.Feeds, o), append(feeds, tensor.ValueOf(x))
			case "fetch":
				o, err := output(v)
				if err != nil {
					return "", err
				}
				spec.Fetches = append(spec.Fetches, o)
			case "target":
				spec.Targets = append(spec.Targets, g.Operation(v))
			}
		}
	}
	p, err := nodes.Compile(g, spec)
	if err != nil {
		return "", err
	}
	switch d.Cmd {
	case "plan":
		return p.Plan(), nil
	case "trace":
		return trace(p, feeds), nil
	}
	return everywhere(t, d, p, feeds), nil
}

// inline is a pool without workers.
type inline struct{}

func (inline) Parallel(n, _ int, f func(lo, hi int)) { f(0, n) }
func (inline) Workers() int                          { return 1 }

func newStep() *kernel.Step {
	return &kernel.Step{Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: inline{}}
}

// everywhere runs the program on every engine, and fails the test where one
// differs from the first.
func everywhere(t *testing.T, d *datadriven.TestData, p *nodes.Program, feeds []tensor.Value) string {
	all := []nodes.Engine{sequential.New(nil), actors.New(actors.Config{}), actors.New(actors.Config{Tokens: true}), actors.NewMessages(actors.Config{})}
	for seed := range uint64(20) {
		all = append(all, sequential.Seeded(seed, nil))
	}
	first := ""
	for i, e := range all {
		fetched := make([]tensor.Value, len(p.Fetches()))
		var w strings.Builder
		if err := e.Run(newStep(), p, feeds, fetched); err != nil {
			fmt.Fprintf(&w, "%v\n", err)
		} else {
			for k, f := range p.Fetches() {
				fmt.Fprintf(&w, "%v = %v\n", f, fetched[k].Tensor())
			}
		}
		if i == 0 {
			first = w.String()
		} else if w.String() != first {
			t.Errorf("%s: on %s (%d):\n%s\non %s:\n%s", d.Pos, e.Name(), i, w.String(), all[0].Name(), first)
		}
		e.Close()
	}
	return first
}

// trace prints the nodes as they act, in the sequential order.
func trace(p *nodes.Program, feeds []tensor.Value) string {
	var events []string
	s := p.Begin(newStep(), feeds, nodes.Options{
		Order: func(int) int { return 0 },
		Trace: func(e nodes.Event) { events = append(events, e.String()+"\n") },
	})
	for a := s.Next(); a != nil; a = s.Next() {
		s.Complete(a, a.Run())
	}
	if err := s.End(make([]tensor.Value, len(p.Fetches()))); err != nil {
		events = append(events, err.Error()+"\n")
	}
	return strings.Join(slices.Clip(events), "")
}
