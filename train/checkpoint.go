package train

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/ops/io/bundle"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Save writes a checkpoint of all the model's variables, including those of optimizers,
// in TensorFlow's V2 format: prefix.index and prefix.data-00000-of-00001, or
// -00000-of-00002 if it replaces a checkpoint with the former. It is atomic: if it fails
// or the process ends, either the earlier checkpoint or the new one is intact. Leftovers
// of a killed process for this prefix are removed. Between two calls of
// [Trainer.SwapAverages] it writes variables and averages under their own names.
//
// It fails with FAILED_PRECONDITION after an interrupted update or replacement of
// variables; restore a checkpoint then.
func (t *Trainer) Save(ctx context.Context, prefix string) error {
	return t.save(ctx, nil, prefix, nil)
}

// save is Save with further tensors.
func (t *Trainer) save(ctx context.Context, fs *files.Policy, prefix string, more map[string]*tf.Tensor) error {
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
	w, err := bundle.Create(fs, prefix)
	if err != nil {
		return err
	}
	names := map[*Variable]string{}
	for _, v := range t.model.vars {
		names[v] = v.Name
	}
	if t.swapped {
		for _, v := range t.model.vars {
			if v.average != nil {
				names[v], names[v.average] = v.average.Name, v.Name
			}
		}
	}
	for i, v := range t.model.vars {
		if err == nil {
			err = w.Add(names[v], tensor.ValueOf(values[i]))
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

// Restore sets variables, all of the model or those given, to their values in a
// checkpoint, by name. It fails, before any variable has changed, with NOT_FOUND if the
// checkpoint or a variable in it does not exist, with INVALID_ARGUMENT for another type
// or shape, with DATA_LOSS for damaged files, and with FAILED_PRECONDITION for variables
// added after Start. Restoring all variables also ends an exchange of averages
// ([Trainer.SwapAverages]). Once variables change, it may continue for [Trainer.Grace]
// after its context has ended.
func (t *Trainer) Restore(ctx context.Context, prefix string, vars ...*Variable) error {
	all := len(vars) == 0
	if all {
		vars = t.model.vars
	} else if err := t.inPlace(); err != nil {
		return err
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
		return err
	}
	if all {
		t.torn, t.swapped = false, false
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

// Checkpoints saves a trainer to a directory, as TensorFlow's Saver does: Name-12 after
// 12 updates, and a file "checkpoint" that lists the checkpoints and names the last. The
// best one is in the subdirectory "best".
type Checkpoints struct {
	Dir string
	// Name is "model" if it is empty.
	Name string
	// Keep is the number of checkpoints kept, 5 if it is 0; negative keeps all.
	Keep int

	fs *files.Policy // nil but for tests
}

func (c *Checkpoints) name() string {
	if c.Name == "" {
		return "model"
	}
	return c.Name
}

// Save writes a checkpoint, numbered by the updates of the goal, and removes the oldest
// beyond Keep. It is atomic: if it fails or the process is killed, either the earlier
// checkpoints or the new one are intact, and the next Save removes leftovers. Only one
// process at a time may save to a directory; others may restore meanwhile.
func (c *Checkpoints) Save(ctx context.Context, t *Trainer, g *Goal) error {
	return c.SaveWith(ctx, t, g, nil)
}

// SaveWith is Save with further tensors, whose names are not those of variables.
// [Checkpoints.RestoreWith] returns them.
func (c *Checkpoints) SaveWith(ctx context.Context, t *Trainer, g *Goal, more map[string]*tf.Tensor) error {
	keep := c.Keep
	if keep == 0 {
		keep = 5
	}
	return c.saveIn(ctx, c.Dir, keep, t, g, more)
}

// SaveBest writes a checkpoint to the subdirectory "best" if score is above that of the
// one there, which it replaces; it returns whether it did. NaN is above nothing. The score
// is saved in the checkpoint under the name "score".
func (c *Checkpoints) SaveBest(ctx context.Context, t *Trainer, g *Goal, score float64) (better bool, err error) {
	if math.IsNaN(score) {
		return false, nil
	}
	switch best, err := c.Best(); {
	case status.CodeOf(err) == status.NotFound:
	case err != nil:
		return false, err
	case score <= best:
		return false, nil
	}
	err = c.saveIn(ctx, filepath.Join(c.Dir, best), 1, t, g, map[string]*tf.Tensor{scoreName: tensor.FromScalar(score)})
	return err == nil, err
}

const (
	best      = "best"
	scoreName = "score"
)

// Best returns the score of the best checkpoint; NOT_FOUND if there is none.
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
	if err := c.fs.MkdirAll(dir); err != nil {
		return err
	}
	s.tidy(c.fs, dir)
	name := fmt.Sprintf("%s-%d", c.name(), n)
	s.add(name)
	if err := s.write(c.fs, dir); err != nil {
		return err
	}
	if err := t.save(ctx, c.fs, filepath.Join(dir, name), more); err != nil {
		return err
	}
	s.last = name
	stay := slices.DeleteFunc(s.trim(keep), func(name string) bool { return remove(c.fs, dir, name) })
	s.all = append(stay, s.all...) // until they can be removed
	return s.write(c.fs, dir)
}

// Restore sets the model's variables to the last checkpoint. found is false if no
// checkpoint was ever completed in the directory. It fails with DATA_LOSS if the file
// "checkpoint" lists checkpoints and none of them exists.
func (c *Checkpoints) Restore(ctx context.Context, t *Trainer) (found bool, err error) {
	return restoreLast(ctx, t, c.Dir)
}

// RestoreWith is Restore. more are the tensors of the checkpoint that are no variables of
// the model, by their names.
func (c *Checkpoints) RestoreWith(ctx context.Context, t *Trainer) (more map[string]*tf.Tensor, found bool, err error) {
	prefix, err := last(c.Dir)
	if status.CodeOf(err) == status.NotFound {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if more, err = others(ctx, t.model, prefix); err != nil {
		return nil, false, err
	}
	if err := t.Restore(ctx, prefix); err != nil {
		return nil, false, err
	}
	return more, true, nil
}

// others are the tensors of a checkpoint that are no variables of the model.
func others(ctx context.Context, m *Model, prefix string) (map[string]*tf.Tensor, error) {
	r, err := bundle.Open(nil, prefix)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	names, err := r.Names()
	if err != nil {
		return nil, err
	}
	more := map[string]*tf.Tensor{}
	for _, name := range names {
		if m.byName[name] != nil {
			continue
		}
		v, err := r.Read(reading{bundle.Heap, ctx}, name, nil)
		if err != nil {
			return nil, err
		}
		more[name] = v.Tensor()
	}
	return more, nil
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

// last returns the prefix of the last checkpoint of a directory; NOT_FOUND if none was ever
// completed.
func last(dir string) (string, error) {
	s, err := readState(dir)
	if err != nil {
		return "", err
	}
	prefix, ok := s.whole(dir)
	switch {
	case ok:
		return prefix, nil
	case s.last == "":
		return "", status.Errorf(status.NotFound, "no checkpoint was completed in %s", dir)
	}
	return "", status.Errorf(status.DataLoss, "%s names %s as the last checkpoint; neither %s nor another that it names exists: "+
		"bring one of them back, or remove the file to begin without one",
		filepath.Join(dir, stateFile), s.last, bundle.IndexName(prefixOf(dir, s.last)))
}
