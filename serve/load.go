package serve

import (
	"context"
	"time"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/status"
)

// load loads a version, compiles its signatures and warms it up; then it is available.
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
	is := stampOf(v.folder)
	var saved *model.SavedModel
	var calls map[string]*model.SignatureCall
	var shared batches
	if err == nil {
		err = m.reserve(v, is)
	}
	if err == nil {
		options := m.options.Session
		options.Name = v.name
		if limit := v.s.config.Memory; limit > 0 {
			options.MemoryLimit = limit
		}
		options.BatchLoops = v.meets()
		if saved, err = model.LoadContext(ctx, v.folder, m.options.Tags, &options); err == nil {
			calls, err = compiled(ctx, saved)
		}
		if err == nil {
			shared, err = v.batched(ctx, saved, calls)
		}
	}
	warming := time.Now()
	if err == nil {
		m.mu.Lock()
		v.saved, v.calls, v.batches = saved, calls, shared
		m.mu.Unlock()
		err = m.warm(ctx, v)
	}
	took := time.Since(begin)
	if err != nil && saved != nil {
		saved.Session.Close()
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
		v.saved, v.calls, v.batches, v.memory = nil, nil, batches{}, 0
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

// warm runs the example requests of a version.
func (m *Manager) warm(ctx context.Context, v *version) error {
	u := Use{v}
	if f := m.options.WarmUp; f != nil {
		if err := f(ctx, u); err != nil {
			e := *status.From(err)
			e.Message = "warming up: " + e.Message
			return &e
		}
	}
	return u.warm(ctx, v.s.config.WarmUp)
}
