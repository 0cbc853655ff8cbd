package serve

import (
	"context"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/serve/batch"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// Batching says how requests of a model share steps: see package batch. The zero value
// batches as measurements of the model say.
type Batching struct {
	Off bool
	// Parameters are those of TensorFlow Serving, which [batch.ReadParameters] reads; nil:
	// none are needed.
	Parameters *batch.Parameters
	// Observe is called with the model's name when a batch has run; nil: it is not. It
	// must not block.
	Observe func(model string, r batch.Report)
}

// batches are those of a version.
type batches struct {
	batcher    *batch.Batcher
	signatures map[string]*batch.Signature // that are batched
}

func (b *batches) close() {
	if b.batcher != nil {
		b.batcher.Close()
	}
}

// batched returns the batches of a version: for signatures whose inputs and outputs have
// an unknown first dimension, and which have no side effects.
func (m *Manager) batched(ctx context.Context, v *version, saved *model.SavedModel, calls map[string]*model.SignatureCall) (b batches, err error) {
	o := m.options.Batching
	m.mu.Lock()
	if s := m.models[v.name]; s != nil && s.config.Batching != nil {
		o = *s.config.Batching
	}
	m.mu.Unlock()
	if o.Off {
		return b, nil
	}
	options := batch.Options{Parameters: o.Parameters, Threads: m.options.Session.Threads}
	if l := m.options.Logger; l != nil {
		options.Refused = func(signature string, reason error) {
			l.Warn().Str("model", plain.Line(v.name)).Int64("version", v.number).Str("signature", plain.Line(signature)).
				Str("reason", plain.Line(reason.Error())).Msg("requests are no longer batched")
		}
	}
	if o.Observe != nil {
		options.Observe = func(r batch.Report) { o.Observe(v.name, r) }
	}
	if b.batcher, err = batch.New(options); err != nil {
		return b, err
	}
	b.signatures = map[string]*batch.Signature{}
	for name, call := range calls {
		if !byRows(saved.Signatures[name], o.Parameters != nil) || !saved.Repeatable(ctx, name) {
			continue
		}
		b.signatures[name] = b.batcher.Add(name, true, func(ctx context.Context, feeds []*tensor.Tensor) ([]*tensor.Tensor, error) {
			return call.RunFeeds(ctx, session.RunOptions{}, feeds)
		})
	}
	return b, nil
}

// byRows reports whether a signature's tensors may have any number of rows. A tensor of
// unknown rank does if parameters ask for batching.
func byRows(s model.Signature, asked bool) bool {
	if len(s.Inputs) == 0 || len(s.Outputs) == 0 {
		return false
	}
	for _, list := range []map[string]model.TensorInfo{s.Inputs, s.Outputs} {
		for _, t := range list {
			rank := t.Shape.NumDimensions()
			if rank == 0 || rank < 0 && !asked || t.Shape.Size(0) >= 0 || t.Name == "" {
				return false
			}
			if t.DType.HasPointers() && t.DType != tensor.String || !t.DType.Valid() {
				return false
			}
		}
	}
	return true
}
