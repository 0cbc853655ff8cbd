package session

import (
	"io"
	"reflect"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Graphs; see package graph.
type (
	// A Graph is a set of operations joined by data and control edges.
	Graph = graph.Graph
	// An Operation is a node of a graph.
	Operation = graph.Node
	// An Output is one output of an operation.
	Output = graph.Output
	// A Consumer is one input of an operation.
	Consumer = graph.Consumer
	// An OpSpec describes an operation to be added to a graph.
	OpSpec = graph.OpSpec
	// An Input is an Output or an OutputList.
	Input = graph.Input
	// An OutputList is the value of a list input.
	OutputList = graph.OutputList
	// GraphImportOptions says how a GraphDef is imported.
	GraphImportOptions = graph.GraphImportOptions
	// A Shape is a partially known shape.
	Shape = graph.Shape
)

// Tensors; see package tensor.
type (
	// A Tensor is a typed array.
	Tensor = tensor.Tensor
	// A Value is a tensor or a scalar held in the value itself.
	Value = tensor.Value
	// A DataType is the type of a tensor's elements.
	DataType = tensor.DType
	// An Element is a Go type that tensors can hold.
	Element = tensor.Element
)

// Plans; see [Callable.Plan].
type (
	// A Plan describes how a run is executed.
	Plan = nodes.Plan
	// A PlannedLoop is a loop of a Plan.
	PlannedLoop = nodes.PlannedLoop
)

// A FilePolicy is the set of files that a session's graphs may use; see package files.
type FilePolicy = files.Policy

// An Error is the error type of every function; errors.As finds it and its code.
type Error = status.Error

// A Code is a canonical status code.
type Code = status.Code

// The canonical status codes.
const (
	OK                 = status.OK
	Canceled           = status.Canceled
	Unknown            = status.Unknown
	InvalidArgument    = status.InvalidArgument
	DeadlineExceeded   = status.DeadlineExceeded
	NotFound           = status.NotFound
	AlreadyExists      = status.AlreadyExists
	PermissionDenied   = status.PermissionDenied
	ResourceExhausted  = status.ResourceExhausted
	FailedPrecondition = status.FailedPrecondition
	Aborted            = status.Aborted
	OutOfRange         = status.OutOfRange
	Unimplemented      = status.Unimplemented
	Internal           = status.Internal
	Unavailable        = status.Unavailable
	DataLoss           = status.DataLoss
	Unauthenticated    = status.Unauthenticated
)

// CodeOf returns the status code of an error, OK for nil.
func CodeOf(err error) Code { return status.CodeOf(err) }

// The element types.
const (
	Float             = tensor.Float
	Double            = tensor.Double
	Int32             = tensor.Int32
	Uint8             = tensor.Uint8
	Int16             = tensor.Int16
	Int8              = tensor.Int8
	String            = tensor.String
	Complex64         = tensor.Complex64
	Complex           = tensor.Complex64
	Int64             = tensor.Int64
	Bool              = tensor.Bool
	Qint8             = tensor.Qint8
	Quint8            = tensor.Quint8
	Qint32            = tensor.Qint32
	Bfloat16          = tensor.Bfloat16
	Qint16            = tensor.Qint16
	Quint16           = tensor.Quint16
	Uint16            = tensor.Uint16
	Complex128        = tensor.Complex128
	Half              = tensor.Half
	Uint32            = tensor.Uint32
	Uint64            = tensor.Uint64
	Float8e5m2        = tensor.Float8e5m2
	Float8e4m3fn      = tensor.Float8e4m3fn
	Float8e4m3fnuz    = tensor.Float8e4m3fnuz
	Float8e4m3b11fnuz = tensor.Float8e4m3b11fnuz
	Float8e5m2fnuz    = tensor.Float8e5m2fnuz
	Int4              = tensor.Int4
	Uint4             = tensor.Uint4
	Int2              = tensor.Int2
	Uint2             = tensor.Uint2
)

// NewGraph makes an empty graph.
func NewGraph() *Graph { return graph.New() }

// ScalarShape returns the shape of rank 0.
func ScalarShape() Shape { return graph.ScalarShape() }

// MakeShape returns a shape of known rank; -1 is an unknown dimension.
func MakeShape(shape ...int64) Shape { return graph.MakeShape(shape...) }

// NewTensor makes a tensor of a Go value: a bool, number or string, or slices
// and arrays of them nested at will. The value is copied.
func NewTensor(value any) (*Tensor, error) { return tensor.NewTensor(value) }

// ReadTensor makes a tensor of what [Tensor.WriteContentsTo] wrote.
func ReadTensor(dataType DataType, shape []int64, r io.Reader) (*Tensor, error) {
	return tensor.ReadTensor(dataType, shape, r)
}

// TypeOf returns the Go type of what [Tensor.Value] gives for such a tensor.
func TypeOf(dt DataType, shape []int64) reflect.Type { return tensor.TypeOf(dt, shape) }

// FromSlice makes a tensor that holds data itself, without a copy: the caller
// must not write data again.
func FromSlice[T Element](data []T, shape ...int64) (*Tensor, error) {
	return tensor.FromSlice(data, shape...)
}

// Data returns the tensor's elements in row-major order, without a copy; they must
// not be written.
func Data[T Element](t *Tensor) ([]T, error) { return tensor.Data[T](t) }
