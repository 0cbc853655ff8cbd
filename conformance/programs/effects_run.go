package programs

import (
	"fmt"

	"github.com/troupe-go/troupe/graph"
)

// Ask draws what a step asks for: outputs by way of an Identity or as they are, nodes as
// targets, and nodes that wait for others. It adds nodes to the graph.
func (e *Effects) Ask() Ask {
	a := Ask{Want: make([]int32, len(e.handles))}
	root := &effectRun{body: e.root, times: 1, want: a.Want}
	root.arg = func(int) {}
	for range e.src.Int("asked", 1, 3) {
		k := e.src.Int("item", 0, len(e.root.items)-1)
		n, it := e.nodes[k], e.root.items[k]
		how := e.src.Int("how", 0, 4)
		if it.node == nil || it.node.outs == 0 {
			how = min(how, 1)
		}
		i := 0
		if how > 1 {
			i = e.src.Int("output", 0, it.node.outs-1)
		}
		at := i
		if it.node != nil && it.node.kind == effectWhile {
			at++
		}
		switch how {
		case 0: // the node
			a.Targets = append(a.Targets, n)
			root.all(k)
		case 1: // who waits for it
			a.Targets = append(a.Targets, e.add(e.Graph, "NoOp", "", nil, []*graph.Node{n}))
			root.wait(k)
		case 2: // an output, and so the node
			a.Fetches = append(a.Fetches, n.Output(at))
			root.all(k)
		default: // what takes an output
			a.Fetches = append(a.Fetches, e.add(e.Graph, "Identity", "", nil, n.Output(at)).Output(0))
			root.node(k).out(i)
		}
	}
	return a
}

// An effectRun is a body where it is written, and what of it has been asked for. What is
// pruned is known before any condition is, so a branch that does not run, or a body of
// a loop without turns, runs 0 times, and asks for its arguments all the same.
type effectRun struct {
	body   *effectBody
	times  int32
	entire bool // all that is stateful runs
	called bool // a part of what a PartitionedCall does
	want   []int32
	arg    func(i int) // asks for an argument
	done   map[int]bool
	nodes  map[int]*effectNodeRun
}

// item asks for an assignment.
func (r *effectRun) item(k int) {
	if r.done[k] {
		return
	}
	if r.done == nil {
		r.done = map[int]bool{}
	}
	r.done[k] = true
	it := r.body.items[k]
	r.waits(it.after)
	r.want[it.counter] += r.times
}

// wait asks for what runs before a node that waits for an item.
func (r *effectRun) wait(k int) {
	if r.body.items[k].node == nil {
		r.item(k)
	} else {
		r.node(k).end()
	}
}

func (r *effectRun) waits(items []int) {
	for _, k := range items {
		r.wait(k)
	}
}

// all asks for an item with all its outputs.
func (r *effectRun) all(k int) {
	r.wait(k)
	if it := r.body.items[k]; it.node != nil {
		for i := range it.node.outs {
			r.node(k).out(i)
		}
	}
}

func (r *effectRun) value(v effectValue) {
	if v.item == effectArg {
		r.arg(v.index)
	} else {
		r.node(v.item).out(v.index)
	}
}

func (r *effectRun) result(i int) {
	r.waits(r.body.results[i].after)
	r.value(r.body.results[i].value)
}

// everything asks for all results and control outputs, and, of a body that runs
// entirely, all items.
func (r *effectRun) everything() {
	for i := range r.body.results {
		r.result(i)
	}
	r.waits(r.body.listed)
	if r.entire {
		for k := range r.body.items {
			r.wait(k)
		}
	}
}

// An effectNodeRun is a node in a body where that is written.
type effectNodeRun struct {
	in     *effectRun
	node   *effectNode
	item   effectItem
	bodies []*effectRun
	begun  bool
	whole  bool
	vars   map[int]bool // of a loop: asked for
}

func (r *effectRun) node(k int) *effectNodeRun {
	if n := r.nodes[k]; n != nil {
		return n
	}
	n := &effectNodeRun{in: r, node: r.body.items[k].node, item: r.body.items[k], vars: map[int]bool{}}
	if n.node == nil {
		panic(fmt.Sprintf("programs: item %d of %s is no node", k, r.body.name))
	}
	for i, b := range n.node.bodies {
		inner := &effectRun{body: b, want: r.want, entire: n.entire(), called: n.node.kind == effectCall || n.parted() && r.called}
		inner.arg = func(i int) { n.arg(i) }
		switch {
		case n.node.kind == effectWhile && i == 0:
			inner.times = r.times * int32(n.node.chosen)
		case n.node.kind == effectWhile:
			inner.times = r.times * int32(n.node.chosen+1)
			inner.called = false
		case i == n.node.chosen:
			inner.times = r.times
		}
		n.bodies = append(n.bodies, inner)
	}
	if r.nodes == nil {
		r.nodes = map[int]*effectNodeRun{}
	}
	r.nodes[k] = n
	return n
}

// parted reports whether the node runs in parts.
func (n *effectNodeRun) parted() bool {
	return n.node.kind <= effectWhile && n.node.marked && !n.in.entire
}

// entire reports whether all of its bodies runs.
func (n *effectNodeRun) entire() bool { return n.node.kind != effectCall && !n.parted() }

// within reports whether it is a call that is a part of another.
func (n *effectNodeRun) within() bool { return n.node.kind == effectCall && n.in.called }

// begin asks for what comes before anything of the node.
func (n *effectNodeRun) begin() {
	if n.begun {
		return
	}
	n.begun = true
	n.in.waits(n.item.after)
	if !n.parted() {
		for _, v := range n.node.args {
			n.in.value(v)
		}
	}
	if n.parted() && n.node.kind == effectWhile {
		n.bodies[1].waits(n.bodies[1].body.results[0].after)
		n.bodies[0].waits(n.bodies[0].body.listed) // before each next turn
	}
}

// arg asks for an argument of a body.
func (n *effectNodeRun) arg(i int) {
	switch {
	case !n.parted(): // it is there
	case n.node.kind == effectWhile:
		n.out(i)
	default:
		n.in.value(n.node.args[i])
	}
}

// out asks for an output.
func (n *effectNodeRun) out(i int) {
	n.begin()
	switch {
	case n.within():
		n.bodies[0].result(i)
		n.bodies[0].waits(n.bodies[0].body.listed)
	case !n.parted():
		n.all()
	case n.node.kind == effectWhile:
		if !n.vars[i] {
			n.vars[i] = true
			n.in.value(n.node.args[i])
			n.bodies[0].result(i)
		}
	default:
		for _, b := range n.bodies {
			b.result(i)
		}
	}
}

// end asks for what runs before a node that waits for this one.
func (n *effectNodeRun) end() {
	n.begin()
	switch {
	case n.within():
		n.bodies[0].waits(n.bodies[0].body.listed)
	case !n.parted():
		n.all()
	case n.node.kind == effectWhile:
		for i := range n.node.outs {
			n.out(i)
		}
	default:
		for _, b := range n.bodies {
			b.waits(b.body.listed)
		}
	}
}

func (n *effectNodeRun) all() {
	if n.whole {
		return
	}
	n.whole = true
	for _, b := range n.bodies {
		b.everything()
	}
}
