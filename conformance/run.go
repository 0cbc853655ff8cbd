package conformance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// grace is how long after its deadline a step may return.
const grace = 2 * time.Second

// run runs the steps of a case and judges them.
func (s *Script) run(ctx context.Context, cfg Config) error {
	if s.Import != nil {
		return s.runImport()
	}
	if len(s.Partitions) > 0 && len(s.Steps) > 0 && cfg.Strewing.Devices == 0 {
		if err := s.comparePartitions(ctx, cfg); err != nil {
			return err
		}
	}
	return s.Play(ctx, cfg, func(i int, o Outcome) error {
		if err := s.Judge(i, o); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		return nil
	})
}

// An Outcome is what became of a step: what was fetched, or an error.
type Outcome struct {
	Fetched []*tensor.Tensor
	Err     error
	Loading bool // the error came before any step ran
	Elapsed time.Duration
}

// Play loads the case's graph into a session and runs the steps, handing the
// outcome of each to took, whose error ends it. If the graph does not load,
// every step has that outcome.
func (s *Script) Play(ctx context.Context, cfg Config, took func(step int, o Outcome) error) error {
	start := time.Now()
	sess, err := s.open(cfg)
	if took := time.Since(start); took > cfg.timeout() {
		return fmt.Errorf("it took %v to load", took)
	}
	if err != nil {
		if unreadable := (*fs.PathError)(nil); errors.As(err, &unreadable) {
			return err
		}
		for i := range s.Steps {
			if err := took(i, Outcome{Err: err, Loading: true}); err != nil {
				return err
			}
		}
		return nil
	}
	defer sess.close()
	if cfg.Opened != nil {
		defer cfg.Opened(sess.session)()
	}
	for i := range s.Steps {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		o, err := sess.step(ctx, s, &s.Steps[i], cfg)
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
		if err := took(i, o); err != nil {
			return err
		}
	}
	return nil
}

// An opened case is a graph and a session on it.
type opened struct {
	graph     *session.Graph
	session   *session.Session
	gradients []session.Output // those that the case asks for
}

func (o *opened) close() { o.session.Close() }

// Graph loads the case's graph.
func (s *Script) Graph() (*session.Graph, error) { return s.graph(Strewing{}) }

func (s *Script) graph(strewing Strewing) (*session.Graph, error) {
	if s.SavedModel != nil {
		return s.SavedModel.graph(s.files)
	}
	def, err := fs.ReadFile(s.files, "graph.pb")
	if err != nil {
		return nil, err
	}
	if def, err = strewing.functions(def); err != nil {
		return nil, err
	}
	g := session.NewGraph()
	if err := g.Import(def, ""); err != nil {
		return nil, err
	}
	return g, nil
}

func (s *Script) open(cfg Config) (*opened, error) {
	options := &session.SessionOptions{
		Engine:        cfg.Engine,
		Rewrite:       cfg.Rewrite,
		Units:         cfg.Units,
		Threads:       cfg.Threads,
		Devices:       s.Devices,
		SeparateSteps: cfg.SeparateSteps,
		MemoryLimit:   cfg.MemoryLimit,
		Files:         &files.Policy{Read: []string{os.TempDir()}, Write: []string{os.TempDir()}}, // recorded cases write there
	}
	if cfg.Target != "" {
		options.Target, options.Devices, options.Cluster.Isolated = cfg.Target, nil, true
		options.Cluster.Bound = cfg.Bound
		options.Seed = int64(cfg.Strewing.Seed)
	} else if n := cfg.Strewing.Devices; n > 0 {
		options.Devices = map[string]int{cfg.Strewing.kind(): n}
		options.Seed = int64(cfg.Strewing.Seed)
	}
	if s.SavedModel != nil {
		return s.openModel(options)
	}
	g, err := s.graph(cfg.Strewing)
	if err != nil {
		return nil, err
	}
	asked, err := s.Gradients.add(g)
	if err != nil {
		return nil, err
	}
	if g, asked, err = cfg.Strewing.graph(g, asked); err != nil {
		return nil, err
	}
	sess, err := session.NewSession(g, options)
	if err != nil {
		return nil, err
	}
	return &opened{g, sess, asked}, nil
}

// step runs one step. Its error says that there is no outcome to be judged.
func (o *opened) step(ctx context.Context, s *Script, st *Step, cfg Config) (Outcome, error) {
	limit := cfg.timeout()
	if d := s.Deadline(); d > 0 {
		limit = d
	}
	feeds, err := s.feeds(st)
	if unreadable := (*fs.PathError)(nil); errors.As(err, &unreadable) {
		return Outcome{}, err
	}
	if err != nil {
		return Outcome{Err: err}, nil
	}
	stepCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	fetched, err := o.fetch(stepCtx, feeds, st)
	out := Outcome{Fetched: fetched, Err: err, Elapsed: time.Since(start)}
	switch {
	case ctx.Err() != nil:
		return out, context.Cause(ctx)
	case s.DeadlineMS == 0 && stepCtx.Err() != nil:
		return out, fmt.Errorf("it did not end within %v: %v", limit, err)
	case out.Elapsed > limit+grace:
		return out, fmt.Errorf("it returned %v after its deadline", (out.Elapsed - limit).Round(time.Millisecond))
	}
	return out, nil
}

