package partition

import (
	"container/heap"

	"github.com/troupe-go/troupe/graph"
)

// Receives that are set off as soon as what they receive is there fill a device's memory
// with what it needs later. So a Recv waits until its device has come near to who wants
// it: for an operation that is to run a few places before, by estimated start times.
//
// The estimate plays the program with each device doing one operation at a time, each as
// long as any other. The order in which nodes start there is one that the program's edges
// allow, and every edge that is added goes forward in it. So no circle comes about,
// however wrong the times are.
//
// A loop counts as one place: whatever leaves it comes after whatever enters it, since
// what goes round in it may tie any of these to any other. Within loops nothing is
// delayed, and in programs that have no such order nothing at all.

// ahead is how many operations before its first taker a Recv is set off, of n that its
// device has: two, so that one copy is under way while the one before is used, or a
// sixteenth of all.
func ahead(n int) int { return max(2, n/16) }

// delay schedules what is received on devices for which Late asks.
func (s *splitter) delay() error {
	if s.Late == nil {
		return nil
	}
	var late []receipt
	for _, r := range s.received {
		if s.Late(r.to) && s.frameOf[r.from.Op] == 0 {
			late = append(late, r)
		}
	}
	if len(late) == 0 {
		return nil
	}
	order, err := s.startOrder()
	if err != nil || order == nil {
		return err
	}
	at := make(map[*graph.Node]int, len(order)) // how many operations of its device start before
	works := make([][]*graph.Node, len(s.Devices))
	for _, n := range order {
		d := s.device[n]
		at[n] = len(works[d])
		if n.Class() == graph.ClassOther && s.frameOf[n] == 0 && !isAdded(n) {
			works[d] = append(works[d], n)
		}
	}
	triggers := map[*graph.Node]*graph.Node{}
	for _, r := range late {
		first := len(works[r.to])
		for _, t := range r.takers {
			first = min(first, at[t.Op])
		}
		if first -= ahead(len(works[r.to])); first < 0 {
			continue
		}
		after := works[r.to][first]
		trigger := triggers[after]
		if trigger == nil { // which lives, though the operation does not
			if trigger, err = s.add(r.to, after, graph.OpSpec{Type: "ControlTrigger", Name: after.Name() + "/late", ControlDependencies: []*graph.Node{after}}); err != nil {
				return err
			}
			triggers[after] = trigger
		}
		if err := s.AddControl(r.recv, trigger); err != nil {
			return err
		}
	}
	return nil
}

// A receipt is a Recv of data, with who takes it.
type receipt struct {
	*group
	recv *graph.Node
}

// startOrder is the nodes by estimated start times, inputs before consumers; nil if there
// is no order in which loops are entered before they are left.
func (s *splitter) startOrder() ([]*graph.Node, error) {
	nodes := s.Nodes()
	at := make(map[*graph.Node]int, len(nodes))
	for i, n := range nodes {
		at[n] = i
	}
	// Behind the nodes comes one for each loop that is in no other.
	loops := make([]int, len(s.frames))
	total := len(nodes)
	for f := range s.frames {
		switch p := s.frames[f].Parent; {
		case p == 0:
			loops[f] = total
			total++
		case p > 0: // frames come after those around them
			loops[f] = loops[p]
		}
	}
	next, open := make([][]int, total), make([]int, total)
	edge := func(from, to int) {
		next[from] = append(next[from], to)
		open[to]++
	}
	for i, n := range nodes {
		if err := s.watch.Steps(1 + n.NumInputs()); err != nil {
			return nil, err
		}
		for k, from := range n.Inputs() {
			if !n.IsBackEdge(k) {
				edge(at[from.Op], i)
			}
		}
		for _, c := range n.Controls() {
			edge(at[c], i)
		}
		switch f := s.frameOf[n]; {
		case n.Class() == graph.ClassEnter && f != 0:
			edge(i, loops[f])
		case n.Class() == graph.ClassExit && f == 0:
			if l := loops[s.frameOf[n.Inputs()[0].Op]]; l != 0 {
				edge(l, i)
			}
		}
	}
	ready := make(agenda, 0, total)
	for i := range open {
		if open[i] == 0 {
			ready = append(ready, start{node: i})
		}
	}
	heap.Init(&ready)
	free, begins := make([]int64, len(s.Devices)), make([]int64, total)
	order := make([]*graph.Node, 0, len(nodes))
	done := 0
	for ; len(ready) > 0; done++ {
		if err := s.watch.Step(); err != nil {
			return nil, err
		}
		e := heap.Pop(&ready).(start)
		ends := e.time
		if e.node < len(nodes) {
			n := nodes[e.node]
			order = append(order, n)
			if n.Class() == graph.ClassOther {
				d := s.device[n]
				free[d] = max(free[d], e.time) + 1
				ends = free[d]
			}
		}
		for _, to := range next[e.node] {
			begins[to] = max(begins[to], ends)
			if open[to]--; open[to] == 0 {
				heap.Push(&ready, start{begins[to], to})
			}
		}
	}
	if done < total {
		return nil, nil
	}
	return order, nil
}

// A start is a node, and when all that it waits for has come.
type start struct {
	time int64
	node int
}

// An agenda has the earliest start first.
type agenda []start

func (a agenda) Len() int { return len(a) }

func (a agenda) Less(i, j int) bool {
	if a[i].time != a[j].time {
		return a[i].time < a[j].time
	}
	return a[i].node < a[j].node
}

func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

func (a *agenda) Push(x any) { *a = append(*a, x.(start)) }

func (a *agenda) Pop() any {
	last := len(*a) - 1
	e := (*a)[last]
	*a = (*a)[:last]
	return e
}
