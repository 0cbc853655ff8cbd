package main

import (
	"math"
	"slices"
)

// statistics are those that Savina's harness prints, of the runs of one process, or of the means of
// several (A. Georges and others, Statistically Rigorous Java Performance Evaluation, OOPSLA 2007), in
// nanoseconds a unit.
type statistics struct {
	Processes int     `json:"processes"`
	Runs      int     `json:"runs"` // of all processes, without those that warm up
	Best      float64 `json:"best"`
	Worst     float64 `json:"worst"`
	Mean      float64 `json:"mean"`
	Geometric float64 `json:"geometric"`
	Harmonic  float64 `json:"harmonic"`
	Deviation float64 `json:"deviation"` // standard
	Low       float64 `json:"low"`       // of the confidence interval of the mean, 95%
	High      float64 `json:"high"`
	Skewness  float64 `json:"skewness"`
}

// variation is the deviation as a part of the mean.
func (s *statistics) variation() float64 {
	if s.Mean == 0 {
		return 0
	}
	return s.Deviation / s.Mean
}

// students are the 97.5% quantiles of Student's distribution, by degrees of freedom from 1 on; beyond
// them it is taken for the normal distribution.
var students = []float64{
	12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
	2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
}

// summarize returns the statistics of samples, of which there is at least one.
func summarize(samples []float64) *statistics {
	n := float64(len(samples))
	s := &statistics{Processes: 1, Runs: len(samples), Best: slices.Min(samples), Worst: slices.Max(samples)}
	var logs, inverses float64
	for _, x := range samples {
		s.Mean += x / n
		logs += math.Log(x) / n
		inverses += 1 / x / n
	}
	s.Geometric, s.Harmonic = math.Exp(logs), 1/inverses
	var squares, cubes float64
	for _, x := range samples {
		d := x - s.Mean
		squares += d * d
		cubes += d * d * d
	}
	s.Low, s.High = s.Mean, s.Mean
	if n < 2 {
		return s
	}
	s.Deviation = math.Sqrt(squares / (n - 1))
	if squares > 0 {
		s.Skewness = cubes / n / math.Pow(squares/n, 1.5)
	}
	t := 1.96
	if df := len(samples) - 1; df <= len(students) {
		t = students[df-1]
	}
	half := t * s.Deviation / math.Sqrt(n)
	s.Low, s.High = s.Mean-half, s.Mean+half
	return s
}

// median returns that of samples, of which there is at least one.
func median(samples []float64) float64 {
	sorted := slices.Sorted(slices.Values(samples))
	return sorted[len(sorted)/2]
}

// together combines the figures of one cell of several processes: the interval is that of their
// means.
func together(figures []figure) (f figure) {
	var medians, means []float64
	for _, g := range figures {
		if g.Over {
			return g
		}
		if g.Statistics != nil {
			medians, means = append(medians, g.NS), append(means, g.Statistics.Mean)
		}
	}
	if len(means) == 0 {
		return figure{}
	}
	f = figure{NS: median(medians), Statistics: summarize(means)}
	s := f.Statistics
	s.Processes, s.Runs = len(means), 0
	for _, g := range figures {
		if g.Statistics != nil {
			s.Runs += g.Statistics.Runs
			s.Best, s.Worst = min(s.Best, g.Statistics.Best), max(s.Worst, g.Statistics.Worst)
		}
	}
	return f
}
