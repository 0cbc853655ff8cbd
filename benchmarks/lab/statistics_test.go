package main

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The statistics of 2, 4, 4, 4, 5, 5, 7, 9 by hand.
func TestStatistics(t *testing.T) {
	s := summarize([]float64{9, 2, 4, 5, 4, 4, 7, 5})
	for what, x := range map[string][2]float64{
		"best": {s.Best, 2}, "worst": {s.Worst, 9}, "mean": {s.Mean, 5}, "geometric": {s.Geometric, 4.603215596046737},
		"harmonic": {s.Harmonic, 8 / (1.0/9 + .5 + .75 + .4 + 1.0/7)}, "deviation": {s.Deviation, 2.138089935299395},
		"low": {s.Low, 5 - 2.365*2.138089935299395/math.Sqrt(8)}, "high": {s.High, 5 + 2.365*2.138089935299395/math.Sqrt(8)},
		"skewness": {s.Skewness, .65625}, "median": {median([]float64{3, 1, 2}), 2},
	} {
		if math.Abs(x[0]-x[1]) > 1e-9 {
			t.Errorf("%s is %v, not %v", what, x[0], x[1])
		}
	}
	both := together([]figure{{NS: 1, Statistics: summarize([]float64{1, 1, 4})}, {NS: 5, Statistics: summarize([]float64{4, 5, 9})}, {}})
	if s := both.Statistics; s.Processes != 2 || s.Runs != 6 || s.Mean != 4 || s.Best != 1 || s.Worst != 9 || both.NS != 5 {
		t.Errorf("together: %+v %+v", both, s)
	}
	if f := together([]figure{{NS: 3}, {NS: 4, Over: true}}); !f.Over {
		t.Errorf("a run that was stopped: %v", f)
	}
}

// The page and the CSV have each figure.
func TestWritten(t *testing.T) {
	made := table{}
	for i := range benchmarks {
		b := &benchmarks[i]
		f := measure(t.Context(), b, columns[4:5], 1, b.sizes[:1], limits{run: time.Minute}, func(err error) { t.Error(err) })[0]
		made.set(b, columns[4:5], f, [][]figure{f, f, f}, false)
	}
	page, lines := filepath.Join(t.TempDir(), "lab.html"), filepath.Join(t.TempDir(), "lab.csv")
	if err := made.page(page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(text), "±"); got != 2*len(benchmarks) {
		t.Errorf("the page has %d intervals", got)
	}
	if err := made.csv(lines); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(lines)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(all), 1+4*len(benchmarks); got != want {
		t.Errorf("the CSV has %d lines, not %d", got, want)
	}
}
