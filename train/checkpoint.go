package train

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/ops/io/bundle"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Save writes a checkpoint of all the model's variables, those that optimizers keep
// among them, in TensorFlow's second format: prefix.index and
// prefix.data-00000-of-00001. What had these names before stays whole until the new
// one is on the disk.
//
// It fails with FAILED_PRECONDITION after an update that was broken off; restore a
// checkpoint then.
func (t *Trainer) Save(ctx context.Context, prefix string) error {
	return t.save(ctx, prefix, nil)
}

// save is Save with further tensors.
func (t *Trainer) save(ctx context.Context, prefix string, more map[string]*tf.Tensor) error {
	values, err := t.fetch(ctx, outputs(t.model.vars, valueOf))
	if err != nil {
		return err
	}
	held := func(v *Variable) any { return values[slices.Index(t.model.vars, v)].Value() }
	for _, g := range t.model.goals {
		if err := t.whole(held(g.Counter) == held(g.begun)); err != nil {
			return err
		}
	}
	w, err := bundle.Create(nil, prefix)
	if err != nil {
		return err
	}
	for i, v := range t.model.vars {
		if err == nil {
			err = w.Add(v.Name, tensor.ValueOf(values[i]))
		}
	}
	for name, x := range more {
		if err == nil {
			err = w.Add(name, tensor.ValueOf(x))
		}
	}
	if err == nil && ctx.Err() != nil {
		err = status.FromContext(ctx)
	}
	if err != nil {
		w.Discard()
		return err
	}
	return w.Finish()
}

// Restore gives variables, all of the model or the ones named, the values that they
// have in a checkpoint, by their names. It fails, before any has changed, with
// NOT_FOUND if the checkpoint or one of them is not there, with INVALID_ARGUMENT for
// one of another type or shape, and with DATA_LOSS for damaged files.
func (t *Trainer) Restore(ctx context.Context, prefix string, vars ...*Variable) error {
	all := len(vars) == 0
	if all {
		vars = t.model.vars
	}
	r, err := bundle.Open(nil, prefix)
	if err != nil {
		return err
	}
	defer r.Close()
	values := make([]*tf.Tensor, len(vars))
	var missing []string
	for i, v := range vars {
		e, err := r.Entry(v.Name)
		switch {
		case status.CodeOf(err) == status.NotFound:
			missing = append(missing, v.Name)
			continue
		case err != nil:
			return err
		case e.DType != v.DType || !slices.Equal(e.Shape, v.Shape):
			return status.Invalid("checkpoint %s has variable %s with type %v and shape %v, the model with %v and %v", prefix, v.Name, e.DType, tf.MakeShape(e.Shape...), v.DType, tf.MakeShape(v.Shape...))
		}
		value, err := r.Read(reading{bundle.Heap, ctx}, v.Name, nil)
		if err != nil {
			return err
		}
		values[i] = value.Tensor()
	}
	if missing != nil {
		return status.Errorf(status.NotFound, "checkpoint %s has no values of these variables: %s", prefix, strings.Join(missing, ", "))
	}
	if err := t.assign(ctx, vars, values); err != nil {
		t.torn = true
		return err
	}
	if all {
		t.torn = false
	}
	return nil
}

// reading is memory to read into until a context ends.
type reading struct {
	bundle.Memory
	ctx context.Context
}

func (r reading) Err() error {
	if r.ctx.Err() != nil {
		return status.FromContext(r.ctx)
	}
	return nil
}

// Checkpoints keeps checkpoints of a trainer in a directory, as TensorFlow's Saver
// does: Name-12 after 12 updates, and a file "checkpoint" that says which there are
// and which is the last. The best one is in a directory "best" below.
type Checkpoints struct {
	Dir string
	// Name is "model" if it is empty.
	Name string
	// Keep is how many are kept, 5 if it is 0; a negative one keeps all.
	Keep int
}

func (c *Checkpoints) name() string {
	if c.Name == "" {
		return "model"
	}
	return c.Name
}

