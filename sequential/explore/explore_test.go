package explore_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/race"
	"github.com/troupe-go/troupe/nodes"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/lookup"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/sequential/explore"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// most is how many schedules are played of a graph without reduction.
const most = 3000

// TestGolden explores the graphs of testdata; -rewrite writes the answers anew.
//
//	explore init=a feed=(x:0=3) fetch=(y:0) target=(a, b)
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			s, err := system(d)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			reduced := try(t, d.Pos, s, explore.Options{})
			full := try(t, d.Pos, s, explore.Options{Unreduced: true, Schedules: most})
			equal(t, d.Pos, full, reduced)
			for _, a := range reduced.Answers { // the schedules give what they are said to
				if _, text, err := explore.Replay(context.Background(), s, a.Order); err != nil || text != a.Text {
					t.Errorf("%s: %q gives %s, not %s: %v", d.Pos, a.Order, text, a.Text, err)
				}
			}
			var b strings.Builder
			more := ""
			if !full.All {
				more = "more than "
			}
			fmt.Fprintf(&b, "%s%d schedules of %d events; %d and %d redundant of %d\n", more, full.Schedules, full.Events, reduced.Schedules, reduced.Redundant, reduced.Choices)
			if !reduced.All {
				fmt.Fprintf(&b, "not all: %s\n", reduced.Why)
			}
			for _, a := range reduced.Answers {
				fmt.Fprintf(&b, "%q:\n", a.Order)
				for line := range strings.Lines(a.Text) {
					fmt.Fprintf(&b, "  %s", line)
				}
			}
			return b.String()
		})
	})
}

func try(t *testing.T, pos string, s *explore.System, o explore.Options) *explore.Result {
	t.Helper()
	r, err := explore.Explore(context.Background(), s, o)
	if err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	return r
}

// equal compares the answers of an exploration of every order with those of a reduced one:
// all that were found without reduction must be among the others, and if it was
// complete the other way round.
func equal(t *testing.T, pos string, full, reduced *explore.Result) {
	t.Helper()
	if missing := missing(full, reduced); missing != "" {
		t.Errorf("%s: with reduction this was not found: %s", pos, missing)
	}
	if extra := missing(reduced, full); full.All && extra != "" {
		t.Errorf("%s: without reduction this was not found: %s", pos, extra)
	}
}

// missing is an answer of a that b does not have.
func missing(a, b *explore.Result) string {
	texts := map[string]bool{}
	for _, x := range b.Answers {
		texts[x.Text] = true
	}
	for _, x := range a.Answers {
		if !texts[x.Text] {
			return x.Text
		}
	}
	return ""
}

// system reads a test's graph and what is run of it.
func system(d *datadriven.TestData) (*explore.System, error) {
	g := graph.New()
	if err := g.AddText(d.Input); err != nil {
		return nil, err
	}
	s := &explore.System{}
	var first, spec nodes.Spec
	var feeds []tensor.Value
	for _, arg := range d.CmdArgs {
		for _, v := range arg.Vals {
			name, text, fed := strings.Cut(v, "=")
			id := graph.ParseTensorID(name)
			if arg.Key == "target" || arg.Key == "init" {
				id.Index = graph.Control
			}
			o, err := g.FindID(id)
			if err != nil {
				return nil, err
			}
			switch arg.Key {
			case "init":
				first.Targets = append(first.Targets, o.Op)
			case "target":
				spec.Targets = append(spec.Targets, o.Op)
			case "fetch":
				spec.Fetches = append(spec.Fetches, o)
			default:
				if !fed {
					text = "2"
				}
				x, err := tensor.Parse(text, o.DataType())
				if err != nil {
					return nil, err
				}
				spec.Feeds, feeds = append(spec.Feeds, o), append(feeds, tensor.ValueOf(x))
			}
		}
	}
	if len(first.Targets) > 0 {
		p, err := nodes.Compile(context.Background(), g, first)
		if err != nil {
			return nil, err
		}
		s.Steps = append(s.Steps, explore.Step{Program: p, Fixed: true})
	}
	p, err := nodes.Compile(context.Background(), g, spec)
	if err != nil {
		return nil, err
	}
	races, err := race.Unordered(context.Background(), race.Program{Graph: g, Feeds: spec.Feeds, Fetches: spec.Fetches, Targets: spec.Targets})
	if err != nil {
		return nil, err
	}
	s.Steps = append(s.Steps, explore.Step{Program: p, Feeds: feeds, Unordered: races})
	return s, nil
}
