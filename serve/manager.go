package serve

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// Options bound what models may take, and say who observes them.
type Options struct {
	// Session are the options of every version's session: engine, threads, memory,
	// files. The memory limit holds for each version by itself. Each version has resources of
	// its own, also on the workers of a Target: Resources and Cluster.Isolated do not matter.
	Session session.SessionOptions
	// Running is how many requests of a model run at a time, and Waiting how many more
	// may wait; beyond that requests are refused with RESOURCE_EXHAUSTED. 0: one runs for
	// each CPU, and two at least; 64 times as many wait, and 256 for each CPU at least.
	// With BatchLoops 64 run for each CPU. Where steps wait for other than CPUs, as for accelerators, workers or queues, four
	// or more for each CPU may be faster; four are the default with devices and targets.
	Running, Waiting int
	// Places is how many requests run at a time, of all models together; 0: as many as
	// Running has by default. Models that wait share them by time, according to their
	// weights, and each model may run one request in any case.
	Places int
	// Timeout bounds each request, waiting included; 0: only its context does.
	Timeout time.Duration
	// Loading is how many versions are loaded at a time; 0: 1. One that takes longer than
	// Patience, as its disk does not answer perhaps, no longer counts: others are loaded
	// beside it.
	Loading  int
	Patience time.Duration // 0: 30 s
	// Retries is how often loading a version is tried again that has failed and whose
	// files have not changed, RetryEvery apart; 0: never. A version whose files change is
	// always tried again, and one whose files cannot be read every RetryEvery.
	Retries    int
	RetryEvery time.Duration // 0: a minute
	// Memory bounds the bytes of all versions' files together, as an estimate of what
	// they take when they are loaded; 0: what the machine, its container and GOMEMLIMIT
	// leave. A version that does not fit is not loaded: RESOURCE_EXHAUSTED.
	Memory int64
	// Expansion bounds the bytes of the inputs of all requests together, as far as they are
	// larger in memory than the messages that bring them: a few bytes of a TensorProto may
	// announce a tensor of any size. What goes beyond is refused: RESOURCE_EXHAUSTED. 0:
	// 256 MiB.
	Expansion int64
	// Batching says how requests share steps, for models whose Config does not.
	Batching Batching
	// Tags are those of the graph that is served; nil: "serve".
	Tags []string
	// UnavailableLabels lets labels name versions that are not available; requests for
	// them are NOT_FOUND.
	UnavailableLabels bool
	// WarmUp runs example requests before a version becomes available; its error is that
	// of the version. nil: the signatures are only compiled. [prediction.WarmUp] replays
	// assets.extra/tf_serving_warmup_requests.
	//
	// [prediction.WarmUp]: https://pkg.go.dev/github.com/troupe-go/troupe/serve/prediction#WarmUp
	WarmUp func(context.Context, Use) error

	Logger   *zerolog.Logger // of versions that come and go; nil: nothing is logged
	Requests *zerolog.Logger // gets a line for each request; nil: nothing is logged
	Observer Observer        // nil: nothing is observed
	Tracer   trace.Tracer    // of spans of requests; nil: there are none
}

// A Config says where the versions of a model are, and which of them to serve.
type Config struct {
	Name   string
	Path   string // the folder of the versions' folders, or a SavedModel
	Policy Policy
	Labels map[string]int64 // versions by label
	Canary Canary

	// Weight is the model's part of the places in which requests run, in relation to
	// other models'; 0: 1.
	Weight float64
	// These replace the manager's options if they are not 0.
	Running, Waiting int
	Timeout          time.Duration
	Memory           int64 // of tensors of a version's session

	// Batching says how requests share steps; nil: as the manager's options do.
	Batching *Batching

	// BatchLoops lets requests share the iterations of loops, as
	// [session.SessionOptions].BatchLoops does, and not whole steps: Batching is not for such a
	// model. It may also be set for all models, in Options.Session.
	BatchLoops bool

	// WarmUp are files with requests as REST has them, {"instances": …} or {"inputs": …},
	// that run before a version becomes available.
	WarmUp []string
}

