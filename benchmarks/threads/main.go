package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"
)

func main() {
	cores := flag.Int("cores", 0, "simulate this number of cores: 2, 8, 32 or 128; 0 is all of them")
	loops := flag.Int("loops", 0, "busy loops of other programs on the machine")
	bare := flag.Bool("bare", false, "threads start as fast as without a virtual machine")
	runs := flag.Int("runs", 5, "runs of each network")
	seed := flag.Uint64("seed", 1, "of what busy loops do")
	all := flag.Bool("all", false, "also what was tried and left")
	flag.Parse()
	sizes := []int{*cores}
	if *cores == 0 {
		sizes = []int{2, 8, 32, 128}
	}
	for _, n := range sizes {
		m := machine(n, *bare)
		m.Foreign = *loops
		if err := table(os.Stdout, m, *runs, *seed, *all); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// column is a column of the table: a set of rules.
type column struct {
	name  string
	rules Rules
}

func columns(all bool) []column {
	c := []column{{"before", Before}, {"apart", Rules{Apart: true}}, {"now", Now}}
	if !all {
		return c
	}
	with := func(name string, change func(r *Rules)) {
		r := Now
		change(&r)
		c = append(c, column{name, r})
	}
	with("tree", func(r *Rules) { r.Tree = true })
	with("early", func(r *Rules) { r.Early = 10 * time.Microsecond })
	with("groups", func(r *Rules) { r.Groups = true })
	with("no crowd", func(r *Rules) { r.Crowd = false })
	return c
}

// table prints the mean time of a run of each network in milliseconds, and for the last
// column the processor time.
func table(to io.Writer, m *Machine, runs int, seed uint64, all bool) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	columns := columns(all)
	fmt.Fprintf(w, "%d cores, %d loops\tone thread\tbound\t", m.Cores, m.Foreign)
	for _, c := range columns {
		fmt.Fprintf(w, "%s\t", c.name)
	}
	fmt.Fprintln(w, "busy before\tbusy now\t")
	for _, n := range networks {
		calls, err := load(n, m.Cores)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t", n, ms(alone(calls)), ms(bound(calls, m.Cores)))
		var busy [2]time.Duration
		for i, c := range columns {
			r := simulate(m, m.Cores, runs, seed, c.rules, calls)
			fmt.Fprintf(w, "%.2f\t", ms(r.Mean()))
			if i == 0 || c.name == "now" {
				busy[min(i, 1)] = r.Busy
			}
		}
		fmt.Fprintf(w, "%.2f\t%.2f\t\n", ms(busy[0]), ms(busy[1]))
	}
	return w.Flush()
}

func ms(d time.Duration) float64 { return float64(d) / 1e6 }
