package troupe_test

import (
	"io"
	"reflect"
	"testing"

	tf "github.com/troupe-go/troupe"
)

// The names of TensorFlow's Go binding with its signatures: what a program that is
// written for it compiles against. Package op holds its own.
var (
	_ func(any) (*tf.Tensor, error)                             = tf.NewTensor
	_ func(tf.DataType, []int64, io.Reader) (*tf.Tensor, error) = tf.ReadTensor
	_ func(*tf.Tensor) tf.DataType                              = (*tf.Tensor).DataType
	_ func(*tf.Tensor) []int64                                  = (*tf.Tensor).Shape
	_ func(*tf.Tensor, []int64) error                           = (*tf.Tensor).Reshape
	_ func(*tf.Tensor) any                                      = (*tf.Tensor).Value
	_ func(*tf.Tensor, io.Writer) (int64, error)                = (*tf.Tensor).WriteContentsTo
	_ func(tf.DataType, []int64) reflect.Type                   = tf.TypeOf

	_ func() tf.Shape                          = tf.ScalarShape
	_ func(...int64) tf.Shape                  = tf.MakeShape
	_ func(tf.Shape) int                       = tf.Shape.NumDimensions
	_ func(tf.Shape, int) int64                = tf.Shape.Size
	_ func(tf.Shape) bool                      = tf.Shape.IsFullySpecified
	_ func(tf.Shape) ([]int64, error)          = tf.Shape.ToSlice
	_ func(tf.Shape) string                    = tf.Shape.String
	_ func(string) (*tf.LibraryHandler, error) = tf.LoadLibrary

	_ func() *tf.Graph                                                            = tf.NewGraph
	_ func(*tf.Graph, io.Writer) (int64, error)                                   = (*tf.Graph).WriteTo
	_ func(*tf.Graph, []byte, string) error                                       = (*tf.Graph).Import
	_ func(*tf.Graph, []byte, tf.GraphImportOptions) error                        = (*tf.Graph).ImportWithOptions
	_ func(*tf.Graph, string) *tf.Operation                                       = (*tf.Graph).Operation
	_ func(*tf.Graph) []tf.Operation                                              = (*tf.Graph).Operations
	_ func(g *tf.Graph, prefix string, y, x, dx []tf.Output) ([]tf.Output, error) = (*tf.Graph).AddGradients
	_ func(*tf.Graph, tf.OpSpec) (*tf.Operation, error)                           = (*tf.Graph).AddOperation
	_ func(o *tf.GraphImportOptions, src string, index int, dst tf.Output)        = (*tf.GraphImportOptions).AddInputMapping

	_ func(*tf.Operation) string               = (*tf.Operation).Name
	_ func(*tf.Operation) string               = (*tf.Operation).Type
	_ func(*tf.Operation) string               = (*tf.Operation).Device
	_ func(*tf.Operation) int                  = (*tf.Operation).NumInputs
	_ func(*tf.Operation) int                  = (*tf.Operation).NumOutputs
	_ func(*tf.Operation, int) tf.Output       = (*tf.Operation).Output
	_ func(*tf.Operation, string) (int, error) = (*tf.Operation).OutputListSize
	_ func(*tf.Operation, string) (any, error) = (*tf.Operation).Attr
	_ func(tf.Output) tf.DataType              = tf.Output.DataType
	_ func(tf.Output) tf.Shape                 = tf.Output.Shape
	_ func(tf.Output) []tf.Consumer            = tf.Output.Consumers
	_ func(tf.Consumer) tf.DataType            = tf.Consumer.DataType
	_ func(tf.Consumer) tf.Output              = tf.Consumer.Producer
	_ []tf.Input                               = []tf.Input{tf.Output{}, tf.OutputList([]tf.Output{})}

	_ func(*tf.Graph, *tf.SessionOptions) (*tf.Session, error)                                                                   = tf.NewSession
	_ func(*tf.Session) ([]tf.Device, error)                                                                                     = (*tf.Session).ListDevices
	_ func(_ *tf.Session, feeds map[tf.Output]*tf.Tensor, fetches []tf.Output, targets []*tf.Operation) ([]*tf.Tensor, error)    = (*tf.Session).Run
	_ func(_ *tf.Session, feeds, fetches []tf.Output, targets []*tf.Operation) (*tf.PartialRun, error)                           = (*tf.Session).NewPartialRun
	_ func(*tf.Session) error                                                                                                    = (*tf.Session).Close
	_ func(_ *tf.PartialRun, feeds map[tf.Output]*tf.Tensor, fetches []tf.Output, targets []*tf.Operation) ([]*tf.Tensor, error) = (*tf.PartialRun).Run
	_ func(tf.Device) string                                                                                                     = tf.Device.String
	_ func(dir string, tags []string, o *tf.SessionOptions) (*tf.SavedModel, error)                                              = tf.LoadSavedModel
	_ func() string                                                                                                              = tf.Version

	_ func(*tf.ContextOptions) (*tf.Context, error)                         = tf.NewContext
	_ func(*tf.Context) ([]tf.Device, error)                                = (*tf.Context).ListDevices
	_ func(*tf.Tensor) (*tf.TensorHandle, error)                            = tf.NewTensorHandle
	_ func(*tf.TensorHandle) tf.DataType                                    = (*tf.TensorHandle).DataType
	_ func(*tf.TensorHandle) ([]int64, error)                               = (*tf.TensorHandle).Shape
	_ func(*tf.TensorHandle) (string, error)                                = (*tf.TensorHandle).DeviceName
	_ func(*tf.TensorHandle) (string, error)                                = (*tf.TensorHandle).BackingDeviceName
	_ func(*tf.TensorHandle) (*tf.Tensor, error)                            = (*tf.TensorHandle).ToTensor
	_ func(*tf.TensorHandle, *tf.Context, string) (*tf.TensorHandle, error) = (*tf.TensorHandle).CopyToDevice

	// Fields, as programs name them.
	_ = tf.GraphImportOptions{Prefix: "p", Device: "/cpu:0"}
	_ = tf.OpSpec{Type: "T", Name: "n", Input: []tf.Input{}, Attrs: map[string]any{}, ControlDependencies: []*tf.Operation{}, Device: ""}
	_ = tf.Output{Op: (*tf.Operation)(nil), Index: int(0)}
	_ = tf.Consumer{Op: (*tf.Operation)(nil), Index: int(0)}
	_ = tf.SessionOptions{Target: "", Config: []byte{}}
	_ = tf.Device{Name: "", Type: "", MemoryLimitBytes: int64(0)}
	_ = tf.SavedModel{Session: (*tf.Session)(nil), Graph: (*tf.Graph)(nil), Signatures: map[string]tf.Signature{}}
	_ = tf.Signature{Inputs: map[string]tf.TensorInfo{}, Outputs: map[string]tf.TensorInfo{}, MethodName: ""}
	_ = tf.TensorInfo{Name: "", DType: tf.DataType(0), Shape: tf.Shape{}}
	_ = tf.ContextOptions{Config: []byte{}, Async: true}
)

