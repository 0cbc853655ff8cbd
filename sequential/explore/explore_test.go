package explore_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/lookup"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sequential/explore"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// most is how many schedules are played of a graph without reduction.
const most = 1500

// TestGolden explores the graphs of testdata; -rewrite writes the answers again.
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

// missing returns an answer of a that b does not have.
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
	if err := notation.Add(g, d.Input); err != nil {
		return nil, err
	}
	s := &explore.System{}
	var first, spec compile.Spec
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
				x, err := literal.Parse(text, o.DataType())
				if err != nil {
					return nil, err
				}
				spec.Feeds, feeds = append(spec.Feeds, o), append(feeds, tensor.ValueOf(x))
			}
		}
	}
	if len(first.Targets) > 0 {
		p, err := compile.Graph(context.Background(), g, first)
		if err != nil {
			return nil, err
		}
		s.Steps = append(s.Steps, explore.Step{Program: p, Fixed: true})
	}
	p, err := compile.Graph(context.Background(), g, spec)
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

// assigned matches the variables of a graph in text form, which TestRaces gives values.
var assigned = regexp.MustCompile(`(?m)^(\w+) = (VarHandleOp|VariableV2)\(\) \{dtype=DT_(\w+)`)

var placeholder = regexp.MustCompile(`(?m)^(\w+) = Placeholder\(\) \{dtype=DT_(\w+)`)

// harmless is of how many of these graphs the races show no difference here: two write
// the same value (2 graphs); what is fetched of a reference is read at the end; what an
// Identity forwards is read at once; iterations that come one at a time are over when a
// loop is left; a taker waits for ever in any case; a priority queue has one element; and a
// table is asked for what is the default, too.
const harmless = 8

// TestRaces explores the graphs that package race is tested with, with values for variables
// and placeholders: those that it says have no race give one answer, and the others several.
func TestRaces(t *testing.T) {
	clean, racy, differ := 0, 0, 0
	datadriven.Walk(t, "../../plan/race/testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			init := datadriven.CmdArg{Key: "init"}
			feed := datadriven.CmdArg{Key: "feed"}
			for _, v := range placeholder.FindAllStringSubmatch(d.Input, -1) {
				feed.Vals = append(feed.Vals, v[1]+":0="+map[string]string{"BOOL": "true", "INT32": "3", "FLOAT": "2"}[v[2]])
			}
			for i, v := range assigned.FindAllStringSubmatch(d.Input, -1) {
				name, op, dtype := v[1], "AssignVariableOp", v[3]
				attr := "dtype"
				if v[2] == "VariableV2" {
					op, attr = "Assign", "T"
				}
				seven := strconv.Itoa(7 + i)
				if dtype == "BOOL" {
					seven = "true"
				}
				d.Input += strings.NewReplacer("V", name, "DTYPE", dtype, "small", strings.ToLower(dtype), "SEVEN", seven, "ASSIGN", op, "ATTR", attr).Replace(`
value_of_V = Const() {dtype=DT_DTYPE, value=Tensor<type: small shape: [] values: SEVEN>}
init_V = ASSIGN(V, value_of_V) {ATTR=DT_DTYPE}
`)
				init.Vals = append(init.Vals, "init_"+name)
			}
			for _, arg := range []datadriven.CmdArg{init, feed} {
				if len(arg.Vals) > 0 {
					d.CmdArgs = append(d.CmdArgs, arg)
				}
			}
			s, err := system(d)
			if err != nil {
				t.Fatalf("%s: %v", d.Pos, err)
			}
			r := try(t, d.Pos, s, explore.Options{})
			if !r.All {
				t.Errorf("%s: %s", d.Pos, r.Why)
			}
			switch {
			case d.Expected == "none\n":
				clean++
				if len(r.Answers) > 1 {
					t.Errorf("%s: no race, and yet %q gives %s, and %q %s", d.Pos, r.Answers[0].Order, r.Answers[0].Text, r.Answers[1].Order, r.Answers[1].Text)
				}
			case len(r.Answers) > 1:
				differ++
				racy++
			default:
				racy++
				t.Logf("%s: %s one answer: %s", d.Pos, d.Expected, r.Answers[0].Text)
			}
			return d.Expected
		})
	})
	if racy-differ != harmless || clean < 10 {
		t.Errorf("%d graphs without races; %d with, of which %d differ", clean, racy, differ)
	}
}

