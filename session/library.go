package session

import "github.com/troupe-go/troupe/status"

// A LibraryHandler is a loaded library of operations.
type LibraryHandler struct{}

// LoadLibrary fails with UNIMPLEMENTED: libraries of TensorFlow's operations
// are machine code for its C++ runtime. Operations of one's own are written in
// Go and registered with packages registry and kernel.
func LoadLibrary(path string) (*LibraryHandler, error) {
	return nil, status.Errorf(status.Unimplemented, "a library of operations (%s) cannot be loaded: operations are Go packages", path)
}
