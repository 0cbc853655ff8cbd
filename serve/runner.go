package serve

import (
	"context"

	"github.com/troupe-go/troupe/tensor"
)

// A Runner runs signatures of a model of a manager, as a model.SavedModel does its own: code of
// "troupe generate" takes either (typed.Runner). Each run is for the version that the
// specification means at that moment.
type Runner struct {
	m    *Manager
	spec Spec
}

// Runner returns what runs the model, version or label of a specification. The model need not
// be there yet.
func (m *Manager) Runner(s Spec) Runner { return Runner{m, s} }

// Run runs a signature; it is [Manager.Predict] of all outputs.
func (r Runner) Run(ctx context.Context, signature string, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	s := r.spec
	s.Signature = signature
	out, _, err := r.m.Predict(ctx, s, inputs)
	return out, err
}