// TestPlanted takes two operations whose order matters for independent: a comparison with
// every order must find that answers are missing.
func TestPlanted(t *testing.T) {
	planted := 0
	for _, file := range []string{"variables.txt", "queues.txt", "control.txt"} {
		datadriven.RunTest(t, "testdata/"+file, func(t *testing.T, d *datadriven.TestData) string {
			s, err := system(d)
			if err != nil {
				t.Fatal(err)
			}
			full := try(t, d.Pos, s, explore.Options{Unreduced: true, Schedules: most})
			for _, r := range s.Steps[len(s.Steps)-1].Unordered {
				pair := [2]string{r.A.Node.Name(), r.B.Node.Name()}
				mistaken := try(t, d.Pos, s, explore.Options{Independent: func(a, b string) bool { return [2]string{a, b} == pair }})
				// Sums, and a taker that waits, may do without one of their pairs.
				if found := missing(full, mistaken); found != "" {
					planted++
				} else if len(full.Answers) > 1 && len(s.Steps[len(s.Steps)-1].Unordered) == 1 {
					t.Errorf("%s: nothing is missing if the order of %s and %s does not matter", d.Pos, pair[0], pair[1])
				}
			}
			return d.Expected
		})
	}
	if planted < 8 {
		t.Errorf("%d planted mistakes were found", planted)
	}
}

// TestSample: random schedules find what all schedules do.
func TestSample(t *testing.T) {
	for _, file := range []string{"variables.txt", "queues.txt", "control.txt"} {
		datadriven.RunTest(t, "testdata/"+file, func(t *testing.T, d *datadriven.TestData) string {
			s, err := system(d)
			if err != nil {
				t.Fatal(err)
			}
			all := try(t, d.Pos, s, explore.Options{})
			drawn, err := explore.Sample(context.Background(), s, explore.Options{Schedules: 200}, 2, 1)
			if err != nil {
				t.Fatal(err)
			}
			if drawn.All || drawn.Bound <= 0 || drawn.Bound > 1 {
				t.Errorf("%s: %v, %v", d.Pos, drawn.All, drawn.Bound)
			}
			if x := missing(all, drawn); x != "" {
				t.Errorf("%s: random schedules did not find %s", d.Pos, x)
			}
			if x := missing(drawn, all); x != "" {
				t.Errorf("%s: random schedules alone found %s", d.Pos, x)
			}
			return d.Expected
		})
	}
}

// TestNotOfTheOrder: answers that differ under one schedule have no order, and no pair,
// to be told.
func TestNotOfTheOrder(t *testing.T) {
	var times int32
	registry.Define("TestEachTime").Output("y: int32").Stateful()
	kernel.ForAll(func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, _, out []tensor.Value) error {
			times++
			out[0] = tensor.Scalar(times % 2)
			return nil
		}), nil
	}, "TestEachTime")
	g := graph.New()
	n, err := g.AddOperation(graph.OpSpec{Type: "TestEachTime", Name: "y"})
	if err != nil {
		t.Fatal(err)
	}
	v, err := g.AddOperation(graph.OpSpec{Type: "VarHandleOp", Name: "v", Attrs: graph.Attrs{"dtype": tensor.Int32, "shape": graph.Shape{}}})
	if err != nil {
		t.Fatal(err)
	}
	spec := compile.Spec{Fetches: []graph.Output{n.Output(0)}}
	for _, name := range []string{"a", "b"} {
		to, err := g.AddOperation(graph.OpSpec{Type: "AssignVariableOp", Name: name, Input: []graph.Input{v.Output(0), n.Output(0)}})
		if err != nil {
			t.Fatal(err)
		}
		spec.Targets = append(spec.Targets, to)
	}
	p, err := compile.Graph(t.Context(), g, spec)
	if err != nil {
		t.Fatal(err)
	}
	races, err := race.Unordered(t.Context(), race.Program{Graph: g, Fetches: spec.Fetches, Targets: spec.Targets})
	if err != nil {
		t.Fatal(err)
	}
	s := &explore.System{Steps: []explore.Step{{Program: p, Unordered: races}}}
	r, err := explore.Explore(t.Context(), s, explore.Options{Unreduced: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Answers) != 2 || r.Pair != [2]string{} || r.Race != nil {
		t.Errorf("%d answers, %v", len(r.Answers), r.Pair)
	}
}
