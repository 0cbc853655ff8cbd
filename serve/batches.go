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
func (v *version) batched(ctx context.Context, saved *model.SavedModel, calls map[string]*model.SignatureCall, c Config) (b batches, err error) {
	o := v.m.options.Batching
	if own := c.Batching; own != nil {
		o = *own
	}
	if o.Off || v.meets(c) {
		return b, nil
	}
	options := batch.Options{Parameters: o.Parameters, Threads: v.m.options.Session.Threads}
	if l := v.m.options.Logger; l != nil {
		options.Refused = func(signature string, reason error) {
			l.Warn().Str("model", plain.Line(v.name)).Int64("version", v.number).Str("signature", plain.Line(signature)).
				Str("reason", plain.Line(reason.Error())).Msg("requests are no longer batched")
		}
	}
	observer := v.m.options.Observer
	options.Observe = func(r batch.Report) {
		v.statistics.executed(r.Rows, r.Took)
		if observer != nil && r.Requests > 1 {
			observer.Batch(Batch{
				Model: v.name, Signature: r.Signature, Version: v.number,
				Requests: r.Requests, Examples: r.Rows, Padding: r.Padding, Waited: r.Waited,
			})
		}
	}
	if b.batcher, err = batch.New(options); err != nil {
		return b, err
	}
	b.signatures = map[string]*batch.Signature{}
	for name, call := range calls {
		if !byRows(saved.Signatures[name], o.Parameters != nil) || !saved.Repeatable(ctx, name) {
			continue
		}
		b.signatures[name] = b.batcher.Add(name, batch.Step{
			Turn: func(ctx context.Context) (context.Context, func(error), error) { return v.turn(ctx, name, nil) },
			Run: func(ctx context.Context, feeds []*tensor.Tensor) ([]*tensor.Tensor, error) {
				return call.RunFeeds(ctx, session.RunOptions{}, feeds)
			},
		})
	}
	return b, nil
}

// meets reports whether requests share the iterations of loops.
func (v *version) meets(c Config) bool {
	return v.m.options.Session.BatchLoops || c.BatchLoops
}

// together runs a request with others.
func (v *version) together(ctx context.Context, s *batch.Signature, feeds []*tensor.Tensor, p *place) ([]*tensor.Tensor, error) {
	out, report, err := s.RunNoting(ctx, feeds, &p.runs)
	p.wait, p.ran = report.Waited, report.Took
	if r := RecordOf(ctx); r != nil {
		if report.Requests > 1 { // or else the turn has recorded its run
			r.Batch, r.Run = report.Rows, r.Run+report.Took
			r.Wait += report.Waited
		}
	}
	return out, err
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
