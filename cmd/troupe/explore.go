package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe/sequential"
	"github.com/troupe-go/troupe/sequential/explore"
)

// exploreFlags are the flags of `troupe explore`.
type exploreFlags struct {
	scheduleFlags
	search
	schedule      string
	asJSON, asDOT bool
	web           string
	replays       bool // --schedule was given
}

func exploreCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore MODEL",
		Short: "Run a graph under every schedule and compare the outcomes",
		Long: `Explore runs a graph repeatedly, each time with its operations in another order, and
reports whether all orders have the same outcome: the fetched values, the contents of
variables, queues, tables and other resources afterwards, or the error. A deadlock is
an outcome too. Orders that differ only in operations that commute are run once. If
outcomes differ, it prints short schedules that lead to each, and the two operations
whose order decides.

What runs is chosen by --fetch and --target, after --init; or it is the recorded steps
of a case, or a signature of a SavedModel (serving_default unless --signature names
another), after the model has been restored and initialized. Feeds, and --fetch after
--signature, go by the signature's names. All feeds need values.

A schedule is text such as "a<b,c<d": operations run in the order in which they become
ready, but b waits for a, and d for c. "a@while[1]" is a in an iteration; "a!" the
kernel alone of an operation that reads one reference variable and then writes another;
"a<b#2" is in the second step, --init being the first. --schedule prints the operations
in the order of one schedule; "troupe run --engine schedule:TEXT" runs it.

If there are more than --max-schedules, --random random schedules are run in addition.
Their priorities are random, so that each finds an outcome that takes --depth orderings
of two operations with at least the printed probability.

It exits with 0 if all schedules have the same outcome, and with 1 if they do not or
deadlock. After --max-time it prints what was found so far.

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
	addFeeds(cmd, &f.feeds, "feed a tensor: `NAME=VALUE`, NAME=@FILE, or @FILE.npz for all its arrays (repeatable)")
	f.scheduleFlags.add(cmd)
	fl.IntVar(&f.most, "max-schedules", 10_000, "enumerate at most `N` schedules")
	fl.IntVar(&f.random, "random", 1000, "run `N` random schedules if there are more")
	fl.IntVar(&f.depth, "depth", 3, "look at random for outcomes that take `D` orderings of two operations")
	fl.Uint64Var(&f.seed, "seed", 1, "seed `N` of the random schedules")
	fl.StringVar(&f.schedule, "schedule", "", "run only the schedule `TEXT`, such as a<b,c<d, and print its operations")
	fl.BoolVar(&f.asJSON, "json", false, "print a JSON object")
	fl.StringVar(&f.web, "web", "", "write the first two outcomes to `FILE`, an HTML page that plays their schedules next to each other from where they part")
	fl.BoolVar(&f.asDOT, "dot", false, "print the two operations and the two schedules for Graphviz")
	return cmd
}

func (f *exploreFlags) run(cmd *cobra.Command, path string) error {
	if f.most < 1 || f.random < 0 || f.depth < 1 {
		return fmt.Errorf("--max-schedules and --depth must be at least 1, --random at least 0")
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
	s, err := f.system(ctx, m)
	if err != nil {
		return err
	}
	loaded(cmd)
	if f.replays {
		return f.replay(ctx, cmd.OutOrStdout(), s, order)
	}
	r, drawn, err := f.search.run(cmd, s)
	if err != nil {
		return err
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
	if f.web != "" {
		if err := writeSchedules(ctx, f.web, path, s, more(r, drawn)); err != nil {
			return err
		}
	}
	if shown := more(r, drawn); len(shown.Answers) > 1 || deadlocked(shown) {
		return failure{}
	}
	return nil
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
			Deadlock bool   `json:"deadlock,omitempty"`
		}
		answers := []answer{}
		for _, a := range shown.Answers {
			answers = append(answers, answer{a.Order.String(), a.Count, a.Text, a.Deadlock})
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
		fmt.Fprintf(w, "all schedules are equivalent to %s of %s, %d of which can occur in several orders\n", count(r.Schedules, "schedule"), count(r.Events, "event"), r.Choices)
	} else {
		fmt.Fprintf(w, "not all schedules were run, because %s: %s\n", r.Why, count(r.Schedules, "schedule"))
	}
	if drawn != nil {
		fmt.Fprintf(w, "%s at random: what takes %s of %s is found by each with a probability of at least %.2g, by them all of %.2g\n",
			count(drawn.Schedules, "schedule"), count(drawn.Depth, "ordering"), count(drawn.Choices, "event"),
			drawn.Bound, -math.Expm1(float64(drawn.Schedules)*math.Log1p(-drawn.Bound)))
	}
	if len(shown.Answers) == 1 {
		fmt.Fprintln(w, "one outcome:")
	} else {
		fmt.Fprintf(w, "%d outcomes:\n", len(shown.Answers))
	}
	printAnswers(func(format string, args ...any) { fmt.Fprintf(w, format, args...) }, shown.Answers)
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
