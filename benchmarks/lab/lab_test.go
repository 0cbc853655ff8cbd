package main

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"
)

var withErlang = flag.Bool("erlang", false, "also check the programs in Erlang; starting them takes seconds")

// Every solution of every benchmark gives the answer, twice in the same session: queues
// are empty between runs.
func TestAnswers(t *testing.T) {
	ways := columns
	if *withErlang {
		ways = append(ways, erlang())
	}
	for _, b := range benchmarks {
		for _, c := range ways {
			t.Run(b.name+"/"+c.name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				s, err := c.open(&b, 2)
				if err != nil {
					t.Fatal(err)
				}
				defer s.close()
				for _, n := range []int64{b.sizes[0], b.sizes[0] / 2} {
					if got, _, err := s.run(ctx, n); err != nil || got != b.want(n) {
						t.Errorf("of size %d: %d, %v, want %d", n, got, err, b.want(n))
					}
				}
			})
		}
	}
}

// A table and its chart are made of few runs, and a wrong answer has no figure.
func TestMeasure(t *testing.T) {
	b := counting
	var complaints []string
	measured := func() []figure {
		return measure(t.Context(), &b, columns, 1, b.sizes[0], 0, func(err error) { complaints = append(complaints, err.Error()) })
	}
	f := measured()
	if len(complaints) > 0 {
		t.Fatal(complaints)
	}
	made := table{rows: []row{{&b, f, [3][]figure{f, f, f}}}}
	for i, c := range columns {
		made.columns = append(made.columns, c.name)
		if f[i].ns <= 0 {
			t.Errorf("%s has no figure", c.name)
		}
	}
	var text strings.Builder
	made.print(&text)
	if got := strings.Count(text.String(), "\n"); got != 7 {
		t.Errorf("the tables have %d lines:\n%s", got, &text)
	}
	if err := made.draw(t.TempDir() + "/lab.svg"); err != nil {
		t.Error(err)
	}

	b.want = func(int64) int64 { return -1 }
	for i, f := range measured() {
		if f.ns != 0 {
			t.Errorf("%s has a figure for a wrong answer", columns[i].name)
		}
	}
	if len(complaints) != len(columns) {
		t.Errorf("%d complaints: %v", len(complaints), complaints)
	}
}
