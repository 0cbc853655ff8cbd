package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/kernel"
	savedmodel "github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/sequential/explore"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// scheduleFlags say which steps `troupe explore` and `troupe race` run under many
// schedules.
type scheduleFlags struct {
	feeds, fetches, targets []string
	init                    []string
	signature               string
	tags                    []string
	timeout                 time.Duration
}

func (f *scheduleFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.fetches, "fetch", nil, "fetch the tensor `NAME` (repeatable)")
	fl.StringArrayVar(&f.targets, "target", nil, "run `NODE` without fetching from it (repeatable)")
	fl.StringArrayVar(&f.init, "init", nil, "run `NODE` before each schedule, in a step of its own (repeatable)")
	fl.StringVar(&f.signature, "signature", "", "run the signature `KEY` of a SavedModel")
	fl.StringSliceVar(&f.tags, "tags", nil, "use the SavedModel's graph with exactly these `TAGS`, separated by commas")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "fail a step after this `DURATION`")
	completeSignatures(cmd)
}

// named reports whether flags name what is run.
func (f *scheduleFlags) named() bool { return len(f.feeds)+len(f.fetches)+len(f.targets) > 0 }

// system returns the steps to be run.
func (f *scheduleFlags) system(ctx context.Context, m *model) (s *explore.System, err error) {
	s = &explore.System{Budget: tensor.NewBudget(4 << 30), Timeout: f.timeout}
	var g *troupe.Graph
	switch {
	case m.folder != "":
		g, err = f.saved(ctx, m, s)
	case m.script != nil && !f.named() && len(f.init) == 0:
		g, err = f.steps(ctx, m, s)
	default:
		g, err = f.ofGraph(ctx, m, s)
	}
	if err != nil {
		return nil, err
	}
	functions := compile.NewFunctions(g, sequential.New(s.Budget), rewrite.Options{})
	files := new(fileFlags).policy(m)
	s.Prepare = func(k *kernel.Step) { k.Files, k.Functions = files, functions }
	return s, nil
}

// addStep adds a step that runs p; a fixed one is run in the same way each time.
func addStep(ctx context.Context, s *explore.System, p race.Program, values []*tensor.Tensor, fixed bool) error {
	st := explore.Step{Fixed: fixed}
	for _, v := range values {
		st.Feeds = append(st.Feeds, tensor.ValueOf(v))
	}
	var err error
	if st.Program, err = compile.Graph(ctx, p.Graph, compile.Spec{Feeds: p.Feeds, Fetches: p.Fetches, Targets: p.Targets, NoUnits: true}); err != nil {
		return failure{err}
	}
	if !fixed {
		if st.Unordered, err = race.Unordered(ctx, p); err != nil {
			return failure{err}
		}
	}
	s.Steps = append(s.Steps, st)
	return nil
}

// addNamed adds the steps that flags name: those of --init, then the others.
func (f *scheduleFlags) addNamed(ctx context.Context, s *explore.System, g *troupe.Graph, names runFlags) error {
	for i, flags := range []runFlags{{targets: f.init}, names} {
		feeds, fetches, targets, err := flags.resolve(g)
		if err != nil {
			return err
		}
		if len(fetches)+len(targets) == 0 {
			continue
		}
		p := race.Program{Graph: g, Fetches: fetches, Targets: targets}
		var values []*tensor.Tensor
		for o, t := range feeds {
			p.Feeds, values = append(p.Feeds, o), append(values, t)
		}
		if err := addStep(ctx, s, p, values, i == 0); err != nil {
			return err
		}
	}
	return nil
}

