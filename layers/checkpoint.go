package layers

import (
	"context"
	"fmt"
	"strings"

	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/train"
)

// Checkpoint is a [Callback] that saves the model, with the state of its optimizer, after
// each epoch, and the best one apart. Training that was interrupted goes on from the last
// epoch saved, as with Keras's BackupAndRestore:
//
//	c := &layers.Checkpoint{Checkpoints: &train.Checkpoints{Dir: dir}}
//	o := layers.FitOptions{Epochs: 8, Callbacks: []layers.Callback{plateau, c}}
//	o.Completed, err = c.Restore(ctx, m, o.Callbacks...)
//	…
//	history, err := m.Fit(ctx, data.ShuffledFrom(32, 1, o.Completed), o)
//
// It then makes the same updates as training that was not interrupted, to the bit: learning
// rates and dropout derive from the number of updates, which is saved, and so is what
// [EarlyStopping] and [ReduceOnPlateau] remember, if they come before the Checkpoint in the
// list of callbacks. The order of the batches is the program's to continue.
// [train.Checkpoints] restores a model alone, also the best one.
type Checkpoint struct {
	Checkpoints *train.Checkpoints
	Monitor     string // "val_loss"
	BestOnly    bool
}

// A rememberer is a callback with a state that checkpoints have.
type rememberer interface {
	state() map[string]*tf.Tensor
	resume(state map[string]*tf.Tensor) (ok bool) // false if it is not a state of such a callback
}

// Names of tensors in a checkpoint that are no variables.
const completed = "completed_epochs"

func stateOf(callback int) string { return fmt.Sprintf("callback_%d/", callback) }

// Epoch saves the model.
func (c *Checkpoint) Epoch(ctx context.Context, e *Epoch) error {
	m := e.Model()
	if !c.BestOnly {
		more := map[string]*tf.Tensor{completed: tensor.FromScalar(int64(e.N))}
		for i, other := range e.callbacks {
			if other, ok := other.(rememberer); ok {
				for name, x := range other.state() {
					more[stateOf(i)+name] = x
				}
			}
		}
		if err := c.Checkpoints.SaveWith(ctx, m.trainer, m.goal, more); err != nil {
			return err
		}
	}
	x, err := monitored(e, or(c.Monitor, "val_loss"))
	if err == nil {
		_, err = c.Checkpoints.SaveBest(ctx, m.trainer, m.goal, x)
	}
	return err
}

// Restore sets the model to the last checkpoint, and the callbacks, which are those of the
// training in the same order, to what they remembered then. It returns the number of epochs
// completed then, for [FitOptions]; 0 if there is no checkpoint.
func (c *Checkpoint) Restore(ctx context.Context, m *Model, callbacks ...Callback) (epochs int, err error) {
	more, found, err := c.Checkpoints.RestoreWith(ctx, m.trainer)
	if err != nil || !found {
		return 0, err
	}
	n, ok := scalar[int64](more, completed)
	if !ok {
		return 0, status.Errorf(status.NotFound, "the last checkpoint in %s was not saved by a layers.Checkpoint: it has no number of epochs", c.Checkpoints.Dir)
	}
	for i, other := range callbacks {
		r, ok := other.(rememberer)
		if !ok {
			continue
		}
		state := map[string]*tf.Tensor{}
		for name, x := range more {
			if rest, ok := strings.CutPrefix(name, stateOf(i)); ok {
				state[rest] = x
			}
		}
		if !r.resume(state) {
			return 0, status.Errorf(status.NotFound, "the last checkpoint in %s has no state of the %T, callback %d: give Restore the callbacks of the training that saved it", c.Checkpoints.Dir, other, i+1)
		}
	}
	return int(n), nil
}

// scalar is a tensor of a checkpoint that is one number.
func scalar[T int64 | float64](from map[string]*tf.Tensor, name string) (x T, ok bool) {
	if t := from[name]; t != nil {
		x, ok = t.Value().(T)
	}
	return x, ok
}

func (b *best) state() map[string]*tf.Tensor {
	state := map[string]*tf.Tensor{"since": tensor.FromScalar(int64(b.since))}
	if b.known {
		state["best"] = tensor.FromScalar(b.value)
	}
	return state
}

func (b *best) resume(state map[string]*tf.Tensor) bool {
	since, ok := scalar[int64](state, "since")
	value, known := scalar[float64](state, "best")
	*b = best{known, value, int(since)}
	return ok
}

func (c *EarlyStopping) state() map[string]*tf.Tensor {
	state := c.best.state()
	for name, x := range c.weights {
		state[weightsOf+name] = x
	}
	return state
}

func (c *EarlyStopping) resume(state map[string]*tf.Tensor) bool {
	c.weights = nil
	for name, x := range state {
		if name, ok := strings.CutPrefix(name, weightsOf); ok {
			if c.weights == nil {
				c.weights = map[string]*tf.Tensor{}
			}
			c.weights[name] = x
		}
	}
	ok := c.best.resume(state)
	c.stopped = c.over()
	return ok
}

const weightsOf = "weights/"

func (c *ReduceOnPlateau) state() map[string]*tf.Tensor {
	state := c.best.state()
	state["scale"] = tensor.FromScalar(or(c.scale, 1))
	return state
}

func (c *ReduceOnPlateau) resume(state map[string]*tf.Tensor) (ok bool) {
	c.scale, ok = scalar[float64](state, "scale")
	return c.best.resume(state) && ok
}
