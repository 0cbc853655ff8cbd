package graph_test

import (
	"bytes"
	"fmt"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func Example() {
	g := graph.New()
	b := graph.NewBuilder(g)
	x := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float, "shape": graph.MakeShape(-1, 2)})
	w := b.Const([][]float32{{1, 2, 3}, {4, 5, 6}})
	y := b.Scope("layer").Op("MatMul", nil, x, w)
	if err := b.Err(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(y, y.DataType(), y.Shape())
	fmt.Print(notation.Format(g, notation.Options{}))
	// Output:
	// layer/MatMul:0 float [?, 3]
	// Placeholder = Placeholder() {dtype=DT_FLOAT, shape=shape [?,2]}
	// Const = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [2,3] values: 1.0 2.0 3.0 4.0 5.0 6.0>}
	// layer/MatMul = MatMul(Placeholder, Const) {T=DT_FLOAT}
}

// A loop is closed by the one edge that may lead back.
func ExampleGraph_SetBackEdge() {
	g := graph.New()
	b := graph.NewBuilder(g)
	enter := b.Op("Enter", graph.Attrs{"frame_name": "count"}, b.Const(int32(0)))
	merge := b.Op("Merge", nil, graph.OutputList{enter, enter})
	less := b.Op("Less", nil, merge, b.Op("Enter", graph.Attrs{"frame_name": "count", "is_constant": true}, b.Const(int32(10))))
	turn := b.Op("Switch", nil, merge, b.Op("LoopCond", nil, less))
	body := graph.Output{Op: turn.Op, Index: 1}
	one := b.After(b.Op("Identity", nil, body).Op).Const(int32(1))
	next := b.Op("NextIteration", nil, b.Op("Add", nil, body, one))
	exit := b.Op("Exit", nil, turn)
	if err := b.Err(); err != nil {
		fmt.Println(err)
		return
	}
	if err := g.SetBackEdge(merge.Op, 1, next); err != nil {
		fmt.Println(err)
		return
	}
	frames, err := g.Frames()
	fmt.Println(frames.Frames, err)
	fmt.Println(exit.Op)
	// Output:
	// [{ -1} {count 0}] <nil>
	// Exit = Exit(Switch) {T=DT_INT32}
}

func ExampleGraph_ImportGraphDef() {
	inner := graph.New()
	if err := notation.Add(inner, `
		x = Placeholder() {dtype=DT_FLOAT}
		y = Neg(x)
	`); err != nil {
		fmt.Println(err)
		return
	}
	var def bytes.Buffer
	if _, err := inner.WriteTo(&def); err != nil {
		fmt.Println(err)
		return
	}

	outer := graph.New()
	in := graph.NewBuilder(outer).Const(float32(1))
	r, err := outer.ImportGraphDef(def.Bytes(), graph.ImportOptions{
		Prefix:        "inner",
		InputMap:      map[graph.TensorID]graph.Output{{Node: "x"}: in},
		ReturnTensors: []graph.TensorID{{Node: "y"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.ReturnTensors[0].Op)
	// Output:
	// inner/y = Neg(Const) {T=DT_FLOAT}
}

// A part of a graph becomes a function, which a node then calls.
func ExampleGraph_MakeFunction() {
	g := graph.New()
	b := graph.NewBuilder(g)
	x := b.Op("Placeholder", graph.Attrs{"dtype": tensor.Float, "shape": graph.MakeShape(-1, 2)})
	y := b.Op("Square", nil, b.Op("Neg", nil, x))
	if err := b.Err(); err != nil {
		fmt.Println(err)
		return
	}
	f, err := g.MakeFunction(graph.FunctionSpec{
		Name:   "NegSquare",
		Inputs: []graph.Output{x}, InputNames: []string{"x"},
		Outputs: []graph.Output{y}, OutputNames: []string{"y"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	h := graph.New()
	if err := h.AddFunction(f, nil); err != nil {
		fmt.Println(err)
		return
	}
	if err := notation.Add(h, "a = Placeholder() {dtype=DT_FLOAT, shape=shape [3]}\nb = NegSquare(a)"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(h.Operation("b").Output(0).Shape(), "\n", notation.Format(h, notation.Options{}))
	// Output:
	// [3]
	// a = Placeholder() {dtype=DT_FLOAT, shape=shape [3]}
	// b = NegSquare(a)
	//
	// func NegSquare(x: float) -> (y: float) {
	//   Neg = Neg(x) {T=DT_FLOAT}
	//   Square = Square(Neg:y:0) {T=DT_FLOAT}
	//   return y = Square:y:0
	// }
}

// A body is a graph of its own, for given attributes.
func ExampleGraph_Instantiate() {
	g := graph.New()
	err := notation.Add(g, `
func Twice[T: {float, int32}](x: T) -> (y: T) {
  y = Add(x, x) {T=$T}
  return y = y:z:0
}
`)

	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := g.Instantiate(&registry.Func{
		Name:  "Twice",
		Attrs: registry.Attrs{{Name: "T", Value: registry.TypeAttr(tensor.Int32)}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range body.Graph.Nodes() {
		fmt.Println(n)
	}
	// Output:
	// x = _Arg() {T=DT_INT32, index=0}
	// y = Add(x, x) {T=DT_INT32}
	// y_RetVal = _Retval(y) {T=DT_INT32, index=0}
}
