package rewrite

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

const (
	fusedUpdate = "_FusedUpdate"
	// mostFollowed bounds how many nodes behind an update are looked at.
	mostFollowed = 256
)

// assigns are the updates that become part of a pass.
var assigns = map[string]bool{"AssignVariableOp": true, "AssignAddVariableOp": true, "AssignSubVariableOp": true}

// updates puts one node in place of updates of variables and the elementwise operations that
// compute them: what an optimizer keeps and what it changes, one pass over memory in place of
// one for each operation. An update that reads what another has written brings that in.
// Loops and branches are left alone; all updates of a pass are behind the same loops. The node
// has the name of the last update; the kernel knows those of the others.
func updates(w *work) error {
	if _, err := registry.Global.Lookup(fusedUpdate); err != nil {
		return nil
	}
	u := &updating{w: w, taken: map[*graph.Node][]*graph.Node{}}
	for _, n := range slices.Backward(w.Nodes()) {
		if err := w.Watch.Steps(2); err != nil {
			return err
		}
		if !assigns[n.Type()] || u.taken[n] != nil {
			continue
		}
		if err := u.update(n); err != nil {
			return err
		}
	}
	return w.ReplaceMany(u.made)
}

type updating struct {
	w     *work
	exits *exits                        // what nodes are behind, once somebody asks
	taken map[*graph.Node][]*graph.Node // members of passes: all of the pass
	made  []plan.Replacement
}

// An updatePass is the nodes of a pass, in their order.
type updatePass struct {
	*updating
	reads     bool // brings reads in, and what they wait for
	dt        tensor.DType
	like      graph.Output // the value of a variable's shape
	nodes     []*graph.Node
	member    map[*graph.Node]bool
	assigned  map[graph.Output]*graph.Node // by handle: its update
	variables graph.OutputList
}

// update makes a pass that ends with n, if there is something to fuse.
func (u *updating) update(n *graph.Node) error {
	value := n.Inputs()[1]
	if dt := value.DataType(); dt != tensor.Float && dt != tensor.Double {
		return nil
	}
	if s := u.w.Claimed(value); !s.Known() || s.Rank() == 0 {
		return nil
	}
	if u.exits == nil {
		var err error
		if u.exits, err = u.w.exits(); err != nil {
			return err
		}
	}
	for _, reads := range []bool{true, false} {
		p := &updatePass{updating: u, reads: reads, dt: value.DataType(), like: value, member: map[*graph.Node]bool{}, assigned: map[graph.Output]*graph.Node{}}
		if !p.assign(n) || len(p.nodes) < 2 {
			return nil
		}
		if err := u.w.Watch.Steps(4 * len(p.nodes)); err != nil {
			return err
		}
		if p.closed() {
			return p.fuse()
		}
	}
	return nil
}

// assign adds an update, and before it what computes its value.
func (p *updatePass) assign(n *graph.Node) bool {
	handle, value := n.Inputs()[0], n.Inputs()[1]
	if !p.exits.runs(n) || p.taken[n] != nil || p.assigned[handle] != nil || value.DataType() != p.dt || len(p.nodes) >= mostFused || !p.alike(value) {
		return false
	}
	if v := n.Attrs().Find("validate_shape"); v != nil && v.B {
		return false
	}
	if len(p.nodes) > 0 && !p.w.together(n, p.nodes[len(p.nodes)-1]) {
		return false
	}
	if len(p.variables) > 0 && !p.exits.same(n, p.assigned[p.variables[0]]) {
		return false // it may run where the others do not
	}
	p.assigned[handle] = n
	p.variables = append(p.variables, handle)
	c := &updateValue{updatePass: p, assign: n}
	c.add(value, n)
	if n.Type() == "AssignVariableOp" && !c.has(value.Op) {
		return false // nothing is computed
	}
	p.nodes = append(append(p.nodes, c.nodes...), n)
	return true
}

// alike reports whether a value is claimed to have the shape of the pass.
func (p *updatePass) alike(o graph.Output) bool {
	s, t := p.w.Claimed(o), p.w.Claimed(p.like)
	if !s.Known() || s.Rank() != t.Rank() {
		return false
	}
	for i := range s.Rank() {
		if s.Dim(i) != t.Dim(i) {
			return false
		}
	}
	return true
}

// An updateValue is what computes the value of one update.
type updateValue struct {
	*updatePass
	assign *graph.Node
	nodes  []*graph.Node
}

func (c *updateValue) has(n *graph.Node) bool { return slices.Contains(c.nodes, n) }

// add adds the node of an output, behind what it takes, if only by takes it.
func (c *updateValue) add(o graph.Output, by *graph.Node) {
	n := o.Op
	if c.has(n) || c.w.IsFed(n) || c.w.Keeps(n) || !c.exits.runs(n) || c.taken[n] != nil || !c.w.together(n, c.assign) || len(c.updatePass.nodes)+len(c.nodes) >= mostFused {
		return
	}
	if n.Type() == "ReadVariableOp" {
		if c.reads && o.DataType() == c.dt && c.alike(o) && c.onlyFor(n, by) && c.current(n) {
			c.nodes = append(c.nodes, n)
		}
		return
	}
	if !n.Def().Is(registry.Fusible) || n.NumOutputs() != 1 || n.OutputTypes()[0] != c.dt || !c.alike(n.Output(0)) ||
		slices.ContainsFunc(n.Inputs(), func(o graph.Output) bool { return o.DataType() != c.dt }) || !c.onlyFor(n, by) {
		return
	}
	before := len(c.nodes)
	for _, from := range n.Inputs() {
		c.add(from, n)
	}
	if slices.ContainsFunc(n.Inputs(), c.held) {
		c.nodes = c.nodes[:before]
		return
	}
	c.nodes = append(c.nodes, n)
}

