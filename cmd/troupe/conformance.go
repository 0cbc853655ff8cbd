package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/plain"
)

// conformanceFlags are the flags of `troupe conformance`.
type conformanceFlags struct {
	match         string
	engine        string
	rewrite       string
	threads       int
	json          bool
	verbose       bool
	units         string
	bisect        bool
	apart         bool
	devices       int
	placementSeed uint64
	jobs          int
}

func conformanceCommand() *cobra.Command {
	var f conformanceFlags
	cmd := &cobra.Command{
		Use:   "conformance PATH...",
		Short: "Compare results with cases recorded from TensorFlow",
		Long: `Conformance runs cases recorded from TensorFlow and compares the results. A PATH is a
case folder, a folder of cases, a .zip archive of cases, a case in an archive, or a
folder of groups.

Cases run in child processes, hostile ones with limited memory and time, so that a
crash fails one case only. Each failure prints a line with the difference; the last
line is "N passed, M failed, K unimplemented", where unimplemented means that the case
needs an operation or feature that Troupe lacks. No case is skipped. The exit code is 1
if a case failed.

--bisect runs each case that fails again with none of the optional passes of --rewrite
and --units, then with one more at a time, and prints the pass that makes it fail.

--units without a value runs nothing: for each group, except hostile ones, it counts the loops that the
engine "actors" compiles into units, and prints why others are not.`,
		Example: `  troupe conformance conformance/testdata/control.zip
  troupe conformance cases/ --run 'while|cond' --engine seeded:7
  troupe conformance hostile.zip --json -j 2 | grep '"failed"'`,
		Args: atLeastOne,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.match, "run", "", "run the cases whose name, group/case, matches `REGEXP`")
	engineFlag(cmd, &f.engine)
	rewriteFlag(cmd, &f.rewrite)
	fl.IntVar(&f.threads, "threads", 0, "run up to `N` kernels of a case at a time; 0 is one per CPU")
	fl.IntVar(&f.devices, "devices", 0, "place the nodes of each case at random on `N` CPU devices")
	fl.Uint64Var(&f.placementSeed, "placement-seed", 0, "with --devices: `SEED` of the random placement")
	fl.BoolVar(&f.apart, "separate-steps", false, "run the part on each device as a separate step")
	fl.BoolVar(&f.json, "json", false, "print a JSON object for each case")
	fl.BoolVarP(&f.verbose, "verbose", "v", false, "print every case, and failures in full")
	fl.BoolVar(&f.bisect, "bisect", false, "find the compiler pass that makes a case fail")
	fl.StringVar(&f.units, "units", "", "run with these `PASSES` of units, as for run; without a value: count the loops that are compiled into units instead of running the cases")
	fl.Lookup("units").NoOptDefVal = countsUnits
	fl.IntVarP(&f.jobs, "jobs", "j", 0, "run `N` cases at a time; 0 is one per CPU")
	return cmd
}

func (f *conformanceFlags) run(cmd *cobra.Command, paths []string) error {
	match, err := regexp.Compile(f.match)
	if err != nil {
		return fmt.Errorf("--run: %w", err)
	}
	var cases []*conformance.Case
	for _, path := range paths {
		found, err := conformance.Load(path)
		if err != nil {
			return err
		}
		for _, c := range found {
			if match.MatchString(c.Name) {
				cases = append(cases, c)
			}
		}
	}
	if len(cases) == 0 {
		return fmt.Errorf("--run %s matches no case", f.match)
	}
	if f.units == countsUnits {
		countUnits(cmd.OutOrStdout(), cases)
		return nil
	}
	loaded(cmd)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	if f.jobs <= 0 {
		f.jobs = runtime.GOMAXPROCS(0)
	}
	r := conformance.Runner{
		Config:  conformance.Config{Engine: f.engine, Rewrite: f.rewrite, Units: f.units, Threads: f.threads, SeparateSteps: f.apart, Strewing: conformance.Strewing{Devices: f.devices, Seed: f.placementSeed}},
		Jobs:    f.jobs,
		Command: []string{self, workerName},
	}
	var sum conformance.Summary
	var failed []*conformance.Case
	out, advance, done := casesBar(cmd, len(cases))
	r.Run(cmd.Context(), cases, func(c *conformance.Case, result conformance.Result) {
		sum.Add(result)
		advance()
		f.print(out, result)
		if result.Verdict == conformance.Failed {
			failed = append(failed, c)
		}
	})
	done()
	if f.bisect {
		for _, c := range failed {
			if err := f.blame(cmd, &r, c); err != nil {
				return err
			}
		}
	}
	fmt.Fprintln(cmd.OutOrStdout(), sum)
	if sum.Failed > 0 {
		return failure{}
	}
	return nil
}

