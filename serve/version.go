package serve

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// A State is where a version is in its life; the numbers are TensorFlow Serving's.
type State int

// The states of a version.
const (
	Unknown   State = 0
	Start     State = 10
	Loading   State = 20
	Available State = 30
	Unloading State = 40
	End       State = 50
)

// String returns the state's name in TensorFlow Serving.
func (s State) String() string {
	switch s {
	case Start:
		return "START"
	case Loading:
		return "LOADING"
	case Available:
		return "AVAILABLE"
	case Unloading:
		return "UNLOADING"
	case End:
		return "END"
	}
	return "UNKNOWN"
}

// A version is one SavedModel of a model. Its fields but model are under Manager.mu.
type version struct {
	m      *Manager
	name   string
	number int64
	folder string
	state  State
	err    error
	uses   int
	stamp  stamp // of the folder when it was loaded

	saved   *model.SavedModel // nil until it is loaded
	calls   map[string]*model.SignatureCall
	batches batches
	running chan struct{}      // full while as many requests run as may
	places  chan struct{}      // of those that run or wait
	cancel  context.CancelFunc // ends loading, also before its turn
	ended   chan struct{}      // closed when the version has ended
	once    sync.Once
}

// retire ends a version when its last request has ended. Manager.mu is held.
func (v *version) retire() {
	if v.state >= Unloading {
		return
	}
	if v.state != Available { // it is being loaded, and ends then; or has failed
		if v.state == Loading || v.state == Start {
			v.cancel()
		}
		v.state = Unloading
		return
	}
	if v.state = Unloading; v.uses == 0 {
		go v.end()
	}
}

// end closes a version.
func (v *version) end() {
	v.once.Do(func() {
		if v.saved != nil {
			v.saved.Session.Close()
			v.batches.close()
		}
		v.m.mu.Lock()
		v.state = End
		delete(v.m.living, v)
		v.m.mu.Unlock()
		close(v.ended)
	})
}

// abort ends a version with the requests that it still has.
func (v *version) abort() {
	v.m.mu.Lock()
	v.cancel()
	loaded := v.saved != nil
	v.m.mu.Unlock()
	if loaded {
		v.end()
	}
}

// found lists the versions in a model's folder, and where they are.
func found(path string) (map[int64]string, error) {
	for _, file := range []string{"saved_model.pb", "saved_model.pbtxt"} {
		if _, err := os.Stat(filepath.Join(path, file)); err == nil {
			return map[int64]string{1: path}, nil
		}
	}
	list, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, status.Errorf(status.NotFound, "there is no folder %s", path)
	}
	if err != nil {
		return nil, status.From(err)
	}
	versions := map[int64]string{}
	for _, e := range list {
		if n, err := strconv.ParseInt(e.Name(), 10, 64); err == nil && n >= 0 {
			versions[n] = filepath.Join(path, e.Name())
		}
	}
	return versions, nil
}

// A stamp tells whether a folder has changed: a version that could not be loaded, as it
// was still being copied perhaps, is tried again when it has.
type stamp struct {
	files  int
	bytes  int64
	newest time.Time
}

func stampOf(folder string) (s stamp) {
	filepath.WalkDir(folder, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // it is gone, which shows in what is left
		}
		if info, err := e.Info(); err == nil {
			s.files++
			if s.bytes += info.Size(); info.ModTime().After(s.newest) {
				s.newest = info.ModTime()
			}
		}
		return nil
	})
	return s
}

