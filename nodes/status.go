package nodes

// A Report says what a step is doing.
type Report struct {
	Running int       // kernels handed out and not completed
	Ready   int       // nodes that may act
	At      string    // node that acted last, with frame and iteration
	Waiting []Waiting // nodes that wait for an input, at most as many as asked for
}

// Report says what the step is doing, with at most limit waiting nodes. Only
// the goroutine that drives the step may ask.
func (s *Step) Report(limit int) Report {
	r := Report{Running: s.running, Ready: s.ready.len(), Waiting: s.Waiting(limit)}
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
	return r
}
