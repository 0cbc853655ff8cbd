package graph

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
)

// The operations that the tests use, as TensorFlow defines them, so that the
// tests need no package of operations.
func init() {
	unary := func(name, types string) {
		registry.Define(name).Input("x: T").Output("y: T").Attr("T: " + types)
		shape.Register(shape.Unchanged, name)
	}
	binary := func(name, types string) {
		registry.Define(name).Input("x: T").Input("y: T").Output("z: T").Attr("T: " + types)
		shape.Register(shape.Broadcast2, name)
	}
	numbers := "{bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"
	unary("Neg", numbers)
	unary("Square", numbers)
	unary("Identity", "type")
	binary("Add", numbers)
	binary("AddV2", numbers)
	binary("Mul", numbers)
	registry.Define("Less").Input("x: T").Input("y: T").Output("z: bool").Attr("T: realnumbertype")
	shape.Register(shape.Broadcast2, "Less")
	registry.Define("Const").Output("output: dtype").Attr("value: tensor").Attr("dtype: type")
	shape.Register(func(c *shape.Context) error {
		if v := c.Attrs.Find("value"); v != nil && v.Tensor != nil {
			c.SetOutput(0, shape.Of(v.Tensor.Dims()...))
		}
		return nil
	}, "Const")
	registry.Define("Placeholder").Output("output: dtype").Attr("dtype: type").Attr("shape: shape = { unknown_rank: true }")
	shape.Register(shape.ByAttr("shape"), "Placeholder")
	registry.Define("NoOp")
	registry.Define("ControlTrigger")
	registry.Define("MatMul").Input("a: T").Input("b: T").Output("product: T").
		Attr("transpose_a: bool = false").Attr("transpose_b: bool = false").Attr("T: " + numbers).
		Attr("grad_a: bool = false").Attr("grad_b: bool = false")
	shape.Register(shape.MatMul, "MatMul")
	registry.Define("Cast").Input("x: SrcT").Output("y: DstT").Attr("SrcT: type").Attr("DstT: type").Attr("Truncate: bool = false")
	registry.Define("Split").Input("split_dim: int32").Input("value: T").Output("output: num_split * T").
		Attr("num_split: int >= 1").Attr("T: type")
	registry.Define("ShapeN").Input("input: N * T").Output("output: N * out_type").
		Attr("N: int >= 1").Attr("T: type").Attr("out_type: {int32, int64} = DT_INT32")
	registry.Define("IdentityN").Input("input: T").Output("output: T").Attr("T: list(type) >= 1")
	registry.Define("FIFOQueueV2").Output("handle: resource").Attr("component_types: list(type) >= 1").
		Attr("shapes: list(shape) >= 0 = []").Attr("capacity: int = -1").Attr("container: string = ''").Attr("shared_name: string = ''").Stateful()
	registry.Define("VariableV2").Output("ref: Ref(dtype)").Attr("shape: shape").Attr("dtype: type").
		Attr("container: string = ''").Attr("shared_name: string = ''").Stateful()
	registry.Define("Assign").Input("ref: Ref(T)").Input("value: T").Writes("ref").Output("output_ref: Ref(T)").Attr("T: type").
		Attr("validate_shape: bool = true").Attr("use_locking: bool = true").AllowsUninitializedInput()
	registry.Define("TopK").Input("input: T").Output("values: T").Output("indices: int32").
		Attr("k: int >= 0").Attr("sorted: bool = true").Attr("T: realnumbertype").Deprecated(7, "Use TopKV2 instead")

	registry.Define("Switch").Input("data: T").Input("pred: bool").Output("output_false: T").Output("output_true: T").Attr("T: type")
	shape.Register(shape.Unchanged, "Switch")
	registry.Define("Merge").Input("inputs: N * T").Output("output: T").Output("value_index: int32").Attr("T: type").Attr("N: int >= 1")
	registry.Define("Enter").Input("data: T").Output("output: T").Attr("T: type").Attr("frame_name: string").
		Attr("is_constant: bool = false").Attr("parallel_iterations: int = 10")
	registry.Define("RefEnter").Input("data: Ref(T)").Leaves("data").Output("output: Ref(T)").Attr("T: type").Attr("frame_name: string").
		Attr("is_constant: bool = false").Attr("parallel_iterations: int = 10")
	registry.Define("Exit").Input("data: T").Output("output: T").Attr("T: type")
	registry.Define("NextIteration").Input("data: T").Output("output: T").Attr("T: type")
	registry.Define("LoopCond").Input("input: bool").Output("output: bool")
	registry.Define("If").Input("cond: Tcond").Input("input: Tin").Output("output: Tout").Attr("Tcond: type").
		Attr("Tin: list(type) >= 0").Attr("Tout: list(type) >= 0").Attr("then_branch: func").Attr("else_branch: func").
		Attr("output_shapes: list(shape) = []").Stateful()
	registry.Define("While").Input("input: T").Output("output: T").Attr("T: list(type) >= 0").Attr("cond: func").Attr("body: func").
		Attr("output_shapes: list(shape) = []").Attr("parallel_iterations: int = 10").Stateful()
	for _, op := range []string{"PartitionedCall", "StatefulPartitionedCall"} {
		registry.Define(op).Input("args: Tin").Output("output: Tout").Attr("Tin: list(type) >= 0").Attr("Tout: list(type) >= 0").
			Attr("f: func").Attr("config: string = ''").Attr("config_proto: string = ''").Attr("executor_type: string = ''")
	}
	registry.Define("_Arg").Output("output: T").Attr("T: type").Attr("index: int >= 0").Stateful()
	registry.Define("_Retval").Input("input: T").Attr("T: type").Attr("index: int >= 0").Stateful()
	registry.Define("AddN").Input("inputs: N * T").Output("sum: T").Attr("N: int >= 1").Attr("T: type")
	shape.Register(shape.Merged, "AddN")
	registry.Define("Reshape").Input("tensor: T").Input("shape: Tshape").Output("output: T").Attr("T: type").Attr("Tshape: {int32, int64} = DT_INT32")
	shape.Register(shape.FromValue(1), "Reshape")
}
