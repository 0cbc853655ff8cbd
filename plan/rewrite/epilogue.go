package rewrite

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// products says which operations have fused forms, and which of their attributes go
// along.
var products = map[string]struct {
	fused string
	attrs []string
	norms bool // a normalization may follow
	rank  int  // of the result
}{
	"MatMul":                {"_FusedMatMul", []string{"transpose_a", "transpose_b"}, false, 2},
	"Conv2D":                {"_FusedConv2D", []string{"strides", "padding", "explicit_paddings", "data_format", "dilations", "use_cudnn_on_gpu"}, true, 4},
	"DepthwiseConv2dNative": {"_FusedDepthwiseConv2dNative", []string{"strides", "padding", "data_format", "dilations"}, true, 4},
}

// epilogue puts one node in place of a product or a convolution of floats and what
// follows it: a bias, the inference of a batch normalization, in one operation or
// several, a sum with another tensor, an activation. They are done in the memory of the product, part by part. The
// node has the name of the last of them; the kernel knows those of the others, for
// errors, and plays them apart where their operands do not fit. As elementwise does, it
// leaves loops alone. On a branch, and behind one, it takes only operands that are always
// there: then the node is dead where the product was, and nothing between them runs alone.
func epilogue(w *work) error {
	var open, once map[*graph.Node]bool
	for _, n := range w.Nodes() {
		if err := w.Watch.Steps(2); err != nil {
			return err
		}
		p, ok := products[n.Type()]
		if !ok || n.OutputTypes()[0] != tensor.Float {
			continue
		}
		if f := n.Attrs().Find("data_format"); f != nil && f.S != "NHWC" {
			continue
		}
		if _, err := registry.Global.Lookup(p.fused); err != nil {
			continue
		}
		if open == nil {
			var err error
			if open, err = w.unconditional(); err != nil {
				return err
			}
			if once, err = w.once(); err != nil {
				return err
			}
		}
		if !once[n] {
			continue
		}
		t := &tail{w: w, norms: p.norms, rank: p.rank, nodes: []*graph.Node{n}, ops: []string{n.Type()}}
		if !open[n] {
			t.open = open
		}
		for t.extend() {
		}
		if len(t.nodes) == 1 || n.Type() == "Conv2D" && len(t.args) == 0 { // _FusedConv2D has one at least
			continue
		}
		if err := w.fuseTail(t, p.fused, p.attrs); err != nil {
			return err
		}
	}
	return nil
}

// A tail is a product and what follows it.
type tail struct {
	w       *work
	norms   bool
	rank    int
	open    map[*graph.Node]bool // nodes that what follows may depend on besides; nil: on any
	nodes   []*graph.Node
	ops     []string // of the nodes; "AddV2:1" where the second operand is the tail's
	fused   []string // of the nodes behind the first: names in fused_ops
	args    []graph.Output
	epsilon registry.AttrValue
	slope   registry.AttrValue // of a LeakyRelu, of which there is one at most
	added   bool
}

// extend adds the node that follows, if it is the only one to do so and of the kind
// that can be fused.
func (t *tail) extend() bool {
	last := t.nodes[len(t.nodes)-1]
	if t.w.Keeps(last) {
		return false
	}
	var next *graph.Node
	at := 0
	for e := range last.Out() {
		if e.IsControl() || e.From.Index != 0 || next != nil {
			return false
		}
		next, at = e.To.Op, e.To.Index
	}
	if next == nil || !t.w.together(next, last) || next.NumOutputs() == 0 || next.OutputTypes()[0] != tensor.Float {
		return false
	}
	op, fused, args := next.Type(), "", []graph.Output(nil)
	switch {
	case next.Def().Is(registry.Activation):
		fused = op
	case op == "LeakyRelu" && t.slope.Kind == 0:
		if t.slope = registry.FloatAttr(0.2); next.Attrs().Find("alpha") != nil {
			t.slope = *next.Attrs().Find("alpha")
		}
		fused = op
	case op == "BiasAdd" && at == 0 && len(t.fused) == 0:
		if f := next.Attrs().Find("data_format"); f != nil && f.S != "NHWC" {
			return false
		}
		fused, args = "BiasAdd", []graph.Output{next.Inputs()[1]}
	case follows[op] != "":
		other := next.Inputs()[1-at]
		fused = follows[op]
		switch s := t.w.Claimed(other); {
		case other.Op == last: // x+x
			return false
		case fused == "Add" && at == 0 && len(t.fused) == 0 && s.Known() && s.Rank() == 1:
			fused = "BiasAdd"
		case isRow(s) && s.Rank() <= t.rank:
		case fused == "Add" && !t.added && s.Known() && s.Rank() > 1:
			t.added = true
		default:
			return false
		}
		args = []graph.Output{other}
	case t.norms && at == 0 && len(t.fused) == 0 && t.w.isInference(next):
		fused, args = "FusedBatchNorm", next.Inputs()[1:5]
		t.epsilon = *next.Attrs().Find("epsilon")
	default:
		return false
	}
	if slices.ContainsFunc(args, func(a graph.Output) bool { return a.DataType() != tensor.Float }) {
		return false
	}
	if t.open != nil && (len(next.Controls()) > 0 || slices.ContainsFunc(args, func(a graph.Output) bool { return !t.open[a.Op] })) {
		return false
	}
	if at == 1 {
		op += ":1"
	}
	t.nodes, t.ops, t.fused, t.args = append(t.nodes, next), append(t.ops, op), append(t.fused, fused), append(t.args, args...)
	return true
}

