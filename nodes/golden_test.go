package nodes_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

// TestGolden runs testdata. Commands are
//
//	graph                                            takes the graph in text form that the commands below it are about
//	run feed=(x:0=3,…) fetch=(y:0,…) target=(t,…)    values or the error, the same on every engine
//	trace …                                          the nodes as they act, oldest first
//	plan …                                           the forms of units, and why there are none
//
// run, trace and plan may bring a graph of their own.
func TestGolden(t *testing.T) {
	all := engines(t, 20)
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var g *graph.Graph
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Input != "" {
				var err error
				if g, err = parse(d.Input); err != nil {
					return err.Error() + "\n"
				}
			}
			if d.Cmd == "graph" {
				return ""
			}
			p, feeds, err := program(g, d)
			if err != nil {
				return err.Error() + "\n"
			}
			switch d.Cmd {
			case "run":
				return everywhere(t, all, d, p, feeds)
			case "trace":
				return trace(p, feeds)
			case "plan":
				return p.Plan().String()
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
}

// program compiles what a command asks for.
func program(g *graph.Graph, d *datadriven.TestData) (*nodes.Program, []tensor.Value, error) {
	var spec compile.Spec
	var feeds []tensor.Value
	for _, arg := range d.CmdArgs {
		for _, v := range arg.Vals {
			name, text, _ := strings.Cut(v, "=")
			o, err := output(g, name)
			if err != nil {
				return nil, nil, err
			}
			switch arg.Key {
			case "feed":
				x, err := literal.Parse(text, o.Op.OutputTypes()[o.Index].Base())
				if err != nil {
					return nil, nil, err
				}
				spec.Feeds, feeds = append(spec.Feeds, o), append(feeds, tensor.ValueOf(x))
			case "fetch":
				spec.Fetches = append(spec.Fetches, o)
			case "target":
				spec.Targets = append(spec.Targets, o.Op)
			default:
				return nil, nil, fmt.Errorf("unknown argument %q", arg.Key)
			}
		}
	}
	p, err := compile.Graph(context.Background(), g, spec)
	return p, feeds, err
}

// everywhere runs the program on every engine, twice, and fails the test where
// one differs from the first.
func everywhere(t *testing.T, all []engine, d *datadriven.TestData, p *nodes.Program, feeds []tensor.Value) string {
	first := ""
	for i, e := range all {
		for range 2 {
			var w strings.Builder
			if fetched, err := run(context.Background(), e, p, feeds...); err != nil {
				fmt.Fprintf(&w, "%v\n", err)
			} else {
				for k, f := range p.Fetches() {
					fmt.Fprintf(&w, "%v = %v\n", f, fetched[k].Tensor())
				}
			}
			if i == 0 {
				first = w.String()
			} else if w.String() != first {
				t.Errorf("%s: on %s:\n%s\non %s:\n%s", d.Pos, e.label, w.String(), all[0].label, first)
			}
		}
	}
	return first
}

// trace prints the nodes as they act, first come, first served.
func trace(p *nodes.Program, feeds []tensor.Value) string {
	var w strings.Builder
	s := p.Begin(newStep(context.Background()), feeds, nodes.Options{
		Order: func(int) int { return 0 },
		Trace: func(e nodes.Event) { fmt.Fprintln(&w, e) },
	})
	for a := s.Next(); a != nil; a = s.Next() {
		s.Complete(a, a.Run())
	}
	if err := s.End(make([]tensor.Value, len(p.Fetches()))); err != nil {
		fmt.Fprintln(&w, err)
	}
	return w.String()
}
