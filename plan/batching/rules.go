package batching

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// An application is an operation that is to be computed on stacked rows.
type application struct {
	*stacker
	n         *graph.Node // as one caller has it
	in        []value     // one at least is a row
	invariant bool        // the outputs are invariant, as they depend on shapes alone
}

// A rule adds the nodes that compute an operation on stacked rows, and returns what its outputs
// are. It returns the reason where it does not apply.
type rule func(a *application) ([]graph.Output, string)

var rules map[string]rule

func init() {
	rules = map[string]rule{
		"Identity": (*application).same, "Snapshot": (*application).same, "StopGradient": (*application).same,
		"PreventGradient": (*application).same, "ZerosLike": (*application).same, "OnesLike": (*application).same,
		"MatMul": (*application).matMul, "BatchMatMul": (*application).batchMatMul, "BatchMatMulV2": (*application).batchMatMul,
		"BiasAdd": (*application).biasAdd,
		"Softmax": (*application).inner, "LogSoftmax": (*application).inner,
		"Select":   (*application).choose,
		"ToBool":   (*application).holds,
		"ConcatV2": (*application).concat, "Split": (*application).split, "SplitV": (*application).splitV,
		"Pack": (*application).pack, "Unpack": (*application).unpack,
		"Reshape": (*application).reshape, "ExpandDims": (*application).reshape, "Squeeze": (*application).reshape,
		"Transpose": (*application).transpose,
		"Sum":       (*application).reduce, "Mean": (*application).reduce, "Max": (*application).reduce, "Min": (*application).reduce,
		"Prod": (*application).reduce, "All": (*application).reduce, "Any": (*application).reduce,
		"ArgMax": (*application).arg, "ArgMin": (*application).arg,
		"GatherV2": (*application).gather, "ResourceGather": (*application).lookUp, "OneHot": (*application).oneHot, "TopKV2": (*application).topK,
		"StridedSlice": (*application).stridedSlice, "Slice": (*application).slice,
		"Shape": (*application).size, "Size": (*application).size, "Rank": (*application).size,
	}
}

func (a *application) apply() ([]graph.Output, string) {
	if r := rules[a.n.Type()]; r != nil {
		return r(a)
	}
	if a.n.Def().Is(registry.Elementwise) {
		return a.elementwise()
	}
	return nil, "has no rule for rows"
}

// rank returns the rank of the first output for one caller.
func (a *application) rank() int { return shapeOf(a.n.Output(0)).Rank() }

// op adds a node to the batch.
func (a *application) op(op string, attrs graph.Attrs, in ...graph.Input) []graph.Output {
	n := a.stacked.Add(graph.OpSpec{Type: op, Name: a.n.Name(), Attrs: attrs, Input: in})
	if n == nil {
		return make([]graph.Output, a.n.NumOutputs())
	}
	outs := make([]graph.Output, n.NumOutputs())
	for i := range outs {
		outs[i] = n.Output(i)
	}
	return outs
}

// as adds the node itself with other inputs.
func (a *application) as(in ...graph.Output) ([]graph.Output, string) {
	c, err := a.copy(a.stacked, a.n, in)
	if err != nil {
		a.stacked.Fail(err)
		return nil, ""
	}
	outs := make([]graph.Output, c.NumOutputs())
	for i := range outs {
		outs[i] = c.Output(i)
	}
	return outs, ""
}

// shaped returns a stacked value with another shape of each caller's part.
func (a *application) shaped(o graph.Output, dims ...int64) graph.Output {
	return a.stacked.Apply("Reshape", o, a.stacked.Const(append([]int64{-1}, dims...)))
}

// aligned returns an input so that it broadcasts to rank dimensions of each caller.
func (a *application) aligned(v value, rank int) graph.Output {
	if v.role != Row || len(v.shape) == rank {
		return v.out
	}
	dims := make([]int64, rank)
	for i := range dims {
		dims[i] = 1
		if k := i - (rank - len(v.shape)); k >= 0 {
			dims[i] = v.shape[k]
		}
	}
	return a.shaped(v.out, dims...)
}

// ints returns the elements of a constant input.
func (a *application) ints(i int) ([]int64, bool) {
	if a.in[i].role != Invariant {
		return nil, false
	}
	return constant(a.in[i].ref)
}

