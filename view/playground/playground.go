package playground

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/gradients"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/profile/recording"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/sequential/explore"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/view"

	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/data"
	_ "github.com/troupe-go/troupe/ops/functional"
	_ "github.com/troupe-go/troupe/ops/list"
	_ "github.com/troupe-go/troupe/ops/logging"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
)

// Bounds of what runs, so that a page does not stop.
const (
	mostNodes     = 5_000
	mostMemory    = 256 << 20
	mostTime      = 5 * time.Second
	mostSchedules = 300
)

// A Result is what came of a text.
type Result struct {
	Text string // what was fetched, or the error
	Page string // the HTML page; "" if nothing ran
}

// A setup is a graph and what the comments ask for.
type setup struct {
	graph   *graph.Graph
	fetches []graph.Output
	targets []*graph.Node
	before  []*graph.Node
	seed    uint64
	seeded  bool
}

// read reads a text, or a serialized GraphDef.
func read(text string) (*setup, error) {
	s := &setup{graph: graph.New()}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		if err := s.graph.Import([]byte(text), ""); err != nil {
			return nil, err
		}
	} else if err := notation.Add(s.graph, text); err != nil {
		return nil, err
	}
	if n := s.graph.NumNodes(); n > mostNodes {
		return nil, status.Errorf(status.ResourceExhausted, "the graph has %d nodes; here are run at most %d", n, mostNodes)
	}
	var lines []string
	if utf8.ValidString(text) {
		lines = strings.Split(text, "\n")
	}
	// Gradients first, as they may be fetched.
	for _, line := range lines {
		if value, ok := directive(line, "gradients"); ok {
			ofs, bys, ok := strings.Cut(value, " by ")
			if !ok {
				return nil, status.Invalid("# gradients: y by x names what is differentiated and by what")
			}
			ys, err := s.outputs(ofs)
			if err != nil {
				return nil, err
			}
			xs, err := s.outputs(bys)
			if err != nil {
				return nil, err
			}
			dxs, err := gradients.Add(s.graph, ys, xs, gradients.Options{})
			if err != nil {
				return nil, err
			}
			b := graph.NewBuilder(s.graph)
			for i, dx := range dxs {
				if dx.Dense.Op == nil {
					return nil, status.Invalid("%v has no gradient by %v", ys, xs[i])
				}
				name := "dx"
				if len(dxs) > 1 {
					name += strconv.Itoa(i)
				}
				b.Add(graph.OpSpec{Type: "Identity", Name: name, Input: []graph.Input{dx.Dense}})
			}
			if err := b.Err(); err != nil {
				return nil, err
			}
		}
	}
	var err error
	for _, line := range lines {
		if value, ok := directive(line, "fetch"); ok && err == nil {
			s.fetches, err = s.outputs(value)
		}
		if value, ok := directive(line, "target"); ok && err == nil {
			s.targets, err = s.nodes(value)
		}
		if value, ok := directive(line, "before"); ok && err == nil {
			s.before, err = s.nodes(value)
		}
		if value, ok := directive(line, "seed"); ok && err == nil {
			s.seeded = true
			if s.seed, err = strconv.ParseUint(value, 10, 64); err != nil {
				err = status.Invalid("# seed: %s is not a number", value)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if len(s.fetches)+len(s.targets) == 0 {
		s.all()
	}
	return s, nil
}

func directive(line, name string) (string, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
	if !ok {
		return "", false
	}
	rest, ok = strings.CutPrefix(strings.TrimSpace(rest), name+":")
	return strings.TrimSpace(rest), ok
}

func (s *setup) nodes(names string) (all []*graph.Node, err error) {
	for name := range strings.SplitSeq(names, ",") {
		n := s.graph.Operation(strings.TrimSpace(name))
		if n == nil {
			return nil, status.Errorf(status.NotFound, "the graph has no node %q", strings.TrimSpace(name))
		}
		all = append(all, n)
	}
	return all, nil
}

func (s *setup) outputs(names string) (all []graph.Output, err error) {
	for name := range strings.SplitSeq(names, ",") {
		name, port, _ := strings.Cut(strings.TrimSpace(name), ":")
		ns, err := s.nodes(name)
		if err != nil {
			return nil, err
		}
		k := 0
		if port != "" {
			if k, err = strconv.Atoi(port); err != nil {
				return nil, status.Invalid("%s:%s names no output", name, port)
			}
		}
		if k < 0 || k >= ns[0].NumOutputs() {
			return nil, status.Invalid("node %q has no output %d", name, k)
		}
		all = append(all, ns[0].Output(k))
	}
	return all, nil
}

// all fetches what no other node takes.
func (s *setup) all() {
	followed := map[*graph.Node]bool{} // by a control edge
	for _, n := range s.graph.Nodes() {
		for _, c := range n.Controls() {
			followed[c] = true
		}
	}
	for _, n := range s.graph.Nodes() {
		taken := followed[n]
		for i := range n.NumOutputs() {
			taken = taken || len(n.Output(i).Consumers()) > 0
		}
		switch {
		case taken:
		case n.NumOutputs() > 0 && n.OutputTypes()[0] != tensor.Resource:
			s.fetches = append(s.fetches, n.Output(0))
		default:
			s.targets = append(s.targets, n)
		}
	}
}

// system returns the steps to run.
func (s *setup) system(ctx context.Context) (*explore.System, error) {
	budget := tensor.NewBudget(mostMemory)
	sys := &explore.System{Budget: budget, Timeout: mostTime}
	functions := compile.NewFunctions(s.graph, sequential.New(budget), rewrite.Options{})
	sys.Prepare = func(k *kernel.Step) { k.Functions = functions }
	for i, p := range []race.Program{{Graph: s.graph, Targets: s.before}, {Graph: s.graph, Fetches: s.fetches, Targets: s.targets}} {
		if len(p.Fetches)+len(p.Targets) == 0 {
			continue
		}
		st := explore.Step{Fixed: i == 0}
		var err error
		if st.Program, err = compile.Graph(ctx, p.Graph, compile.Spec{Fetches: p.Fetches, Targets: p.Targets, NoUnits: true}); err != nil {
			return nil, err
		}
		if !st.Fixed {
			if st.Unordered, err = race.Unordered(ctx, p); err != nil {
				return nil, err
			}
		}
		sys.Steps = append(sys.Steps, st)
	}
	if len(sys.Steps) == 0 {
		return nil, status.Invalid("the graph has no node to run")
	}
	return sys, nil
}

// Run runs a text once.
func Run(ctx context.Context, text string) Result {
	s, err := read(text)
	if err != nil {
		return Result{Text: err.Error()}
	}
	sys, err := s.system(ctx)
	if err != nil {
		return Result{Text: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	engine := sequential.New(sys.Budget)
	if s.seeded {
		engine = sequential.Seeded(s.seed, sys.Budget)
	}
	r := recording.New()
	resources := &resource.Manager{Budget: sys.Budget}
	defer resources.Clear()
	var out strings.Builder
	for i, st := range sys.Steps {
		perStep := &resource.Manager{Budget: sys.Budget}
		log := zerolog.Nop()
		step := &kernel.Step{Context: ctx, ID: int64(i + 1), Resources: resources, PerStep: perStep, Pool: serial{}, Log: &log, Seed: 1}
		sys.Prepare(step)
		step.Record = r.Begin(engine.Name())
		fetched := make([]tensor.Value, len(st.Program.Fetches()))
		err := engine.Run(step, st.Program, nil, fetched)
		perStep.Clear()
		if text := explore.Answer(st.Program, fetched, err); text != "" {
			out.WriteString(text)
		}
		if err != nil {
			break
		}
	}
	for _, state := range resources.States() {
		fmt.Fprintf(&out, "afterwards %s holds %s\n", state.Name.Name, state.Text)
	}
	if out.Len() == 0 {
		out.WriteString("The run has ended; nothing was fetched.\n")
	}
	return Result{out.String(), page(s, func(p *view.Page) error { return p.AddRecording("run", r) })}
}

// Explore runs a text under its schedules and shows two that differ next to each other.
func Explore(ctx context.Context, text string) Result {
	s, err := read(text)
	if err != nil {
		return Result{Text: err.Error()}
	}
	sys, err := s.system(ctx)
	if err != nil {
		return Result{Text: err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	found, err := explore.Explore(ctx, sys, explore.Options{Schedules: mostSchedules})
	if err != nil {
		return Result{Text: err.Error()}
	}
	var out strings.Builder
	if found.All {
		fmt.Fprintf(&out, "All schedules are equivalent to %d of %d events.\n", found.Schedules, found.Events)
	} else {
		fmt.Fprintf(&out, "%d schedules were run, not all, because %s.\n", found.Schedules, found.Why)
	}
	if n := len(found.Answers); n > 1 {
		fmt.Fprintf(&out, "There are %d outcomes.\n", n)
	} else {
		out.WriteString("There is one outcome.\n")
	}
	recordings := []*recording.Recording{}
	for i, a := range found.Answers {
		if i == 4 {
			fmt.Fprintf(&out, "… and %d more\n", len(found.Answers)-i)
			break
		}
		if a.Deadlock {
			out.WriteString("\nA deadlock:\n")
		} else {
			out.WriteString("\n")
		}
		if order := a.Order.String(); order != "" {
			fmt.Fprintf(&out, "if %s\n", strings.ReplaceAll(order, "<", " comes before "))
		} else if len(found.Answers) > 1 {
			out.WriteString("first come, first served\n")
		}
		for line := range strings.Lines(a.Text) {
			out.WriteString("  " + line)
		}
		if i < 2 {
			if r, err := Replay(ctx, sys, a.Order); err == nil {
				recordings = append(recordings, r)
			}
		}
	}
	return Result{out.String(), page(s, func(p *view.Page) error {
		for i, r := range recordings {
			if err := p.AddRecording(fmt.Sprintf("outcome %d", i+1), r); err != nil {
				return err
			}
		}
		return nil
	})}
}

// Replay records the steps of a system in one order.
func Replay(ctx context.Context, sys *explore.System, order sequential.Order) (*recording.Recording, error) {
	r := recording.New()
	recorded := *sys
	prepare := sys.Prepare
	recorded.Prepare = func(k *kernel.Step) {
		if prepare != nil {
			prepare(k)
		}
		if k.Depth == 0 {
			name := "first come, first served"
			if len(order) > 0 {
				name = "schedule:" + order.String()
			}
			k.Record = r.Begin(name)
		}
	}
	_, _, err := explore.Replay(ctx, &recorded, order)
	return r, err
}

func page(s *setup, add func(*view.Page) error) string {
	p := view.New("playground")
	p.AddGraph("graph", s.graph)
	var b bytes.Buffer
	if add(p) != nil || p.Write(&b) != nil {
		return ""
	}
	return b.String()
}

// serial is a pool that runs everything where it is.
type serial struct{}

func (serial) Parallel(n, _ int, f func(lo, hi int)) { f(0, n) }
func (serial) Workers() int                          { return 1 }
func (serial) Expect(time.Duration)                  {}

// Examples returns the names of the worked examples, in order.
func Examples() []string {
	entries, _ := examples.ReadDir("examples")
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	slices.Sort(names)
	return names
}

// Example returns the text of a worked example.
func Example(name string) (string, error) {
	b, err := examples.ReadFile("examples/" + name + ".txt")
	return string(b), err
}
