package nodes

import (
	"fmt"

	"github.com/troupe-go/troupe/status"
)

// Report says what the step is doing, with at most limit running kernels and limit
// waiting nodes. Only the goroutine that drives the step may ask.
func (s *Step) Report(limit int) *status.Report {
	r := &status.Report{Running: s.running, Ready: s.ready.len()}
	tag := ""
	switch {
	case s.unit != nil && s.unit.At() >= 0:
		r.At, tag = s.p.name(s.unit.At()), s.unitTag()
	case s.current.it != nil:
		r.At, tag = s.p.name(s.current.node), s.current.it.Tag()
	}
	if tag != "" {
		r.At += " at " + tag
	}
	for _, a := range s.handed[:min(limit, len(s.handed))] {
		r.Kernels = append(r.Kernels, s.describe(a.activation))
	}
	waiting := s.Waiting(limit + 1)
	if r.More = len(waiting) > limit; r.More {
		waiting = waiting[:limit]
	}
	for _, w := range waiting {
		r.Waiting = append(r.Waiting, w.String())
	}
	return r
}

// describe is `"take" (QueueDequeueV2) at loop[3]`.
func (s *Step) describe(a activation) string {
	text := fmt.Sprintf("%q (%s)", s.p.name(a.node), s.p.op(a.node))
	if a.it != nil {
		if tag := a.it.Tag(); tag != "" {
			text += " at " + tag
		}
	}
	return text
}

// reportLimit is how many nodes the report of a step names that is ended from outside.
const reportLimit = 16

// interrupted adds to the error of a step that is ended from outside what the step is
// doing.
func (s *Step) interrupted(err *status.Error) *status.Error {
	switch err.Code {
	case status.Canceled, status.DeadlineExceeded, status.Aborted:
		if err.Report == nil {
			e := *err
			e.Report = s.Report(reportLimit)
			return &e
		}
	}
	return err
}

// reportOf adds to the report of a step that was ended what a function was doing that
// one of its kernels had called.
func (s *Step) reportOf(err error) {
	if inner, ok := err.(*status.Error); ok && inner.Report != nil && s.err.Report != nil && len(s.err.Report.Within) < reportLimit {
		s.err.Report.Within = append(s.err.Report.Within, inner.Report)
	}
}