const (
	noConstant = "takes an axis or a shape that is not a constant"
	noRow      = "takes rows where they are not expected"
)

// axis returns a constant axis of a value of a rank, in the batch.
func (a *application) axis(i, rank int) (int64, string) {
	list, ok := a.ints(i)
	if !ok || len(list) != 1 {
		return 0, noConstant
	}
	return shifted(list[0], rank), ""
}

// shifted returns an axis of a caller's value of a rank in the batch.
func shifted(axis int64, rank int) int64 {
	if axis < 0 {
		axis += int64(rank)
	}
	return axis + 1
}

// elementwise: inputs broadcast as they do for one caller.
func (a *application) elementwise() ([]graph.Output, string) {
	in := make([]graph.Output, len(a.in))
	rank := a.rank()
	for i, v := range a.in {
		in[i] = a.aligned(v, rank)
	}
	return a.as(in...)
}

func (a *application) same() ([]graph.Output, string) { return a.as(a.in[0].out) }

// inner is for operations on the last dimension.
func (a *application) inner() ([]graph.Output, string) { return a.as(a.in[0].out) }

// choose is Select, whose condition may be a vector of rows.
func (a *application) choose() ([]graph.Output, string) {
	rank := a.rank()
	var in [3]graph.Input
	for i, v := range a.in {
		out := a.aligned(v, rank)
		if have := shapeOf(v.ref); i == 0 && have.Rank() == 1 && rank > 1 {
			dims := make([]int64, rank)
			for k := range dims {
				dims[k] = 1
			}
			dims[0] = have.Dim(0)
			if v.role == Row {
				out = a.shaped(v.out, dims...)
			} else {
				out = a.stacked.Apply("Reshape", v.out, a.stacked.Const(dims))
			}
		}
		in[i] = out
	}
	return a.op("SelectV2", nil, in[:]...), ""
}

// holds is whether a number is not 0.
func (a *application) holds() ([]graph.Output, string) {
	if v := a.in[0]; len(v.shape) != 0 || v.ref.DataType().HasPointers() {
		return nil, "has no rule for other than numbers"
	}
	if a.in[0].ref.DataType() == tensor.Bool {
		return a.op("Identity", nil, a.in[0].out), ""
	}
	return a.op("NotEqual", nil, a.in[0].out, a.stacked.Apply("ZerosLike", a.in[0].out)), ""
}

// matMul computes all rows in one product if the second factor is invariant.
func (a *application) matMul() ([]graph.Output, string) {
	x, y := a.in[0], a.in[1]
	flag := func(name string) bool { v := a.n.Attrs().Find(name); return v != nil && v.B }
	if y.role == Invariant && !flag("transpose_a") && !flag("a_is_sparse") {
		rows := a.stacked.Apply("Reshape", x.out, a.stacked.Const([]int64{-1, x.shape[1]}))
		out, reason := a.as(rows, y.out)
		if reason != "" || a.stacked.Err() != nil {
			return out, reason
		}
		a.multiplies(y)
		return []graph.Output{a.shaped(out[0], shapeOf(a.n.Output(0)).Dims()...)}, ""
	}
	return a.op("BatchMatMulV2", graph.Attrs{"adj_x": flag("transpose_a"), "adj_y": flag("transpose_b")}, x.out, y.out), ""
}

// multiplies counts a product with an invariant.
func (a *application) multiplies(by value) {
	a.products++
	n := int64(by.ref.DataType().Size())
	for _, d := range known(shapeOf(by.ref)) {
		n *= d
	}
	a.weights += n
}

// batchMatMul is one product of all rows if the second factor is an invariant matrix.
func (a *application) batchMatMul() ([]graph.Output, string) {
	x, y := a.in[0], a.in[1]
	rank := a.rank()
	adjX, adjY := a.n.Attrs().Find("adj_x").B, a.n.Attrs().Find("adj_y").B
	if y.role == Invariant && shapeOf(y.ref).Rank() == 2 && !adjX {
		rows := a.stacked.Apply("Reshape", x.out, a.stacked.Const([]int64{-1, x.shape[len(x.shape)-1]}))
		out := a.op("MatMul", graph.Attrs{"transpose_b": adjY}, rows, y.out)
		a.multiplies(y)
		return []graph.Output{a.shaped(out[0], shapeOf(a.n.Output(0)).Dims()...)}, ""
	}
	return a.op("BatchMatMulV2", graph.Attrs{"adj_x": adjX, "adj_y": adjY}, a.aligned(x, rank), a.aligned(y, rank)), ""
}

