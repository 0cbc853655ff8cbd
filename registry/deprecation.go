package registry

import (
	"strings"

	"github.com/troupe-go/troupe/status"
)

// CheckDeprecation reports whether an operation may be used in a GraphDef whose
// producer is of that version. It fails with UNIMPLEMENTED from the version
// on at which the operation was removed.
func CheckDeprecation(def *OpDef, version int) error {
	d := def.Deprecation
	if d == nil || version < d.Version {
		return nil
	}
	return status.Errorf(status.Unimplemented, "Op %s is not available in GraphDef version %d. It has been removed in version %d. %s.",
		def.Name, version, d.Version, strings.TrimSuffix(d.Explanation, "."))
}
