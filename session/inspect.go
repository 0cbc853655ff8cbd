package session

import (
	"context"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/status"
)

// A StepReport tells what a step is doing, or was doing when it was ended from outside.
type StepReport = status.Report

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
		all = append(all, st.Report)
	}
	return all
}
