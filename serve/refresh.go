package serve

import (
	"context"
	"slices"
	"time"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// stillness remembers what a model's folders looked like at the last tick. nil takes every
// folder as it is.
type stillness struct{ seen map[int64]stamp }

// settled reports whether a folder looks as it did at the last tick.
func (s *stillness) settled(n int64, is stamp) bool {
	if s == nil {
		return true
	}
	was, ok := s.seen[n]
	return ok && was == is
}

// refresh brings the versions of a model to what its folder and policy say. It takes only
// those new versions whose folders are still.
func (m *Manager) refresh(ctx context.Context, s *served, still *stillness) error {
	if err := s.refresh.enter(ctx); err != nil {
		return err
	}
	defer s.refresh.leave()
	m.mu.Lock()
	has := map[int64]bool{}
	for n, v := range s.versions {
		has[n] = v.state < Unloading
	}
	m.mu.Unlock()
	path := s.config.Path
	saw, err := patiently(ctx, func() sight { return m.see(path, func(n int64) bool { return has[n] }) }, func(sight) {})
	if err != nil {
		return err
	}
	folders, err := saw.folders, saw.err
	if err != nil {
		m.unreadable(s, err)
		return err // what is served stays: a folder that cannot be read says nothing of versions
	}
	m.unreadable(s, nil)
	usable := m.usable(s, saw, has, still)
	if still != nil {
		still.seen = saw.stamps
	}
	var chosen []int64
	var first error
	for {
		chosen = s.config.Policy.choose(usable)
		failed, err := m.loadAll(ctx, s, chosen, folders)
		if first == nil {
			first = err
		}
		if ctx.Err() != nil || err != nil && len(failed) == 0 {
			return first
		}
		if len(failed) == 0 {
			break
		}
		usable = slices.DeleteFunc(usable, func(n int64) bool { return slices.Contains(failed, n) })
	}
	if len(chosen) == 0 {
		return first // rather serve what is not wanted than nothing
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for n, v := range s.versions {
		switch {
		case slices.Contains(chosen, n):
		case v.state == Available:
			v.retire()
		case v.state == End:
			// A version that failed is reported as long as it would be served.
			_, there := folders[n]
			if v.err == nil || !there || !slices.Contains(s.config.Policy.choose(append(slices.Clone(chosen), n)), n) {
				delete(s.versions, n)
			}
		}
	}
	return first
}

// unreadable logs that a model's folder cannot be read, once, and that it can again.
func (m *Manager) unreadable(s *served, err error) {
	m.mu.Lock()
	was := s.lost
	s.lost = err
	m.mu.Unlock()
	l := m.options.Logger
	switch {
	case l == nil:
	case err != nil && was == nil:
		l.Error().Str("model", plain.Line(s.config.Name)).Str("error", plain.Line(err.Error())).Msg("the folder of the model cannot be read; what is served stays")
	case err == nil && was != nil:
		l.Info().Str("model", plain.Line(s.config.Name)).Msg("the folder of the model can be read again")
	}
}

// usable lists the versions in a model's folder, without those that have failed and need
// not be tried again, and without new ones that are still being written.
func (m *Manager) usable(s *served, saw sight, has map[int64]bool, still *stillness) (list []int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for n := range saw.folders {
		v := s.versions[n]
		if !has[n] {
			if v != nil && v.state == End && v.err != nil {
				due := (v.tries <= m.options.Retries || unread(v.err)) && time.Since(v.failed) >= m.options.RetryEvery
				if !due && !again(v.err) && saw.stamps[n] == v.stamp {
					continue
				}
			}
			if !still.settled(n, saw.stamps[n]) {
				continue
			}
		}
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}

// again reports whether loading may succeed without a change of the files: it was ended,
// or memory was short.
func again(err error) bool {
	switch status.CodeOf(err) {
	case status.Canceled, status.DeadlineExceeded, status.ResourceExhausted:
		return true
	}
	return false
}

// unread reports whether files could not be read, which says nothing of what is in them: a
// disk had an error, or the process may not read them.
func unread(err error) bool {
	switch status.CodeOf(err) {
	case status.Unknown, status.Unavailable, status.PermissionDenied:
		return true
	}
	return false
}

// loadAll loads those of the versions that are not there. It returns which have failed,
// and the first error.
func (m *Manager) loadAll(ctx context.Context, s *served, numbers []int64, folders map[int64]string) (failed []int64, first error) {
	type load struct {
		ctx context.Context
		v   *version
	}
	var loads []load
	m.mu.Lock()
	if m.closed || s.removed {
		m.mu.Unlock()
		return nil, status.Errorf(status.Unavailable, "the model '%s' is being removed", s.config.Name)
	}
	for _, n := range numbers {
		old := s.versions[n]
		if old != nil && old.state < Unloading {
			continue
		}
		ctx, cancel := context.WithCancel(ctx)
		v := &version{
			m: m, s: s, name: s.config.Name, number: n, folder: folders[n], line: s.line,
			state: Start, cancel: cancel, ended: make(chan struct{}),
		}
		if old != nil && old.err != nil {
			v.tries, v.stamp = old.tries, old.stamp
		}
		s.versions[n] = v
		m.living[v] = true
		loads = append(loads, load{ctx, v})
	}
	m.mu.Unlock()
	for _, l := range loads {
		if err := m.load(l.ctx, l.v); err != nil {
			if failed = append(failed, l.v.number); first == nil {
				first = err
			}
		}
	}
	return failed, first
}
