package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// A figure is what was measured of one benchmark in one column, of one size on so many cores.
// The zero figure is none.
type figure struct {
	NS   float64 `json:"ns"`             // of a unit, the median of runs
	Over bool    `json:"over,omitempty"` // a run was stopped: it takes longer than this

	Statistics *statistics `json:"statistics,omitempty"`
}

// limits of the time of one solution.
type limits struct {
	each time.Duration // runs are repeated until they have taken this together
	run  time.Duration // a run is stopped after this
}

// measure runs a benchmark of some sizes on so many cores in all columns, in turn, until each has
// used up the time, but at least five times. A column that fails, or returns another result, has no
// figure; the reason is logged. The figures are by size and column.
func measure(ctx context.Context, b *benchmark, columns []column, cores int, sizes []int64, l limits, log func(error)) [][]figure {
	before := runtime.GOMAXPROCS(cores)
	defer runtime.GOMAXPROCS(before)

	rows := make([]*samples, len(columns))
	for i, c := range columns {
		rows[i] = &samples{limit: l.run}
		if rows[i].solution, rows[i].broken = c.open(b, cores); rows[i].broken == nil {
			defer rows[i].solution.close()
		}
	}
	all := make([][]figure, len(sizes))
	for k, n := range sizes {
		for _, r := range rows {
			r.begin(n, b.want(n))
			r.take(ctx)
			r.took, r.sum = nil, 0 // the first run is of another kind
		}
		for open := true; open; {
			open = false
			for _, r := range rows {
				if r.err == nil && (len(r.took) < 5 || r.sum < l.each) {
					open = true
					r.take(ctx)
				}
			}
		}
		all[k] = make([]figure, len(columns))
		for i, r := range rows {
			switch {
			case errors.Is(r.err, errTooLong):
				all[k][i] = figure{NS: float64(r.limit) / float64(b.work(n)), Over: true}
			case r.err != nil:
				log(fmt.Errorf("%s, %s: %w", b.name, columns[i].name, r.err))
			default:
				each := make([]float64, len(r.took))
				for i, d := range r.took {
					each[i] = max(float64(d), 1) / float64(b.work(n))
				}
				all[k][i] = figure{NS: median(each), Statistics: summarize(each)}
			}
		}
	}
	return all
}

// errTooLong is the error of a run that was stopped.
var errTooLong = errors.New("it takes too long")

// samples are the runs of one solution, of one size after another.
type samples struct {
	solution solution
	limit    time.Duration
	broken   error // it does not run any more
	n, want  int64
	took     []time.Duration
	sum      time.Duration
	err      error
}

func (s *samples) begin(n, want int64) {
	s.n, s.want, s.took, s.sum, s.err = n, want, nil, 0, s.broken
}

func (s *samples) take(ctx context.Context) {
	if s.err != nil {
		return
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.limit, errTooLong)
	defer cancel()
	answer, took, err := s.solution.run(ctx, s.n)
	switch {
	case err != nil && context.Cause(ctx) == errTooLong:
		err = errTooLong
		s.broken = err // larger sizes take longer, and a program of another language was ended
	case err == nil && answer != s.want:
		err = fmt.Errorf("the answer is %d, not %d", answer, s.want)
	}
	s.took, s.sum, s.err = append(s.took, took), s.sum+took, err
}
