package serve

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Spec names a model, one of its versions by number or label, and a signature.
type Spec struct {
	Model     string
	Version   int64 // if HasVersion; otherwise the greatest that is available
	Label     string
	Signature string // "" is serving_default
	Key       string // of the request: where there is a canary, equal keys get equal versions

	HasVersion bool
}

func (s Spec) signature() string {
	if s.Signature == "" {
		return "serving_default"
	}
	return s.Signature
}

func notFound(s Spec) error {
	if s.HasVersion {
		return status.Errorf(status.NotFound, "Servable not found for request: Specific(%s, %d)", s.Model, s.Version)
	}
	return status.Errorf(status.NotFound, "Servable not found for request: Latest(%s)", s.Model)
}

// A Use is a version of a model that does not end before Close is called.
type Use struct {
	v *version
}

// Model returns the loaded model.
func (u Use) Model() *model.SavedModel { return u.v.saved }

// Folder returns where the version was loaded from.
func (u Use) Folder() string { return u.v.folder }

// Version returns the version's number.
func (u Use) Version() int64 { return u.v.number }

// Close ends the use.
func (u Use) Close() {
	u.v.m.mu.Lock()
	defer u.v.m.mu.Unlock()
	if u.v.uses--; u.v.uses == 0 && u.v.state == Unloading {
		go u.v.end()
	}
}

// Use finds the version that a spec names. It fails with NOT_FOUND if there is none, and
// with INVALID_ARGUMENT for a label that is not the model's. Close must be called.
func (m *Manager) Use(s Spec) (Use, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	served := m.models[s.Model]
	if served == nil || m.closed {
		return Use{}, notFound(s)
	}
	if s.Label != "" {
		n, ok := served.config.Labels[s.Label]
		if !ok {
			return Use{}, status.Invalid("Unrecognized servable version label: %s", s.Label)
		}
		s.Version, s.HasVersion = n, true
	}
	v := served.versions[s.Version]
	if !s.HasVersion {
		v = served.pick(s.Key)
	}
	if v == nil || v.state != Available {
		return Use{}, notFound(s)
	}
	v.uses++
	return Use{v}, nil
}

// Status returns the states of a model's versions, the greatest first, or that of the
// version that the spec names. It fails with NOT_FOUND if there is none.
func (m *Manager) Status(s Spec) ([]VersionStatus, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var list []VersionStatus
	if served := m.models[s.Model]; served != nil {
		for n, v := range served.versions {
			if !s.HasVersion || n == s.Version {
				list = append(list, VersionStatus{n, v.state, v.err})
			}
		}
	}
	if len(list) == 0 {
		return nil, status.Errorf(status.NotFound, "Could not find any versions of model %s", s.Model)
	}
	sorted.By(list, func(a, b VersionStatus) int { return int(min(1, max(-1, b.Version-a.Version))) })
	return list, nil
}

// Predict runs a signature. outputs names those that are wanted; all if it is empty. It
// fails as [Manager.Use], [model.SavedModel.Run] and [Use.Run] do. The version that was
// used is returned as well.
func (m *Manager) Predict(ctx context.Context, s Spec, inputs map[string]*tensor.Tensor, outputs ...string) (map[string]*tensor.Tensor, int64, error) {
	u, err := m.Use(s)
	if err != nil {
		return nil, 0, err
	}
	defer u.Close()
	out, err := u.Run(ctx, s.signature(), inputs, outputs...)
	return out, u.Version(), err
}

// Run runs a signature of a model when it is its turn, within the manager's timeout. It
// fails with RESOURCE_EXHAUSTED if too many requests wait, with INVALID_ARGUMENT for
// outputs that are unknown or named twice, and as [model.SavedModel.Run] does.
func (u Use) Run(ctx context.Context, signature string, inputs map[string]*tensor.Tensor, outputs ...string) (out map[string]*tensor.Tensor, err error) {
	ctx, cancel := u.v.within(ctx)
	defer cancel()
	p := &place{signature: signature, version: u.v.number, came: time.Now(), record: RecordOf(ctx)}
	examples := examplesOf(inputs)
	if r := p.record; r != nil {
		r.Version, r.Signature, r.Examples = u.v.number, signature, examples
	}
	admitted := false
	defer func() {
		now := time.Now()
		u.v.statistics.answered(p, examples, now, err)
		if admitted {
			p.leave(now.Sub(p.came), err)
		}
	}()
	if err := known(u.v.saved, signature, outputs); err != nil {
		return nil, err
	}
	if err := u.v.line.admit(p); err != nil {
		return nil, err
	}
	admitted = true
	call := u.v.calls[signature]
	if call == nil { // it could not be compiled, and says why
		if call, err = u.v.saved.Prepare(ctx, signature); err != nil {
			return nil, err
		}
	}
	feeds, err := call.Feeds(inputs)
	if err != nil {
		return nil, err
	}
	fetched, err := u.v.step(ctx, signature, call, feeds, p)
	if err != nil {
		return nil, err
	}
	out = call.Results(fetched)
	if len(outputs) > 0 {
		for name := range out {
			if !slices.Contains(outputs, name) {
				delete(out, name)
			}
		}
	}
	return out, nil
}

// Do runs a function that uses the model otherwise than by a signature, when it is its
// turn and within the manager's timeout, as [Use.Run] does.
func (u Use) Do(ctx context.Context, run func(context.Context) error) (err error) {
	ctx, cancel := u.v.within(ctx)
	defer cancel()
	p := &place{version: u.v.number, came: time.Now(), record: RecordOf(ctx)}
	if err := u.v.line.admit(p); err != nil {
		return err
	}
	defer func() { p.leave(time.Since(p.came), err) }()
	ctx, ended, err := u.v.turn(ctx, "", p)
	if err != nil {
		return err
	}
	p.runs.Store(true)
	err = run(ctx)
	ended(err)
	return err
}

// step runs a step when it is its turn, with other requests if they are batched.
func (v *version) step(ctx context.Context, signature string, call *model.SignatureCall, feeds []*tensor.Tensor, p *place) ([]*tensor.Tensor, error) {
	if b := v.batches.signatures[signature]; b != nil {
		return v.together(ctx, b, feeds, p)
	}
	ctx, ended, err := v.turn(ctx, signature, p)
	if err != nil {
		return nil, err
	}
	p.runs.Store(true)
	fetched, err := call.RunFeeds(ctx, session.RunOptions{}, feeds)
	ended(err)
	v.statistics.executed(examplesIn(feeds), p.ran)
	return fetched, err
}

// known checks a signature and the names of outputs.
func known(m *model.SavedModel, signature string, outputs []string) error {
	s, ok := m.Signatures[signature]
	if !ok {
		return status.Invalid("Serving signature name: \"%s\" not found in signature def", signature)
	}
	for i, name := range outputs {
		if _, ok := s.Outputs[name]; !ok {
			return status.Invalid("output tensor alias not found in signature: %s Outputs expected to be in the set {%s}.", name, names(s.Outputs))
		}
		if slices.Contains(outputs[:i], name) {
			return status.Invalid("duplicate output tensor alias: %s", name)
		}
	}
	return nil
}

func names(infos map[string]model.TensorInfo) string { return strings.Join(sorted.Keys(infos), ",") }