// steps adds the recorded steps of a case.
func (f *scheduleFlags) steps(ctx context.Context, m *model, s *explore.System) (*troupe.Graph, error) {
	g, runs, err := m.script.Runs()
	if err != nil {
		return nil, failure{err}
	}
	for _, r := range runs {
		if err := addStep(ctx, s, r.Program, r.Values, false); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// ofGraph adds what the flags name in a graph.
func (f *scheduleFlags) ofGraph(ctx context.Context, m *model, s *explore.System) (*troupe.Graph, error) {
	if len(f.fetches)+len(f.targets) == 0 {
		return nil, fmt.Errorf("nothing to run: give --fetch NAME or --target NODE%s", ends(m.graph))
	}
	if err := m.importGraph(); err != nil {
		return nil, failure{err}
	}
	return m.graph, f.addNamed(ctx, s, m.graph, f.names())
}

func (f *scheduleFlags) names() runFlags {
	return runFlags{feeds: f.feeds, fetches: f.fetches, targets: f.targets, signature: f.signature}
}

// saved adds a signature of a SavedModel, or what the flags name in it, after the steps
// that bring the model into the state that was saved.
func (f *scheduleFlags) saved(ctx context.Context, m *model, s *explore.System) (*troupe.Graph, error) {
	loaded, err := savedmodel.Load(m.folder, m.tags, &session.SessionOptions{Files: new(fileFlags).policy(m)})
	if err != nil {
		return nil, failure{err}
	}
	if err := loaded.Session.Close(); err != nil {
		return nil, failure{err}
	}
	for _, start := range loaded.Starts {
		p := race.Program{Graph: loaded.Graph, Targets: []*troupe.Operation{start.Target}}
		var values []*tensor.Tensor
		for o, t := range start.Feeds {
			p.Feeds, values = append(p.Feeds, o), append(values, t)
		}
		if err := addStep(ctx, s, p, values, true); err != nil {
			return nil, err
		}
	}
	m.graph = loaded.Graph
	names := f.names()
	if f.signature != "" || len(f.fetches)+len(f.targets) == 0 {
		if names, _, err = names.ofSignature(loaded.Signatures); err != nil {
			return nil, err
		}
	}
	return m.graph, f.addNamed(ctx, s, m.graph, names)
}

// A search is schedules to be run: all that differ if they are no more than most, else so
// many and some at random.
type search struct {
	most, random, depth int
	seed                uint64
}

// run runs the schedules, until the command's limit of time, and shows on a terminal how
// many there were. drawn is what random ones gave, nil if there were none.
func (x *search) run(cmd *cobra.Command, s *explore.System) (r, drawn *explore.Result, err error) {
	ctx, cancel := deadline(cmd)
	defer cancel()
	stop := ctx // before which time is left to look for short schedules
	if at, ok := ctx.Deadline(); ok {
		var done context.CancelFunc
		stop, done = context.WithDeadline(ctx, at.Add(-time.Until(at)/4))
		defer done()
	}
	var ran atomic.Int64
	o := explore.Options{Stop: stop.Done(), Progress: func(int) { ran.Add(1) }}
	err = showing(cmd, func() string { return count(int(ran.Load()), "schedule") }, func() error {
		o.Schedules = x.most
		if r, err = explore.Explore(ctx, s, o); err != nil || r.All || x.random == 0 || stop.Err() != nil {
			return err
		}
		o.Schedules = x.random
		drawn, err = explore.Sample(ctx, s, o, x.depth, x.seed)
		return err
	})
	if err != nil {
		return nil, nil, failure{err}
	}
	return r, drawn, nil
}

// more returns the result that has found more answers.
func more(r, drawn *explore.Result) *explore.Result {
	if drawn != nil && len(drawn.Answers) > len(r.Answers) {
		return drawn
	}
	return r
}

// deadlocked reports whether a schedule has come to a deadlock.
func deadlocked(r *explore.Result) bool {
	return slices.ContainsFunc(r.Answers, func(a explore.Answers) bool { return a.Deadlock })
}

// answerText returns an answer in lines.
func answerText(a *explore.Answers) string {
	if a.Text == "" {
		return "no error; nothing was fetched, and nothing is held\n"
	}
	return a.Text
}

// maxAnswers is how many different answers are printed.
const maxAnswers = 4

// printAnswers prints answers, each with its schedule if there are several.
func printAnswers(write func(format string, args ...any), answers []explore.Answers) {
	for i := range answers {
		a := &answers[i]
		if i == maxAnswers {
			write("  and %d more\n", len(answers)-i)
			break
		}
		if len(answers) > 1 {
			write("  --schedule '%s'\n", a.Order)
		}
		for line := range strings.Lines(answerText(a)) {
			write("    %s", line)
		}
	}
}
