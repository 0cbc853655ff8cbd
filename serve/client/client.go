package client

import (
	"context"
	"crypto/tls"
	"maps"
	"net/http"
	"slices"

	"google.golang.org/grpc"

	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Options are options of [Open]. The zero value fits a server on this machine.
type Options struct {
	// Token is sent with each request, as a bearer token.
	Token string
	// TLS is used for https and grpcs; nil trusts the system's authorities.
	TLS *tls.Config
	// MaxReply bounds a reply in bytes; 0 is 1 GiB.
	MaxReply int64
	// Signature is the signature that an address of the Open Inference Protocol describes,
	// which knows one at a time; "" is the server's default. Other addresses have all.
	Signature string
	// Transport, if not nil, sends the requests of http and https in place of a transport of
	// the Model's own. Its TLS settings hold.
	Transport http.RoundTripper
	// Dial are further options of the connection of grpc and grpcs.
	Dial []grpc.DialOption
}

// defaultMaxReply is the bound of a reply where the caller sets none.
const defaultMaxReply = 1 << 30

// A Signature describes one use of a model.
type Signature struct {
	Inputs, Outputs map[string]TensorInfo
	Method          string // such as "tensorflow/serving/predict"
}

// A TensorInfo describes an input or output. Of an output that is an operation, and has no
// value, the type is tensor.Invalid.
type TensorInfo struct {
	Name  string // in the graph, such as "x:0"; "" where the protocol has none
	DType tensor.DType
	Shape shape.Shape
}

// A Model is a model that a server has.
type Model struct {
	// Signatures are the signatures of the version that the server had when the model was
	// opened. They must not be changed.
	Signatures map[string]Signature

	at     address
	remote remote
}

// A remote speaks a protocol. Its errors need no address.
type remote interface {
	// describe returns the signatures of a model.
	describe(ctx context.Context, a *address) (map[string]Signature, error)
	// run runs a signature and returns its outputs: those named, or all.
	run(ctx context.Context, a *address, c call) (Reply, error)
	// models returns the names of all models, as far as the protocol tells.
	models(ctx context.Context, a *address) []string
	close() error
}

// A call is the run of a signature.
type call struct {
	key       string
	signature Signature
	inputs    map[string]*tensor.Tensor
	outputs   []string
}

// A Reply is what a server returns.
type Reply struct {
	Outputs map[string]*tensor.Tensor
	Version int64 // that ran; 0 if the protocol does not tell
}

// Open connects to a server and reads the signatures of a model. It fails with
// INVALID_ARGUMENT for an address that it does not understand, with NOT_FOUND if the server
// has no such model, with UNAVAILABLE if there is no server or it is not ready, with the code
// of ctx when that ends, and with the server's code otherwise.
func Open(ctx context.Context, at string, o Options) (*Model, error) {
	a, err := parseAddress(at)
	if err != nil {
		return nil, err
	}
	if o.MaxReply <= 0 {
		o.MaxReply = defaultMaxReply
	}
	m := &Model{at: a}
	switch a.protocol {
	case rpc:
		m.remote, err = dial(&a, o)
	case inference:
		m.remote = &v2{web: newWeb(o), signature: o.Signature}
	default:
		m.remote = &v1{web: newWeb(o)}
	}
	if err != nil {
		return nil, err
	}
	if a.model == "" {
		err = status.Invalid("it names no model%s; %s", m.known(ctx), usage)
	} else if m.Signatures, err = m.remote.describe(ctx, &a); status.CodeOf(err) == status.NotFound {
		err = status.Errorf(status.NotFound, "%w%s", err, m.known(ctx))
	}
	if err != nil {
		m.Close()
		return nil, status.Within(err, "%s", plain.Line(at))
	}
	return m, nil
}

// known is the end of the error of a model that is not there: what is.
func (m *Model) known(ctx context.Context) string {
	names := m.remote.models(ctx, &m.at)
	if len(names) == 0 || slices.Contains(names, m.at.model) { // it lacks the version
		return ""
	}
	if near := status.DidYouMean(m.at.model, slices.Values(names)); near != "" && m.at.model != "" {
		return near
	}
	const few = 6
	text := "; the server has "
	for i, name := range names {
		if i == few {
			return text + " and others"
		}
		if i > 0 {
			text += ", "
		}
		text += plain.Line(name)
	}
	return text
}

// Name returns the model's name.
func (m *Model) Name() string { return m.at.model }

// Run runs a signature; inputs and outputs go by the names that the signature gives them. It
// fails with NOT_FOUND if the model has no such signature, with INVALID_ARGUMENT for inputs
// that the server refuses, with RESOURCE_EXHAUSTED if it has too much to do or the reply is
// too large, and as [Open] does.
func (m *Model) Run(ctx context.Context, signature string, inputs map[string]*tensor.Tensor) (map[string]*tensor.Tensor, error) {
	r, err := m.RunOutputs(ctx, signature, inputs)
	return r.Outputs, err
}

// RunOutputs is [Model.Run] of the outputs named, or of all, and returns the version that ran.
func (m *Model) RunOutputs(ctx context.Context, signature string, inputs map[string]*tensor.Tensor, outputs ...string) (Reply, error) {
	r, err := m.run(ctx, signature, inputs, outputs)
	if err != nil {
		return Reply{}, status.Within(err, "model %s at %s", plain.Line(m.at.model), m.at.host)
	}
	return r, nil
}

func (m *Model) run(ctx context.Context, key string, inputs map[string]*tensor.Tensor, outputs []string) (Reply, error) {
	sig, ok := m.Signatures[key]
	if !ok {
		return Reply{}, status.Errorf(status.NotFound, "no signature %q%s", key, status.DidYouMean(key, maps.Keys(m.Signatures)))
	}
	for name, t := range inputs {
		info, ok := sig.Inputs[name]
		switch {
		case !ok:
			return Reply{}, status.Invalid("signature %s has no input %q%s", plain.Line(key), name, status.DidYouMean(name, maps.Keys(sig.Inputs)))
		case t == nil:
			return Reply{}, status.Invalid("input %q is nil", name)
		case t.DType() != info.DType:
			return Reply{}, status.Invalid("input %q is %v, the signature's is %v", name, t.DType(), info.DType)
		}
	}
	for _, name := range outputs {
		if info, ok := sig.Outputs[name]; !ok || info.DType == tensor.Invalid {
			return Reply{}, status.Invalid("signature %s has no output %q%s", plain.Line(key), name, status.DidYouMean(name, maps.Keys(sig.Outputs)))
		}
	}
	r, err := m.remote.run(ctx, &m.at, call{key, sig, inputs, outputs})
	if err != nil {
		return Reply{}, err
	}
	for _, name := range outputs {
		if r.Outputs[name] == nil {
			return Reply{}, status.Errorf(status.Internal, "the reply lacks output %q", name)
		}
	}
	return r, nil
}

// Close closes the connections that are not in use. The model must not be used afterwards.
func (m *Model) Close() error { return m.remote.close() }