// held reports whether an output is the value of a variable of the pass, read outside: while
// the pass has it as an input, the variable cannot be written in place.
func (c *updateValue) held(o graph.Output) bool {
	return o.Op.Type() == "ReadVariableOp" && !c.has(o.Op) && c.assigned[o.Op.Inputs()[0]] != nil
}

// onlyFor reports whether by alone takes n's value.
func (c *updateValue) onlyFor(n, by *graph.Node) bool {
	for e := range n.Out() {
		if !e.IsControl() && e.To.Op != by {
			return false
		}
	}
	return true
}

// current reports whether a read is of the value that a variable has in the pass: before its
// own update, or after an update which is brought in.
func (c *updateValue) current(n *graph.Node) bool {
	handle := n.Inputs()[0]
	var after *graph.Node // an update that the read waits for
	for _, m := range n.Controls() {
		if assigns[m.Type()] && m.Inputs()[0] == handle {
			after = m
		}
	}
	switch {
	case handle == c.assign.Inputs()[0]: // which the pass updates once
		return true
	case after == nil:
		return false
	case c.assigned[handle] == after:
		return slices.Contains(c.updatePass.nodes, after)
	case c.assigned[handle] != nil:
		return false
	}
	nodes, variables := len(c.updatePass.nodes), len(c.variables)
	if c.updatePass.assign(after) {
		return true
	}
	c.updatePass.nodes = c.updatePass.nodes[:nodes]
	for _, v := range c.variables[variables:] {
		delete(c.assigned, v)
	}
	c.variables = c.variables[:variables]
	return false
}

// closed reports whether the nodes of the pass may run in their order with nothing between
// them: none waits for one behind it, and no path leads out of the pass and into it again, as
// far as it looks.
func (p *updatePass) closed() bool {
	for _, n := range p.nodes {
		p.member[n] = true
	}
	before := map[*graph.Node]bool{}
	for _, n := range p.nodes {
		late := func(from *graph.Node) bool { return p.member[from] && !before[from] }
		if slices.ContainsFunc(n.Controls(), late) || slices.ContainsFunc(n.Inputs(), func(o graph.Output) bool { return late(o.Op) }) {
			return false
		}
		before[n] = true
	}
	seen := map[*graph.Node]bool{}
	var stack []*graph.Node
	follow := func(n *graph.Node) bool {
		for e := range n.Out() {
			to := e.To.Op
			switch {
			case p.member[to] && !p.member[n] || len(seen) > mostFollowed:
				return false
			case p.member[to] || seen[to]:
				continue
			}
			seen[to] = true
			stack = append(stack, to)
			for _, m := range p.taken[to] { // it will be one node
				if !seen[m] {
					seen[m] = true
					stack = append(stack, m)
				}
			}
		}
		return true
	}
	for _, n := range p.nodes {
		if !follow(n) {
			return false
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !follow(n) {
			return false
		}
	}
	return true
}

// fuse puts one node in place of a pass.
func (p *updatePass) fuse() error {
	at := map[graph.Output]int{}
	for i, v := range p.variables {
		at[v] = i
	}
	var inputs graph.OutputList
	var after union
	for _, n := range p.nodes {
		for _, from := range n.Inputs() {
			if _, known := at[from]; !known && !p.member[from.Op] {
				at[from] = len(p.variables) + len(inputs)
				inputs = append(inputs, from)
			}
		}
		var controls []*graph.Node
		for _, c := range n.Controls() {
			if !p.member[c] {
				controls = append(controls, c)
			}
		}
		after.add(controls)
	}
	var operands []int64
	var ops, names []string
	for i, n := range p.nodes {
		ops, names = append(ops, n.Type()), append(names, n.Name())
		for _, from := range n.Inputs() {
			operands = append(operands, int64(at[from]))
		}
		if n.NumOutputs() > 0 {
			at[n.Output(0)] = len(p.variables) + len(inputs) + i
		}
	}
	last := p.nodes[len(p.nodes)-1]
	spec := graph.OpSpec{
		Type: fusedUpdate, Input: []graph.Input{p.variables, inputs}, ControlDependencies: after.nodes,
		Attrs: graph.Attrs{"T": p.dt, "ops": ops, "operands": operands, "nodes": names},
	}
	if len(inputs) == 0 {
		spec.Attrs["N"] = int64(0)
	}
	by, err := p.w.instead(last, spec)
	if by == nil || err != nil {
		return err
	}
	p.made = append(p.made, plan.Replacement{Nodes: p.nodes, Last: last, By: by})
	for _, n := range p.nodes {
		p.taken[n] = p.nodes
	}
	return nil
}
