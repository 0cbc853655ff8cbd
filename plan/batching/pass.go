package batching

import (
	"context"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/lower"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Finding is what became of a loop, or of a call of a function that calls itself.
type Finding struct {
	Loop      string   // its node, or its frame
	Reason    string   // why it is not batched; "" if it is
	Batch     *Batch   // of a loop; nil if it is not
	Variables []string // of a loop of Enter and Exit: the Enter of each variable
	Callee    string   // the function that is called; "" of a loop
	Calls     *Calls   // of a call; nil if it is not
	Open      bool     // shapes are not known before it runs, so it may turn out then that it cannot be
}

// Passes are the passes that batch loops and recursive calls, in place of [lower.Pass]: other calls
// are replaced by their bodies, loops that can be batched become nodes of [Op], calls nodes of
// [CallOp], and the others are lowered. found, which may be nil, is called for each While, each
// loop of Enter and Exit, and each call of a function that calls itself.
func Passes(found func(Finding)) []plan.Pass {
	f := &finder{found: found, pure: map[string]bool{}, told: map[string]bool{}}
	return []plan.Pass{
		lower.Keeping(func(n *graph.Node) bool { return f.loop(n) || f.call(n) }),
		f.framesPass(),
		{
			Name: "batch",
			When: func(p *plan.Program) bool { return slices.ContainsFunc(p.Nodes, isLoop) },
			Run:  func(ctx context.Context, p *plan.Program) error { return run(ctx, p, found) },
		},
		lower.Keeping(f.call),
		{
			Name: "batch calls",
			When: func(p *plan.Program) bool { return slices.ContainsFunc(p.Nodes, f.call) },
			Run:  f.batchCalls,
		},
		lower.Pass,
	}
}

// A finder finds what may be batched.
type finder struct {
	found  func(Finding)
	pure   map[string]bool // by function
	told   map[string]bool // Whiles that are known not to be batched
	cycles *cycles
}

// loop reports whether a node is a loop without side effects.
func (f *finder) loop(n *graph.Node) bool {
	if !isLoop(n) {
		return false
	}
	for _, of := range n.Functions() {
		if !f.isPure(n, of, "", later) {
			return false
		}
	}
	return true
}

// isPure reports whether a function that a node calls has no effects but for those of operations that
// are allowed.
func (f *finder) isPure(n *graph.Node, of *registry.Func, callee string, allowed map[string]bool) bool {
	key := fmt.Sprint(len(allowed), of)
	known, ok := f.pure[key]
	if !ok {
		reason, err := effects(context.Background(), n.Graph(), of, allowed)
		known = err == nil && reason == ""
		if f.pure[key] = known; f.found != nil && reason != "" {
			f.told[n.Name()] = true
			f.found(Finding{Loop: n.Name(), Callee: callee, Reason: reason})
		}
	}
	return known
}

func isLoop(n *graph.Node) bool { return n.Type() == "While" || n.Type() == "StatelessWhile" }

// run replaces loops by nodes of Op.
func run(ctx context.Context, p *plan.Program, found func(Finding)) error {
	varying := varying(p)
	type loop struct {
		node *graph.Node
		args []Arg
	}
	var loops []loop
	for _, n := range p.Nodes {
		if !isLoop(n) {
			continue
		}
		f := Finding{Loop: n.Name()}
		args, open := argsOf(n.Inputs(), varying)
		f.Open = open
		l, err := New(ctx, n.Graph(), n.Name(), n.InputTypes(), n.Attrs().Find("cond").Func, n.Attrs().Find("body").Func)
		if err == nil {
			f.Batch, err = l.Build(args)
		}
		if ended := status.FromContext(ctx); ended != nil {
			return ended
		}
		if err != nil {
			f.Reason = status.From(err).Message
		}
		if found != nil {
			found(f)
		}
		if err == nil || f.Open && l != nil {
			loops = append(loops, loop{n, args})
		}
	}
	if len(loops) == 0 {
		return nil
	}
	e, err := p.Edit(ctx)
	if err != nil {
		return err
	}
	for _, l := range loops {
		n := e.Copy(l.node)
		attrs := attrsOf(l.args)
		attrs["cond"], attrs["body"] = n.Attrs().Find("cond").Func, n.Attrs().Find("body").Func
		if err := replace(e, n, Op, attrs); err != nil {
			return err
		}
	}
	return nil
}

// argsOf returns what is known of the inputs of a node; open reports whether that is not all.
func argsOf(inputs []graph.Output, varying map[*graph.Node]bool) (args []Arg, open bool) {
	args = make([]Arg, len(inputs))
	for i, from := range inputs {
		args[i] = Arg{Shape: shapeOf(from), Invariant: !varying[from.Op]}
		if h := from.Op.OutputHandles(); from.Index < len(h) && len(h[from.Index]) == 1 && from.DataType() == tensor.Resource {
			args[i].Handle = h[from.Index][0]
		}
		open = open || !args[i].Shape.Known() && from.DataType() != tensor.Variant
	}
	return args, open
}

// attrsOf returns what the kernel is told of the inputs.
func attrsOf(args []Arg) graph.Attrs {
	var invariant, types, shapes []registry.AttrValue
	for _, a := range args {
		invariant = append(invariant, registry.BoolAttr(a.Invariant))
		if a.Handle.Type == tensor.Invalid { // which is no value of an attribute
			a.Handle.Type = tensor.Float
		}
		types = append(types, registry.TypeAttr(a.Handle.Type))
		shapes = append(shapes, registry.ShapeAttr(a.Handle.Shape.Attr()))
	}
	return graph.Attrs{
		"invariant": registry.ListAttr(registry.KindBool, invariant...), "handle_types": registry.ListAttr(registry.KindType, types...),
		"handle_shapes": registry.ListAttr(registry.KindShape, shapes...),
	}
}

// replace puts a node of another operation, with the same inputs, in place of one.
func replace(e *plan.Edit, n *graph.Node, op string, attrs graph.Attrs) error {
	var in graph.OutputList = slices.Clone(n.Inputs())
	_, err := e.ReplaceByNew(n, graph.OpSpec{Type: op, Input: []graph.Input{in}, ControlDependencies: n.Controls(), Attrs: attrs})
	return err
}

// varying returns the nodes whose outputs may differ between steps: those that depend on feeds or
// on state. What a variable holds is the same for steps between which it is not assigned.
func varying(p *plan.Program) map[*graph.Node]bool {
	varies := map[*graph.Node]bool{}
	for _, f := range p.Feeds {
		varies[f.Op] = true
	}
	var roots []*graph.Node
	roots = append(roots, p.Nodes...)
	graph.DepthFirst(roots, func(n *graph.Node, yield func(*graph.Node)) {
		for i, in := range n.Inputs() {
			if !n.IsBackEdge(i) {
				yield(in.Op)
			}
		}
	}, nil, func(n *graph.Node) {
		v := varies[n] || n.Class().ControlFlow() || n.Class() == graph.ClassPlaceholder || n.Type() == Op || n.Type() == CallOp || isLoop(n) ||
			n.Def().Stateful && n.Type() != "VarHandleOp" && n.Type() != "ReadVariableOp"
		for _, in := range n.Inputs() {
			v = v || varies[in.Op]
		}
		for _, t := range n.OutputTypes() {
			v = v || t.IsRef()
		}
		varies[n] = v
	})
	return varies
}

// Shapes of arguments, of values in host memory.
func ArgOf(v *tensor.Value, invariant bool, t tensor.DType, s registry.Shape) Arg {
	return Arg{Shape: shape.Of(v.Dims()...), Invariant: invariant, Handle: shape.HandleData{Type: t, Shape: shape.FromAttr(s)}}
}
