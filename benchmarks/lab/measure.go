package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"
)

// A figure is what was measured of one benchmark in one column; zero if there is none.
type figure struct {
	ns float64 // of a unit, the median of runs
}

// measure runs a benchmark of size n on so many cores in all columns, in turn, until each has
// used up the time, but at least five times. A column that fails, or answers something else, has no
// figure; log is told why.
func measure(ctx context.Context, b *benchmark, columns []column, cores int, n int64, each time.Duration, log func(error)) []figure {
	before := runtime.GOMAXPROCS(cores)
	defer runtime.GOMAXPROCS(before)

	rows := make([]*samples, len(columns))
	for i, c := range columns {
		rows[i] = &samples{n: n, want: b.want(n)}
		if rows[i].solution, rows[i].err = c.open(b, cores); rows[i].err == nil {
			defer rows[i].solution.close()
			rows[i].take(ctx)
			rows[i].took = nil // the first run is of another kind
		}
	}
	for open := true; open; {
		open = false
		for _, r := range rows {
			if r.err == nil && (len(r.took) < 5 || r.sum < each) {
				open = true
				r.take(ctx)
			}
		}
	}
	figures := make([]figure, len(columns))
	for i, r := range rows {
		if r.err != nil {
			log(fmt.Errorf("%s, %s: %w", b.name, columns[i].name, r.err))
			continue
		}
		slices.Sort(r.took)
		figures[i].ns = float64(r.took[len(r.took)/2]) / float64(b.work(n))
	}
	return figures
}

// samples are the runs of one solution.
type samples struct {
	solution solution
	n, want  int64
	took     []time.Duration
	sum      time.Duration
	err      error
}

func (s *samples) take(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	answer, took, err := s.solution.run(ctx, s.n)
	if err == nil && answer != s.want {
		err = fmt.Errorf("the answer is %d, not %d", answer, s.want)
	}
	s.took, s.sum, s.err = append(s.took, took), s.sum+took, err
}
