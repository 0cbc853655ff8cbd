package model

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A SignatureCall is a compiled signature of a model. It is safe for concurrent use, and
// valid until the model's session is closed.
type SignatureCall struct {
	key             string
	signature       Signature
	inputs, outputs []string     // names, in the order of the call
	infos           []TensorInfo // of the inputs
	call            *session.Callable
}

// Run runs a signature; inputs and outputs go by the names that the signature gives
// them. An output that is an operation rather than a tensor is run and has no result.
// The first call compiles the signature ([SavedModel.Prepare]).
//
//	out, err := model.Run(ctx, "serving_default", map[string]*tf.Tensor{"x": x})
//
// It fails with NOT_FOUND if the model has no such signature, with INVALID_ARGUMENT for
// an input that is missing, unknown, or of another type or shape than the signature's,
// and as [session.Callable.Call] does.
func (m *SavedModel) Run(ctx context.Context, signature string, inputs map[string]*session.Tensor) (map[string]*session.Tensor, error) {
	if c := m.call(signature); c != nil {
		return c.Run(ctx, inputs)
	}
	c, err := m.Prepare(ctx, signature)
	if err != nil {
		return nil, err
	}
	m.keep(signature, c)
	return c.Run(ctx, inputs)
}

// call returns the call of a signature that ran before, or nil.
func (m *SavedModel) call(signature string) *SignatureCall {
	if calls := m.calls.Load(); calls != nil {
		return (*calls)[signature]
	}
	return nil
}

// keep keeps the call of a signature.
func (m *SavedModel) keep(signature string, c *SignatureCall) {
	for {
		old := m.calls.Load()
		calls := map[string]*SignatureCall{signature: c}
		if old != nil {
			for key, c := range *old {
				if key != signature {
					calls[key] = c
				}
			}
		}
		if m.calls.CompareAndSwap(old, &calls) {
			return
		}
	}
}

// Prepare compiles the subgraph of a signature. It fails with NOT_FOUND if the model has
// no such signature, with UNIMPLEMENTED if an input or output consists of several
// tensors, and as [session.Session.MakeCallableContext] does.
func (m *SavedModel) Prepare(ctx context.Context, signature string) (*SignatureCall, error) {
	s, ok := m.Signatures[signature]
	if !ok {
		return nil, status.Errorf(status.NotFound, "the model has no signature '%s'%s; it has %s", signature, status.DidYouMean(signature, maps.Keys(m.Signatures)), quoted(m.Signatures))
	}
	c := &SignatureCall{
		key: signature, signature: s,
		inputs: sorted.Keys(s.Inputs), outputs: sorted.Keys(s.Outputs),
	}
	for _, name := range c.inputs {
		c.infos = append(c.infos, s.Inputs[name])
	}
	feeds, err := m.find(c, "input", c.inputs, s.Inputs)
	if err != nil {
		return nil, err
	}
	var targets []*session.Operation
	c.outputs = slices.DeleteFunc(c.outputs, func(name string) bool {
		n := m.operation(s.Outputs[name])
		if n != nil {
			targets = append(targets, n)
		}
		return n != nil
	})
	fetches, err := m.find(c, "output", c.outputs, s.Outputs)
	if err != nil {
		return nil, err
	}
	c.call, err = m.Session.MakeCallableContext(ctx, feeds, fetches, targets)
	return c, err
}

// operation returns the operation that an output of a signature names in place of a
// tensor, as that of Keras which initializes; nil if it is a tensor, or nothing.
func (m *SavedModel) operation(info TensorInfo) *session.Operation {
	if info.DType != tensor.Invalid {
		return nil
	}
	return m.Graph.Operation(info.Name)
}

// find returns the tensors of names.
func (m *SavedModel) find(c *SignatureCall, role string, names []string, infos map[string]TensorInfo) ([]session.Output, error) {
	outs := make([]session.Output, len(names))
	for i, name := range names {
		info := infos[name]
		if info.Name == "" {
			return nil, status.Errorf(status.Unimplemented, "%s '%s' of signature '%s' is made of several tensors", role, name, c.key)
		}
		o, err := m.Graph.Find(info.Name)
		if err != nil {
			e := *status.From(err)
			e.Message = role + " '" + name + "' of signature '" + c.key + "': " + e.Message
			return nil, &e
		}
		outs[i] = o
	}
	return outs, nil
}

// Inputs returns the names of the inputs, in order.
func (c *SignatureCall) Inputs() []string { return slices.Clone(c.inputs) }

// Outputs returns the names of the signature's results, in order.
func (c *SignatureCall) Outputs() []string { return slices.Clone(c.outputs) }

