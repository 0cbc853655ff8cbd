package layers

import (
	"context"
	"iter"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// Dataset is the elements of an iterator in a session, such as one over the datasets of
// package ops/dataset: each time, it runs begin, as [op.MakeIterator] returns it, and then
// fetches next, the components that [op.IteratorGetNext] returns, until that fails with
// OUT_OF_RANGE. The last component is the labels, the others are the inputs; a single one
// is an input. Another error is that of the last batch.
func Dataset(ctx context.Context, session interface{ Base() *tf.Session }, begin *tf.Operation, next ...tf.Output) iter.Seq[Batch] {
	return func(yield func(Batch) bool) {
		s := session.Base()
		if _, err := s.RunContext(ctx, nil, nil, []*tf.Operation{begin}); err != nil {
			yield(Batch{Err: err})
			return
		}
		for {
			out, err := s.RunContext(ctx, nil, next, nil)
			switch {
			case status.CodeOf(err) == status.OutOfRange:
				return
			case err != nil:
				yield(Batch{Err: err})
				return
			}
			b := Batch{X: out}
			if last := len(out) - 1; last > 0 {
				b.X, b.Y = out[:last:last], out[last]
			}
			if !yield(b) {
				return
			}
		}
	}
}
