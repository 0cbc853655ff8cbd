package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var withErlang = flag.Bool("erlang", false, "also check the programs in Erlang; starting them takes seconds")

// Every solution of every benchmark returns the result, twice in the same session: queues
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

// A table and its chart are made of few runs, also of what was measured before; a wrong result has no
// figure, and a run that takes too long has a bound.
func TestMeasure(t *testing.T) {
	b := counting
	var complaints []string
	measured := func(columns []column, limit time.Duration) []figure {
		return measure(t.Context(), &b, columns, 1, b.sizes[:1], limits{run: limit}, func(err error) { complaints = append(complaints, err.Error()) })[0]
	}
	file := filepath.Join(t.TempDir(), "lab.json")
	for _, part := range [][]column{columns[:2], columns[2:]} {
		f := measured(part, time.Minute)
		made, err := readTable(file)
		if err != nil {
			t.Fatal(err)
		}
		made.set(&b, part, f, [][]figure{f, f, f}, false)
		if err := made.write(file); err != nil {
			t.Fatal(err)
		}
		for i, c := range part {
			if f[i].NS <= 0 || f[i].Over {
				t.Errorf("%s has the figure %v", c.name, f[i])
			}
		}
	}
	if len(complaints) > 0 {
		t.Fatal(complaints)
	}
	made, err := readTable(file)
	if err != nil {
		t.Fatal(err)
	}
	first := []figure{{NS: 1e12}}
	made.set(&b, columns[:1], first, [][]figure{first, first, first}, true)
	if c := made[b.name][columns[0].name]; c.OneCore.NS == 1e12 || c.TwoCores[2].NS == 1e12 {
		t.Errorf("the lower figure is not kept: %v", c)
	}
	if got := made.columns(); len(got) != len(columns) {
		t.Errorf("the table has the columns %v", got)
	}
	var text strings.Builder
	made.print(&text)
	if got := strings.Count(text.String(), "\n"); got != 7 {
		t.Errorf("the tables have %d lines:\n%s", got, &text)
	}
	chart := filepath.Join(t.TempDir(), "lab.svg")
	if err := made.draw(chart); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(chart)
	if err != nil {
		t.Fatal(err)
	}
	decoder, marked := xml.NewDecoder(bytes.NewReader(drawn)), 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the chart: %v", err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "path" && e.Attr[0].Value != "g" {
			marked++
		}
	}
	if marked != 2*len(columns) { // and in the legend
		t.Errorf("the chart has %d marks", marked)
	}

	for _, f := range measured(columns[:1], time.Nanosecond) {
		if !f.Over || f.NS <= 0 || !strings.HasPrefix(f.String(), ">") {
			t.Errorf("what takes too long has the figure %v", f)
		}
	}
	b.want = func(int64) int64 { return -1 }
	for i, f := range measured(columns, time.Minute) {
		if f.NS != 0 {
			t.Errorf("%s has a figure for a wrong answer", columns[i].name)
		}
	}
	if len(complaints) != len(columns) {
		t.Errorf("%d complaints: %v", len(complaints), complaints)
	}
}
