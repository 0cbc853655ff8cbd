package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph/race"
	"github.com/troupe-go/troupe/graph/rewrite"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/sequential/explore"
	"github.com/troupe-go/troupe/tensor"
)

// exploreFlags are the flags of `troupe explore`.
type exploreFlags struct {
	feeds, fetches, targets []string
	init                    []string
	signature               string
	tags                    []string
	schedules, random       int
	depth                   int
	seed                    uint64
	schedule                string
	timeout                 time.Duration
	asJSON, asDOT           bool
	replays                 bool // --schedule was given
}

func exploreCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore MODEL",
		Short: "Run a graph under all schedules, and tell whether they give one answer",
		Long: `Explore runs a graph again and again, each time in another order of its operations,
and tells whether all orders give one answer: what is fetched, what variables hold
afterwards, or the error. Orders that differ only in operations that commute are run
once. If answers differ, it prints short schedules that do, and which two operations
are exchanged between them.

What runs is chosen by --fetch and --target, each time after --init, or is the
recorded steps of a case, or a signature of a SavedModel, serving_default unless
--signature names another, each time after what restores and initializes the model. Feeds
then go by the signature's names, and so does --fetch after --signature. All feeds need
values.

A schedule is text such as "a<b,c<d": what can run first does, but b waits for a, and d
for c. "a@while[1]" is a in an iteration, "a!" its kernel alone, of an operation that reads
one reference variable and then writes another; "a<b#2" is of the second step, --init being the first.
--schedule prints the operations in the order of one schedule; "troupe run
--engine schedule:TEXT" follows one, too.

Where there are more than --max-schedules, --random schedules are run besides. Their
priorities are random, so that each finds what takes --depth orderings of two operations
with at least the probability that is printed.

It exits with 0 if all schedules that it ran give one answer and with 1 if they do not.

` + modelHelp,
		Example: `  troupe explore train.pb --init init --feed x=1 --target train_op --fetch loss
  troupe explore train.pb --init init --feed x=1 --fetch loss --schedule 'read<assign'
  troupe explore my_model/ --signature train --feed x=1
  troupe explore model.pb --fetch y --dot | dot -Tsvg`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.replays = cmd.Flags().Changed("schedule")
			return f.run(cmd, args[0])
		},
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.feeds, "feed", nil, "feed a tensor: `NAME=VALUE` or NAME=@FILE (repeat for more)")
	fl.StringArrayVar(&f.fetches, "fetch", nil, "fetch the tensor `NAME` (repeat for more)")
	fl.StringArrayVar(&f.targets, "target", nil, "run `NODE` without fetching from it (repeat for more)")
	fl.StringArrayVar(&f.init, "init", nil, "`NODE` is run before, in a step of its own, each time the graph is run (repeat for more)")
	fl.StringVar(&f.signature, "signature", "", "this signature `KEY` of a SavedModel")
	fl.StringSliceVar(&f.tags, "tags", nil, "the SavedModel's graph with exactly these `TAGS`, separated by commas, not its first")
	fl.IntVar(&f.schedules, "max-schedules", 10_000, "run at most `N` schedules to find all")
	fl.IntVar(&f.random, "random", 1000, "run `N` random schedules where those are not all")
	fl.IntVar(&f.depth, "depth", 3, "random schedules look for what takes `D` orderings of two operations")
	fl.Uint64Var(&f.seed, "seed", 1, "`N` is what random schedules are drawn from")
	fl.StringVar(&f.schedule, "schedule", "", "run this schedule alone, and print its operations: `TEXT` such as a<b,c<d")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "give a step up after this `DURATION`")
	fl.BoolVar(&f.asJSON, "json", false, "print a JSON object")
	fl.BoolVar(&f.asDOT, "dot", false, "print the two operations, and the two schedules, as a graph for Graphviz")
	completeSignatures(cmd)
	return cmd
}

