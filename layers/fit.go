package layers

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/train"
)

// FitOptions configures [Model.Fit]. The zero FitOptions is one epoch.
type FitOptions struct {
	Epochs     int             // 1
	Completed  int             // of the epochs, those made before, as [Checkpoint.Restore] returns them
	Validation iter.Seq[Batch] // evaluated after each epoch; nil is none
	Progress   io.Writer       // a line for each epoch, and a bar if it is a terminal; nil is none
	Callbacks  []Callback
}

// A Callback is called after each epoch. One that also has a method Step(ctx
// context.Context, s train.Step) error is called after each update as well, one with a method
// End(ctx context.Context, last *Epoch) error when all epochs have been completed, or one of them
// stopped the training, and one with a method Close() error when the training ends, for whatever
// reason. If the last epoch was completed before ([FitOptions].Completed), End gets it without
// values.
type Callback interface {
	// Epoch may call e.Stop. An error ends the training.
	Epoch(ctx context.Context, e *Epoch) error
}

// An Epoch is one pass over the batches.
type Epoch struct {
	N       int   // counted from 1
	Updates int64 // made so far
	// Values are "loss" and the metrics by their names, over the batches of the epoch as
	// they were trained, and "val_loss" and so on over the validation batches.
	Values map[string]float64
	Rate   float64 // the learning rate of the last update

	model     *Model
	callbacks []Callback
	stop      bool
}

// Model is the model that is trained.
func (e *Epoch) Model() *Model { return e.model }

// Stop makes this epoch the last one.
func (e *Epoch) Stop() { e.stop = true }

// Names are "loss", those of the losses of several outputs, and those of the metrics, in the
// order of the outputs and their Metrics.
func (e *Epoch) Names() []string {
	names := []string{"loss"}
	if len(e.model.parts) > 1 {
		for _, p := range e.model.parts {
			names = append(names, p.prefix+"loss")
		}
	}
	for _, p := range e.model.parts {
		for _, m := range p.Metrics {
			names = append(names, p.prefix+m.Label())
		}
	}
	return names
}

// String is the epoch's values in a line.
func (e *Epoch) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "epoch %d:", e.N)
	for _, prefix := range []string{"", "val_"} {
		for _, name := range e.Names() {
			if x, ok := e.Values[prefix+name]; ok {
				fmt.Fprintf(&b, " %s%s %.4f", prefix, name, x)
			}
		}
	}
	return b.String()
}

// Fit trains the model: in each epoch it makes an update for each batch, or for each
// Options.Accumulate batches; batches without examples are passed over. It returns the
// epochs that were completed. When ctx ends, the update in progress is completed first, so
// that the model can be saved; the error is then CANCELLED or DEADLINE_EXCEEDED. Batches
// that can block must observe ctx themselves.
//
// With Options.Accumulate, metrics are of the last batch of each update.
//
// Training that was interrupted goes on with [Checkpoint.Restore].
func (m *Model) Fit(ctx context.Context, batches iter.Seq[Batch], o FitOptions) (history []*Epoch, err error) {
	if m.goal == nil {
		return nil, status.Errorf(status.FailedPrecondition, "the model was compiled without a loss")
	}
	defer func() {
		for _, c := range o.Callbacks {
			if c, ok := c.(io.Closer); ok {
				if e := c.Close(); err == nil {
					err = e
				}
			}
		}
	}()
	last := &Epoch{N: max(o.Completed, 0), model: m, callbacks: o.Callbacks}
	for _, c := range o.Callbacks {
		if c, ok := c.(*EarlyStopping); ok && last.N > 0 && c.stopped {
			last.Stop()
		}
	}
	for n := last.N + 1; n <= max(o.Epochs, 1) && !last.stop; n++ {
		e := &Epoch{N: n, model: m, callbacks: o.Callbacks}
		if err := m.epoch(ctx, e, batches, o); err != nil {
			return history, err
		}
		if o.Validation != nil {
			values, err := m.Evaluate(ctx, o.Validation)
			if err != nil {
				return history, err
			}
			for name, x := range values {
				e.Values["val_"+name] = x
			}
		}
		history = append(history, e)
		if o.Progress != nil {
			if _, err := fmt.Fprintln(o.Progress, e); err != nil {
				return history, err
			}
		}
		for _, c := range o.Callbacks {
			if err := c.Epoch(ctx, e); err != nil {
				return history, err
			}
		}
		last = e
	}
	for _, c := range o.Callbacks {
		if c, ok := c.(interface {
			End(context.Context, *Epoch) error
		}); ok {
			if err := c.End(ctx, last); err != nil {
				return history, err
			}
		}
	}
	return history, nil
}

// epoch trains on all batches once.
func (m *Model) epoch(ctx context.Context, e *Epoch, batches iter.Seq[Batch], o FitOptions) error {
	var failed error
	waiting := 0 // examples of the update in progress
	feeds := func(yield func(train.Batch) bool) {
		for b := range batches {
			if b.Err == nil && b.Len() == 0 {
				continue // its mean loss is none
			}
			to, list, err := m.feeds(b, true)
			if err != nil {
				failed = err
				return
			}
			waiting += b.Len()
			batch := make(train.Batch, len(to))
			for i, o := range to {
				batch[o] = list[i]
			}
			if !yield(batch) {
				return
			}
		}
	}
	steps := m.trainer.Steps(ctx, m.goal, feeds, m.training.fetched(len(m.parts) > 1)...)
	if f, ok := o.Progress.(*os.File); ok {
		steps = train.Progress(f, 0, steps)
	}
	accounts := m.accounts(len(m.parts) > 1)
	var loss, examples float64
	for step, err := range steps {
		if err != nil {
			return err
		}
		loss += step.Loss * float64(waiting)
		examples += float64(waiting)
		waiting = 0
		if err := accounts.add(step.Outputs); err != nil {
			return err
		}
		e.Updates, e.Rate = step.N, step.Rate
		for _, c := range o.Callbacks {
			if c, ok := c.(interface {
				Step(context.Context, train.Step) error
			}); ok {
				if err := c.Step(ctx, step); err != nil {
					return err
				}
			}
		}
	}
	if failed != nil {
		return failed
	}
	if examples == 0 {
		return status.Invalid("epoch %d has no batches for an update; a sequence of batches must begin again each time", e.N)
	}
	e.Values = accounts.results()
	e.Values["loss"] = loss / examples
	return nil
}
