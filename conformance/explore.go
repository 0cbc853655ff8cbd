package conformance

import (
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/tensor"
)

// A Run is a recorded step: a program, and what its feeds get, by position.
type Run struct {
	race.Program
	Values []*tensor.Tensor
}

// Runs loads the case's graph and finds its steps in it.
func (s *Script) Runs() (*session.Graph, []Run, error) {
	o, err := s.open(Config{Rewrite: "none"})
	if err != nil {
		return nil, nil, err
	}
	defer o.close()
	var runs []Run
	for i := range s.Steps {
		st := &s.Steps[i]
		r := Run{Program: race.Program{Graph: o.graph}}
		if r.Feeds, r.Fetches, r.Targets, err = o.find(st); err != nil {
			return nil, nil, err
		}
		for _, name := range sorted.Keys(st.Feeds) {
			t, err := s.Tensor(st.Feeds[name])
			if err != nil {
				return nil, nil, err
			}
			r.Values = append(r.Values, t)
		}
		runs = append(runs, r)
	}
	return o.graph, runs, nil
}