// check finds mistakes that do not need the model's folder.
func (c Config) check() error {
	switch {
	case c.Name == "":
		return status.Invalid("a model needs a name")
	case c.Path == "":
		return status.Invalid("model '%s' needs a path", c.Name)
	case c.Weight < 0 || c.Running < 0 || c.Waiting < 0 || c.Timeout < 0 || c.Memory < 0 || c.Policy.Latest < 0:
		return status.Invalid("model '%s': weight, limits and number of versions cannot be negative", c.Name)
	}
	for _, label := range sorted.Keys(c.Labels) {
		if label == "" || c.Labels[label] < 0 {
			return status.Invalid("model '%s': version %d has the label '%s'", c.Name, c.Labels[label], label)
		}
	}
	if c.Batching != nil && c.Batching.Parameters != nil {
		if err := c.Batching.Parameters.Check(); err != nil {
			return status.Within(err, "model '%s'", c.Name)
		}
	}
	return c.Canary.check(c.Name)
}

// A Policy says which versions are served: All there are; or Specific ones; or else the
// greatest numbers, as many as Latest says, 1 if it is 0. In place of a version that
// cannot be loaded, Latest serves the next lower one.
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
	turns   *turns
	loading gate // full while as many versions are loaded as may be
	configs gate // held while the configuration changes
	next    gate // held by the next configuration, which waits for configs
	// overtaken is received from by the configuration that holds configs and waits for models.
	overtaken chan struct{}

	// What reads files, which tests replace by what hangs.
	see  func(path string, known func(int64) bool) sight
	read func(context.Context, *version, Config) loaded

	mu       sync.Mutex
	models   map[string]*served // put changes it
	unloaded map[string]Config  // models that were unloaded, and may be loaded again
	living   map[*version]bool  // versions that have not ended, removed models' too
	closed   bool
	drains   bool
	memory   int64 // of versions that are loaded or being loaded

	expanded atomic.Int64 // bytes of inputs
	// lines are those of models, to be read without a lock: put replaces them.
	lines atomic.Pointer[lines]
}

// served is a model.
type served struct {
	config   Config // under refresh and Manager.mu: either is enough to read it
	line     *line
	meter    meter
	timeout  atomic.Int64       // of requests
	removed  bool               // these under Manager.mu
	lost     error              // why the folder cannot be read
	refresh  gate               // held while versions are looked for and loaded
	watched  atomic.Bool        // that happens, because of a tick
	still    stillness          // of the ticks; under refresh
	versions map[int64]*version // of whatever state; under Manager.mu
}

// New returns a manager without models.
func New(o Options) *Manager {
	if o.Places <= 0 {
		o.Places = o.atATime()
	}
	if o.Expansion <= 0 {
		o.Expansion = 256 << 20
	}
	if len(o.Tags) == 0 {
		o.Tags = []string{"serve"}
	}
	if o.RetryEvery <= 0 {
		o.RetryEvery = time.Minute
	}
	if o.Patience <= 0 {
		o.Patience = 30 * time.Second
	}
	m := &Manager{
		options: o, turns: newTurns(o.Places), loading: make(gate, max(1, o.Loading)), see: see,
		configs: make(gate, 1), next: make(gate, 1), overtaken: make(chan struct{}),
		models: map[string]*served{}, living: map[*version]bool{}, unloaded: map[string]Config{},
	}
	m.read = m.open
	return m
}

// Add adds a model, and returns when each of its versions is available or has failed. It
// fails with ALREADY_EXISTS where there is a model of the name, with NOT_FOUND where
// the folder has no version to serve, with the error of the first version if none
// could be loaded, and with FAILED_PRECONDITION where the version of a label is not
// available; the model is not added then. The end of ctx ends loading.
func (m *Manager) Add(ctx context.Context, c Config) error {
	if err := c.check(); err != nil {
		return err
	}
	s := m.served(c)
	m.mu.Lock()
	switch {
	case m.closed:
		m.mu.Unlock()
		return status.Errorf(status.Unavailable, "the server is shutting down")
	case m.models[c.Name] != nil:
		m.mu.Unlock()
		return status.Errorf(status.AlreadyExists, "there is a model '%s' already", c.Name)
	}
	m.put(c.Name, s)
	m.mu.Unlock()
	err := m.first(ctx, s)
	if err != nil {
		m.remove(s)
	}
	return err
}

// put sets a model; nil removes it. Manager.mu is held.
func (m *Manager) put(name string, s *served) {
	if s == nil {
		delete(m.models, name)
	} else {
		m.models[name] = s
		delete(m.unloaded, name)
	}
	all := &lines{of: make(map[string]*line, len(m.models))}
	for name, s := range m.models {
		all.of[name] = s.line
		if all.sole = name; len(m.models) > 1 {
			all.sole = ""
		}
	}
	m.lines.Store(all)
}