func (a *application) biasAdd() ([]graph.Output, string) {
	if f := a.n.Attrs().Find("data_format"); a.in[1].role != Invariant || f != nil && f.S == "NCHW" {
		return nil, "adds a bias of each caller, or to channels that come first"
	}
	return a.as(a.in[0].out, a.in[1].out)
}

func (a *application) concat() ([]graph.Output, string) {
	last := len(a.in) - 1
	axis, reason := a.axis(last, a.rank())
	if reason != "" {
		return nil, reason
	}
	list, reason := a.rows(a.in[:last])
	if reason != "" {
		return nil, reason
	}
	return a.op("ConcatV2", nil, list, a.stacked.Const(int32(axis))), ""
}

// rows returns values with those that are invariant spread to all callers.
func (a *application) rows(in []value) (list graph.OutputList, reason string) {
	for _, v := range in {
		if v.role == Invariant {
			if !shapeOf(v.ref).Full() {
				return nil, "takes an invariant of unknown shape"
			}
			if v, reason = a.spread(v, shapeOf(v.ref).Dims()); reason != "" {
				return nil, reason
			}
		}
		list = append(list, v.out)
	}
	return list, ""
}

func (a *application) split() ([]graph.Output, string) {
	axis, reason := a.axis(0, len(a.in[1].shape))
	if reason != "" || a.in[1].role != Row {
		return nil, noConstant
	}
	return a.as(a.stacked.Const(int32(axis)), a.in[1].out)
}

func (a *application) splitV() ([]graph.Output, string) {
	axis, reason := a.axis(2, len(a.in[0].shape))
	if reason != "" || a.in[0].role != Row || a.in[1].role != Invariant {
		return nil, noConstant
	}
	return a.as(a.in[0].out, a.in[1].out, a.stacked.Const(int32(axis)))
}

func (a *application) pack() ([]graph.Output, string) {
	list, reason := a.rows(a.in)
	if reason != "" {
		return nil, reason
	}
	return a.op("Pack", graph.Attrs{"axis": shifted(a.n.Attrs().Find("axis").I, a.rank())}, list), ""
}

func (a *application) unpack() ([]graph.Output, string) {
	attrs := graph.Attrs{"num": a.n.Attrs().Find("num").I, "axis": shifted(a.n.Attrs().Find("axis").I, len(a.in[0].shape))}
	return a.op("Unpack", attrs, a.in[0].out), ""
}

// reshape is for all operations that change the shape alone.
func (a *application) reshape() ([]graph.Output, string) {
	if a.in[0].role != Row {
		return nil, noRow
	}
	return []graph.Output{a.shaped(a.in[0].out, shapeOf(a.n.Output(0)).Dims()...)}, ""
}

func (a *application) transpose() ([]graph.Output, string) {
	perm, ok := a.ints(1)
	if !ok || a.in[0].role != Row {
		return nil, noConstant
	}
	to := []int64{0}
	for _, p := range perm {
		to = append(to, p+1)
	}
	return a.op("Transpose", nil, a.in[0].out, a.stacked.Const(to)), ""
}

func (a *application) reduce() ([]graph.Output, string) {
	axes, ok := a.ints(1)
	if !ok || a.in[0].role != Row {
		return nil, noConstant
	}
	to := make([]int64, len(axes))
	for i, x := range axes {
		to[i] = shifted(x, len(a.in[0].shape))
	}
	if len(to) == 0 {
		return a.as(a.in[0].out, a.in[1].out)
	}
	return a.op(a.n.Type(), graph.Attrs{"keep_dims": a.n.Attrs().Find("keep_dims").B}, a.in[0].out, a.stacked.Const(to)), ""
}

func (a *application) arg() ([]graph.Output, string) {
	axis, reason := a.axis(1, len(a.in[0].shape))
	if reason != "" || a.in[0].role != Row {
		return nil, noConstant
	}
	return a.op(a.n.Type(), graph.Attrs{"output_type": a.n.Output(0).DataType()}, a.in[0].out, a.stacked.Const(axis)), ""
}

