package access

import (
	"context"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// Unary is an interceptor that lets only those calls through that may pass.
func (g *Gate) Unary(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if err := g.pass(ctx, info.FullMethod); err != nil {
		return nil, err
	}
	return handle(ctx, request)
}

// Stream is the interceptor of streams.
func (g *Gate) Stream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	if err := g.pass(stream.Context(), info.FullMethod); err != nil {
		return err
	}
	return handle(server, stream)
}

func (g *Gate) pass(ctx context.Context, method string) error {
	if strings.HasPrefix(method, "/grpc.health.v1.Health/") {
		return nil
	}
	md, _ := metadata.FromIncomingContext(ctx)
	if !g.known(md.Get("authorization")) {
		return status.Error(codes.Unauthenticated, "the call has no token, or another one")
	}
	client := ""
	if p, ok := peer.FromContext(ctx); ok {
		client = host(p.Addr.String())
		if t, ok := p.AuthInfo.(credentials.TLSInfo); ok && len(t.State.VerifiedChains) > 0 {
			client = "certificate of " + t.State.PeerCertificates[0].Subject.String()
		}
	}
	if _, often := g.often(client, time.Now()); often {
		return status.Error(codes.ResourceExhausted, "the client sends more requests than it may")
	}
	return nil
}
