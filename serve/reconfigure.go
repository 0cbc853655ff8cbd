package serve

import (
	"context"
	"maps"
	"time"

	"github.com/troupe-go/troupe/status"
)

// Reconfigure makes the models those of the list: it adds new ones, gives others their new
// policy, labels and limits, and removes those that are not in the list, in this order, but
// for those that have no version to serve, which are removed first. It
// returns when each version is available or has failed. A list with a mistake, a model
// without a name or two with the same one for example, changes nothing. Otherwise each
// model is treated by itself: the first error is returned, and a model whose new
// versions cannot be loaded, or whose labels cannot be set, keeps its old ones.
func (m *Manager) Reconfigure(ctx context.Context, list []Config) error {
	wait, err := m.StartReconfigure(ctx, list)
	if err != nil {
		return err
	}
	return wait()
}

// StartReconfigure is the beginning of [Manager.Reconfigure]: the function that it returns,
// which must be called, waits for the end. In between the next configuration may start: it
// does not wait for models that hang, as their disk does not answer or their load does not
// end. Configurations take effect in the order in which they start.
func (m *Manager) StartReconfigure(ctx context.Context, list []Config) (wait func() error, err error) {
	wanted := map[string]bool{}
	for _, c := range list {
		if err := c.check(); err != nil {
			return nil, err
		}
		if wanted[c.Name] {
			return nil, status.Invalid("there are two models '%s'", c.Name)
		}
		wanted[c.Name] = true
	}
	if err := m.overtake(ctx); err != nil {
		return nil, err
	}
	m.keep(wanted, true) // one that hangs in its load makes room
	errs := make([]error, len(list))
	done := make([]chan struct{}, len(list))
	for i, c := range list { // in this order; Options.Loading bounds how many are loaded at a time
		done[i] = make(chan struct{})
		go func() {
			defer close(done[i])
			errs[i] = m.reconfigure(ctx, c)
		}()
		awaited(done[i], grace, nil)
	}
	return func() error {
		if m.settle(done) {
			m.keep(wanted, false)
		}
		m.configs.leave()
		for i := range done {
			<-done[i]
		}
		for _, err := range errs {
			if err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// overtake takes the gate of configurations. The one that has it no longer waits for models.
func (m *Manager) overtake(ctx context.Context) error {
	if err := m.next.enter(ctx); err != nil { // in order
		return err
	}
	defer m.next.leave()
	select {
	case m.configs <- struct{}{}:
		return nil
	default:
	}
	select {
	case m.configs <- struct{}{}:
	case m.overtaken <- struct{}{}:
		m.configs <- struct{}{} // which is left now
	case <-ctx.Done():
		return status.From(context.Cause(ctx))
	}
	return nil
}

// settle waits until the models of a configuration are loaded, for none longer than
// Options.Patience; it returns false, at once, when the next configuration has come.
func (m *Manager) settle(done []chan struct{}) bool {
	for _, d := range done {
		if !awaited(d, m.options.Patience, m.overtaken) {
			return false
		}
	}
	return true
}

// awaited waits for done at most so long; it returns false if something else comes before.
func awaited(done <-chan struct{}, most time.Duration, other <-chan struct{}) bool {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-other:
		return false
	}
	return true
}

// keep removes the models that are not wanted; of those only the ones that serve nothing if
// idle says so.
func (m *Manager) keep(wanted map[string]bool, idle bool) {
	for _, s := range m.all() {
		if !wanted[s.line.name] && (!idle || m.newest(s) == nil) {
			m.remove(s)
		}
	}
	if idle {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.unloaded, func(name string, _ Config) bool { return !wanted[name] })
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
