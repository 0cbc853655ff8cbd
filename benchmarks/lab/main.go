// Command lab is a laboratory for concurrency: classical problems, most of them of the Savina
// suite (S. M. Imam, V. Sarkar, AGERE 2014), each as a TensorFlow graph of frames, functions and
// queues on Troupe's engines, and as programs of goroutines, of actors, and of others.
//
//	go -C benchmarks/lab run .
//	go -C benchmarks/lab run . -erlang -tensorflow python3 -chart lab.svg
//
// It prints a table of nanoseconds, the medians of runs that took turns. Every answer of every run is
// checked. What to make of it stands in docs/laboratory.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	each := flag.Duration("time", 200*time.Millisecond, "how long to run each solution for one figure")
	only := flag.String("only", "", "measure only benchmarks whose names have this in them")
	chart := flag.String("chart", "", "draw the table into this file: .svg, .png or .pdf")
	withErlang := flag.Bool("erlang", false, "have a column of Erlang, by escript")
	python := flag.String("tensorflow", "", "have a column of TensorFlow, by this Python")
	flag.Parse()
	if flag.NArg() > 0 {
		log.Fatalf("lab takes no arguments, but was given %q", flag.Args())
	}
	ways := columns
	if *withErlang {
		ways = append(ways, erlang())
	}
	if *python != "" {
		ways = append(ways, tensorflow(*python))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	var t table
	for _, c := range ways {
		t.columns = append(t.columns, c.name)
	}
	for _, b := range benchmarks {
		if !strings.Contains(b.name, *only) {
			continue
		}
		r := row{benchmark: &b}
		complain := func(err error) { fmt.Fprintln(os.Stderr, err) }
		for i, n := range b.sizes {
			r.bySize[i] = measure(ctx, &b, ways, 2, n, *each, complain)
		}
		r.oneCore = measure(ctx, &b, ways, 1, b.sizes[len(b.sizes)-1], *each, complain)
		if ctx.Err() != nil {
			break
		}
		t.rows = append(t.rows, r)
		fmt.Fprintln(os.Stderr, b.name, "is done")
	}
	t.print(os.Stdout)
	if *chart != "" {
		if err := t.draw(*chart); err != nil {
			log.Fatal(err)
		}
	}
}
