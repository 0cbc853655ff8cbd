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
	replays       bool // --schedule was given
}

func exploreCommand() *cobra.Command {
	var f exploreFlags
	cmd := &cobra.Command{
		Use:   "explore MODEL",
		Short: "Run a graph under all schedules, and tell whether they give one answer",
		Long: `Explore runs a graph again and again, each time in another order of its operations,
and tells whether all orders give one answer: what is fetched, what variables, queues,
tables and the like hold afterwards, or the error. A deadlock is an answer, too. Orders that differ only in operations that commute are run
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

It exits with 0 if all schedules that it ran give one answer, and with 1 if they do not or
come to a deadlock. --max-time bounds it all; what was found by then is printed.

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
	addFeeds(cmd, &f.feeds, "feed a tensor: `NAME=VALUE`, NAME=@FILE, or @FILE.npz for all arrays in it (repeat for more)")
	f.scheduleFlags.add(cmd)
	fl.IntVar(&f.most, "max-schedules", 10_000, "run at most `N` schedules to find all")
	fl.IntVar(&f.random, "random", 1000, "run `N` random schedules where those are not all")
	fl.IntVar(&f.depth, "depth", 3, "random schedules look for what takes `D` orderings of two operations")
	fl.Uint64Var(&f.seed, "seed", 1, "`N` is what random schedules are drawn from")
	fl.StringVar(&f.schedule, "schedule", "", "run this schedule alone, and print its operations: `TEXT` such as a<b,c<d")
	fl.BoolVar(&f.asJSON, "json", false, "print a JSON object")
	fl.BoolVar(&f.asDOT, "dot", false, "print the two operations, and the two schedules, as a graph for Graphviz")
	return cmd
}

func (f *exploreFlags) run(cmd *cobra.Command, path string) error {
	if f.most < 1 || f.random < 0 || f.depth < 1 {
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