// The binding's types of elements have TensorFlow's numbers, which files and
// attributes hold.
func TestDataTypeNumbers(t *testing.T) {
	for number, dt := range map[int]tf.DataType{
		1: tf.Float, 2: tf.Double, 3: tf.Int32, 4: tf.Uint8, 5: tf.Int16, 6: tf.Int8, 7: tf.String, 8: tf.Complex64,
		9: tf.Int64, 10: tf.Bool, 11: tf.Qint8, 12: tf.Quint8, 13: tf.Qint32, 14: tf.Bfloat16, 15: tf.Qint16,
		16: tf.Quint16, 17: tf.Uint16, 18: tf.Complex128, 19: tf.Half, 22: tf.Uint32, 23: tf.Uint64,
		24: tf.Float8e5m2, 25: tf.Float8e4m3fn, 26: tf.Float8e4m3fnuz, 27: tf.Float8e4m3b11fnuz, 28: tf.Float8e5m2fnuz,
		29: tf.Int4, 30: tf.Uint4, 31: tf.Int2, 32: tf.Uint2,
	} {
		if int(dt) != number {
			t.Errorf("%v is %d, not %d", dt, dt, number)
		}
	}
	if tf.Complex != tf.Complex64 {
		t.Error("Complex is not Complex64")
	}
}
