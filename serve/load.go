package serve

import (
	"context"
	"sync"
	"time"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// load loads a version, compiles its signatures and warms it up; then it is available.
func (m *Manager) load(ctx context.Context, v *version) error {
	defer v.cancel()
	err := m.loading.enter(ctx)
	if err == nil {
		leave := sync.OnceFunc(m.loading.leave)
		defer leave()
		defer time.AfterFunc(m.options.Patience, leave).Stop()
	}
	m.mu.Lock()
	if v.state == Start {
		v.state = Loading
	}
	m.mu.Unlock()
	begin := time.Now()
	var is stamp
	var l loaded
	c := v.s.config // by value: who reads files may do so when loading was given up
	if err == nil {
		is, err = patiently(ctx, func() stamp { return stampOf(v.folder) }, func(stamp) {})
	}
	if err == nil {
		err = m.reserve(v, is)
	}
	if err == nil {
		var late error
		if l, late = patiently(ctx, func() loaded { return m.read(ctx, v, c) }, loaded.close); late != nil {
			l.err = late
		}
		err = l.err
	}
	warming := time.Now()
	busy := false // somebody still uses what was loaded
	if err == nil {
		m.mu.Lock()
		v.saved, v.calls, v.batches = l.saved, l.calls, l.batches
		m.mu.Unlock()
		warm, late := patiently(ctx, func() error { return m.warm(ctx, v, c) }, func(error) { l.close() })
		if err = warm; late != nil {
			err, busy = late, true
		}
	}
	took := time.Since(begin)
	if err != nil && !busy {
		l.close()
	}
	m.mu.Lock()
	if is != v.stamp {
		v.tries = 0
	}
	v.stamp = is
	switch {
	case err != nil:
		v.err, v.state, v.failed = err, End, time.Now()
		v.tries++
		m.memory -= v.memory
		if v.memory = 0; !busy {
			v.saved, v.calls, v.batches = nil, nil, batches{}
		}
		delete(m.living, v)
		v.once.Do(func() { close(v.ended) })
	case v.state != Loading: // retired in between
		go v.end()
	default:
		v.state = Available
	}
	m.mu.Unlock()
	if l := m.options.Logger; l != nil {
		e, text := l.Info(), "loaded"
		if err != nil {
			e, text = l.Error().Str("error", plain.Line(err.Error())), "not loaded"
		}
		e.Str("model", plain.Line(v.name)).Int64("version", v.number).Dur("took", took).Msg(text)
	}
	if o := m.options.Observer; o != nil {
		o.Load(Load{Model: v.name, Version: v.number, Path: v.folder, Took: took, Warming: took - warming.Sub(begin), Err: err})
	}
	return err
}

// loaded is what there is of a version when its files have been read.
type loaded struct {
	saved   *model.SavedModel // nil: nothing
	calls   map[string]*model.SignatureCall
	batches batches
	err     error
}

func (l loaded) close() {
	if l.saved != nil {
		l.saved.Session.Close()
		l.batches.close()
	}
}

// open reads and compiles a version.
func (m *Manager) open(ctx context.Context, v *version, c Config) (l loaded) {
	options := m.options.Session
	options.Name = v.name
	options.Resources, options.Cluster.Isolated = nil, true // variables have the same names in all versions
	if limit := c.Memory; limit > 0 {
		options.MemoryLimit = limit
	}
	options.BatchLoops = v.meets(c)
	if l.saved, l.err = model.LoadContext(ctx, v.folder, m.options.Tags, &options); l.err != nil {
		return loaded{err: l.err}
	}
	if l.calls, l.err = compiled(ctx, l.saved); l.err == nil {
		l.batches, l.err = v.batched(ctx, l.saved, l.calls, c)
	}
	if l.err != nil {
		l.close()
		return loaded{err: l.err}
	}
	return l
}

// warm runs the example requests of a version.
func (m *Manager) warm(ctx context.Context, v *version, c Config) error {
	u := Use{v}
	if f := m.options.WarmUp; f != nil {
		if err := f(ctx, u); err != nil {
			e := *status.From(err)
			e.Message = "warming up: " + e.Message
			return &e
		}
	}
	return u.warm(ctx, c.WarmUp)
}
