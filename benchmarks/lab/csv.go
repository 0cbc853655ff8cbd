package main

import (
	"encoding/csv"
	"io"
	"strconv"

	"github.com/troupe-go/troupe/files"
)

// csv writes the table with its statistics, a line for each benchmark, column, number of cores and
// size.
func (t table) csv(file string) error {
	return files.WriteFile(file, func(to io.Writer) error {
		w := csv.NewWriter(to)
		w.Write([]string{"benchmark", "unit", "column", "cores", "size", "over", "median", "processes", "runs", "best", "worst",
			"mean", "geometric mean", "harmonic mean", "standard deviation", "low of 95%", "high of 95%", "variation", "skewness"})
		number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
		for _, b := range t.rows() {
			for _, name := range t.columns() {
				c, ok := t[b.name][name]
				if !ok {
					continue
				}
				line := func(cores int, size int64, f figure) {
					if f.NS == 0 {
						return
					}
					fields := []string{b.name, b.unit, name, strconv.Itoa(cores), strconv.FormatInt(size, 10), strconv.FormatBool(f.Over), number(f.NS)}
					if s := f.Statistics; s != nil {
						fields = append(fields, strconv.Itoa(s.Processes), strconv.Itoa(s.Runs))
						for _, x := range []float64{s.Best, s.Worst, s.Mean, s.Geometric, s.Harmonic, s.Deviation, s.Low, s.High, s.variation(), s.Skewness} {
							fields = append(fields, number(x))
						}
					} else {
						fields = append(fields, make([]string, 12)...)
					}
					w.Write(fields)
				}
				line(1, b.sizes[2], c.OneCore)
				for k, f := range c.TwoCores {
					line(2, b.sizes[k], f)
				}
			}
		}
		w.Flush()
		return w.Error()
	})
}
