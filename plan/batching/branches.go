package batching

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// branches says in which branches of conditionals the nodes of a function are, after [lower] has
// made Switch and Merge nodes of an If:
//
//	in branch k, v = Switch(v, pred):k
//	result = Merge(of branch 0, of branch 1, …)
//
// In a batch every branch is computed for all callers, and a Merge selects by each caller's pred.
// That is right where a branch has no effects. What could fail for callers that do not take it
// keeps the loop out.
type branches struct {
	gates map[*graph.Node][]gate
	joins map[*graph.Node]join // of Merges
}

// A gate is a branch that a node is in; the innermost comes last.
type gate struct {
	pred       graph.Output
	side, many int // which of how many branches
}

// A join is what a Merge takes from each branch.
type join struct {
	pred   graph.Output
	inputs []int // by branch
}

// mostDeep bounds how deep conditionals are within one another, as each node has a list of those that
// it is in.
const mostDeep = 64

func newBranches() branches {
	return branches{map[*graph.Node][]gate{}, map[*graph.Node]join{}}
}

// of returns the gates of a value.
func (b *branches) of(o graph.Output) []gate {
	gates := b.gates[o.Op]
	if n := o.Op; n.Class() == graph.ClassSwitch {
		gates = append(gates[:len(gates):len(gates)], gate{through(n.Inputs()[1]), o.Index, n.NumOutputs()})
	}
	return gates
}

// add adds a node whose inputs have been added. It returns a reason if it is in no branch of the
// usual form.
func (b *branches) add(n *graph.Node) (reason string) {
	if n.Class() == graph.ClassMerge {
		return b.join(n)
	}
	var longest []gate
	for _, in := range n.Inputs() {
		if g := b.of(in); len(g) > len(longest) {
			longest = g
		}
	}
	for _, c := range n.Controls() {
		if g := b.gates[c]; len(g) > len(longest) {
			longest = g
		}
	}
	if len(longest) > mostDeep {
		return "conditionals too deep within one another: " + n.Name()
	}
	if longest != nil {
		b.gates[n] = longest
	}
	return ""
}

func (b *branches) join(n *graph.Node) (reason string) {
	reason = "a conditional of another form than If: Merge " + n.Name()
	var outer []gate
	var j join
	for i, in := range n.Inputs() {
		gates := b.of(in)
		if len(gates) == 0 {
			return reason
		}
		last := gates[len(gates)-1]
		if i == 0 {
			outer, j.pred, j.inputs = gates[:len(gates)-1], last.pred, make([]int, last.many)
			for k := range j.inputs {
				j.inputs[k] = -1
			}
		}
		if len(gates) != len(outer)+1 || last.pred != j.pred || last.side >= len(j.inputs) || j.inputs[last.side] >= 0 {
			return reason
		}
		j.inputs[last.side] = i
	}
	for _, k := range j.inputs {
		if k < 0 {
			return reason
		}
	}
	if len(outer) > 0 {
		b.gates[n] = outer
	}
	b.joins[n] = j
	return ""
}

// looksUp and divides are operations with rules that fail for some elements of their inputs, the
// latter for those of integers: where a branch is not taken, there may be any.
var (
	looksUp = map[string]bool{"GatherV2": true, "ResourceGather": true}
	divides = map[string]bool{"Div": true, "FloorDiv": true, "TruncateDiv": true, "Mod": true, "FloorMod": true, "TruncateMod": true}
)

// divisor reports whether the second input is a constant that is not 0.
func (a *application) divisor() bool {
	list, ok := a.ints(1)
	return ok && !slices.Contains(list, 0)
}

// floats reports whether the elements of a value are such that a division by 0 does not fail.
func floats(o graph.Output) bool {
	switch o.DataType() {
	case tensor.Float, tensor.Double, tensor.Half, tensor.Bfloat16, tensor.Complex64, tensor.Complex128:
		return true
	}
	return false
}

// merge selects what each caller takes of branches that have been computed for all.
func (s *stacker) merge(n *graph.Node, j join, pred value, in []value) value {
	kept := 0
	for _, v := range in {
		if v.role == Kept {
			kept++
		}
	}
	switch {
	case kept == len(in):
		return value{role: Kept, reason: in[0].reason}
	case kept > 0:
		s.fail("a conditional of which one branch is outside of the batch: %s", n.Name())
		return value{role: Kept}
	case pred.role == Kept:
		s.fail("a conditional on what is outside of the batch: %s", n.Name())
		return value{role: Kept}
	}
	sh := shapeOf(n.Output(0))
	if !sh.Full() || empty(sh) || n.Output(0).DataType().HasPointers() {
		s.fail("the branches of %s have the shape %v", n.Name(), sh)
		return value{role: Kept}
	}
	dims := sh.Dims()
	to := pred.out
	if pred.role == Row && len(dims) > 0 {
		ones := []int64{-1}
		for range dims {
			ones = append(ones, 1)
		}
		to = s.stacked.Apply("Reshape", to, s.stacked.Const(ones))
	}
	role := pred.role
	for _, v := range in {
		role = max(role, v.role)
	}
	out := in[j.inputs[len(j.inputs)-1]].out
	for k := len(j.inputs) - 2; k >= 0; k-- {
		of := in[j.inputs[k]].out
		if pred.ref.DataType().Base() == tensor.Bool {
			out = s.stacked.Apply("SelectV2", to, out, of)
		} else {
			out = s.stacked.Apply("SelectV2", s.stacked.Apply("Equal", to, s.stacked.Const(int32(k))), of, out)
		}
	}
	v := value{role: role, out: out}
	if role == Row {
		v.shape = dims
	}
	return v
}
