package session

import (
	"context"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/status"
)

// A StepReport describes what a step is doing, or was doing when it was cancelled or
// timed out.
type StepReport = status.Report

// Inspect reports what the session's running steps are doing, with at most limit waiting
// nodes of each. A step inside a long kernel reports when the kernel returns, or not at
// all if ctx ends first. Engines other than "actors" and "tokens" report nothing.
func (s *Session) Inspect(ctx context.Context, limit int) []StepReport {
	e, ok := s.engine.(*actors.Engine)
	if !ok {
		return nil
	}
	var all []StepReport
	for _, st := range e.Reports(ctx, limit) {
		all = append(all, st.Report)
	}
	return all
}
