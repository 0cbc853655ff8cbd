package serve

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/troupe-go/troupe/status"
)

// Reconfigure makes the models those of the list: it adds new ones, gives others their new
// policy, labels and limits, and removes those that are not in the list, in this order. It
// returns when each version is available or has failed. A list with a mistake, a model
// without a name or two with the same one for example, changes nothing. Otherwise each
// model is treated by itself: the first error is returned, and a model whose new
// versions cannot be loaded, or whose labels cannot be set, keeps its old ones.
func (m *Manager) Reconfigure(ctx context.Context, list []Config) error {
	wanted := map[string]bool{}
	for _, c := range list {
		if err := c.check(); err != nil {
			return err
		}
		if wanted[c.Name] {
			return status.Invalid("there are two models '%s'", c.Name)
		}
		wanted[c.Name] = true
	}
	if err := m.configs.enter(ctx); err != nil {
		return err
	}
	errs := make([]error, len(list))
	var group sync.WaitGroup
	for i, c := range list { // one after another, but for those whose disk does not answer
		done := make(chan struct{})
		group.Go(func() {
			defer close(done)
			errs[i] = m.reconfigure(ctx, c)
		})
		patience := time.NewTimer(m.options.Patience)
		select {
		case <-done:
		case <-patience.C:
		}
		patience.Stop()
	}
	for _, name := range m.Models() {
		if !wanted[name] {
			m.Remove(name)
		}
	}
	m.mu.Lock()
	maps.DeleteFunc(m.unloaded, func(name string, _ Config) bool { return !wanted[name] })
	m.mu.Unlock()
	m.configs.leave()
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// reconfigure adds or changes a model.
func (m *Manager) reconfigure(ctx context.Context, c Config) error {
	m.mu.Lock()
	s := m.models[c.Name]
	path := ""
	if s != nil {
		path = s.config.Path
	}
	m.mu.Unlock()
	switch {
	case s == nil:
		return m.Add(ctx, c)
	case path != c.Path:
		return m.replace(ctx, s, c)
	}
	labels := c.Labels
	if err := s.refresh.enter(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	c.Labels = s.config.Labels
	s.config = c
	m.mu.Unlock()
	s.refresh.leave()
	s.set(m.options, c)
	err := m.refresh(ctx, s, nil)
	if e := m.labelled(s, labels); e != nil {
		if err == nil {
			err = e
		}
		return err
	}
	if e := s.refresh.enter(ctx); e != nil {
		return e
	}
	m.mu.Lock()
	s.config.Labels = maps.Clone(labels)
	m.mu.Unlock()
	s.refresh.leave()
	return err
}

// replace loads a model from another folder, beside the old one, which it replaces.
func (m *Manager) replace(ctx context.Context, old *served, c Config) error {
	s := m.served(c)
	err := m.first(ctx, s)
	m.mu.Lock()
	defer m.mu.Unlock()
	gone := old
	if err != nil || m.closed || old.removed {
		gone = s
		if err == nil {
			err = status.Errorf(status.Unavailable, "the model '%s' is being removed", c.Name)
		}
	} else {
		m.put(c.Name, s)
	}
	gone.removed = true
	for _, v := range gone.versions {
		v.retire()
	}
	return err
}