// Run runs the signature: see [SavedModel.Run].
func (c *SignatureCall) Run(ctx context.Context, inputs map[string]*session.Tensor) (map[string]*session.Tensor, error) {
	return c.RunWithOptions(ctx, session.RunOptions{}, inputs)
}

// RunWithOptions is [SignatureCall.Run] with options of this one run.
func (c *SignatureCall) RunWithOptions(ctx context.Context, options session.RunOptions, inputs map[string]*session.Tensor) (map[string]*session.Tensor, error) {
	feeds, err := c.Feeds(inputs)
	if err != nil {
		return nil, err
	}
	fetched, err := c.RunFeeds(ctx, options, feeds)
	if err != nil {
		return nil, err
	}
	return c.Results(fetched), nil
}

// Feeds checks inputs, and returns them in the order of [SignatureCall.Inputs]; the
// signature's defaults stand for those that are missing. It fails as [SavedModel.Run] does.
func (c *SignatureCall) Feeds(inputs map[string]*session.Tensor) ([]*session.Tensor, error) {
	feeds := make([]*session.Tensor, len(c.inputs))
	given := 0
	for i, name := range c.inputs {
		t, info := inputs[name], &c.infos[i]
		if t == nil {
			if t = c.signature.Defaults[name]; t == nil {
				return nil, c.missing(name, inputs)
			}
		} else {
			given++
		}
		if t.DType() != info.DType {
			return nil, status.Invalid("input '%s' of signature '%s' is %v, but must be %v", name, c.key, t.DType(), info.DType)
		}
		if !info.Shape.Accepts(t.Dims()) {
			return nil, status.Invalid("input '%s' of signature '%s' has shape %v, but must have %v", name, c.key, session.MakeShape(t.Shape()...), info.Shape)
		}
		feeds[i] = t
	}
	if len(inputs) > given {
		if err := c.unknown(inputs); err != nil {
			return nil, err
		}
	}
	return feeds, nil
}

// RunFeeds runs the signature on what [SignatureCall.Feeds] returned, and returns the
// results in the order of [SignatureCall.Outputs].
func (c *SignatureCall) RunFeeds(ctx context.Context, options session.RunOptions, feeds []*session.Tensor) ([]*session.Tensor, error) {
	return c.call.CallWithOptions(ctx, options, feeds...)
}

// Results returns what [SignatureCall.RunFeeds] returned, by name.
func (c *SignatureCall) Results(fetched []*session.Tensor) map[string]*session.Tensor {
	out := make(map[string]*session.Tensor, len(fetched))
	for i, name := range c.outputs {
		out[name] = fetched[i]
	}
	return out
}

// missing returns the error of a run without the input of that name: the caller may have
// called it otherwise.
func (c *SignatureCall) missing(name string, inputs map[string]*session.Tensor) error {
	if err := c.unknown(inputs); err != nil {
		return err
	}
	if _, ok := inputs[name]; ok {
		return status.Invalid("input '%s' of signature '%s' is nil", name, c.key)
	}
	info, more := c.signature.Inputs[name], ""
	if len(c.signature.Inputs) > 1 {
		more = "; " + c.signature.asks()
	}
	return status.Invalid("signature '%s' needs the input '%s' (%v %v)%s", c.key, name, info.DType, info.Shape, more)
}

// unknown returns the error of inputs that the signature does not have.
func (c *SignatureCall) unknown(inputs map[string]*session.Tensor) error {
	for _, name := range sorted.Keys(inputs) {
		if _, ok := c.signature.Inputs[name]; !ok {
			return status.Invalid("signature '%s' has no input '%s'%s; %s", c.key, name,
				status.DidYouMean(name, maps.Keys(c.signature.Inputs)), c.signature.asks())
		}
	}
	return nil
}

// asks says, for errors, what the inputs of a signature are.
func (s Signature) asks() string {
	list := make([]string, 0, len(s.Inputs))
	for _, name := range sorted.Keys(s.Inputs) {
		list = append(list, fmt.Sprintf("'%s' (%v %v)", name, s.Inputs[name].DType, s.Inputs[name].Shape))
	}
	switch len(list) {
	case 0:
		return "it has no inputs"
	case 1:
		return "its input is " + list[0]
	}
	return "its inputs are " + strings.Join(list, ", ")
}

// quoted is names in order, for people.
func quoted[T any](names map[string]T) string {
	if len(names) == 0 {
		return "none"
	}
	return "'" + strings.Join(sorted.Keys(names), "', '") + "'"
}