// follows is what is fused with a tensor from elsewhere: with a row, as it is in
// the normalizations that Keras writes out; sums with any.
var follows = map[string]string{"AddV2": "Add", "Add": "Add", "Mul": "Mul", "Sub": "Sub"}

// isRow reports whether a shape is that of a scalar or of a row.
func isRow(s shape.Shape) bool {
	if !s.Known() {
		return false
	}
	for i := range max(s.Rank()-1, 0) {
		if s.Dim(i) != 1 {
			return false
		}
	}
	return true
}

// isInference reports whether a node normalizes with given moments, and nobody asks for
// more than the result.
func (w *work) isInference(n *graph.Node) bool {
	switch n.Type() {
	case "FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3":
	default:
		return false
	}
	for _, want := range []struct {
		attr string
		is   func(*registry.AttrValue) bool
	}{
		{"is_training", func(v *registry.AttrValue) bool { return !v.B }},
		{"data_format", func(v *registry.AttrValue) bool { return v.S == "NHWC" }},
		{"U", func(v *registry.AttrValue) bool { return v.Type == tensor.Float }},
	} {
		if v := n.Attrs().Find(want.attr); v != nil && !want.is(v) {
			return false
		}
	}
	for e := range n.Out() {
		if e.IsControl() || e.From.Index != 0 {
			return false
		}
	}
	for i := 1; i < n.NumOutputs(); i++ {
		if w.IsFetched(n.Output(i)) {
			return false
		}
	}
	return true
}

// fuseTail puts the fused node in place of a tail.
func (w *work) fuseTail(t *tail, op string, attrs []string) error {
	first, last := t.nodes[0], t.nodes[len(t.nodes)-1]
	names := make([]string, len(t.nodes))
	var after union
	for i, n := range t.nodes {
		names[i] = n.Name()
		after.add(n.Controls())
	}
	types := make([]tensor.DType, len(t.args))
	for i := range types {
		types[i] = tensor.Float
	}
	spec := graph.OpSpec{
		Type: op, ControlDependencies: after.nodes,
		Input: []graph.Input{first.Inputs()[0], first.Inputs()[1], graph.OutputList(t.args)},
		Attrs: graph.Attrs{"T": tensor.Float, "num_args": int64(len(t.args)), "fused_ops": t.fused, "_nodes": names, "_ops": t.ops},
	}
	if op == "_FusedConv2D" {
		spec.Input = append(spec.Input, graph.OutputList{})
		spec.Attrs["TArgs"] = types
	}
	for _, a := range attrs {
		if v := first.Attrs().Find(a); v != nil {
			spec.Attrs[a] = *v
		}
	}
	if v := first.Attrs().Find("padding"); v != nil && v.S == "EXPLICIT" && first.Type() == "DepthwiseConv2dNative" { // which the fused one has another name for
		spec.Attrs["padding"], spec.Attrs["_explicit_paddings"] = "VALID", *first.Attrs().Find("explicit_paddings")
	}
	if t.epsilon.Kind != 0 {
		spec.Attrs["epsilon"] = t.epsilon
	}
	if t.slope.Kind != 0 {
		spec.Attrs["leakyrelu_alpha"] = t.slope
	}
	return w.fused(last, spec)
}
