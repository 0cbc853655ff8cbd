package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/sequential/explore"
)

// raceFlags are the flags of `troupe race`.
type raceFlags struct {
	scheduleFlags
	schedules int
	asJSON    bool
	web       string
}

func raceCommand() *cobra.Command {
	var f raceFlags
	cmd := &cobra.Command{
		Use:   "race MODEL",
		Short: "Find unordered accesses to variables, queues and tables",
		Long: `Race looks for pairs of operations that access the same variable, queue, table,
TensorArray or other resource, of which one changes it, with no path of data or control
edges between them. The schedule decides their order, and so the result. A pair may be
one operation in several iterations of a loop.

What runs is chosen as for "troupe run": by --fetch and --target, by --signature; of a
SavedModel all signatures, of a case its recorded steps.

If all feeds have values, and a race was found or an operation can block (such as those
of queues), the steps are then run under --schedules schedules, each from the initial
state: a SavedModel's values, after --init. Fetched values, the contents of resources
afterwards, and errors are compared. A schedule that ends with all operations waiting
is a deadlock, and is found without waiting. If outcomes differ, short schedules are
printed; "troupe explore" and "troupe run --engine schedule:TEXT" run them again. If
there are more schedules, as many are run at random in addition. A race is reported
even if no schedule differs: another machine has other schedules.

It exits with 0 if there is neither a race nor a deadlock, else with 1.

` + modelHelp,
		Example: `  troupe race train.pb --init init --feed x=1 --target train_op --fetch loss
  troupe race my_model/
  troupe race my_model/ --signature train --feed x=1
  troupe race model.pb --fetch y --json | jq -r '.runs[].races[].object'`,
		Args: oneModel,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	fl := cmd.Flags()
	addFeeds(cmd, &f.feeds, "the tensor `NAME[=VALUE]` is fed (repeatable)")
	f.scheduleFlags.add(cmd)
	fl.IntVar(&f.schedules, "schedules", 100, "run at most `N` schedules, and as many random ones if there are more; 0 runs none")
	fl.BoolVar(&f.asJSON, "json", false, "print a JSON object")
	fl.StringVar(&f.web, "web", "", "write the first two outcomes of the schedules to `FILE`, an HTML page that plays them next to each other from where they part")
	return cmd
}

// A raceRun is what was found of one choice of feeds, fetches and targets.
type raceRun struct {
	Name  string   `json:"name,omitempty"` // a signature or a step
	Races []raceOf `json:"races"`
	Tried *tried   `json:"schedules,omitempty"`
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

// tried is what schedules gave.
type tried struct {
	Count   int         `json:"count"`
	All     bool        `json:"all"` // every other schedule is equivalent to one of them
	Answers []triedText `json:"answers"`
	found   []explore.Answers
}

type triedText struct {
	Schedule string `json:"schedule"`
	Text     string `json:"answer"`
	Deadlock bool   `json:"deadlock,omitempty"`
}

// bad reports whether schedules differ or come to a deadlock.
func (t *tried) bad() bool {
	return t != nil && (len(t.found) > 1 || t.deadlocks() > 0)
}

// deadlocks is how many of the outcomes are deadlocks.
func (t *tried) deadlocks() int {
	n := 0
	for _, a := range t.found {
		if a.Deadlock {
			n++
		}
	}
	return n
}

func (f *raceFlags) run(cmd *cobra.Command, path string) error {
	m, err := findTagged(cmd, path, f.signature, f.tags)
	if err != nil {
		return err
	}
	out := raceWriter{w: cmd.OutOrStdout(), asJSON: f.asJSON}
	values := true // what is run has values for all feeds
	name := ""
	switch {
	case m.folder != "" && f.named() && (f.signature != "" || len(f.fetches)+len(f.targets) == 0):
		var run runFlags
		if run, name, err = f.fed(m); err == nil {
			name = "signature " + name
			err = f.static(cmd.Context(), &out, m, name, run)
		}
	case m.folder != "" && !f.named():
		values = false
		err = f.signatures(cmd.Context(), &out, m)
	case m.script != nil && !f.named():
		name = "all steps"
		err = f.recorded(cmd.Context(), &out, m.script)
	case len(f.fetches)+len(f.targets) == 0:
		return fmt.Errorf("nothing to run: give --fetch NAME or --target NODE%s", ends(m.graph))
	default:
		values = !slices.ContainsFunc(f.feeds, func(feed string) bool { return !strings.Contains(feed, "=") })
		err = f.static(cmd.Context(), &out, m, "", f.names())
	}
	if err != nil {
		return err
	}
	if values && f.schedules > 0 {
		if err := f.try(cmd, &out, m, path, name); err != nil {
			return err
		}
	}
	if err := out.end(); err != nil {
		return failure{err}
	}
	if out.found {
		return failure{}
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
func (f *raceFlags) signatures(ctx context.Context, out *raceWriter, m *model) error {
	planned := plannedFlags{signature: f.signature}
	return planned.each(m, func(key string, loaded *troupe.SavedModel, feeds, fetches []troupe.Output) error {
		races, err := race.Find(ctx, race.Program{Graph: loaded.Graph, Feeds: feeds, Fetches: fetches})
		if err != nil {
			return failure{err}
		}
		return out.add(newRaceRun("signature "+key, races))
	})
}

// recorded looks at the recorded steps of a case.
func (f *raceFlags) recorded(ctx context.Context, out *raceWriter, s *conformance.Script) (err error) {
	failed := s.Races(ctx, func(i int, races []race.Race, e error) {
		name := ""
		if len(s.Steps) > 1 {
			name = fmt.Sprintf("step %d", i)
		}
		if err == nil {
			if err = e; err == nil {
				err = out.add(newRaceRun(name, races))
			}
		}
	})
	if failed = errors.Join(failed, err); failed != nil {
		return failure{failed}
	}
	return nil
}

// fed returns the run of a signature of a SavedModel, whose inputs have values.
func (f *raceFlags) fed(m *model) (runFlags, string, error) {
	signatures := map[string]troupe.Signature{}
	for _, g := range m.saved {
		if slices.Equal(g.Tags, m.tags) {
			signatures = g.Signatures
		}
	}
	return f.names().ofSignature(signatures)
}

// static looks for races in what flags name.
func (f *raceFlags) static(ctx context.Context, out *raceWriter, m *model, name string, flags runFlags) error {
	if err := m.importGraph(); err != nil {
		return failure{err}
	}
	p := race.Program{Graph: m.graph}
	for _, arg := range flags.feeds {
		name, _, _ := strings.Cut(arg, "=")
		o, err := findOutput(m.graph, name)
		if err != nil {
			return fmt.Errorf("--feed %s: %w", name, err)
		}
		p.Feeds = append(p.Feeds, o)
	}
	flags.feeds = nil
	var err error
	if _, p.Fetches, p.Targets, err = flags.resolve(m.graph); err != nil {
		return err
	}
	races, err := race.Find(ctx, p)
	if err != nil {
		return failure{err}
	}
	return out.add(newRaceRun(name, races))
}

// try runs schedules of steps that have races, or operations that wait.
func (f *raceFlags) try(cmd *cobra.Command, out *raceWriter, m *model, path, name string) error {
	s, err := f.system(cmd.Context(), m)
	if err != nil {
		return err
	}
	if !out.found && !s.Waits() {
		return nil
	}
	loaded(cmd)
	x := search{most: f.schedules, random: f.schedules, depth: 3, seed: 1}
	r, drawn, err := x.run(cmd, s)
	if err != nil {
		return err
	}
	if f.web != "" {
		if err := writeSchedules(cmd.Context(), f.web, path, s, more(r, drawn)); err != nil {
			return err
		}
	}
	t := &tried{Count: r.Schedules, All: r.All, found: more(r, drawn).Answers, Answers: []triedText{}}
	if drawn != nil {
		t.Count += drawn.Schedules
	}
	for _, a := range t.found {
		t.Answers = append(t.Answers, triedText{a.Order.String(), a.Text, a.Deadlock})
	}
	return out.try(name, t)
}

// A raceWriter prints what is found as soon as it is, or, as JSON, at the end.
type raceWriter struct {
	w      io.Writer
	asJSON bool
	runs   []raceRun
	found  bool // a race or a deadlock
}

// add takes what was found of a run without running it.
func (o *raceWriter) add(r raceRun) error {
	o.runs = append(o.runs, r)
	o.found = o.found || len(r.Races) > 0
	if o.asJSON {
		return nil
	}
	text := "no races"
	if len(r.Races) > 0 {
		text = count(len(r.Races), "race")
	}
	if len(r.Races) >= race.Most {
		text = "at least " + text
	}
	if r.Name != "" {
		text = plain.Line(r.Name) + ": " + text
	}
	for _, x := range r.Races {
		text += "\n  " + x.text
	}
	_, err := fmt.Fprintln(o.w, text)
	return err
}

// try takes what schedules gave of the last run, or, of a case, of all steps.
func (o *raceWriter) try(name string, t *tried) error {
	o.found = o.found || t.bad()
	if last := &o.runs[len(o.runs)-1]; len(o.runs) == 1 || last.Name == name {
		last.Tried = t
	} else {
		o.runs = append(o.runs, raceRun{Name: name, Races: []raceOf{}, Tried: t})
	}
	if o.asJSON {
		return nil
	}
	var b strings.Builder
	b.WriteString(count(t.Count, "schedule"))
	if t.All {
		b.WriteString(", to which all others are equivalent,")
	}
	alone := len(t.found) == 1
	switch {
	case alone && t.bad():
		b.WriteString(" came to a deadlock:\n")
	case alone:
		b.WriteString(" had one outcome:\n")
	default:
		fmt.Fprintf(&b, " had %d outcomes", len(t.found))
		switch n := t.deadlocks(); n {
		case 0:
		case 1:
			b.WriteString(", one of them a deadlock")
		default:
			fmt.Fprintf(&b, ", %d of them deadlocks", n)
		}
		b.WriteString(":\n")
	}
	printAnswers(func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }, t.found)
	_, err := io.WriteString(o.w, b.String())
	return err
}

// end writes JSON.
func (o *raceWriter) end() error {
	if !o.asJSON {
		return nil
	}
	return indented(o.w, map[string]any{"runs": o.runs})
}
