package graph

import (
	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
)

// An inference infers one call and, as they are met, those within it. It has a
// stack of its own: calls may be within one another to any depth.
type inference struct {
	allowance *library      // whose credit is spent
	watch     *status.Watch // nil: nobody waits
	stack     []*activation // each called by the one before
	open      map[openCall]bool
	bodies    map[*Body]int // how many of the activations are of a body
}

// An openCall is a body that is being inferred, and the shapes of its arguments.
type openCall struct {
	body   *Body
	shapes string
}

// An answer is what is known of the outputs of a call.
type answer struct {
	shapes  []shape.Shape
	handles [][]shape.HandleData
	err     error
	levels  int  // see inferredCall
	cut     bool // less was found than there is to know
}

// outermost returns what is known of the outputs of a call of f in a graph.
func (i *inference) outermost(c *call, f *registry.Func) answer {
	a, found := i.begin(c, f)
	if a == nil {
		return found
	}
	return c.answer(i.run(a), a.cut)
}

// begin returns what can be said of a call without a look into the body, or else the
// activation of the body that is to be run.
func (i *inference) begin(c *call, f *registry.Func) (*activation, answer) {
	if c.library.Find(f.Name) == nil {
		shapes, handles, err := c.inferrer.Infer(c.node)
		return nil, answer{shapes: shapes, handles: handles, err: err}
	}
	body, err := c.library.instantiate(f, i.watch)
	if err != nil {
		return nil, answer{shapes: c.unknown(), err: err}
	}
	a := newActivation(body, c)
	if err := a.checkCounts(); err != nil {
		return nil, answer{shapes: c.unknown(), err: err}
	}
	a.shapes = a.key()
	if r := body.calls.find(a.shapes, a); r != nil {
		return nil, c.answer(r, false)
	}
	if c.in == nil {
		i.allowance.grant(creditOfCall)
	}
	if i.open[openCall{body, a.shapes}] || i.bodies[body] == maxOpen || !i.allowance.pay(len(body.nodes)) {
		return nil, answer{shapes: c.unknown(), cut: true}
	}
	return a, answer{}
}

// answer returns what a result says of the outputs of the call.
func (c *call) answer(r *inferredCall, cut bool) answer {
	a := answer{shapes: c.unknown(), handles: r.handles, err: r.err, levels: r.levels, cut: cut}
	copy(a.shapes, r.results)
	return a
}

// run infers all nodes of an activation, and of those that it calls.
func (i *inference) run(a *activation) *inferredCall {
	i.open, i.bodies = map[openCall]bool{}, map[*Body]int{}
	i.push(a)
	for {
		a := i.stack[len(i.stack)-1]
		if within := i.advance(a); within != nil {
			i.push(within)
			continue
		}
		r := i.pop()
		if len(i.stack) == 0 {
			return r
		}
		i.stack[len(i.stack)-1].take(a.call.answer(r, a.cut))
	}
}

// push begins an activation.
func (i *inference) push(a *activation) {
	i.stack = append(i.stack, a)
	i.open[openCall{a.body, a.shapes}] = true
	i.bodies[a.body]++
	a.nodes = make([]activeNode, len(a.body.nodes))
	for k, n := range a.body.nodes {
		a.nodes[k] = activeNode{Node: n, in: a}
	}
}

// advance infers nodes of an activation up to a call into whose body it must
// look, which it returns, or else to the end.
func (i *inference) advance(a *activation) *activation {
	for a.next < len(a.nodes) && a.failed.err == nil {
		if err := i.watch.Step(); err != nil {
			a.failed, a.cut = answer{err: err}, true
			return nil
		}
		n := &a.nodes[a.next]
		f := n.inferredCallee()
		if f == nil {
			a.take(a.infer(n))
			continue
		}
		within, found := i.begin(&call{node: n, inferrer: &a.inferrer, library: n.graph.library, in: a}, f)
		if within != nil {
			return within
		}
		a.take(found)
	}
	return nil
}

// pop ends the innermost activation. What it has found is kept unless something
// was cut off: what is depends on the calls around it, and so counts for an
// outermost call only.
func (i *inference) pop() *inferredCall {
	a := i.stack[len(i.stack)-1]
	i.stack = i.stack[:len(i.stack)-1]
	delete(i.open, openCall{a.body, a.shapes})
	i.bodies[a.body]--
	r := &inferredCall{asked: a.asked, err: a.failed.err, levels: a.failed.levels}
	if r.err == nil {
		r.results, r.handles = a.results()
	}
	if r.err != nil && i.watch.Ask() != nil {
		return r // somebody else may have more time
	}
	if a.call != nil && (!a.cut || a.call.in == nil) {
		a.body.calls.keep(a.shapes, r)
	}
	return r
}

// take notes what is known of the next node's outputs. An error says which
// bodies it came through, the innermost ones.
func (a *activation) take(found answer) {
	n := &a.nodes[a.next]
	if err := found.err; err != nil {
		if found.levels++; found.levels <= maxNamed {
			found.err = status.Within(outline.NodeError(err, n.name, n.Type()), "function '%s'", a.body.Name)
		}
		a.failed = found
		return
	}
	n.shapes, n.handles, n.done = found.shapes, found.handles, true
	a.cut = a.cut || found.cut
	a.next++
}