// countsUnits is the value of --units where it has none.
const countsUnits = "count"

// blame prints which pass makes a case fail.
func (f *conformanceFlags) blame(cmd *cobra.Command, r *conformance.Runner, c *conformance.Case) error {
	pass, found, err := r.Bisect(cmd.Context(), c)
	if err != nil {
		return err
	}
	why := "pass " + pass
	switch {
	case !found:
		why = "no pass: it does not fail each time"
	case pass == "":
		why = "no pass: it fails without optional passes, too"
	}
	if f.json {
		line, _ := json.Marshal(map[string]string{"case": c.Name, "blame": why})
		fmt.Fprintf(cmd.OutOrStdout(), "%s\n", line)
		return nil
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s fails by %s\n", c.Name, why)
	return nil
}

// countUnits prints how the programs of each group's cases are played.
func countUnits(w io.Writer, cases []*conformance.Case) {
	var groups []string
	counts := map[string]*conformance.UnitCount{}
	for _, c := range cases {
		g := c.Group()
		if counts[g] == nil {
			groups, counts[g] = append(groups, g), &conformance.UnitCount{}
		}
		counts[g].Count(c)
	}
	for _, g := range groups {
		fmt.Fprintf(w, "%s: %v", g, counts[g])
	}
}

func (f *conformanceFlags) print(w io.Writer, r conformance.Result) {
	switch {
	case f.json:
		line, _ := json.Marshal(r)
		fmt.Fprintf(w, "%s\n", line)
	case f.verbose:
		detail := strings.ReplaceAll(strings.TrimSpace(r.Detail), "\n", "\n\t")
		fmt.Fprintln(w, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Verdict, r.Case, detail)))
	case r.Verdict == conformance.Failed:
		first, _, _ := strings.Cut(r.Detail, "\n")
		fmt.Fprintf(w, "%s %s %s\n", r.Verdict, r.Case, first)
	}
}

// casesBar shows on a terminal how many cases have run. Lines go to out
// meanwhile, so that they do not run into the bar.
func casesBar(cmd *cobra.Command, total int) (out io.Writer, advance, done func()) {
	out, w := cmd.OutOrStdout(), cmd.ErrOrStderr()
	if !isTerminal(w) {
		return out, func() {}, func() {}
	}
	p := mpb.New(mpb.WithOutput(raw(w)), mpb.WithWidth(40))
	bar := p.AddBar(int64(total), mpb.BarRemoveOnComplete(), mpb.AppendDecorators(
		decor.CountersNoUnit("%d of %d cases")))
	if isTerminal(out) {
		out = plain.NewWriter(p)
	}
	return out, bar.Increment, func() {
		bar.Abort(true)
		p.Wait()
	}
}

// workerName is the command that conformance starts itself with.
const workerName = "conformance-worker"

// workerCommand runs the cases that its parent asks for on standard input.
func workerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    workerName + " [MEMORY]",
		Short:  "Run the cases that standard input asks for",
		Hidden: true,
		Args:   cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			memory := int64(0)
			if len(args) > 0 {
				var err error
				if memory, err = strconv.ParseInt(args[0], 10, 64); err != nil {
					return err
				}
			}
			return conformance.Serve(cmd.Context(), cmd.InOrStdin(), raw(cmd.OutOrStdout()), memory)
		},
	}
}
