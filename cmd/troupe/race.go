package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/graph/race"
)

// raceFlags are the flags of `troupe race`.
type raceFlags struct {
	feeds, fetches, targets []string
	init                    []string
	signature               string
	tags                    []string
	schedules               int
	timeout                 time.Duration
	asJSON                  bool
}

func raceCommand() *cobra.Command {
	var f raceFlags
	cmd := &cobra.Command{
		Use:   "race MODEL",
		Short: "Find operations that touch one variable, queue or table in no order",
		Long: `Race looks for pairs of operations that touch the same variable, queue, table,
TensorArray or the like, of which one changes it, with no path of data or control
edges between them. Their order is up to the schedule, and the answer with it. A pair
may be one operation in several iterations of a loop.

What runs is chosen as for "troupe run": by --fetch and --target, by --signature, or,
of a SavedModel, all signatures; of a case its recorded steps.

Where all feeds have values, which are those of a signature's inputs if one is named or
nothing else is, the step is then run under --schedules random schedules, each in a
session of its own, of a SavedModel with its values, after --init. It is told whether the
answers differ:
"troupe run --engine seeded:N" gives the one of schedule N again. A race is real also
if they do not: another machine has other schedules.

It exits with 0 if there is no race and with 1 if there is one.

` + modelHelp,
		Example: `  troupe race train.pb --init init --feed x=1 --target train_op --fetch loss
  troupe race my_model/
  troupe race my_model/ --signature train --feed x=1
  troupe race model.pb --fetch y --json | jq -r '.runs[].races[].object'`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fl := cmd.Flags()
	fl.StringArrayVar(&f.feeds, "feed", nil, "the tensor `NAME[=VALUE]` is fed (repeat for more)")
	fl.StringArrayVar(&f.fetches, "fetch", nil, "the tensor `NAME` is fetched (repeat for more)")
	fl.StringArrayVar(&f.targets, "target", nil, "`NODE` is run (repeat for more)")
	fl.StringArrayVar(&f.init, "init", nil, "`NODE` is run before, in a step of its own, each time the graph is run (repeat for more)")
	fl.StringVar(&f.signature, "signature", "", "this signature `KEY` of a SavedModel alone")
	fl.StringSliceVar(&f.tags, "tags", nil, "the SavedModel's graph with exactly these `TAGS`, separated by commas, not its first")
	fl.IntVar(&f.schedules, "schedules", 100, "run under `N` random schedules what has races")
	fl.DurationVar(&f.timeout, "timeout", time.Minute, "give a schedule up after this `DURATION`")
	fl.BoolVar(&f.asJSON, "json", false, "print a JSON object")
	completeSignatures(cmd)
	return cmd
}

// A raceRun is what was found of one choice of feeds, fetches and targets.
type raceRun struct {
	Name  string     `json:"name,omitempty"` // a signature or a step
	Races []raceOf   `json:"races"`
	Tried *schedules `json:"schedules,omitempty"`
}

type raceOf struct {
	Object string     `json:"object"`
	Access [2]raceEnd `json:"accesses"`
	Loop   string     `json:"in_iterations_of,omitempty"`
	text   string
}

type raceEnd struct {
	Node string `json:"node"`
	Op   string `json:"op"`
	Does string `json:"does"`
}

// schedules are what random schedules answered.
type schedules struct {
	Count   int        `json:"count"`
	Answers []anAnswer `json:"answers"` // different ones, each with the first schedule that gave it
}

type anAnswer struct {
	Seed int    `json:"seed"`
	Text string `json:"answer"`
	Many int    `json:"schedules"` // how many gave it
}

func (f *raceFlags) run(cmd *cobra.Command, path string) error {
	m, err := findTagged(cmd, path, f.signature, f.tags)
	if err != nil {
		return err
	}
	named := len(f.feeds)+len(f.fetches)+len(f.targets) > 0
	var runs []raceRun
	switch {
	case m.folder != "" && named && (f.signature != "" || len(f.fetches)+len(f.targets) == 0):
		runs, err = f.fed(cmd, m)
	case m.folder != "" && !named:
		runs, err = f.signatures(cmd.Context(), m)
	case m.script != nil && !named:
		runs, err = f.steps(cmd, m.script)
	case len(f.fetches)+len(f.targets) == 0:
		return fmt.Errorf("nothing to run: give --fetch NAME or --target NODE")
	default:
		runs, err = f.named(cmd, m, "", f.names())
	}
	if err != nil {
		return err
	}
	if err := f.write(cmd.OutOrStdout(), runs); err != nil {
		return failure{err}
	}
	for _, r := range runs {
		if len(r.Races) > 0 {
			return failure{}
		}
	}
	return nil
}

func newRaceRun(name string, races []race.Race) raceRun {
	r := raceRun{Name: name, Races: []raceOf{}}
	for _, x := range races {
		r.Races = append(r.Races, raceOf{Object: x.Object.Name, Loop: x.Loop, text: x.String(), Access: [2]raceEnd{
			{x.A.Node.Name(), x.A.Node.Type(), x.A.Mode.String()},
			{x.B.Node.Name(), x.B.Node.Type(), x.B.Mode.String()},
		}})
	}
	return r
}

// signatures looks at the signatures of a SavedModel.
func (f *raceFlags) signatures(ctx context.Context, m *model) (runs []raceRun, err error) {
	planned := plannedFlags{signature: f.signature}
	err = planned.each(m, func(key string, loaded *troupe.SavedModel, feeds, fetches []troupe.Output) error {
		races, err := race.Find(ctx, race.Program{Graph: loaded.Graph, Feeds: feeds, Fetches: fetches})
		if err != nil {
			return failure{err}
		}
		runs = append(runs, newRaceRun("signature "+key, races))
		return nil
	})
	return runs, err
}

// steps looks at the recorded steps of a case.
func (f *raceFlags) steps(cmd *cobra.Command, s *conformance.Script) (runs []raceRun, err error) {
	ctx := cmd.Context()
	racy := false
	failed := s.Races(ctx, func(i int, races []race.Race, e error) {
		if e != nil {
			err = failure{e}
			return
		}
		racy = racy || len(races) > 0
		name := ""
		if len(s.Steps) > 1 {
			name = fmt.Sprintf("step %d", i)
		}
		runs = append(runs, newRaceRun(name, races))
	})
	if failed != nil {
		return nil, failure{failed}
	}
	if err != nil || !racy {
		return runs, err
	}
	loaded(cmd)
	tried, err := f.try(ctx, func(seed int) (string, error) {
		var b strings.Builder
		cfg := conformance.Config{Engine: fmt.Sprintf("seeded:%d", seed), Rewrite: "none", Timeout: f.timeout}
		err := s.Play(ctx, cfg, func(i int, o conformance.Outcome) error {
			for k, t := range o.Fetched {
				fmt.Fprintf(&b, "step %d: ", i)
				printValue(&b, s.Steps[i].Fetches[k], "=", t)
			}
			if o.Err != nil {
				fmt.Fprintf(&b, "step %d: %v\n", i, o.Err)
			}
			return nil
		})
		return b.String(), err
	})
	runs = append(runs, raceRun{Name: "all steps", Races: []raceOf{}, Tried: tried})
	return runs, err
}

// names are the flags of the run.
func (f *raceFlags) names() runFlags {
	return runFlags{feeds: f.feeds, fetches: f.fetches, targets: f.targets, signature: f.signature}
}

// fed looks at one signature of a SavedModel, whose inputs have values.
func (f *raceFlags) fed(cmd *cobra.Command, m *model) ([]raceRun, error) {
	signatures := map[string]troupe.Signature{}
	for _, g := range m.saved {
		if slices.Equal(g.Tags, m.tags) {
			signatures = g.Signatures
		}
	}
	run, key, err := f.names().ofSignature(signatures)
	if err != nil {
		return nil, err
	}
	return f.named(cmd, m, "signature "+key, run)
}

// named looks at what flags name.
func (f *raceFlags) named(cmd *cobra.Command, m *model, name string, flags runFlags) ([]raceRun, error) {
	if err := m.importGraph(); err != nil {
		return nil, failure{err}
	}
	values := true
	p := race.Program{Graph: m.graph}
	for _, arg := range flags.feeds {
		name, _, ok := strings.Cut(arg, "=")
		o, err := findOutput(m.graph, name)
		if err != nil {
			return nil, fmt.Errorf("--feed %s: %w", name, err)
		}
		p.Feeds = append(p.Feeds, o)
		values = values && ok
	}
	if !values {
		flags.feeds = nil
	}
	_, fetches, targets, err := flags.resolve(m.graph)
	if err != nil {
		return nil, err
	}
	init := runFlags{targets: f.init}
	if _, _, _, err := init.resolve(m.graph); err != nil {
		return nil, err
	}
	p.Fetches, p.Targets = fetches, targets
	races, err := race.Find(cmd.Context(), p)
	if err != nil {
		return nil, failure{err}
	}
	run := newRaceRun(name, races)
	if len(races) > 0 && values {
		loaded(cmd)
		run.Tried, err = f.try(cmd.Context(), func(seed int) (string, error) {
			return f.schedule(cmd, m, seed, init, flags)
		})
	}
	return []raceRun{run}, err
}

// schedule runs a graph under one schedule and answers what came of it.
func (f *raceFlags) schedule(cmd *cobra.Command, m *model, seed int, init, run runFlags) (string, error) {
	ctx := cmd.Context()
	sess, err := m.open(cmd, &troupe.SessionOptions{Engine: fmt.Sprintf("seeded:%d", seed), Rewrite: "none", Timeout: f.timeout, Files: new(fileFlags).policy(m)})
	if err != nil {
		return "", failure{err}
	}
	defer sess.Close()
	if _, _, before, err := init.resolve(m.graph); err != nil {
		return "", err
	} else if len(before) > 0 {
		if _, err := sess.RunContext(ctx, nil, nil, before); err != nil {
			return "", failure{fmt.Errorf("--init: %w", err)}
		}
	}
	feeds, fetches, targets, err := run.resolve(m.graph)
	if err != nil {
		return "", err
	}
	values, err := sess.RunContext(ctx, feeds, fetches, targets)
	if err != nil {
		return err.Error() + "\n", ctx.Err()
	}
	var b strings.Builder
	for i, v := range values {
		printValue(&b, run.fetches[i], "=", v)
	}
	return b.String(), nil
}

// try counts the answers of random schedules.
func (f *raceFlags) try(ctx context.Context, answer func(seed int) (string, error)) (*schedules, error) {
	if f.schedules <= 0 {
		return nil, nil
	}
	tried := &schedules{Answers: []anAnswer{}}
	known := map[string]int{}
	for seed := 1; seed <= f.schedules; seed++ {
		text, err := answer(seed)
		if err != nil {
			return nil, err
		}
		i, ok := known[text]
		if !ok {
			i = len(tried.Answers)
			known[text] = i
			tried.Answers = append(tried.Answers, anAnswer{Seed: seed, Text: text})
		}
		tried.Answers[i].Many++
		tried.Count++
	}
	return tried, ctx.Err()
}

func (f *raceFlags) write(w io.Writer, runs []raceRun) error {
	if f.asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"runs": runs})
	}
	for _, r := range runs {
		if r.Name != "" {
			fmt.Fprintf(w, "%s: ", r.Name)
		}
		switch {
		case len(r.Races) > 0:
			atLeast := ""
			if len(r.Races) >= race.Most {
				atLeast = "at least "
			}
			fmt.Fprintln(w, atLeast+count(len(r.Races), "race"))
		case r.Tried == nil:
			fmt.Fprintln(w, "no races")
		}
		for _, x := range r.Races {
			fmt.Fprintf(w, "  %s\n", x.text)
		}
		if r.Tried != nil {
			r.Tried.write(w)
		}
	}
	return nil
}

// maxAnswers is how many different answers are printed.
const maxAnswers = 4

func (s *schedules) write(w io.Writer) {
	if len(s.Answers) == 1 {
		fmt.Fprintf(w, "%s gave one answer\n", count(s.Count, "schedule"))
		return
	}
	fmt.Fprintf(w, "%s gave %d answers:\n", count(s.Count, "schedule"), len(s.Answers))
	for i, a := range s.Answers {
		if i == maxAnswers {
			fmt.Fprintf(w, "  and %d more\n", len(s.Answers)-i)
			break
		}
		fmt.Fprintf(w, "  --engine seeded:%d, and %d like it\n", a.Seed, a.Many-1)
		for line := range strings.Lines(a.Text) {
			fmt.Fprintf(w, "    %s", line)
		}
	}
}
