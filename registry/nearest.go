package registry

import (
	"slices"

	"github.com/troupe-go/troupe/status"
)

// Nearest lists the operations, at most three, that may have been meant by
// a name that is not defined: the nearest first.
func (r *Registry) Nearest(name string) []string {
	return status.Nearest(name, slices.Values(r.Names()))
}
