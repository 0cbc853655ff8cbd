package session

import (
	"context"
	"strings"

	"github.com/troupe-go/troupe/actors"
)

// A StepReport tells what a running step is doing.
type StepReport struct {
	Step    string   // its address, "session1/0.17"
	At      string   // the node that acted last, with frame and iteration
	Running int      // kernels that run or wait for something outside the step
	Ready   int      // nodes that may act
	Waiting []string // what waits for which inputs
}

// String is the report as a few lines of text.
func (r StepReport) String() string {
	var b strings.Builder
	b.WriteString("step " + r.Step)
	if r.At != "" {
		b.WriteString(" is at " + r.At)
	}
	for _, w := range r.Waiting {
		b.WriteString("\n  " + w)
	}
	return b.String()
}

// Inspect asks the session's running steps what they are doing and names at
// most limit waiting nodes of each. A step inside a long kernel answers when
// that returns, or not at all if ctx ends before. Engines other than "actors"
// tell nothing.
func (s *Session) Inspect(ctx context.Context, limit int) []StepReport {
	e, ok := s.engine.(*actors.Engine)
	if !ok {
		return nil
	}
	var all []StepReport
	for _, st := range e.Reports(ctx, limit) {
		r := StepReport{Step: st.Step.Id, At: st.Report.At, Running: st.Report.Running, Ready: st.Report.Ready}
		for _, w := range st.Report.Waiting {
			r.Waiting = append(r.Waiting, w.String())
		}
		all = append(all, r)
	}
	return all
}