func (f *exploreFlags) run(cmd *cobra.Command, path string) error {
	if f.schedules < 1 || f.random < 0 || f.depth < 1 {
		return fmt.Errorf("--max-schedules and --depth are at least 1, --random is at least 0")
	}
	order, err := sequential.ParseOrder(f.schedule)
	if err != nil {
		return fmt.Errorf("--schedule: %w", err)
	}
	m, err := findTagged(cmd, path, f.signature, f.tags)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	s := &explore.System{Budget: tensor.NewBudget(4 << 30), Timeout: f.timeout}
	var g *troupe.Graph
	switch {
	case m.folder != "":
		g, err = f.saved(ctx, m, s)
	case m.script != nil && len(f.feeds)+len(f.fetches)+len(f.targets)+len(f.init) == 0:
		g, err = f.steps(ctx, m, s)
	default:
		g, err = f.named(ctx, m, s)
	}
	if err != nil {
		return err
	}
	loaded(cmd)
	functions := nodes.NewFunctions(g, sequential.New(s.Budget), rewrite.Options{})
	files := new(fileFlags).policy(m)
	s.Prepare = func(k *kernel.Step) { k.Files, k.Functions = files, functions }
	if f.replays {
		return f.replay(ctx, cmd.OutOrStdout(), s, order)
	}
	r, err := explore.Explore(ctx, s, explore.Options{Schedules: f.schedules})
	if err != nil {
		return failure{err}
	}
	var drawn *explore.Result
	if !r.All && f.random > 0 {
		if drawn, err = explore.Sample(ctx, s, explore.Options{Schedules: f.random}, f.depth, f.seed); err != nil {
			return failure{err}
		}
	}
	var schedules [2][]string
	if shown := more(r, drawn); f.asDOT && len(shown.Answers) > 1 {
		for i := range schedules {
			if schedules[i], _, err = explore.Replay(ctx, s, shown.Answers[i].Order); err != nil {
				return failure{err}
			}
		}
	}
	if err := f.write(cmd.OutOrStdout(), r, drawn, schedules); err != nil {
		return failure{err}
	}
	if len(r.Answers) > 1 || drawn != nil && len(drawn.Answers) > 1 {
		return failure{}
	}
	return nil
}

// step makes a step of what is run.
func (f *exploreFlags) step(ctx context.Context, p race.Program, values []*tensor.Tensor, fixed bool) (explore.Step, error) {
	st := explore.Step{Fixed: fixed}
	for _, v := range values {
		st.Feeds = append(st.Feeds, tensor.ValueOf(v))
	}
	var err error
	if st.Program, err = nodes.Compile(ctx, p.Graph, nodes.Spec{Feeds: p.Feeds, Fetches: p.Fetches, Targets: p.Targets, NoUnits: true}); err != nil {
		return st, failure{err}
	}
	if !fixed {
		if st.Unordered, err = race.Unordered(ctx, p); err != nil {
			return st, failure{err}
		}
	}
	return st, nil
}

// steps explores the recorded steps of a case.
func (f *exploreFlags) steps(ctx context.Context, m *model, s *explore.System) (*troupe.Graph, error) {
	g, runs, err := m.script.Runs()
	if err != nil {
		return nil, failure{err}
	}
	for _, r := range runs {
		st, err := f.step(ctx, r.Program, r.Values, false)
		if err != nil {
			return nil, err
		}
		s.Steps = append(s.Steps, st)
	}
	return g, nil
}

// named explores what the flags name.
func (f *exploreFlags) named(ctx context.Context, m *model, s *explore.System) (*troupe.Graph, error) {
	if len(f.fetches)+len(f.targets) == 0 {
		return nil, fmt.Errorf("nothing to run: give --fetch NAME or --target NODE")
	}
	if err := m.importGraph(); err != nil {
		return nil, failure{err}
	}
	for i, flags := range []runFlags{{targets: f.init}, {feeds: f.feeds, fetches: f.fetches, targets: f.targets}} {
		feeds, fetches, targets, err := flags.resolve(m.graph)
		if err != nil {
			return nil, err
		}
		if len(fetches)+len(targets) == 0 {
			continue
		}
		p := race.Program{Graph: m.graph, Fetches: fetches, Targets: targets}
		var values []*tensor.Tensor
		for o, t := range feeds {
			p.Feeds, values = append(p.Feeds, o), append(values, t)
		}
		st, err := f.step(ctx, p, values, i == 0)
		if err != nil {
			return nil, err
		}
		s.Steps = append(s.Steps, st)
	}
	return m.graph, nil
}

