package session

import "github.com/troupe-go/troupe/status"

// A SavedModel is a loaded model: a session over a graph, and what the model
// says may be asked of it.
type SavedModel struct {
	Session    *Session
	Graph      *Graph
	Signatures map[string]Signature
}

// A Signature names the inputs and outputs of one use of a model.
type Signature struct {
	Inputs, Outputs map[string]TensorInfo
	MethodName      string
}

// TensorInfo is a tensor of a signature.
type TensorInfo struct {
	Name  string // such as "x:0"
	DType DataType
	Shape Shape
}

// LoadSavedModel fails with UNIMPLEMENTED: models in the SavedModel format
// cannot be loaded yet.
func LoadSavedModel(exportDir string, tags []string, options *SessionOptions) (*SavedModel, error) {
	return nil, status.Errorf(status.Unimplemented, "loading a SavedModel (%s) is not implemented yet", exportDir)
}

// A LibraryHandler is a loaded library of operations.
type LibraryHandler struct{}

// LoadLibrary fails with UNIMPLEMENTED: libraries of TensorFlow's operations
// are machine code for its C++ runtime. Operations of one's own are written in
// Go and registered with packages registry and kernel.
func LoadLibrary(path string) (*LibraryHandler, error) {
	return nil, status.Errorf(status.Unimplemented, "a library of operations (%s) cannot be loaded: operations are Go packages", path)
}
