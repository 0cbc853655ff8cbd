package troupe

import (
	"io"
	"reflect"

	"github.com/troupe-go/troupe/session"
)

// Graphs.
type (
	// A Graph is a set of operations joined by data and control edges.
	Graph = session.Graph
	// An Operation is a node of a graph.
	Operation = session.Operation
	// An Output is one output of an operation.
	Output = session.Output
	// A Consumer is one input of an operation.
	Consumer = session.Consumer
	// An OpSpec describes an operation to be added to a graph.
	OpSpec = session.OpSpec
	// An Input is an Output or an OutputList.
	Input = session.Input
	// An OutputList is the value of a list input.
	OutputList = session.OutputList
	// GraphImportOptions says how a GraphDef is imported.
	GraphImportOptions = session.GraphImportOptions
	// A Shape is a partially known shape.
	Shape = session.Shape
)

// Tensors.
type (
	// A Tensor is a typed array.
	Tensor = session.Tensor
	// A Value is a tensor or a scalar held in the value itself.
	Value = session.Value
	// A DataType is the type of a tensor's elements.
	DataType = session.DataType
	// An Element is a Go type that tensors can hold.
	Element = session.Element
)

// Sessions.
type (
	// A Session runs parts of a graph.
	Session = session.Session
	// SessionOptions says how a session runs its steps.
	SessionOptions = session.SessionOptions
	// A FilePolicy says which files a session's graphs may use.
	FilePolicy = session.FilePolicy
	// A Callable is a prepared run.
	Callable = session.Callable
	// A Plan says how a Callable's runs are played.
	Plan = session.Plan
	// A PlannedLoop is a loop of a Plan.
	PlannedLoop = session.PlannedLoop
	// A PartialRun is a run that goes on as its feeds become known.
	PartialRun = session.PartialRun
	// RunOptions says how one run goes.
	RunOptions = session.RunOptions
	// RunMetadata tells what a run took.
	RunMetadata = session.RunMetadata
	// A StepReport tells what a step is doing, or was doing when it was ended.
	StepReport = session.StepReport
	// A RewritePass says what one pass of rewriting did to a program.
	RewritePass = session.RewritePass
	// A Device is something that kernels run on.
	Device = session.Device
	// A SavedModel is a loaded model.
	SavedModel = session.SavedModel
	// A SavedGraph is what a SavedModel says of one of its graphs.
	SavedGraph = session.SavedGraph
	// A SignatureCall is a signature of a model, prepared to be run many times.
	SignatureCall = session.SignatureCall
	// A Signature names the inputs and outputs of one use of a model.
	Signature = session.Signature
	// TensorInfo is a tensor of a signature.
	TensorInfo = session.TensorInfo
	// A LibraryHandler is a loaded library of operations.
	LibraryHandler = session.LibraryHandler
	// A Context is the runtime that tensor handles live in.
	Context = session.Context
	// ContextOptions says how a Context works.
	ContextOptions = session.ContextOptions
	// A TensorHandle refers to a tensor on a device.
	TensorHandle = session.TensorHandle
)

// An Error is what every function fails with; errors.As finds it and its code.
type Error = session.Error

// A Code is a canonical status code.
type Code = session.Code

// The element types.
const (
	Float             = session.Float
	Double            = session.Double
	Int32             = session.Int32
	Uint8             = session.Uint8
	Int16             = session.Int16
	Int8              = session.Int8
	String            = session.String
	Complex64         = session.Complex64
	Complex           = session.Complex
	Int64             = session.Int64
	Bool              = session.Bool
	Qint8             = session.Qint8
	Quint8            = session.Quint8
	Qint32            = session.Qint32
	Bfloat16          = session.Bfloat16
	Qint16            = session.Qint16
	Quint16           = session.Quint16
	Uint16            = session.Uint16
	Complex128        = session.Complex128
	Half              = session.Half
	Uint32            = session.Uint32
	Uint64            = session.Uint64
	Float8e5m2        = session.Float8e5m2
	Float8e4m3fn      = session.Float8e4m3fn
	Float8e4m3fnuz    = session.Float8e4m3fnuz
	Float8e4m3b11fnuz = session.Float8e4m3b11fnuz
	Float8e5m2fnuz    = session.Float8e5m2fnuz
	Int4              = session.Int4
	Uint4             = session.Uint4
	Int2              = session.Int2
	Uint2             = session.Uint2
)

