package cluster

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/status"
)

// A moved variable is one that earlier programs of a session have on another worker. Placement
// keeps a variable where it was, unless an operation uses several that were placed apart.
type moved struct{ node, from, to string }

// explainMoved adds to the error of an operation that has found a variable without a value which
// ones have theirs on other workers.
func explainMoved(e *status.Error, all []moved) *status.Error {
	switch e.Code {
	case status.FailedPrecondition, status.NotFound, status.Internal:
	default:
		return e
	}
	more := *e
	for _, m := range all {
		more.Message += fmt.Sprintf("; variable %s is on worker %s, and on worker %s for this operation, which uses others that are there: place all that an operation uses on one worker", m.node, m.from, m.to)
	}
	return &more
}

func withoutReplica(process string) string { return strings.Replace(process, "/replica:0", "", 1) }