// replay prints one schedule.
func (f *exploreFlags) replay(ctx context.Context, w io.Writer, s *explore.System, order sequential.Order) error {
	events, answer, err := explore.Replay(ctx, s, order)
	if err != nil {
		return failure{err}
	}
	if f.asJSON {
		return indented(w, map[string]any{"operations": events, "answer": answer})
	}
	for _, e := range events {
		fmt.Fprintln(w, e)
	}
	fmt.Fprintf(w, "\n%s", answer)
	return nil
}

func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// more is the result that has found more answers.
func more(r, drawn *explore.Result) *explore.Result {
	if drawn != nil && len(drawn.Answers) > len(r.Answers) {
		return drawn
	}
	return r
}

// write prints what was found of all schedules and, if not nil, of random ones. schedules
// are the operations of the first two that differ, for a picture.
func (f *exploreFlags) write(w io.Writer, r, drawn *explore.Result, schedules [2][]string) error {
	shown := more(r, drawn)
	switch {
	case f.asDOT:
		writeDOT(w, shown, schedules)
		return nil
	case f.asJSON:
		type answer struct {
			Schedule string `json:"schedule"`
			Count    int    `json:"schedules"`
			Text     string `json:"answer"`
		}
		answers := []answer{}
		for _, a := range shown.Answers {
			answers = append(answers, answer{a.Order.String(), a.Count, a.Text})
		}
		v := map[string]any{"schedules": r.Schedules, "all": r.All, "answers": answers}
		if drawn != nil {
			v["random"], v["depth"], v["bound"] = drawn.Schedules, drawn.Depth, drawn.Bound
		}
		if len(answers) > 1 {
			v["exchanged"] = shown.Pair
		}
		if shown.Race != nil {
			v["race"] = shown.Race.String()
		}
		return indented(w, v)
	}
	if r.All {
		fmt.Fprintf(w, "all schedules are equivalent to %s of %s, %d of which may come in several orders\n", count(r.Schedules, "schedule"), count(r.Events, "event"), r.Choices)
	} else {
		fmt.Fprintf(w, "not all schedules were run, as %s: %s\n", r.Why, count(r.Schedules, "schedule"))
	}
	if drawn != nil {
		fmt.Fprintf(w, "%s at random: what takes %s of %s is found by each with a probability of at least %.2g, by them all of %.2g\n",
			count(drawn.Schedules, "schedule"), count(drawn.Depth, "ordering"), count(drawn.Choices, "event"),
			drawn.Bound, -math.Expm1(float64(drawn.Schedules)*math.Log1p(-drawn.Bound)))
	}
	if len(shown.Answers) == 1 {
		fmt.Fprintln(w, "they give one answer:")
	} else {
		fmt.Fprintf(w, "they give %d answers:\n", len(shown.Answers))
	}
	for i, a := range shown.Answers {
		if i == maxAnswers {
			fmt.Fprintf(w, "  and %d more\n", len(shown.Answers)-i)
			break
		}
		if len(shown.Answers) > 1 {
			fmt.Fprintf(w, "  --schedule '%s'\n", a.Order)
		}
		for line := range strings.Lines(a.Text) {
			fmt.Fprintf(w, "    %s", line)
		}
	}
	switch {
	case len(shown.Answers) == 1:
	case shown.Pair[0] == "":
		fmt.Fprintln(w, "no schedule gives one of the others again: something in the graph does not depend on the schedule alone")
	default:
		fmt.Fprintf(w, "the first two differ in whether %s comes before %s", shown.Pair[0], shown.Pair[1])
		if shown.Race != nil {
			fmt.Fprintf(w, ":\n  %s\n", shown.Race)
		} else {
			fmt.Fprintln(w, ": what fails first is the error")
		}
	}
	return nil
}