// The canonical status codes.
const (
	OK                 = session.OK
	Canceled           = session.Canceled
	Unknown            = session.Unknown
	InvalidArgument    = session.InvalidArgument
	DeadlineExceeded   = session.DeadlineExceeded
	NotFound           = session.NotFound
	AlreadyExists      = session.AlreadyExists
	PermissionDenied   = session.PermissionDenied
	ResourceExhausted  = session.ResourceExhausted
	FailedPrecondition = session.FailedPrecondition
	Aborted            = session.Aborted
	OutOfRange         = session.OutOfRange
	Unimplemented      = session.Unimplemented
	Internal           = session.Internal
	Unavailable        = session.Unavailable
	DataLoss           = session.DataLoss
	Unauthenticated    = session.Unauthenticated
)

// NewGraph makes an empty graph.
func NewGraph() *Graph { return session.NewGraph() }

// NewSession makes a session for graph; nil options are the defaults.
func NewSession(graph *Graph, options *SessionOptions) (*Session, error) {
	return session.NewSession(graph, options)
}

// SavedModelGraphs lists the graphs of a serialized SavedModel; see
// [session.SavedModelGraphs].
func SavedModelGraphs(model []byte) ([]SavedGraph, error) { return session.SavedModelGraphs(model) }

// LoadSavedModel loads a model in the SavedModel format; see
// [session.LoadSavedModel].
func LoadSavedModel(exportDir string, tags []string, options *SessionOptions) (*SavedModel, error) {
	return session.LoadSavedModel(exportDir, tags, options)
}

// LoadLibrary loads a library of operations; see [session.LoadLibrary].
func LoadLibrary(path string) (*LibraryHandler, error) { return session.LoadLibrary(path) }

// NewContext makes a context for tensor handles.
func NewContext(options *ContextOptions) (*Context, error) { return session.NewContext(options) }

// NewTensorHandle makes a handle for t on the CPU.
func NewTensorHandle(t *Tensor) (*TensorHandle, error) { return session.NewTensorHandle(t) }

// ScalarShape is the shape of rank 0.
func ScalarShape() Shape { return session.ScalarShape() }

// MakeShape is a shape of known rank; -1 is an unknown dimension.
func MakeShape(shape ...int64) Shape { return session.MakeShape(shape...) }

// NewTensor makes a tensor of a Go value: a bool, number or string, or slices
// and arrays of them nested at will. The value is copied.
func NewTensor(value any) (*Tensor, error) { return session.NewTensor(value) }

// ReadTensor makes a tensor of what Tensor.WriteContentsTo wrote.
func ReadTensor(dataType DataType, shape []int64, r io.Reader) (*Tensor, error) {
	return session.ReadTensor(dataType, shape, r)
}

// TypeOf is the Go type of what Tensor.Value gives for such a tensor.
func TypeOf(dt DataType, shape []int64) reflect.Type { return session.TypeOf(dt, shape) }

// FromSlice makes a tensor that holds data itself, without a copy: the caller
// must not write data again.
func FromSlice[T Element](data []T, shape ...int64) (*Tensor, error) {
	return session.FromSlice(data, shape...)
}

// Data is the tensor's elements in row-major order, without a copy; they must
// not be written.
func Data[T Element](t *Tensor) ([]T, error) { return session.Data[T](t) }

// CodeOf is the status code of an error, OK for nil.
func CodeOf(err error) Code { return session.CodeOf(err) }

// Version is the version of TensorFlow whose graphs and answers are followed.
func Version() string { return session.Version() }
