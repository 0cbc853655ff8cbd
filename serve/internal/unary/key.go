package unary

import (
	"context"

	"google.golang.org/grpc/metadata"
)

// Key returns the x-request-key of a call's metadata, "" if it has none: where a model has a
// canary, calls with equal keys are for equal versions.
func Key(ctx context.Context) string {
	if v := metadata.ValueFromIncomingContext(ctx, "x-request-key"); len(v) > 0 {
		return v[0]
	}
	return ""
}
