package troupe

//go:generate go run ./docs/forward

import (
	"context"
	"io"
	"reflect"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// Graphs.
type (
	// A Graph is a set of operations joined by data and control edges: see
	// [graph.Graph.Import] and [graph.Graph.ImportWithOptions], which add a GraphDef,
	// [graph.Graph.AddOperation], [graph.Graph.Operation] and [graph.Graph.Operations],
	// [graph.Graph.Find], which finds a tensor by its name, [graph.Graph.AddGradients]
	// and [graph.Graph.WriteTo].
	Graph = graph.Graph
	// An Operation is a node of a graph: see [graph.Node.Output], [graph.Node.Attr]
	// and its other methods.
	Operation = graph.Node
	// An Output is one output of an operation: see [graph.Output.Shape],
	// [graph.Output.DataType] and [graph.Output.Consumers]. It is comparable, and the
	// key of a feed.
	Output = graph.Output
	// A Consumer is one input of an operation.
	Consumer = graph.Consumer
	// An OpSpec describes an operation to be added to a graph; see [graph.OpSpec].
	OpSpec = graph.OpSpec
	// An Input is an Output or an OutputList.
	Input = graph.Input
	// An OutputList is the value of a list input.
	OutputList = graph.OutputList
	// GraphImportOptions says how a GraphDef is imported; see
	// [graph.GraphImportOptions.AddInputMapping].
	GraphImportOptions = graph.GraphImportOptions
	// A Shape is a partially known shape: see [graph.Shape.NumDimensions] and
	// [graph.Shape.Size].
	Shape = graph.Shape
)

// Tensors.
type (
	// A Tensor is a typed array: see [tensor.Tensor.Value], [tensor.Tensor.Shape],
	// [tensor.Tensor.DataType], [tensor.Tensor.Reshape], [tensor.Tensor.WriteContentsTo]
	// and [tensor.Tensor.Release].
	Tensor = tensor.Tensor
	// A Value is a tensor or a scalar held in the value itself.
	Value = tensor.Value
	// A DataType is the type of a tensor's elements; see [tensor.DType].
	DataType = tensor.DType
	// An Element is a Go type that tensors can hold.
	Element = tensor.Element
)

// Sessions.
type (
	// A FilePolicy is the set of files that a session's graphs may use.
	FilePolicy = session.FilePolicy
	// A Plan describes how a Callable's runs are executed.
	Plan = session.Plan
	// A Piece is the part of a Callable's runs on one device.
	Piece = session.Piece
	// A DeviceMemory is the memory use of an accelerator, in bytes.
	DeviceMemory = session.DeviceMemory
	// A Transfer is the traffic of one edge between devices.
	Transfer = session.Transfer
	// A PlannedLoop is a loop of a Plan.
	PlannedLoop = session.PlannedLoop
	// A StepReport describes what a step is doing, or was doing when it was cancelled.
	StepReport = session.StepReport
	// An Activity describes what a session holds and has done.
	Activity = session.Activity
	// A ResourceUse is what a queue or a variable holds, in figures.
	ResourceUse = session.ResourceUse
	// A StepFailure is the error of a step.
	StepFailure = session.StepFailure
	// StepStats is the cost of each node of a run.
	StepStats = session.StepStats
	// A Sampler profiles many runs at a bounded cost.
	Sampler = session.Sampler
	// A RewritePass is the effect of one rewriting pass on a program.
	RewritePass = session.RewritePass
	// A Device runs kernels.
	Device = session.Device
	// Resources are variables, queues and tables that sessions share.
	Resources = session.Resources
	// ClusterOptions configures a session whose target is other processes.
	ClusterOptions = session.ClusterOptions
	// A SavedGraph describes one of the graphs of a SavedModel.
	SavedGraph = model.SavedGraph
	// A Signature names the inputs and outputs of one use of a model.
	Signature = model.Signature
	// TensorInfo is a tensor of a signature.
	TensorInfo = model.TensorInfo
	// A LibraryHandler is a loaded library of operations.
	LibraryHandler = session.LibraryHandler
	// A Context is the runtime that tensor handles live in.
	Context = session.Context
	// ContextOptions configures a Context.
	ContextOptions = session.ContextOptions
	// A TensorHandle refers to a tensor on a device.
	TensorHandle = session.TensorHandle
)

// An Error is the error type of every function; errors.As finds it and its code.
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

// NewSession opens a session on graph; nil options are the defaults.
//
// It fails with INVALID_ARGUMENT for invalid options and with
// UNIMPLEMENTED for a target other than this process.
func NewSession(graph *Graph, options *SessionOptions) (*Session, error) {
	s, err := session.NewSession(graph, (*session.SessionOptions)(options))
	return (*Session)(s), err
}

// NewResources creates resources for sessions to share; see [session.NewResources].
func NewResources(memoryLimit int64) *Resources { return session.NewResources(memoryLimit) }

// base returns the options of package session.
func (o RunOptions) base() session.RunOptions {
	return session.RunOptions{Timeout: o.Timeout, Metadata: (*session.RunMetadata)(o.Metadata), Profile: o.Profile, Sampler: o.Sampler, Once: o.Once}
}

// SavedModelGraphs lists the graphs of a serialized SavedModel; see [model.Graphs].
func SavedModelGraphs(b []byte) ([]SavedGraph, error) { return model.Graphs(b) }

// A SavedModel is a loaded model: a session over its graph, and its signatures.
type SavedModel struct {
	Session    *Session
	Graph      *Graph
	Signatures map[string]Signature

	saved *model.SavedModel
}

// LoadSavedModel loads the graph with exactly these tags of the SavedModel in the folder
// exportDir, restores its variables and runs its initializer. Nil options are the
// defaults; the graph may read the folder whatever their Files permit. It fails with
// NOT_FOUND if there is no model or no such graph. [SavedModel.Run] runs a signature.
func LoadSavedModel(exportDir string, tags []string, options *SessionOptions) (*SavedModel, error) {
	return LoadSavedModelContext(context.Background(), exportDir, tags, options)
}

// LoadSavedModelContext is [LoadSavedModel] that stops reading, importing and
// initializing when ctx ends, with CANCELLED or DEADLINE_EXCEEDED. Later runs of the
// model have contexts of their own.
func LoadSavedModelContext(ctx context.Context, exportDir string, tags []string, options *SessionOptions) (*SavedModel, error) {
	m, err := model.LoadContext(ctx, exportDir, tags, (*session.SessionOptions)(options))
	if err != nil {
		return nil, err
	}
	return &SavedModel{Session: (*Session)(m.Session), Graph: m.Graph, Signatures: m.Signatures, saved: m}, nil
}

// LoadLibrary loads a library of operations; see [session.LoadLibrary].
func LoadLibrary(path string) (*LibraryHandler, error) { return session.LoadLibrary(path) }

// NewContext makes a context for tensor handles.
func NewContext(options *ContextOptions) (*Context, error) { return session.NewContext(options) }

// NewTensorHandle makes a handle for t on the CPU.
func NewTensorHandle(t *Tensor) (*TensorHandle, error) { return session.NewTensorHandle(t) }

// ScalarShape returns the shape of rank 0.
func ScalarShape() Shape { return session.ScalarShape() }

// MakeShape returns a shape of known rank; -1 is an unknown dimension.
func MakeShape(shape ...int64) Shape { return session.MakeShape(shape...) }

// NewTensor makes a tensor from a Go value: a bool, number or string, or slices
// and arrays of them nested at will. The value is copied.
func NewTensor(value any) (*Tensor, error) { return session.NewTensor(value) }

// ReadTensor reads a tensor that Tensor.WriteContentsTo wrote.
func ReadTensor(dataType DataType, shape []int64, r io.Reader) (*Tensor, error) {
	return session.ReadTensor(dataType, shape, r)
}

// TypeOf returns the Go type that Tensor.Value returns for such a tensor.
func TypeOf(dt DataType, shape []int64) reflect.Type { return session.TypeOf(dt, shape) }

// FromSlice makes a tensor that holds data itself, without a copy: the caller
// must not write data again.
func FromSlice[T Element](data []T, shape ...int64) (*Tensor, error) {
	return session.FromSlice(data, shape...)
}

// Data returns the tensor's elements in row-major order, without a copy; they must
// not be written.
func Data[T Element](t *Tensor) ([]T, error) { return session.Data[T](t) }

// CodeOf returns the status code of an error, OK for nil.
func CodeOf(err error) Code { return session.CodeOf(err) }

// Version returns the version of TensorFlow whose behavior Troupe follows.
func Version() string { return session.Version() }
