package graph

import (
	"context"
	"slices"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// An Editor makes a graph out of another one by changing it: nodes are added,
// removed and replaced, edges moved, attributes set. It works on a copy, so
// users of the original are not affected, and programs compiled from it stay valid.
// Passes over graphs are written with it:
//
//	e := g.Edit()
//	for _, n := range e.Nodes() {
//		if n.Type() == "Identity" {
//			err := e.Replace(n, n.Inputs()[0])
//			...
//		}
//	}
//	edited, err := e.Done()
//
// The nodes that it hands out and takes are those of the copy, and everything
// that can be asked of a node can be asked of them between changes, save that
// shapes are worked out again only by Done. Each change is checked on its own
// and done whole or not at all; what only the whole graph shows, cycles and
// contradicting shapes, Done finds.
//
// An Editor serves one goroutine. After Done it is spent.
type Editor struct {
	g       *Graph
	watch   *status.Watch
	removed int
	done    bool
	lax     bool
}

// Edit begins to change a copy of the graph.
func (g *Graph) Edit() *Editor {
	e, _ := g.edit(nil) // which cannot fail
	return e
}

// EditContext is Edit for graphs that may be large: it, [Editor.Done] and what
// removes nodes or replaces many fail soon after ctx has ended.
func (g *Graph) EditContext(ctx context.Context) (*Editor, error) {
	return g.edit(status.NewWatch(ctx))
}

func (g *Graph) edit(watch *status.Watch) (*Editor, error) {
	c, err := g.clone(watch)
	if err != nil {
		return nil, err
	}
	c.draft = true
	if err := c.watchUses(watch); err != nil {
		return nil, err
	}
	return &Editor{g: c, watch: watch}, nil
}

// Lax is for who edits a graph to run it and not to look at it. A contradiction
// among shapes is no error: the shapes are unknown then, as a branch that is
// never taken may hold one. And what a call puts out is of unknown shape, so that
// no body is looked into.
func (e *Editor) Lax() { e.lax, e.g.blind = true, true }

// Nodes returns the nodes at this moment, those of the original first, in the order
// of their ids. The slice belongs to the caller.
func (e *Editor) Nodes() []*Node {
	nodes := make([]*Node, 0, len(e.g.nodes)-e.removed)
	for _, n := range e.g.nodes {
		if n.graph != nil {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Node finds a node by name; nil if there is none.
func (e *Editor) Node(name string) *Node { return e.g.named(name) }

// Copy returns the node that n, of the original graph, has become; nil if it has
// been removed.
func (e *Editor) Copy(n *Node) *Node {
	if n == nil || n.id >= len(e.g.nodes) || e.g.nodes[n.id].graph == nil {
		return nil
	}
	return e.g.nodes[n.id]
}

// UniqueName is [Graph.UniqueName]. It also avoids names that were removed.
func (e *Editor) UniqueName(name string) string { return e.g.uniqueName(name, nil) }

// Add is [Graph.AddOperation].
func (e *Editor) Add(spec OpSpec) (*Node, error) {
	if e.done {
		return nil, errDone
	}
	n, err := e.g.AddOperation(spec)
	e.g.indexUses()
	return n, err
}

// AddCopy is [Graph.AddCopy].
func (e *Editor) AddCopy(n *Node, spec CopySpec) (*Node, error) {
	if e.done {
		return nil, errDone
	}
	c, err := e.g.AddCopy(n, spec)
	e.g.indexUses()
	return c, err
}

// AddLibrary is [Graph.AddLibrary].
func (e *Editor) AddLibrary(def []byte) error {
	if e.done {
		return errDone
	}
	return e.g.AddLibrary(def)
}

// Remove removes nodes. It fails with FAILED_PRECONDITION, and removes none, if
// any other node takes an output of one of them or waits for one.
func (e *Editor) Remove(nodes ...*Node) error {
	going := make(map[*Node]bool, len(nodes))
	for _, n := range nodes {
		if err := e.watch.Step(); err != nil {
			return err
		}
		if err := e.owns(n); err != nil {
			return err
		}
		going[n.self] = true
	}
	for _, n := range nodes {
		if err := e.watch.Step(); err != nil {
			return err
		}
		for edge := range n.Out() {
			if !going[edge.To.Op] {
				return status.Errorf(status.FailedPrecondition, "node '%s' cannot be removed: '%s' needs it (%v)", n.name, edge.To.Op.name, edge)
			}
		}
	}
	for _, n := range nodes {
		if n = n.self; n.graph == nil {
			continue // named twice
		}
		for edge := range n.In() {
			e.g.removeUse(edge)
		}
		delete(e.g.byName, n.name)
		n.graph = nil
		e.removed++
	}
	return nil
}

// Prune removes every node that none of these needs, as a step of these targets
// would, and says how many.
func (e *Editor) Prune(keep ...*Node) (int, error) {
	for _, n := range keep {
		if err := e.owns(n); err != nil {
			return 0, err
		}
	}
	needed := map[*Node]bool{}
	DepthFirst(keep, InputNodes, func(n *Node) { needed[n] = true }, nil)
	idle := slices.DeleteFunc(e.Nodes(), func(n *Node) bool { return needed[n] })
	return len(idle), e.Remove(idle...)
}

// Redirect makes all who take an output take another one instead, save the
// node that puts that one out: so a node can be put behind another.
func (e *Editor) Redirect(from, to Output) error {
	for _, p := range []Output{from, to} {
		if err := e.owns(p.Op); err != nil {
			return err
		}
		if !p.Exists() {
			return noOutputError(p)
		}
	}
	from, to = from.Canonical(), to.Canonical()
	takers := slices.DeleteFunc(from.Consumers(), func(c Consumer) bool { return c.Op == to.Op })
	for _, c := range takers {
		if err := checkEdge(c.Op, c.Index, to); err != nil {
			return err
		}
	}
	for _, c := range takers {
		e.setInput(c.Op, c.Index, to)
	}
	return nil
}

// RedirectAll is [Editor.Redirect] for all outputs of a node at once, by position:
// who takes output i of n takes to[i]. One of the others that takes an output of n
// keeps it.
func (e *Editor) RedirectAll(n *Node, to []Output) error {
	if err := e.owns(n); err != nil {
		return err
	}
	n = n.self
	others := make(map[*Node]bool, len(to))
	with := make([]Output, len(to))
	for i, p := range to {
		if err := e.owns(p.Op); err != nil {
			return err
		}
		with[i] = p.Canonical()
		others[with[i].Op] = true
	}
	edges := slices.DeleteFunc(slices.Collect(n.Out()), func(edge Edge) bool { return edge.IsControl() || others[edge.To.Op] })
	for _, edge := range edges {
		if edge.From.Index >= len(with) {
			return status.Errorf(status.FailedPrecondition, "nothing takes the place of output %d of node '%s', which '%s' needs", edge.From.Index, n.name, edge.To.Op.name)
		}
		if err := checkEdge(edge.To.Op, edge.To.Index, with[edge.From.Index]); err != nil {
			return err
		}
	}
	for _, edge := range edges {
		e.setInput(edge.To.Op, edge.To.Index, with[edge.From.Index])
	}
	return nil
}

// ReplaceControls makes every node that waits for a key of by wait for its value
// instead, in time linear in the graph however many keys there are.
func (e *Editor) ReplaceControls(by map[*Node]*Node) error {
	replaced := make(map[*Node]*Node, len(by))
	for from, to := range by {
		if err := e.watch.Step(); err != nil {
			return err
		}
		for _, n := range []*Node{from, to} {
			if err := e.owns(n); err != nil {
				return err
			}
		}
		replaced[from.self] = to.self
	}
	for _, n := range e.Nodes() {
		if err := e.watch.Steps(1 + len(n.controls)); err != nil {
			return err
		}
		if !slices.ContainsFunc(n.controls, func(c *Node) bool { return replaced[c] != nil }) {
			continue
		}
		e.setControls(n, func(controls []*Node) []*Node {
			for i, c := range controls {
				if to := replaced[c]; to != nil {
					controls[i] = to
				}
			}
			return addControls(nil, controls)
		})
	}
	return nil
}

// Replace removes a node and puts outputs of others in place of its own, by
// position: consumers of an output of the node take the replacement, and nodes that
// waited for the node wait for all the replacements. An unused output may be left out
// or be the zero Output. It fails with FAILED_PRECONDITION if a used output has no
// replacement, or if a replacement depends on the node itself, and with
// INVALID_ARGUMENT if a replacement has another type.
func (e *Editor) Replace(n *Node, with ...Output) error {
	if err := e.owns(n); err != nil {
		return err
	}
	n = n.self
	with = slices.Clone(with)
	var others []*Node
	for i, p := range with {
		if p.Op == nil {
			continue
		}
		if err := e.owns(p.Op); err != nil {
			return err
		}
		if with[i] = p.Canonical(); !slices.Contains(others, p.Op.self) {
			others = append(others, p.Op.self)
		}
	}
	edges := slices.Collect(n.Out())
	for _, edge := range edges {
		to, out := edge.To.Op, edge.From.Index
		switch {
		case slices.Contains(others, to) || to == n:
			return status.Errorf(status.FailedPrecondition, "node '%s' cannot be replaced by '%s', which needs it (%v)", n.name, to.name, edge)
		case edge.IsControl() && len(others) == 0:
			return status.Errorf(status.FailedPrecondition, "node '%s' cannot be replaced by nothing: '%s' waits for it", n.name, to.name)
		case !edge.IsControl() && (out >= len(with) || with[out].Op == nil):
			return status.Errorf(status.FailedPrecondition, "node '%s' cannot be replaced: nothing takes the place of its output %d, which '%s' needs", n.name, out, to.name)
		case !edge.IsControl():
			if err := checkEdge(to, edge.To.Index, with[out]); err != nil {
				return err
			}
		}
	}
	for _, edge := range edges {
		if !edge.IsControl() {
			e.setInput(edge.To.Op, edge.To.Index, with[edge.From.Index])
			continue
		}
		e.waitInstead(edge.To, n, others)
	}
	return e.Remove(n)
}

// SetInput makes input i of n take another output. To close a loop give a Merge
// the output of a NextIteration; Done refuses every other cycle.
func (e *Editor) SetInput(n *Node, i int, from Output) error {
	if err := e.owns(n); err != nil {
		return err
	}
	if err := e.owns(from.Op); err != nil {
		return err
	}
	if i < 0 || i >= n.NumInputs() {
		return status.Invalid("node '%s' has %s, so none of index %d", n.name, status.Count(n.NumInputs(), "input"), i)
	}
	if err := checkEdge(n.self, i, from.Canonical()); err != nil {
		return err
	}
	e.setInput(n.self, i, from.Canonical())
	return nil
}

// AddControl makes n wait for other nodes. Those that it waits for already
// change nothing.
func (e *Editor) AddControl(n *Node, on ...*Node) error {
	for _, n := range append([]*Node{n}, on...) {
		if err := e.owns(n); err != nil {
			return err
		}
	}
	e.setControls(n.self, func(controls []*Node) []*Node { return addControls(controls, on) })
	return nil
}

// SetControls makes n wait for these nodes and no others.
func (e *Editor) SetControls(n *Node, on ...*Node) error {
	for _, n := range append([]*Node{n}, on...) {
		if err := e.owns(n); err != nil {
			return err
		}
	}
	e.setControls(n.self, func([]*Node) []*Node { return addControls(nil, on) })
	return nil
}

// RemoveControl makes n no longer wait for other nodes. Those that it does not
// wait for change nothing.
func (e *Editor) RemoveControl(n *Node, on ...*Node) error {
	for _, n := range append([]*Node{n}, on...) {
		if err := e.owns(n); err != nil {
			return err
		}
	}
	e.setControls(n.self, func(controls []*Node) []*Node { return without(controls, on...) })
	return nil
}

// SetAttr sets an attribute to a value as [OpSpec] has them; nil takes away
// one without which the node is whole. It fails if the node's edges do not
// fit the types that follow.
func (e *Editor) SetAttr(n *Node, name string, value any) error {
	if err := e.owns(n); err != nil {
		return err
	}
	n = n.self
	var attrs registry.Attrs
	if value == nil {
		attrs = slices.DeleteFunc(slices.Clone(n.sig.attrs), func(a registry.NamedAttr) bool { return a.Name == name })
	} else {
		v, err := attrOf(value)
		if err != nil {
			return outline.NodeError(status.Within(err, "attr '%s'", name), n.name, n.Type())
		}
		attrs = n.sig.attrs.With(name, v)
	}
	sig := &signature{op: n.sig.op, class: n.sig.class, declared: n.sig.declared}
	if err := sig.resolve(attrs, false, nil); err != nil {
		return outline.NodeError(err, n.name, n.Type())
	}
	if err := e.setSignature(n, sig); err != nil {
		return err
	}
	n.shapes, n.handles = make([]shape.Shape, len(sig.outTypes)), nil
	return nil
}

// setSignature changes what n does, unless its edges do not fit.
func (e *Editor) setSignature(n *Node, sig *signature) error {
	old := n.sig
	_, err := n.connect(sig)
	for edge := range n.Out() {
		if err == nil && !edge.IsControl() {
			err = checkEdge(edge.To.Op, edge.To.Index, edge.From)
		}
	}
	if err != nil {
		n.sig = old
	}
	return err
}

// SetDevice sets where the node ought to run, in full or in part; "" is anywhere.
func (e *Editor) SetDevice(n *Node, device string) error {
	if err := e.owns(n); err != nil {
		return err
	}
	device, err := e.g.internDevice(device)
	if err != nil {
		return outline.NodeError(err, n.name, n.Type())
	}
	n.self.device = device
	return nil
}

// Rename returns the node a name that is not in use.
func (e *Editor) Rename(n *Node, name string) error {
	if err := e.owns(n); err != nil {
		return err
	}
	if err := checkName(name); err != nil {
		return err
	}
	n = n.self
	if other := e.g.named(name); other != nil && other != n {
		return status.Invalid("Duplicate node name in graph: '%s'", name)
	}
	delete(e.g.byName, n.name)
	n.name = name
	e.g.byName[name] = int32(n.id)
	e.g.addScopes(name)
	return nil
}

var errDone = status.Errorf(status.FailedPrecondition, "the editor has handed out its graph, so it changes nothing any more")

// without takes nodes out of a list that has no other user.
func without(list []*Node, nodes ...*Node) []*Node {
	return slices.DeleteFunc(list, func(c *Node) bool {
		return slices.ContainsFunc(nodes, func(n *Node) bool { return n.self == c })
	})
}

// owns reports whether n is a node of the copy.
func (e *Editor) owns(n *Node) error {
	switch {
	case e.done:
		return errDone
	case n == nil:
		return status.Invalid("a node to be edited is nil")
	case n.self.graph == nil:
		return status.Invalid("node '%s' has been removed", n.self.name)
	case n.self.graph != e.g:
		return status.Invalid("node '%s' is not a node of the graph that is being edited", n.self.name)
	}
	return nil
}

func (e *Editor) setInput(n *Node, i int, from Output) {
	to := Consumer{n, i}
	e.g.removeUse(Edge{n.inputs[i], to})
	n.inputs[i] = from
	e.g.addUse(Edge{from, to})
}

// waitInstead makes to wait for others in place of n. What it waits for besides, which may
// be much, is not copied: passes that replace all of a thousand nodes that one waits for
// would copy a million. The list belongs to the node of the editor's copy alone.
func (e *Editor) waitInstead(to Consumer, n *Node, others []*Node) {
	e.g.removeUse(Edge{Output{n, Control}, to})
	controls := without(to.Op.controls, n)
	for _, o := range others {
		if edge := (Edge{Output{o, Control}, to}); !e.g.hasUse(edge) {
			controls = append(controls, o)
			e.g.addUse(edge)
		}
	}
	to.Op.controls = controls
}

func (e *Editor) setControls(n *Node, change func([]*Node) []*Node) {
	to := Consumer{n, Control}
	for _, c := range n.controls {
		e.g.removeUse(Edge{Output{c, Control}, to})
	}
	n.controls = change(slices.Clone(n.controls))
	for _, c := range n.controls {
		e.g.addUse(Edge{Output{c, Control}, to})
	}
}

// NumNodes returns how many nodes there are at this moment.
func (e *Editor) NumNodes() int { return len(e.g.nodes) - e.removed }

// MaxID is more than the id of any node that there has been: for who keeps notes
// on nodes by id. Ids stay as they are until Done.
func (e *Editor) MaxID() int { return len(e.g.nodes) }
