// Command lab compares solutions of classical concurrency problems, most of them of the Savina
// suite (S. M. Imam, V. Sarkar, AGERE 2014), each as a TensorFlow graph of frames, functions and
// queues on Troupe's engines, and as programs of goroutines, of actors, and of others.
//
//	go -C benchmarks/lab run .
//	go -C benchmarks/lab run . -erlang -tensorflow python3 -chart lab.svg
//	go -C benchmarks/lab run . -processes 5 -page lab.html -csv lab.csv
//	go -C benchmarks/lab run . -only 'sieve|big' -columns 'actors|Erlang' -erlang -results lab.json
//
// It prints a table of nanoseconds, the medians of alternating runs. The result of every run is
// checked. docs/laboratory.md interprets the figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"regexp"
	"time"
)

func main() {
	each := flag.Duration("time", 200*time.Millisecond, "how long to run each solution for one figure")
	longest := flag.Duration("limit", time.Minute, "stop a run after this; its figure is then a lower bound")
	only := flag.String("only", "", "measure the benchmarks whose names match this `REGEXP`")
	which := flag.String("columns", "", "measure the columns whose names match this `REGEXP`")
	results := flag.String("results", "", "store the measurements in this `FILE`, from which the table and the chart are made")
	lower := flag.Bool("lower", false, "replace stored measurements only by lower ones")
	chart := flag.String("chart", "", "draw the table into this `FILE`, as SVG")
	page := flag.String("page", "", "write the chart, the table with confidence intervals, and the problems into this `FILE`, as HTML")
	lines := flag.String("csv", "", "write all figures with their statistics into this `FILE`, as CSV")
	processes := flag.Int("processes", 1, "measure each benchmark in so many processes, `N`; intervals are then those of their means")
	silent := flag.Bool("silent", false, "print no table")
	withErlang := flag.Bool("erlang", false, "add a column of Erlang, run by escript")
	python := flag.String("tensorflow", "", "have a column of TensorFlow, by this `PYTHON`")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("lab takes no arguments, but was given %q", flag.Args())
	}
	names, err := regexp.Compile(*only)
	if err != nil {
		log.Fatalf("-only: %v", err)
	}
	chosen, err := regexp.Compile(*which)
	if err != nil {
		log.Fatalf("-columns: %v", err)
	}
	var ways []column
	for _, c := range allColumns(*python) {
		if chosen.MatchString(c.name) && (c.name != "Erlang" || *withErlang) && (c.name != "TensorFlow" || *python != "") {
			ways = append(ways, c)
		}
	}
	t := table{}
	if *results != "" {
		if t, err = readTable(*results); err != nil {
			log.Fatal(err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	complain := func(err error) { fmt.Fprintln(os.Stderr, err) }
	for i := range benchmarks {
		b := &benchmarks[i]
		if !names.MatchString(b.name) || len(ways) == 0 {
			continue
		}
		var one []figure
		var two [][]figure
		if *processes > 1 {
			args := []string{"-time", each.String(), "-limit", longest.String(), "-columns", *which, "-tensorflow", *python, fmt.Sprint("-erlang=", *withErlang)}
			tables, err := inProcesses(ctx, b, *processes, args)
			if err != nil && ctx.Err() == nil {
				log.Fatal(err)
			}
			one, two = combined(b, ways, tables)
		} else {
			l := limits{*each, *longest}
			two = measure(ctx, b, ways, 2, b.sizes[:], l, complain)
			one = measure(ctx, b, ways, 1, b.sizes[len(b.sizes)-1:], l, complain)[0]
		}
		if ctx.Err() != nil {
			break
		}
		t.set(b, ways, one, two, *lower)
		if *results != "" {
			if err := t.write(*results); err != nil {
				log.Fatal(err)
			}
		}
		if !*silent {
			fmt.Fprintln(os.Stderr, b.name, "is done")
		}
	}
	if !*silent {
		t.print(os.Stdout)
	}
	for _, out := range []struct {
		file  string
		write func(string) error
	}{{*chart, t.draw}, {*page, t.page}, {*lines, t.csv}} {
		if out.file == "" {
			continue
		}
		if err := out.write(out.file); err != nil {
			log.Fatal(err)
		}
	}
}
