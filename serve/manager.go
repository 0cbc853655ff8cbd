package serve

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// Options bound what models may take.
type Options struct {
	// Session are the options of every version's session: engine, threads, memory,
	// files. The memory limit holds for each version by itself.
	Session session.SessionOptions
	// Running is how many requests of a version run at a time, and Waiting how many
	// more may wait; beyond that requests are refused with RESOURCE_EXHAUSTED. 0: as
	// many run as there are CPUs, times 4, and 64 times as many wait.
	Running, Waiting int
	// Timeout bounds each request, waiting included; 0: only its context does.
	Timeout time.Duration
	// Loading is how many versions are loaded at a time; 0: 1.
	Loading int
	// Batching says how requests share steps, for models whose Config does not.
	Batching Batching
	Logger   *zerolog.Logger // nil: nothing is logged
}

// A Config says where the versions of a model are, and which of them to serve.
type Config struct {
	Name   string
	Path   string // the folder of the versions' folders, or a SavedModel
	Policy Policy
	Labels map[string]int64 // versions by label
	// Batching says how requests share steps; nil: as the manager's options do.
	Batching *Batching
}

// A Policy says which versions are served: All there are; or Specific ones; or else the
// greatest numbers, as many as Latest says, 1 if it is 0.
type Policy struct {
	Latest   int
	All      bool
	Specific []int64
}

// choose returns the versions to serve of those that there are, in ascending order.
func (p Policy) choose(there []int64) []int64 {
	there = slices.Sorted(slices.Values(there))
	switch {
	case p.All:
		return there
	case len(p.Specific) > 0:
		return slices.DeleteFunc(there, func(v int64) bool { return !slices.Contains(p.Specific, v) })
	}
	return there[max(0, len(there)-max(1, p.Latest)):]
}

// A Manager has models and their versions. It is safe for concurrent use.
type Manager struct {
	options Options
	loading chan struct{} // full while as many versions are loaded as may be

	mu     sync.Mutex
	models map[string]*served
	living map[*version]bool // versions that have not ended, removed models' too
	closed bool
}

// served is a model.
type served struct {
	config   Config
	refresh  sync.Mutex         // held while versions are looked for and loaded
	versions map[int64]*version // of whatever state; under Manager.mu
}

// New returns a manager without models.
func New(o Options) *Manager {
	return &Manager{options: o, loading: make(chan struct{}, max(1, o.Loading)), models: map[string]*served{}, living: map[*version]bool{}}
}

// Add adds a model, and returns when each of its versions is available or has failed. It
// fails with ALREADY_EXISTS where there is a model of the name, with NOT_FOUND where
// the folder has no version to serve, with the error of the first version if none
// could be loaded, and with FAILED_PRECONDITION where the version of a label is not
// available; the model is not added then. The end of ctx ends loading.
func (m *Manager) Add(ctx context.Context, c Config) error {
	if c.Name == "" {
		return status.Invalid("a model needs a name")
	}
	s := &served{config: c, versions: map[int64]*version{}}
	s.config.Labels = maps.Clone(c.Labels)
	m.mu.Lock()
	switch {
	case m.closed:
		m.mu.Unlock()
		return status.Errorf(status.Unavailable, "the server is shutting down")
	case m.models[c.Name] != nil:
		m.mu.Unlock()
		return status.Errorf(status.AlreadyExists, "there is a model '%s' already", c.Name)
	}
	m.models[c.Name] = s
	m.mu.Unlock()
	err := m.refresh(ctx, s)
	if err == nil && m.newest(s) == nil {
		err = status.Errorf(status.NotFound, "model '%s': %s has no version to serve: a folder named by a number, with a SavedModel in it", c.Name, c.Path)
	}
	if m.newest(s) != nil {
		err = m.labelled(s)
	}
	if err != nil {
		m.remove(c.Name)
	}
	return err
}

// labelled checks that the versions that have labels are available.
func (m *Manager) labelled(s *served) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, label := range sorted(s.config.Labels) {
		n := s.config.Labels[label]
		if v := s.versions[n]; v == nil || v.state != Available {
			return status.Errorf(status.FailedPrecondition, "model '%s': label '%s' is that of version %d, which is not available", s.config.Name, label, n)
		}
	}
	return nil
}

// Remove ends a model: its requests are finished, new ones refused.
func (m *Manager) Remove(name string) error {
	if !m.remove(name) {
		return notFound(Spec{Model: name})
	}
	return nil
}

func (m *Manager) remove(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.models[name]
	if s == nil {
		return false
	}
	delete(m.models, name)
	for _, v := range s.versions {
		v.retire()
	}
	return true
}

// Refresh looks for versions that came or went, of all models, and returns when they are
// loaded, or have failed: with the first error.
func (m *Manager) Refresh(ctx context.Context) error {
	m.mu.Lock()
	all := slices.Collect(maps.Values(m.models))
	m.mu.Unlock()
	slices.SortFunc(all, func(a, b *served) int { return compare(a.config.Name, b.config.Name) })
	var first error
	for _, s := range all {
		if err := m.refresh(ctx, s); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Watch refreshes all models each time that tick has something, until ctx ends.
func (m *Manager) Watch(ctx context.Context, tick <-chan time.Time) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			m.Refresh(ctx) // whose errors are in the status and the log
		}
	}
}

// Models returns the names of the models, in order.
func (m *Manager) Models() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.models))
}

// Ready reports whether every model has a version that is available.
func (m *Manager) Ready() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.models {
		if s.newest() == nil {
			return false
		}
	}
	return !m.closed
}

func (m *Manager) newest(s *served) *version {
	m.mu.Lock()
	defer m.mu.Unlock()
	return s.newest()
}

// newest returns the greatest version that is available; nil if there is none.
func (s *served) newest() (best *version) {
	for _, v := range s.versions {
		if v.state == Available && (best == nil || v.number > best.number) {
			best = v
		}
	}
	return best
}

// Close refuses new requests, and returns when the last has ended, and every session is
// closed; or, with its error, when ctx has: what runs then is ended.
func (m *Manager) Close(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	var all []*version
	for v := range m.living {
		v.retire()
		all = append(all, v)
	}
	m.mu.Unlock()
	for _, v := range all {
		select {
		case <-v.ended:
		case <-ctx.Done():
			for _, v := range all {
				v.abort()
			}
			for _, v := range all {
				<-v.ended
			}
			return status.From(context.Cause(ctx))
		}
	}
	return nil
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
