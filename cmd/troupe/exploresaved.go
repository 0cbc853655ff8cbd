package main

import (
	"context"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/graph/race"
	"github.com/troupe-go/troupe/sequential/explore"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// saved explores a signature of a SavedModel, or what the flags name in it, after the steps
// that bring the model into the state that was saved.
func (f *exploreFlags) saved(ctx context.Context, m *model, s *explore.System) (*troupe.Graph, error) {
	loaded, err := session.LoadSavedModel(m.folder, m.tags, &session.SessionOptions{Files: new(fileFlags).policy(m)})
	if err != nil {
		return nil, failure{err}
	}
	if err := loaded.Session.Close(); err != nil {
		return nil, failure{err}
	}
	add := func(feeds map[troupe.Output]*troupe.Tensor, fetches []troupe.Output, targets []*troupe.Operation, fixed bool) error {
		p := race.Program{Graph: loaded.Graph, Fetches: fetches, Targets: targets}
		var values []*tensor.Tensor
		for o, t := range feeds {
			p.Feeds, values = append(p.Feeds, o), append(values, t)
		}
		st, err := f.step(ctx, p, values, fixed)
		s.Steps = append(s.Steps, st)
		return err
	}
	for _, start := range loaded.Starts {
		if err := add(start.Feeds, nil, []*troupe.Operation{start.Target}, true); err != nil {
			return nil, err
		}
	}
	m.graph = loaded.Graph
	names := runFlags{feeds: f.feeds, fetches: f.fetches, targets: f.targets, signature: f.signature}
	if f.signature != "" || len(f.fetches)+len(f.targets) == 0 {
		if names, _, err = names.ofSignature(loaded.Signatures); err != nil {
			return nil, err
		}
	}
	for i, flags := range []runFlags{{targets: f.init}, names} {
		feeds, fetches, targets, err := flags.resolve(m.graph)
		if err != nil {
			return nil, err
		}
		if len(fetches)+len(targets) == 0 {
			continue
		}
		if err := add(feeds, fetches, targets, i == 0); err != nil {
			return nil, err
		}
	}
	return m.graph, nil
}
