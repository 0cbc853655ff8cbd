package op_test

import (
	"fmt"
	"log"
	"testing"

	"github.com/troupe-go/troupe/op"
	tf "github.com/troupe-go/troupe/session"
)

// What programs written for TensorFlow's binding take for granted of signatures:
// the order of arguments, which attributes are options, slices for lists.
var (
	_ func() *op.Scope                                                 = op.NewScope
	_ func(*tf.Graph) *op.Scope                                        = op.NewScopeWithGraph
	_ func(*op.Scope) (*tf.Graph, error)                               = (*op.Scope).Finalize
	_ func(*op.Scope, tf.OpSpec) *tf.Operation                         = (*op.Scope).AddOperation
	_ func(*op.Scope, string) *op.Scope                                = (*op.Scope).SubScope
	_ func(*op.Scope, ...*tf.Operation) *op.Scope                      = (*op.Scope).WithControlDependencies
	_ func(*op.Scope, string) *op.Scope                                = (*op.Scope).WithDevice
	_ func(*op.Scope) error                                            = (*op.Scope).Err
	_ func(*op.Scope, string, error)                                   = (*op.Scope).UpdateErr
	_ func(*op.Scope, interface{}) tf.Output                           = op.Const
	_ func(_ *op.Scope, y, x []tf.Output, dx ...tf.Output) []tf.Output = op.Gradients

	_ func(*op.Scope, tf.DataType, ...op.PlaceholderAttr) tf.Output                                             = op.Placeholder
	_ func(tf.Shape) op.PlaceholderAttr                                                                         = op.PlaceholderShape
	_ func(s *op.Scope, a, b tf.Output, optional ...op.MatMulAttr) tf.Output                                    = op.MatMul
	_ func(s *op.Scope, x tf.Output, DstT tf.DataType, optional ...op.CastAttr) tf.Output                       = op.Cast
	_ func(s *op.Scope, axis, value tf.Output, num_split int64) []tf.Output                                     = op.Split
	_ func(s *op.Scope, values []tf.Output, axis tf.Output) tf.Output                                           = op.ConcatV2
	_ func(s *op.Scope, x tf.Output, optional ...op.UniqueAttr) (y, idx tf.Output)                              = op.Unique
	_ func(s *op.Scope, data []tf.Output, optional ...op.StageAttr) *tf.Operation                               = op.Stage
	_ func([]int64) op.SqueezeAttr                                                                              = op.SqueezeAxis
	_ func(s *op.Scope, dtype tf.DataType, shape tf.Shape, o ...op.VarHandleOpAttr) tf.Output                   = op.VarHandleOp
	_ func(s *op.Scope, resource, value tf.Output, o ...op.AssignVariableOpAttr) *tf.Operation                  = op.AssignVariableOp
	_ func(s *op.Scope, resource tf.Output, dtype tf.DataType) tf.Output                                        = op.ReadVariableOp
	_ func(s *op.Scope, x []tf.Output, output_shapes []tf.Shape, o ...op.TensorDatasetAttr) tf.Output           = op.TensorDataset
	_ func(s *op.Scope, it tf.Output, types []tf.DataType, shapes []tf.Shape) []tf.Output                       = op.IteratorGetNext
	_ func(s *op.Scope, input, filter tf.Output, strides []int64, padding string, o ...op.Conv2DAttr) tf.Output = op.Conv2D
)

// A program for the binding, with another import: it prepares photographs for a
// classifier.
func Example_binding() {
	root := op.NewScope()
	contents := op.Placeholder(root, tf.String, op.PlaceholderShape(tf.ScalarShape()))
	s := root.SubScope("preprocess")
	photo := op.DecodeJpeg(s, contents, op.DecodeJpegChannels(3))
	batch := op.ExpandDims(s, op.Cast(s, photo, tf.Float), op.Const(s.SubScope("first"), int32(0)))
	small := op.ResizeBilinear(s, batch, op.Const(s.SubScope("size"), []int32{96, 128}))
	scaled := op.Div(s, op.Sub(s, small, op.Const(s.SubScope("mean"), float32(128))), op.Const(s.SubScope("deviation"), float32(64)))
	if err := root.Err(); err != nil {
		log.Fatal(err)
	}
	graph, err := root.Finalize()
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range []tf.Output{photo, batch, small, scaled} {
		fmt.Println(o.Op.Name(), o.DataType(), o.Shape())
	}
	fmt.Println(graph.Operation("preprocess/Div").NumInputs(), "inputs")
	// Output:
	// preprocess/DecodeJpeg uint8 [?, ?, 3]
	// preprocess/ExpandDims float [1, ?, ?, 3]
	// preprocess/ResizeBilinear float [1, 96, 128, 3]
	// preprocess/Div float [1, 96, 128, 3]
	// 2 inputs
}

// A function takes options in any order, and the last one of a kind counts.
func TestOptions(t *testing.T) {
	s := op.NewScope()
	a := op.Const(s.SubScope("a"), [][]float32{{1}, {2}})
	b := op.Const(s.SubScope("b"), [][]float32{{3}, {4}})
	y := op.MatMul(s, a, b, op.MatMulTransposeB(true), op.MatMulTransposeA(false), op.MatMulTransposeB(false), op.MatMulTransposeA(true))
	if got := fmt.Sprint(run(t, s, []tf.Output{y})); got != "[[[11]]]" {
		t.Errorf("got %s", got)
	}
}
