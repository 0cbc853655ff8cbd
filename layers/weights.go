package layers

import (
	"context"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/ops/io/bundle"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/train"
	"github.com/troupe-go/troupe/wire"
)

// Weights are the present values of the variables of the layers, by their names, as
// "dense/kernel".
func (m *Model) Weights(ctx context.Context) (map[string]*tf.Tensor, error) {
	vars := m.net.Variables()
	fetches := make([]tf.Output, len(vars))
	for i, v := range vars {
		fetches[i] = v.Value
	}
	if len(fetches) == 0 {
		return map[string]*tf.Tensor{}, nil
	}
	out, err := m.session.RunContext(ctx, nil, fetches, nil)
	if err != nil {
		return nil, err
	}
	weights := map[string]*tf.Tensor{}
	for i, v := range vars {
		weights[v.Name] = out[i]
	}
	return weights, nil
}

// SetWeights sets variables of the layers by their names: all that are given or, if it
// fails, none.
func (m *Model) SetWeights(ctx context.Context, weights map[string]*tf.Tensor) error {
	values := map[*train.Variable]*tf.Tensor{}
	for _, name := range sorted.Keys(weights) {
		v := m.net.vars[name]
		if v == nil {
			return status.Errorf(status.NotFound, "the network has no variable %q", name)
		}
		values[v] = weights[name]
	}
	return m.trainer.Assign(ctx, values)
}

// SaveWeights writes the variables of the layers as a checkpoint: prefix.index and
// prefix.data-00000-of-00001. Its keys are the names of the variables, so that a Keras
// model whose variables have the same paths takes them with
//
//	checkpoint = tf.train.load_checkpoint(prefix)
//	for v in model.weights:
//	    v.assign(checkpoint.get_tensor(v.path))
func (m *Model) SaveWeights(ctx context.Context, prefix string) error {
	weights, err := m.Weights(ctx)
	if err != nil {
		return err
	}
	w, err := bundle.Create(nil, prefix)
	if err != nil {
		return err
	}
	for _, name := range sorted.Keys(weights) {
		if err := w.Add(name, tensor.ValueOf(weights[name])); err != nil {
			w.Discard()
			return err
		}
	}
	return w.Finish()
}

// LoadWeights sets all variables of the layers from a checkpoint: one of SaveWeights, of
// package train, or of tf.train.Checkpoint(model=…) with a Keras model whose variables
// have the same paths. It fails, before any variable has changed, with NOT_FOUND if
// the checkpoint or a variable in it does not exist, with INVALID_ARGUMENT for another
// type or shape, and with DATA_LOSS for damaged files.
func (m *Model) LoadWeights(ctx context.Context, prefix string) error {
	r, err := bundle.Open(nil, prefix)
	if err != nil {
		return err
	}
	defer r.Close()
	keys, err := paths(r)
	if err != nil {
		return err
	}
	values := map[*train.Variable]*tf.Tensor{}
	var missing []string
	for _, v := range m.net.Variables() {
		key, ok := keys[v.Name]
		if !ok {
			key = v.Name
		}
		e, err := r.Entry(key)
		switch {
		case status.CodeOf(err) == status.NotFound:
			missing = append(missing, v.Name)
			continue
		case err != nil:
			return err
		case e.DType != v.DType || !slices.Equal(e.Shape, v.Shape):
			return status.Invalid("checkpoint %s has variable %s with type %v and shape %v, the network with %v and %v",
				prefix, v.Name, e.DType, tf.MakeShape(e.Shape...), v.DType, tf.MakeShape(v.Shape...))
		}
		x, err := r.Read(bundle.Heap, key, nil)
		if err != nil {
			return err
		}
		values[v] = x.Tensor()
	}
	if missing != nil {
		return status.Errorf(status.NotFound, "checkpoint %s has no values of these variables: %s%s", prefix, strings.Join(missing, ", "), others(keys))
	}
	return m.trainer.Assign(ctx, values)
}

// others says which paths a checkpoint has.
func others(keys map[string]string) string {
	if len(keys) == 0 {
		return ""
	}
	names := sorted.Keys(keys)
	more := ""
	if n := len(names); n > 10 {
		names, more = names[:10], " and others"
	}
	return "; it has " + strings.Join(names, ", ") + more + ": set Network.Prefix or the names of layers"
}

const objectGraphKey = "_CHECKPOINTABLE_OBJECT_GRAPH"

// paths are the keys of values by the paths of variables, from a checkpoint's
// TrackableObjectGraph, if it has one.
func paths(r *bundle.Reader) (map[string]string, error) {
	_, err := r.Entry(objectGraphKey)
	if status.CodeOf(err) == status.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := r.Read(bundle.Heap, objectGraphKey, nil)
	if err != nil {
		return nil, err
	}
	if v.DType() != tf.String || v.NumElements() != 1 {
		return nil, status.Errorf(status.DataLoss, "%s is not one string", objectGraphKey)
	}
	keys := map[string]string{}
	graph := wire.NewCursor("TrackableObjectGraph", []byte(tensor.At0[string](&v)))
	for graph.Next() {
		if !graph.IsBytes(1) { // nodes
			continue
		}
		node := graph.Message("TrackableObject")
		for node.Next() {
			if !node.IsBytes(2) { // attributes
				continue
			}
			var path, key string
			attr := node.Message("SerializedTensor")
			for attr.Next() {
				switch {
				case attr.IsBytes(2):
					path = string(attr.Body())
				case attr.IsBytes(3):
					key = string(attr.Body())
				}
			}
			if err := attr.Err(); err != nil {
				return nil, err
			}
			if path != "" {
				keys[path] = key
			}
		}
		if err := node.Err(); err != nil {
			return nil, err
		}
	}
	return keys, graph.Err()
}