// feeds reads the tensors that a step feeds.
func (s *Script) feeds(st *Step) (map[string]*tensor.Tensor, error) {
	feeds := map[string]*tensor.Tensor{}
	for name, file := range st.Feeds {
		t, err := s.Tensor(file)
		if err != nil {
			return nil, err
		}
		feeds[name] = t
	}
	return feeds, nil
}

// Tensor reads one of the case's tensors.
func (s *Script) Tensor(file string) (*tensor.Tensor, error) {
	data, err := fs.ReadFile(s.files, file)
	if err != nil {
		return nil, err
	}
	t, err := tensorproto.Unmarshal(data, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// fetch runs the session with feeds, fetches and targets by name.
func (o *opened) fetch(ctx context.Context, byName map[string]*tensor.Tensor, st *Step) ([]*tensor.Tensor, error) {
	list, fetches, targets, err := o.find(st)
	if err != nil {
		return nil, err
	}
	feeds := map[session.Output]*tensor.Tensor{}
	for i, name := range sorted.Keys(st.Feeds) {
		feeds[list[i]] = byName[name]
	}
	return o.session.RunContext(ctx, feeds, fetches, targets)
}

// find finds what a step names; feeds come in the order of their names.
func (o *opened) find(st *Step) (feeds, fetches []session.Output, targets []*session.Operation, err error) {
	for _, name := range sorted.Keys(st.Feeds) {
		out, err := o.graph.Find(name)
		if err != nil {
			return nil, nil, nil, err
		}
		feeds = append(feeds, out)
	}
	for _, name := range st.Fetches {
		out, err := o.fetched(name)
		if err != nil {
			return nil, nil, nil, err
		}
		fetches = append(fetches, out)
	}
	for _, name := range st.Targets {
		op, err := o.graph.FindID(graph.TensorID{Node: name, Index: graph.Control})
		if err != nil {
			return nil, nil, nil, err
		}
		targets = append(targets, op.Op)
	}
	return feeds, fetches, targets, nil
}

// fetched finds what a step fetches: a tensor, or one of the gradients asked for.
func (o *opened) fetched(name string) (session.Output, error) {
	if number, ok := strings.CutPrefix(name, "gradient/"); ok && o.gradients != nil {
		if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < len(o.gradients) {
			return o.gradients[i], nil
		}
	}
	return o.graph.Find(name)
}

// Judge reports how an outcome of step i differs from what is expected; nil if
// it does not. An error that tells of something missing matches [errors.As]
// with *status.Error of that code.
func (s *Script) Judge(i int, o Outcome) error {
	st := &s.Steps[i]
	var err error
	switch {
	case panicked(o.Err):
		return fmt.Errorf("panic: %w", o.Err)
	case st.Error != nil:
		err = st.Error.judge(o)
	case st.AnyOutcome:
	case o.Err != nil:
		err = fmt.Errorf("it failed: %w", o.Err)
	default:
		err = s.judgeValues(st, o.Fetched)
	}
	if unimplemented(o.Err) && (err != nil || !st.asksFor(o)) {
		return gap{o.Err}
	}
	return err
}

func (s *Script) judgeValues(st *Step, fetched []*tensor.Tensor) error {
	if len(fetched) != len(st.Fetches) {
		return fmt.Errorf("%d values for %d fetches", len(fetched), len(st.Fetches))
	}
	var diffs []error
	for k, name := range st.Fetches {
		want, err := s.Tensor(st.Expect[k])
		if err != nil {
			return err
		}
		if err := tensor.Compare(fetched[k], want, tensor.Tolerance(s.Tolerance)); err != nil {
			diffs = append(diffs, fmt.Errorf("%s: %s", name, status.From(err).Message))
		}
	}
	return inOneLine(diffs)
}

func (e *Error) judge(o Outcome) error {
	if o.Err == nil {
		if e.Any || e.Code == "" {
			return errors.New("it gave a value, want an error")
		}
		return fmt.Errorf("it gave a value, want %s", e.Code)
	}
	got := status.From(o.Err)
	switch {
	case e.Code != "" && got.Code.String() != e.Code:
		return fmt.Errorf("want %s, it failed with %w", e.Code, o.Err)
	case !strings.Contains(got.Message, e.Contains):
		return fmt.Errorf("want words %q, it failed with %w", e.Contains, o.Err)
	case e.Phase == "run" && o.Loading:
		return fmt.Errorf("want an error of the step, the graph did not load: %w", o.Err)
	}
	return nil
}

// panicked reports whether an error is a panic that an engine caught.
func panicked(err error) bool {
	return status.CodeOf(err) == status.Internal && strings.Contains(err.Error(), "panicked: ")
}

// unimplemented reports whether an error tells of an operation or a kernel that
// is not there.
func unimplemented(err error) bool {
	switch status.CodeOf(err) {
	case status.Unimplemented:
		return true
	case status.NotFound:
		return strings.Contains(err.Error(), "Op type not registered")
	}
	return false
}

// asksFor reports whether an answer that something is not implemented is what
// the step asks for, or what TensorFlow gave where any error will do.
func (st *Step) asksFor(o Outcome) bool {
	code := status.CodeOf(o.Err).String()
	seen := st.Seen
	if st.Error != nil {
		if st.Error.Code != "" {
			return st.Error.Code == code
		}
		seen = st.Error.Seen
	}
	where := "run"
	if o.Loading {
		where = "load"
	}
	return seen.CodeSeen == code && seen.WhereSeen == where
}
