package prediction

import (
	"context"
	"strings"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/prediction/messages"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor/tensorproto"
)

// sessionRun runs a part of a model's graph: tensors by their names, or by those that the
// signature gives them if tensor_name_is_alias is set.
func (s *server) sessionRun(ctx context.Context, r *messages.SessionRunRequest) (*messages.SessionRunResponse, error) {
	of, u, err := s.run(ctx, r.GetModelSpec())
	if err != nil {
		return nil, err
	}
	defer u.Close()
	alias := r.GetTensorNameIsAlias()
	sig, ok := u.Model().Signatures[of.Signature]
	if alias && !ok {
		return nil, status.Errorf(status.FailedPrecondition, "Serving signature key \"%s\" not found.", of.Signature)
	}
	find := func(name string, fed bool) (session.Output, error) {
		if alias {
			info, ok := sig.Outputs[name]
			if fed {
				info, ok = sig.Inputs[name]
			}
			if !ok {
				return session.Output{}, status.Invalid("the signature '%s' has no tensor '%s'", of.Signature, name)
			}
			name = info.Name
		}
		return u.Model().Graph.Find(name)
	}
	in := inputs{u: u}
	defer in.release()
	feeds := map[session.Output]*session.Tensor{}
	for _, f := range r.GetFeed() {
		o, err := find(f.GetName(), true)
		if err != nil {
			return nil, err
		}
		if _, again := feeds[o]; again {
			return nil, status.Invalid("Tensor %s is fed more than once", f.GetName())
		}
		if feeds[o], err = in.tensor(f.GetTensor()); err != nil {
			return nil, status.Within(err, "the tensor fed to %s", f.GetName())
		}
	}
	var fetches []session.Output
	for _, name := range r.GetFetch() {
		o, err := find(name, false)
		if err != nil {
			return nil, err
		}
		fetches = append(fetches, o)
	}
	var targets []*session.Operation
	for _, name := range r.GetTarget() {
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "^"), ":")
		op := u.Model().Graph.Operation(name)
		if op == nil {
			return nil, status.Errorf(status.NotFound, "the model has no operation '%s'", name)
		}
		targets = append(targets, op)
	}
	if len(fetches)+len(targets) == 0 {
		return nil, status.Invalid("nothing to fetch or to run")
	}
	var fetched []*session.Tensor
	err = u.Do(ctx, func(ctx context.Context) (err error) {
		fetched, err = u.Model().Session.RunContext(ctx, feeds, fetches, targets)
		return err
	})
	if err != nil {
		return nil, err
	}
	reply := &messages.SessionRunResponse{ModelSpec: used(serve.Spec{Model: of.Model, Signature: of.Signature}, u.Version())}
	for i, t := range fetched {
		b, err := tensorproto.Marshal(t)
		if err != nil {
			return nil, err
		}
		reply.Tensor = append(reply.Tensor, &messages.NamedTensorProto{Name: r.GetFetch()[i], Tensor: b})
	}
	return reply, nil
}