// first loads the versions of a new model.
func (m *Manager) first(ctx context.Context, s *served) error {
	err := m.refresh(ctx, s, nil)
	switch {
	case m.newest(s) != nil:
		return m.labelled(s, s.config.Labels)
	case err == nil:
		return status.Errorf(status.NotFound, "model '%s': %s has no version to serve: a folder named by a number, with a SavedModel in it", s.config.Name, s.config.Path)
	}
	return err
}

// served returns a model without versions.
func (m *Manager) served(c Config) *served {
	s := &served{config: c, refresh: make(gate, 1), versions: map[int64]*version{}}
	s.config.Labels = maps.Clone(c.Labels)
	s.line = m.turns.line(c.Name, &s.meter)
	s.set(m.options, c)
	return s
}

// set sets the limits of a model.
func (s *served) set(o Options, c Config) {
	s.line.set(o, c)
	t := o.Timeout
	if c.Timeout > 0 {
		t = c.Timeout
	}
	s.timeout.Store(int64(t))
}

// labelled checks that the versions that have labels are available.
func (m *Manager) labelled(s *served, labels map[string]int64) error {
	if m.options.UnavailableLabels {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, label := range sorted.Keys(labels) {
		n := labels[label]
		if v := s.versions[n]; v == nil || v.state != Available {
			return status.Errorf(status.FailedPrecondition, "model '%s': label '%s' is that of version %d, which is not available", s.config.Name, label, n)
		}
	}
	return nil
}

// Remove ends a model: its requests are finished, new ones refused.
func (m *Manager) Remove(name string) error {
	m.mu.Lock()
	s := m.models[name]
	m.mu.Unlock()
	if s == nil || !m.remove(s) {
		return notFound(Spec{Model: name})
	}
	return nil
}

func (m *Manager) remove(s *served) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.models[s.config.Name] != s {
		return false
	}
	m.put(s.config.Name, nil)
	s.removed = true
	for _, v := range s.versions {
		v.retire()
	}
	return true
}

// Refresh looks for versions that came or went, of all models, and returns when they are
// loaded, or have failed: with the first error.
func (m *Manager) Refresh(ctx context.Context) error {
	all := m.all()
	errs := make([]error, len(all))
	var group sync.WaitGroup
	for i, s := range all { // at the same time; Options.Loading bounds what that costs
		group.Go(func() { errs[i] = m.refresh(ctx, s, nil) })
	}
	group.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// all returns the models in the order of their names.
func (m *Manager) all() []*served {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := slices.Collect(maps.Values(m.models))
	sorted.By(all, func(a, b *served) int { return compare(a.config.Name, b.config.Name) })
	return all
}

// Watch refreshes each model when tick has something, until ctx ends. It takes a new
// version when its files have not changed from one tick to the next, so that a folder that
// is being copied is not loaded by half. A model that is still being refreshed is passed
// over: a disk that does not answer keeps the versions of other models from nothing.
func (m *Manager) Watch(ctx context.Context, tick <-chan time.Time) {
	var group sync.WaitGroup
	defer group.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
			for _, s := range m.all() {
				if s.watched.CompareAndSwap(false, true) {
					group.Go(func() {
						defer s.watched.Store(false)
						m.refresh(ctx, s, &s.still) // whose error is in the status and the log
					})
				}
			}
		}
	}
}

// Models returns the names of the models, in order.
func (m *Manager) Models() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return sorted.Keys(m.models)
}

// Queue returns how many requests of a model run, and how many wait for their turn.
func (m *Manager) Queue(model string) (running, waiting int) {
	m.mu.Lock()
	s := m.models[model]
	m.mu.Unlock()
	if s == nil {
		return 0, 0
	}
	m.turns.mu.Lock()
	defer m.turns.mu.Unlock()
	return s.line.running, len(s.line.waiting)
}

// Drain makes the manager no longer ready, while it goes on serving: so that those who
// distribute requests send them elsewhere before it is closed.
func (m *Manager) Drain() {
	m.mu.Lock()
	m.drains = true
	m.mu.Unlock()
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
	return !m.closed && !m.drains
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