// Save writes a checkpoint, numbered by the updates of the goal, and removes the
// oldest that are too many. If it fails, what was there before is still there.
func (c *Checkpoints) Save(ctx context.Context, t *Trainer, g *Goal) error {
	keep := c.Keep
	if keep == 0 {
		keep = 5
	}
	return c.saveIn(ctx, c.Dir, keep, t, g, nil)
}

// SaveBest writes a checkpoint into the directory "best" if score is above that of
// the one that is there, which it then replaces; it tells whether it did. The score
// is in the checkpoint, named "score".
func (c *Checkpoints) SaveBest(ctx context.Context, t *Trainer, g *Goal, score float64) (better bool, err error) {
	switch best, err := c.Best(); {
	case status.CodeOf(err) == status.NotFound:
	case err != nil:
		return false, err
	case !(score > best):
		return false, nil
	}
	err = c.saveIn(ctx, filepath.Join(c.Dir, best), 1, t, g, map[string]*tf.Tensor{scoreName: tensor.FromScalar(score)})
	return err == nil, err
}

const (
	best      = "best"
	scoreName = "score"
)

// Best is the score of the best checkpoint; NOT_FOUND if there is none.
func (c *Checkpoints) Best() (score float64, err error) {
	prefix, err := last(filepath.Join(c.Dir, best))
	if err != nil {
		return 0, err
	}
	r, err := bundle.Open(nil, prefix)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	v, err := r.Read(bundle.Heap, scoreName, nil)
	if err != nil {
		return 0, err
	}
	score, ok := v.Tensor().Value().(float64)
	if !ok {
		return 0, status.Invalid("the score in checkpoint %s is of type %v", prefix, v.DType())
	}
	return score, nil
}

func (c *Checkpoints) saveIn(ctx context.Context, dir string, keep int, t *Trainer, g *Goal, more map[string]*tf.Tensor) error {
	n, err := t.Updates(ctx, g)
	if err != nil {
		return err
	}
	s, err := readState(dir)
	if err != nil && status.CodeOf(err) != status.NotFound {
		return err
	}
	if err := makeDirs(dir); err != nil {
		return err
	}
	name := fmt.Sprintf("%s-%d", c.name(), n)
	if err := os.Remove(bundle.IndexName(filepath.Join(dir, name))); err != nil && !os.IsNotExist(err) {
		return status.FromFile(err) // an index would not fit the data that comes
	}
	if err := t.save(ctx, filepath.Join(dir, name), more); err != nil {
		return err
	}
	s.add(name)
	old := s.trim(keep)
	if err := s.write(dir); err != nil {
		return err
	}
	for _, name := range old { // which nothing names any more
		if filepath.Base(name) == name { // one of this directory
			removeCheckpoint(filepath.Join(dir, name))
		}
	}
	return nil
}

// Restore gives the model's variables the values of the last checkpoint, and says
// whether there is one.
func (c *Checkpoints) Restore(ctx context.Context, t *Trainer) (found bool, err error) {
	return restoreLast(ctx, t, c.Dir)
}

// RestoreBest is Restore for the checkpoint of the best score.
func (c *Checkpoints) RestoreBest(ctx context.Context, t *Trainer) (found bool, err error) {
	return restoreLast(ctx, t, filepath.Join(c.Dir, best))
}

func restoreLast(ctx context.Context, t *Trainer, dir string) (bool, error) {
	prefix, err := last(dir)
	if status.CodeOf(err) == status.NotFound {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := t.Restore(ctx, prefix); err != nil {
		return false, err
	}
	return true, nil
}

// last is the prefix of the last checkpoint of a directory that is whole: one that
// was to take the place of another of its name may not have got that far.
func last(dir string) (string, error) {
	s, err := readState(dir)
	if err != nil {
		return "", err
	}
	for _, name := range slices.Backward(append(slices.Clone(s.all), s.last)) {
		prefix := name
		if !filepath.IsAbs(name) {
			prefix = filepath.Join(dir, name)
		}
		if _, err = os.Stat(bundle.IndexName(prefix)); err == nil {
			return prefix, nil
		}
	}
	return "", status.FromFile(err)
}
