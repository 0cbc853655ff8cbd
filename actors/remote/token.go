package remote

import (
	"context"
	"crypto/subtle"

	"google.golang.org/grpc/metadata"
)

// bearer shows a token with each call.
type bearer string

func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + string(b)}, nil
}

func (bearer) RequireTransportSecurity() bool { return false }

// authentic reports whether a call shows the token, if there is one.
func authentic(ctx context.Context, token string) bool {
	if token == "" {
		return true
	}
	md, _ := metadata.FromIncomingContext(ctx)
	for _, v := range md.Get("authorization") {
		if subtle.ConstantTimeCompare([]byte(v), []byte("Bearer "+token)) == 1 {
			return true
		}
	}
	return false
}
