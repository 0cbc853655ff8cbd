package nodes

import (
	"github.com/troupe-go/troupe/nodes/report"
	"github.com/troupe-go/troupe/status"
)

// Report reports what the step is doing, with at most limit running kernels and limit
// waiting nodes. Only the goroutine that drives the step may ask.
func (s *Step) Report(limit int) *status.Report {
	r := &status.Report{Running: s.running, Ready: s.Ready()}
	tag := ""
	switch {
	case s.unit != nil && s.unit.At() >= 0:
		r.At, tag = s.p.name(s.unit.At()), s.unitTag()
	case s.current.it != nil:
		r.At, tag = s.p.name(s.current.node), s.current.it.Tag()
	}
	r.At = report.At(r.At, tag)
	for _, a := range s.handed[:min(limit, len(s.handed))] {
		r.Kernels = append(r.Kernels, s.describe(a))
	}
	report.Wait(r, limit, s.Waiting)
	return r
}

// describe is `"take" (QueueDequeueV2) at loop[3]`.
func (s *Step) describe(a *Activation) string {
	tag := ""
	if a.awaited != nil {
		tag = a.awaited.of.tag()
	} else if a.it != nil {
		tag = a.it.Tag()
	}
	return report.Node(s.p.name(a.node), s.p.op(a.node), tag)
}