// gather: rows of an invariant table by each caller's indices, or of each caller's table.
func (a *application) gather() ([]graph.Output, string) {
	table, at := a.in[0], a.in[1]
	batch := a.n.Attrs().Find("batch_dims").I
	if batch < 0 {
		batch += int64(shapeOf(at.ref).Rank())
	}
	rank := shapeOf(table.ref).Rank()
	axes, ok := a.ints(2)
	if !ok || len(axes) != 1 {
		return nil, noConstant
	}
	if axes[0] < 0 {
		axes[0] += int64(rank)
	}
	axis := axes[0]
	switch {
	case table.role == Invariant:
		if axis != 0 || batch != 0 {
			return nil, "takes from an invariant along another axis than 0"
		}
		return a.op("GatherV2", nil, table.out, at.out, a.stacked.Const(int32(0))), ""
	case at.role == Invariant && batch == 0:
		return a.op("GatherV2", nil, table.out, at.out, a.stacked.Const(int32(axis+1))), ""
	case at.role == Invariant:
		return nil, "takes by invariant indices in batches"
	}
	return a.op("GatherV2", graph.Attrs{"batch_dims": batch + 1}, table.out, at.out, a.stacked.Const(int32(axis+1))), ""
}

// lookUp is ResourceGather from a variable.
func (a *application) lookUp() ([]graph.Output, string) {
	if v := a.n.Attrs().Find("batch_dims"); v != nil && v.I != 0 {
		return nil, "takes in batches"
	}
	return a.as(a.in[0].out, a.in[1].out)
}

func (a *application) oneHot() ([]graph.Output, string) {
	for _, v := range a.in[1:] {
		if v.role != Invariant {
			return nil, noRow
		}
	}
	axis := a.n.Attrs().Find("axis").I
	if axis >= 0 {
		axis++
	}
	return a.op("OneHot", graph.Attrs{"axis": axis}, a.in[0].out, a.in[1].out, a.in[2].out, a.in[3].out), ""
}

func (a *application) topK() ([]graph.Output, string) {
	if a.in[1].role != Invariant {
		return nil, noRow
	}
	return a.as(a.in[0].out, a.in[1].out)
}

func (a *application) stridedSlice() ([]graph.Output, string) {
	if a.in[0].role != Row {
		return nil, noRow
	}
	var in [3]graph.Output
	for k := range in {
		list, ok := a.ints(k + 1)
		if !ok {
			return nil, "takes what a row says"
		}
		front := []int64{0}
		if k == 2 {
			front[0] = 1
		}
		in[k] = a.stacked.Const(append(front, list...))
	}
	attrs := graph.Attrs{}
	for _, name := range []string{"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"} {
		m := a.n.Attrs().Find(name).I << 1
		if name == "begin_mask" || name == "end_mask" {
			m |= 1
		}
		attrs[name] = m
	}
	return a.op("StridedSlice", attrs, a.in[0].out, in[0], in[1], in[2]), ""
}

func (a *application) slice() ([]graph.Output, string) {
	begin, ok := a.ints(1)
	size, ok2 := a.ints(2)
	if !ok || !ok2 || a.in[0].role != Row {
		return nil, "takes what a row says"
	}
	return a.op("Slice", nil, a.in[0].out, a.stacked.Const(append([]int64{0}, begin...)), a.stacked.Const(append([]int64{-1}, size...))), ""
}

// size is for operations that depend on the shape alone, which is that of one caller.
func (a *application) size() ([]graph.Output, string) {
	dims := a.in[0].shape
	n := int64(1)
	for _, d := range dims {
		n *= d
	}
	var list []int64
	switch a.n.Type() {
	case "Shape":
		list = dims
	case "Size":
		list = []int64{n}
	default:
		list = []int64{int64(len(dims))}
	}
	a.invariant = true
	var value any = list
	scalar := a.n.Type() != "Shape"
	if a.n.Output(0).DataType() == tensor.Int32 {
		narrow := make([]int32, len(list))
		for i, d := range list {
			narrow[i] = int32(d)
		}
		if value = narrow; scalar {
			value = narrow[0]
		}
	} else if scalar {
		value = list[0]
	}
	return []graph.Output{a.stacked.Const(value)}, ""
}