// refresh brings the versions of a model to what its folder and policy say.
func (m *Manager) refresh(ctx context.Context, s *served) error {
	s.refresh.Lock()
	defer s.refresh.Unlock()
	folders, err := found(s.config.Path)
	if err != nil {
		return err // what is served stays: a folder that cannot be read says nothing of versions
	}
	var numbers []int64
	for n := range folders {
		numbers = append(numbers, n)
	}
	chosen := s.config.Policy.choose(numbers)
	changed := m.changed(s, chosen, folders)
	wanted := map[int64]bool{}
	type load struct {
		ctx context.Context
		v   *version
	}
	var loads []load
	m.mu.Lock()
	if m.closed || m.models[s.config.Name] != s {
		m.mu.Unlock()
		return status.Errorf(status.Unavailable, "the model '%s' is being removed", s.config.Name)
	}
	for _, n := range chosen {
		wanted[n] = true
		if v := s.versions[n]; v == nil || v.state == End && (v.err == nil || changed[n]) || v.state == Unloading {
			ctx, cancel := context.WithCancel(ctx)
			v = &version{m: m, name: s.config.Name, number: n, folder: folders[n], state: Start, cancel: cancel, ended: make(chan struct{})}
			s.versions[n] = v
			m.living[v] = true
			loads = append(loads, load{ctx, v})
		}
	}
	m.mu.Unlock()
	var first error
	for _, l := range loads {
		if err := m.load(l.ctx, l.v); err != nil && first == nil {
			first = err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.newest() == nil || len(wanted) == 0 {
		return first
	}
	standing := false // of what is wanted, something can be served
	for n := range wanted {
		standing = standing || s.versions[n].state == Available
	}
	for n, v := range s.versions {
		if !wanted[n] && standing {
			if v.state == Available {
				v.retire()
			} else if v.state == End {
				delete(s.versions, n)
			}
		}
	}
	return first
}

// changed reports which versions have failed and have other folders since. It reads the
// folders without the lock that requests need.
func (m *Manager) changed(s *served, numbers []int64, folders map[int64]string) map[int64]bool {
	failed := map[int64]stamp{}
	m.mu.Lock()
	for _, n := range numbers {
		if v := s.versions[n]; v != nil && v.state == End && v.err != nil {
			failed[n] = v.stamp
		}
	}
	m.mu.Unlock()
	changed := map[int64]bool{}
	for n, old := range failed {
		changed[n] = stampOf(folders[n]) != old
	}
	return changed
}

// load loads a version and compiles its signatures.
func (m *Manager) load(ctx context.Context, v *version) (err error) {
	select {
	case m.loading <- struct{}{}:
		defer func() { <-m.loading }()
	case <-ctx.Done():
		err = status.From(context.Cause(ctx))
	}
	defer v.cancel()
	m.mu.Lock()
	if v.state == Start {
		v.state = Loading
	}
	m.mu.Unlock()
	begin := time.Now()
	v.stamp = stampOf(v.folder)
	var saved *model.SavedModel
	var calls map[string]*model.SignatureCall
	var shared batches
	if err == nil {
		options := m.options.Session
		options.Name = v.name
		if saved, err = model.LoadContext(ctx, v.folder, []string{"serve"}, &options); err == nil {
			calls, err = compiled(ctx, saved)
		}
		if err == nil {
			shared, err = m.batched(ctx, v, saved, calls)
		}
	}
	if err != nil && saved != nil {
		saved.Session.Close()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil:
		v.err, v.state = err, End
		delete(m.living, v)
		v.once.Do(func() { close(v.ended) })
	case v.state != Loading: // retired in between
		v.saved = saved
		go v.end()
	default:
		n := m.options.Running
		if n <= 0 {
			n = 4 * runtime.GOMAXPROCS(0)
		}
		waiting := m.options.Waiting
		if waiting <= 0 {
			waiting = 64 * n
		}
		v.saved, v.calls, v.batches, v.state = saved, calls, shared, Available
		v.running, v.places = make(chan struct{}, n), make(chan struct{}, n+waiting)
	}
	if l := m.options.Logger; l != nil {
		e := l.Info()
		if err != nil {
			e = l.Error().Str("error", plain.Line(err.Error()))
		}
		e.Str("model", plain.Line(v.name)).Int64("version", v.number).Dur("took", time.Since(begin)).Msg("loaded")
	}
	return err
}

// compiled compiles the signatures of a model, so that the first request is as fast as
// the others. One that cannot be compiled is left to its requests.
func compiled(ctx context.Context, saved *model.SavedModel) (map[string]*model.SignatureCall, error) {
	calls := map[string]*model.SignatureCall{}
	for name := range saved.Signatures {
		call, err := saved.Prepare(ctx, name)
		if ctx.Err() != nil {
			return nil, err
		}
		if err == nil {
			calls[name] = call
		}
	}
	return calls, nil
}

// A VersionStatus is what is known of a version.
type VersionStatus struct {
	Version int64
	State   State
	Err     error // why it could not be loaded
}
