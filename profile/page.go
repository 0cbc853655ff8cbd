package profile

import (
	_ "embed"
	"html/template"
	"io"
	"time"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("page").Parse(pageText))

// WritePage writes what WriteTable writes as one HTML file that needs nothing else:
// operations as bars, nodes as a table that can be sorted and searched, nodes of the
// critical path marked.
func (m *Model) WritePage(w io.Writer, title string) error {
	type row struct {
		Name, Op, Frame, Function, Time, Each, Acted, Bytes string
		Nanos, EachNanos, Count, Size                       int64
		Share                                               float64 // of the kernels' time, in percent
		Critical, Inclusive                                 bool
		Nodes                                               int
	}
	kernels := m.Kernels()
	share := func(total time.Duration) float64 {
		return 100 * float64(m.perRun(total)) / float64(max(kernels, 1))
	}
	path, took := m.CriticalPath()
	critical := map[int]bool{}
	for _, i := range path {
		critical[i] = true
	}
	var ops, nodes []row
	for _, o := range m.ByOp() {
		ops = append(ops, row{Op: o.Op, Nodes: o.Nodes, Time: round(m.perRun(o.Total)).String(), Share: share(o.Total), Acted: ratio(o.Count, m.Runs, "")})
	}
	for _, i := range m.ByTime() {
		n := &m.Nodes[i]
		nodes = append(nodes, row{
			Name: n.Name, Op: n.Op, Frame: n.Frame, Function: n.Function,
			Time: round(m.perRun(n.Total)).String(), Nanos: int64(n.Total), Share: share(n.Total),
			Each: each(n.Total, n.Count), EachNanos: int64(n.Total) / n.Count, Acted: ratio(n.Count, m.Runs, ""), Count: n.Count,
			Bytes: size(n.Bytes / max(m.Runs, 1)), Size: n.Bytes, Critical: critical[i], Inclusive: n.Inclusive,
		})
	}
	return page.Execute(w, map[string]any{
		"Title": title, "Runs": m.counted(), "Elapsed": round(m.perRun(m.Elapsed)), "Kernels": round(kernels),
		"Critical": round(took), "Path": len(path), "Ops": ops, "Nodes": nodes,
	})
}
