package serve

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/troupe-go/troupe/model"
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

// A version is one SavedModel of a model. Its fields are under Manager.mu, but for those
// that never change.
type version struct {
	m          *Manager
	s          *served
	name       string
	number     int64
	folder     string
	line       *line
	state      State
	err        error
	uses       int
	statistics statistics
	stamp      stamp     // of the folder when it was loaded
	tries      int       // that failed with this stamp
	failed     time.Time // the last one
	memory     int64     // estimated

	saved   *model.SavedModel // nil until it is loaded, and again when it has ended
	calls   map[string]*model.SignatureCall
	batches batches
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

// worthFreeing is from how many bytes on the memory of a version that has ended is
// returned to the system at once, which takes a garbage collection. That of smaller ones
// the runtime returns in the background.
const worthFreeing = 32 << 20

// end closes a version, and returns its memory to the system.
func (v *version) end() {
	v.once.Do(func() {
		v.m.mu.Lock()
		saved, batches := v.saved, v.batches
		v.m.mu.Unlock()
		if saved != nil {
			saved.Session.Close()
			batches.close()
			saved = nil
		}
		v.m.mu.Lock()
		v.state = End
		had := v.memory
		v.m.memory -= had
		v.memory = 0
		if v.uses == 0 {
			v.saved, v.calls, v.batches.signatures = nil, nil, nil
		}
		large := had >= worthFreeing && !v.m.closed
		v.m.mu.Unlock()
		if large {
			debug.FreeOSMemory()
		}
		if o := v.m.options.Observer; o != nil {
			o.Unload(Load{Model: v.name, Version: v.number, Path: v.folder})
		}
		v.m.mu.Lock()
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
		return nil, status.Errorf(status.NotFound, "folder %s does not exist", path)
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
			if !e.IsDir() {
				s.bytes += info.Size()
			}
			if info.ModTime().After(s.newest) {
				s.newest = info.ModTime()
			}
		}
		return nil
	})
	return s
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
