package hostile

import (
	"cmp"
	"fmt"
	"strings"
)

// A giver is how a loop gets a tensor that others have made or kept: what a body of a
// loop does to have one from x, a fresh tensor of a megabyte, where it is then, and of what
// type, if not of floats.
type giver struct{ nodes, out, dtype string }

const (
	device = `cpu = Const() {dtype=DT_STRING, value=Tensor<type: string shape: [] values: "/device:CPU:0">}` + "\n"
)

var given = map[string]giver{
	"serialized": {nodes: "g = SerializeTensor(x) {T=DT_FLOAT}", out: "g:serialized:0", dtype: "DT_STRING"},
	"optional": {nodes: `o = OptionalFromValue(x) {Toutput_types=[DT_FLOAT]}
g = OptionalFromValue(o:optional:0) {Toutput_types=[DT_VARIANT]}`, out: "g:optional:0", dtype: "DT_VARIANT"},
	"composite": {nodes: `o = CompositeTensorVariantFromComponents(x) {Tcomponents=[DT_FLOAT], metadata=""}
g = CompositeTensorVariantFromComponents(o:encoded:0) {Tcomponents=[DT_VARIANT], metadata=""}`, out: "g:encoded:0", dtype: "DT_VARIANT"},
	"dataset": {nodes: "g = TensorDataset(x) {Toutput_types=[DT_FLOAT], output_shapes=list(shape) [?]}", out: "g:handle:0", dtype: "DT_VARIANT"},
	"list": {nodes: `none = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: -1>}
e = EmptyTensorList(none:output:0, none:output:0) {element_dtype=DT_FLOAT, shape_type=DT_INT32}
g = TensorListPushBack(e:handle:0, x) {element_dtype=DT_FLOAT}`, out: "g:output_handle:0", dtype: "DT_VARIANT"},
	"array": {nodes: `one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
a = TensorArrayV3(one:output:0) {dtype=DT_FLOAT}
g = TensorArrayWriteV3(a:handle:0, zero:output:0, x, a:flow:0) {T=DT_FLOAT}`, out: "g:flow_out:0"},
	"call": {nodes: device + "g = RemoteCall(cpu:output:0, i) {Tin=[DT_INT32], Tout=[DT_FLOAT], f=func Fresh}", out: "g:output:0"},
	"batched": {nodes: `row = ExpandDims(i, zero:output:0) {T=DT_INT32}
g = BatchFunction(row:output:0) {Tin=[DT_INT32], Tcaptured=[], Tout=[DT_FLOAT], f=func FreshRow, num_batch_threads=1, max_batch_size=1, batch_timeout_micros=0}`, out: "g:out_tensors:0"},
	"for": {nodes: `one = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
none = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0>}
g = For(zero:output:0, one:output:0, one:output:0, none:output:0) {T=[DT_FLOAT], body=func Next}`, out: "g:output:0"},
	"dequeued": {nodes: `q = FIFOQueueV2() {component_types=[DT_FLOAT], shared_name="q"}
put = QueueEnqueueV2(q:handle:0, x) {Tcomponents=[DT_FLOAT]}
g = QueueDequeueV2(q:handle:0, ^put) {component_types=[DT_FLOAT]}`, out: "g:components:0"},
	"row": {nodes: `q = FIFOQueueV2() {component_types=[DT_FLOAT], shared_name="q"}
dims = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 4 65536>}
rows = Reshape(x, dims:output:0) {T=DT_FLOAT}
put = QueueEnqueueManyV2(q:handle:0, rows:output:0) {Tcomponents=[DT_FLOAT]}
g = QueueDequeueV2(q:handle:0, ^put) {component_types=[DT_FLOAT]}
g1 = QueueDequeueV2(q:handle:0, ^g) {component_types=[DT_FLOAT]}
g2 = QueueDequeueV2(q:handle:0, ^g1) {component_types=[DT_FLOAT]}
g3 = QueueDequeueV2(q:handle:0, ^g2) {component_types=[DT_FLOAT]}`, out: "g:components:0"},
	"unstaged": {nodes: `put = Stage(x) {dtypes=[DT_FLOAT], shared_name="s"}
g = Unstage(^put) {dtypes=[DT_FLOAT], shared_name="s"}`, out: "g:values:0"},
	"popped": {nodes: `all = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: -1>}
s = StackV2(all:output:0) {elem_type=DT_FLOAT}
put = StackPushV2(s:handle:0, x) {T=DT_FLOAT}
g = StackPopV2(s:handle:0, ^put) {elem_type=DT_FLOAT}`, out: "g:elem:0"},
	"read": {nodes: `v = VarHandleOp() {dtype=DT_FLOAT, shape=shape ?, shared_name="v"}
put = AssignVariableOp(v:resource:0, x) {dtype=DT_FLOAT}
g = ReadVariableOp(v:resource:0, ^put) {dtype=DT_FLOAT}`, out: "g:value:0"},
	"next": {nodes: `d = TensorDataset(i) {Toutput_types=[DT_INT32], output_shapes=list(shape) [[]]}
mapped = MapDataset(d:handle:0) {f=func Fresh, Targuments=[], output_types=[DT_FLOAT], output_shapes=list(shape) [?]}
g = DatasetToSingleElement(mapped:handle:0) {output_types=[DT_FLOAT], output_shapes=list(shape) [?]}`, out: "g:components:0"},
	"sum": {nodes: `none = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: -1>}
e = EmptyTensorList(none:output:0, none:output:0) {element_dtype=DT_FLOAT, shape_type=DT_INT32}
p = TensorListPushBack(e:handle:0, x) {element_dtype=DT_FLOAT}
a = AddN(p:output_handle:0, p:output_handle:0) {N=2, T=DT_VARIANT}
g0 = TensorListPopBack(a:sum:0, none:output:0) {element_dtype=DT_FLOAT}`, out: "g0:tensor:0"},
}

