package tile

import (
	"slices"
	"time"
)

// Longer returns a segment, of which a play took so long, in as many sections as so much work is
// worth; nil if it has as many. What is planned does not know how long a multiplication takes: a
// hundred times as long where products underflow, on many processors.
func (s *Segment) Longer(took time.Duration, workers int) *Segment {
	rows, sections := s.steps[len(s.steps)-1].rows, len(s.Sections)-1
	work := took * time.Duration(min(workers, s.Images*sections))
	more := min(rows, (parts(float64(work), workers)+s.Images-1)/s.Images)
	if more <= sections {
		return nil
	}
	longer := *s
	longer.Work, longer.Sections, longer.steps = work, nil, slices.Clone(s.steps)
	p := planner{workers: workers, budget: bufferElements}
	if !p.cut(&longer, more) {
		return nil
	}
	longer.settle()
	return &longer
}
