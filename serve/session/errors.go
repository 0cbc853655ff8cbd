package session

import (
	"strings"

	"google.golang.org/grpc/codes"
	grpcstatus "google.golang.org/grpc/status"

	"github.com/troupe-go/troupe/status"
)

// message returns an error's text in the form of TensorFlow, from which the client takes the
// node: [[{{node NAME}}]]. The name is that of a node, never of a tensor: the client
// would fail with an error of its own.
func message(e *status.Error) string {
	if e.Node == "" {
		return e.Message
	}
	node := strings.ReplaceAll(e.Node, ":", "_")
	if rest, ok := strings.CutPrefix(node, "_retval_"); ok { // the name of what fetches, over a network
		node = "_send_" + rest
	}
	return e.Message + "\n\t [[{{node " + node + "}}]]"
}

// grpcError returns an error as gRPC transports it; the codes are the same.
func grpcError(err error) error {
	if _, ok := grpcstatus.FromError(err); ok {
		return err
	}
	e := status.From(err)
	return grpcstatus.Error(codes.Code(e.Code), message(e))
}
