package prediction

import (
	"context"
	"path"
	"time"

	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/tap"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/serve/internal/unary"
)

// running are the methods that run a model.
var running = map[string]bool{
	"/tensorflow.serving.PredictionService/Predict":        true,
	"/tensorflow.serving.PredictionService/Classify":       true,
	"/tensorflow.serving.PredictionService/Regress":        true,
	"/tensorflow.serving.PredictionService/MultiInference": true,
	"/tensorflow.serving.SessionService/SessionRun":        true,
	"/inference.GRPCInferenceService/ModelInfer":           true,
}

// Refuse returns a handle for [grpc.InTapHandle] that refuses calls before they are read, where
// the manager has one model alone and that takes no more requests; where it has several, the
// model is known when the message has been read. It is asked in front of all interceptors: a
// caller who may not call learns that the server is busy, and that is all.
//
// [grpc.InTapHandle]: https://pkg.go.dev/google.golang.org/grpc#InTapHandle
func Refuse(m *serve.Manager) tap.ServerInHandle {
	return func(ctx context.Context, call *tap.Info) (context.Context, error) {
		if !running[call.FullMethodName] {
			return ctx, nil
		}
		model := m.Sole()
		if model == "" || far(ctx) {
			return ctx, nil
		}
		err := m.Full(model)
		if err == nil {
			return ctx, nil
		}
		client := ""
		if p, ok := peer.FromContext(ctx); ok {
			client = p.Addr.String()
		}
		_, r := m.Begin(ctx, "gRPC", path.Base(call.FullMethodName), client)
		r.Model = model
		r.End(err)
		return ctx, unary.Error(err)
	}
}

// far reports whether a call ends late: grpc-go keeps the deadline of a call that is refused
// here until it has passed.
func far(ctx context.Context) bool {
	const late = 2 * time.Second
	at, ok := ctx.Deadline()
	return ok && time.Until(at) > late
}