// keeping returns a graph in whose loop a list gets n tensors of a giver, which y looks at, when
// open has been run. It can be, when came has been.
func keeping(g giver, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
none = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: -1>}
zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
l = EmptyTensorList(none, none) {element_dtype=ELEMENT, shape_type=DT_INT32}
w = While(zero, l) {T=[DT_INT32, DT_VARIANT], cond=func Below, body=func Body, output_shapes=list(shape) [[], []]}
ready = FIFOQueueV2() {component_types=[DT_INT32], shared_name="ready"}
gate = FIFOQueueV2() {component_types=[DT_INT32], shared_name="gate"}
here = QueueEnqueueV2(ready, zero, ^w) {Tcomponents=[DT_INT32]}
came = QueueDequeueV2(ready) {component_types=[DT_INT32]}
pass = QueueDequeueV2(gate, ^here) {component_types=[DT_INT32]}
open = QueueEnqueueV2(gate, zero) {Tcomponents=[DT_INT32]}
y = TensorListLength(w:1, ^pass)
func Below(i: int32, l: variant) -> (z: bool) {
  n = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: %d>}
  z = Less(i, n:output:0) {T=DT_INT32}
  return z = z:z:0
}
stateful func Fresh(i: int32) -> (x: float) {
  dims = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [1] values: 262144>}
  f = Cast(i) {SrcT=DT_INT32, DstT=DT_FLOAT}
  x = Fill(dims:output:0, f:y:0) {T=DT_FLOAT, index_type=DT_INT32}
  return x = x:output:0
}
stateful func FreshRow(i: int32) -> (x: float) {
  dims = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [2] values: 1 262144>}
  f = Cast(i) {SrcT=DT_INT32, DstT=DT_FLOAT}
  x = BroadcastTo(f:y:0, dims:output:0) {T=DT_FLOAT, Tidx=DT_INT32}
  return x = x:output:0
}
stateful func Next(i: int32, x: float) -> (y: float) {
  y = StatefulPartitionedCall(i) {Tin=[DT_INT32], Tout=[DT_FLOAT], f=func Fresh}
  return y = y:output:0
}
stateful func Body(i: int32, l: variant) -> (j: int32, m: variant) {
  zero = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 0>}
  inc = Const() {dtype=DT_INT32, value=Tensor<type: int32 shape: [] values: 1>}
  j = Add(i, inc:output:0) {T=DT_INT32}
`, n)
	nodes := strings.NewReplacer("(x)", "(fresh:output:0)", "(x,", "(fresh:output:0,", ", x)", ", fresh:output:0)", ", x,", ", fresh:output:0,").Replace(g.nodes)
	if nodes != g.nodes {
		nodes = "fresh = StatefulPartitionedCall(i) {Tin=[DT_INT32], Tout=[DT_FLOAT], f=func Fresh}\n" + nodes
	}
	for line := range strings.SplitSeq(nodes, "\n") {
		fmt.Fprintf(&b, "  %s\n", line)
	}
	fmt.Fprintf(&b, "  m = TensorListPushBack(l, %s) {element_dtype=ELEMENT}\n  return j = j:z:0\n  return m = m:output_handle:0\n}\n", g.out)
	return strings.ReplaceAll(b.String(), "ELEMENT", cmp.Or(g.dtype, "DT_FLOAT"))
}

// Tensors that lists keep, and that those release who had them.
func givers() []Attack {
	var all []Attack
	for name, g := range given {
		all = append(all, Attack{"given_" + name, func(b *builder) { b.lines = keeping(g, 100_000) }})
	}
	return sorted(all)
}
