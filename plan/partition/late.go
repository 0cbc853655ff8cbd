package partition

import (
	"cmp"
	"container/heap"
	"slices"

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
// what goes round in it may tie any of these to any other. Programs that have no such order
// are left as they are.
//
// That is not enough within loops, where a node need not act in each iteration, and in
// programs of which a node may wait for what no edge says. There a Recv waits only for what
// all who take it wait for anyhow. Then nobody but the Recv waits for anything new, so
// nothing that went on before does not go on.

// ahead returns how many operations before its first taker a Recv is set off, of n that its
// device has: two, so that one copy is under way while the one before is used, or a
// sixteenth of all.
func ahead(n int) int { return max(2, n/16) }

// A lane is what a device does in a frame.
type lane struct{ device, frame int }

// delay schedules what is received on devices for which Late asks.
func (s *splitter) delay() error {
	if s.Late == nil || !slices.ContainsFunc(s.received, func(r receipt) bool { return s.Late(r.to) }) {
		return nil
	}
	order, err := s.startOrder()
	if err != nil || order == nil {
		return err
	}
	place := make(map[*graph.Node]int, len(order)) // in the order
	works := map[lane][]*graph.Node{}
	for i, n := range order {
		place[n] = i
		if isWork(n) {
			l := lane{s.device[n], s.frameOf[n]}
			works[l] = append(works[l], n)
		}
	}
	triggers := map[*graph.Node]*graph.Node{}
	for _, r := range s.received {
		if !s.Late(r.to) {
			continue
		}
		if err := s.watch.Step(); err != nil {
			return err
		}
		l := lane{r.to, s.frameOf[r.from.Op]}
		first := len(works[l])
		for _, t := range r.takers {
			before, _ := slices.BinarySearchFunc(works[l], place[t.Op], func(n *graph.Node, p int) int { return cmp.Compare(place[n], p) })
			first = min(first, before)
		}
		if first -= ahead(len(works[l])); first < 0 {
			continue
		}
		after := works[l][first]
		if s.Waits || l.frame != 0 {
			by := place[after]
			if after = s.awaited(r, place, func(n *graph.Node) bool { return isWork(n) && place[n] <= by }); after == nil {
				continue
			}
		}
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

// isWork reports whether a node is an operation of the program.
func isWork(n *graph.Node) bool { return n.Class() == graph.ClassOther && !isAdded(n) }

// farthest is how many nodes awaited looks at, for each taker, so that all takes linear time.
const farthest = 256

// awaited returns the last node that is good of those for which all takers of a receipt are found
// to wait in each iteration besides; nil if none is. Of what a node waits for it looks at
// what comes last on the device.
func (s *splitter) awaited(r receipt, place map[*graph.Node]int, good func(*graph.Node) bool) (n *graph.Node) {
	frame := s.frameOf[r.from.Op]
	last := func(of *graph.Node) (last *graph.Node) {
		if of.Class() == graph.ClassMerge { // which waits for one input, and not for all
			return nil
		}
		graph.InputNodes(of, func(from *graph.Node) {
			if s.device[from] == r.to && s.frameOf[from] == frame && !isAdded(from) && (last == nil || place[from] > place[last]) {
				last = from
			}
		})
		return last
	}
	for i, t := range r.takers {
		if s.frameOf[t.Op] != frame {
			return nil
		}
		other := last(t.Op)
		if i == 0 {
			n = other
		}
		for steps := 0; n != other; steps++ { // up to what both wait for
			switch {
			case n == nil || other == nil || steps == farthest:
				return nil
			case place[n] > place[other]:
				n = last(n)
			default:
				other = last(other)
			}
		}
	}
	for steps := 0; n != nil && !good(n); steps++ {
		if steps == farthest {
			return nil
		}
		n = last(n)
	}
	return n
}

// A receipt is a Recv of data, with who takes it.
type receipt struct {
	*group
	recv *graph.Node
}

// startOrder returns the nodes by estimated start times, inputs before consumers; nil if there
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
