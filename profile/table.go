package profile

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/troupe-go/troupe/sorted"
)

// An OpStats is what the nodes of an operation took together.
type OpStats struct {
	Op           string
	Nodes        int
	Count, Bytes int64
	Total        time.Duration
}

// ByOp returns what operations took, those that took longest first. Nodes that call
// functions are left out, whose nodes have figures of their own.
func (m *Model) ByOp() []OpStats {
	place := map[string]int{}
	var list []OpStats
	for i := range m.Nodes {
		n := &m.Nodes[i]
		if n.Count == 0 || n.Inclusive {
			continue
		}
		at, ok := place[n.Op]
		if !ok {
			at = len(list)
			place[n.Op] = at
			list = append(list, OpStats{Op: n.Op})
		}
		o := &list[at]
		o.Nodes++
		o.Count += n.Count
		o.Bytes += n.Bytes
		o.Total += n.Total
	}
	sorted.Stably(list, func(a, b OpStats) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Op, b.Op))
	})
	return list
}

// ByTime returns the numbers of the nodes that ran, slowest first.
func (m *Model) ByTime() []int {
	var list []int
	for i := range m.Nodes {
		if m.Nodes[i].Count > 0 {
			list = append(list, i)
		}
	}
	sorted.Stably(list, func(a, b int) int {
		return cmp.Or(cmp.Compare(m.Nodes[b].Total, m.Nodes[a].Total), cmp.Compare(m.Nodes[b].Count, m.Nodes[a].Count))
	})
	return list
}

// Kernels returns the time of all kernels in a run, on whatever core they ran.
func (m *Model) Kernels() time.Duration {
	var total time.Duration
	for _, o := range m.ByOp() {
		total += o.Total
	}
	return m.perRun(total)
}

func (m *Model) perRun(d time.Duration) time.Duration { return d / time.Duration(max(m.Runs, 1)) }

// WriteTable writes what a run took on average: by operation; by node, the first most;
// units; and the critical path. Times are of one run.
func (m *Model) WriteTable(w io.Writer, most int) error {
	kernels := m.Kernels()
	fmt.Fprintf(w, "%s of %v each; kernels took %v of it\n", m.counted(), round(m.perRun(m.Elapsed)), round(kernels))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "\ntime\tshare\truns\teach\tbytes\t  operation\n")
	for _, o := range m.ByOp() {
		fmt.Fprintf(t, "%s\t%s\t%s\t  %s, %s\n", m.figures(o.Total, kernels, o.Count), each(o.Total, o.Count), size(o.Bytes/max(m.Runs, 1)), o.Op, counted(int64(o.Nodes), "node"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	nodes := m.ByTime()
	fmt.Fprint(t, "\ntime\tshare\truns\teach\tbytes\t  node\n")
	for _, i := range nodes[:min(most, len(nodes))] {
		n := &m.Nodes[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t  %s\n", m.figures(n.Total, kernels, n.Count), each(n.Total, n.Count), size(n.Bytes/max(m.Runs, 1)), n.where())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if len(nodes) > most {
		fmt.Fprintf(w, "and %s\n", counted(int64(len(nodes)-most), "more node"))
	}
	for _, u := range m.Units {
		what := "the loop " + u.Frame
		if u.Frame == "" {
			what = "the whole program"
		}
		fmt.Fprintf(w, "\none unit: %s, executed %s a run, %v; operations on scalars and moves have no kernels\n",
			what, ratio(u.Runs, m.Runs, "times"), round(m.perRun(u.Total)))
	}
	path, took := m.CriticalPath()
	fmt.Fprintf(w, "\ncritical path: %v, %s; the longest of them:\n", round(took), counted(int64(len(path)), "node"))
	sorted.Stably(path, func(a, b int) int { return cmp.Compare(m.Nodes[b].Total, m.Nodes[a].Total) })
	for _, i := range path[:min(5, len(path))] {
		n := &m.Nodes[i]
		fmt.Fprintf(t, "%v\t  %s\n", round(m.perRun(n.Total)), n.where())
	}
	return t.Flush()
}

// counted is "5 runs", or "5 runs (2 recorded)".
func (m *Model) counted() string {
	s := counted(m.Runs, "run")
	if m.Recorded < m.Runs {
		s += fmt.Sprintf(" (%d recorded)", m.Recorded)
	}
	return s
}

// figures is "time\tshare\truns".
func (m *Model) figures(total, kernels time.Duration, count int64) string {
	share := "-"
	if total > 0 && kernels > 0 {
		share = fmt.Sprintf("%.1f%%", 100*float64(m.perRun(total))/float64(kernels))
	}
	took := "-"
	if total > 0 {
		took = round(m.perRun(total)).String()
	}
	return took + "\t" + share + "\t" + ratio(count, m.Runs, "")
}

// where names a node, its operation, and where it is.
func (n *NodeStats) where() string {
	s := n.Name + " (" + n.Op + ")"
	if n.Frame != "" {
		s += " in " + n.Frame
	}
	if n.Function != "" {
		s += " of function " + n.Function
	}
	if n.Inclusive {
		s += ", with what it calls"
	}
	return s
}

// ratio is n/of, as "12" or "0.5".
func ratio(n, of int64, unit string) string {
	s := strconv.FormatFloat(float64(n)/float64(max(of, 1)), 'f', -1, 64)
	if n%max(of, 1) != 0 {
		s = strconv.FormatFloat(float64(n)/float64(of), 'f', 1, 64)
	}
	if unit == "" {
		return s
	}
	if s == "1" {
		return "once"
	}
	return s + " " + unit
}

func each(total time.Duration, count int64) string {
	if total == 0 {
		return "-"
	}
	return round(total / time.Duration(max(count, 1))).String()
}

// counted is "1 run" or "2 runs".
func counted(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.FormatInt(n, 10) + " " + what + "s"
}

// round leaves three or four digits of a duration.
func round(d time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		if d < 10_000*unit {
			return d.Round(unit)
		}
	}
}

// size is bytes as people write them.
func size(n int64) string {
	switch {
	case n <= 0:
		return "-"
	case n < 10_000:
		return strconv.FormatInt(n, 10) + " B"
	case n < 10_000_000:
		return strconv.FormatInt(n/1000, 10) + " kB"
	}
	return strconv.FormatInt(n/1_000_000, 10) + " MB"
}
