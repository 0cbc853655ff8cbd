package nodes

import (
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/nodes/kind"
)

// Node returns the number of the node of that name, from 0 to [Program.NumNodes]-1; -1 if the
// program has none. Names are those of the graph's nodes; a feed is "_arg_x:0", a
// fetch "_retval_y:0".
func (p *Program) Node(name string) int {
	p.naming.Do(func() {
		p.byName = make(map[string]int32, len(p.nodes))
		for i := range p.nodes {
			p.byName[p.name(int32(i))] = int32(i)
		}
	})
	if i, ok := p.byName[name]; ok {
		return int(i)
	}
	return -1
}

// A NodeReport says what one node of a step is doing.
type NodeReport struct {
	Node, Op string
	// Unit says that the node is played as a part of a unit, a loop or a whole
	// program, and has no inputs of its own.
	Unit   bool
	States []NodeState // by iteration, of those alive, outer ones first
}

// A NodeState is a node's in one iteration.
type NodeState struct {
	Tag     string // frame and iteration; "" in the root frame
	Ready   bool   // it may act
	Running bool   // its kernel runs or waits
	Acted   bool
	Inputs  []InputState
}

// An InputState is what an edge of a node has brought in one iteration.
type InputState struct {
	From  string // the producer: "x:0", "^init"
	State Arrival
}

// An Arrival says what has come along an edge.
type Arrival uint8

const (
	Missing Arrival = iota // nothing yet
	Live                   // a value, or a live control edge
	Dead
	Used    // it came, and the node has acted on it
	Unknown // it came or will not come: the frame that it comes from has gone on
)

// String returns one word.
func (a Arrival) String() string {
	return [...]string{"missing", "live", "dead", "used", "unknown"}[a]
}

// ReportNode reports what node i is doing, in at most limit of the iterations alive.
// Only the goroutine that drives the step may ask.
func (s *Step) ReportNode(i, limit int) NodeReport {
	at := int32(i)
	n := &s.p.nodes[at]
	r := NodeReport{Node: s.p.name(at), Op: s.p.op(at)}
	root := s.frames.Root()
	if root == nil {
		r.Unit = true
		if s.unit != nil && s.unit.At() == at {
			r.States = []NodeState{{Tag: s.unitTag(), Running: true}}
		}
		return r
	}
	if s.unit != nil && s.unit.At() == at {
		r.Unit = true
		r.States = append(r.States, NodeState{Tag: s.unitTag(), Running: true})
	}
	for _, a := range s.handed {
		if a.awaited != nil && a.node == at && len(r.States) < limit {
			r.Unit = true
			r.States = append(r.States, NodeState{Tag: a.awaited.of.tag(), Running: true})
		}
	}
	// The way from the root down to the node's frame.
	var way []int32
	for f := n.frame; f > 0; f = int32(s.p.statics[f].Parent) {
		way = append(way, f)
	}
	alive := []*frames.Iteration{root}
	for k := len(way) - 1; k >= 0; k-- {
		var next []*frames.Iteration
		for _, it := range alive {
			f := it.Child(s.p.statics[way[k]])
			if f == nil {
				continue
			}
			for j := range f.Alive() {
				if len(next) < limit {
					next = append(next, f.At(j))
				}
			}
		}
		alive = next
	}
	for _, it := range alive {
		r.States = append(r.States, s.nodeState(it, at))
	}
	return r
}

// nodeState returns a node's state in one iteration.
func (s *Step) nodeState(it *frames.Iteration, i int32) NodeState {
	n := &s.p.nodes[i]
	st := NodeState{Tag: it.Tag()}
	st.Ready, st.Running, st.Acted = s.progress(it, i)
	for k, from := range s.p.sources[i] {
		in := InputState{From: s.p.producer(from).name}
		switch live := from.port >= 0 && !it.Inputs[n.in+int32(k)].IsZero(); {
		case st.Acted:
			in.State = Used
		case live:
			in.State = Live
		default:
			in.State = s.sent(it, from)
		}
		st.Inputs = append(st.Inputs, in)
	}
	return st
}

// progress reports how far a node has come in an iteration.
func (s *Step) progress(it *frames.Iteration, i int32) (ready, running, acted bool) {
	if !complete(it.Pending[s.p.nodes[i].local]) {
		return false, false, false
	}
	for _, a := range s.handed {
		if a.it == it && a.node == i {
			return false, true, false
		}
	}
	for _, a := range s.ready.buf[s.ready.head:] {
		if a.it == it && a.node == i {
			return true, false, false
		}
	}
	if s.held.it == it && s.held.node == i {
		return true, false, false
	}
	return false, false, true
}

// sent reports what a producer has sent to an iteration along an edge whose slot is
// empty: what is not there is dead, or has not come.
func (s *Step) sent(it *frames.Iteration, from source) Arrival {
	p := &s.p.nodes[from.node]
	if p.kind == kind.Enter || p.kind == kind.Exit || p.kind == kind.Next {
		return s.sentAcross(it, from)
	}
	pending := it.Pending[p.local]
	if _, _, acted := s.progress(it, from.node); !acted {
		return Missing
	}
	if from.port >= 0 { // alive it would be there
		return Dead
	}
	switch p.kind {
	case kind.Trigger, kind.Arg:
		return Live
	case kind.Merge:
		return Unknown // its control edges may have been dead, and it alive
	}
	if died(pending) {
		return Dead
	}
	return Live
}

// sentAcross is sent for a producer of another iteration.
func (s *Step) sentAcross(it *frames.Iteration, from source) Arrival {
	p := &s.p.nodes[from.node]
	switch p.kind {
	case kind.Enter:
		outer := it.Frame.Parent
		if outer == nil {
			return Unknown
		}
		if p.flags&flagConstant == 0 && it.Index > 0 {
			return Unknown // it comes to the first iteration alone
		}
		if _, _, acted := s.progress(outer, from.node); !acted {
			return Missing
		}
		if from.port >= 0 || died(outer.Pending[p.local]) {
			return Dead
		}
		return Live
	case kind.Next:
		if it.Index == 0 {
			return Unknown // nothing comes to the first iteration
		}
	case kind.Exit:
		if it.Child(s.p.statics[p.frame]) == nil && s.entered(it, p.frame) {
			if from.port >= 0 {
				return Dead
			}
			return Unknown
		}
	}
	return Missing
}

// entered reports whether every Enter of a frame has acted in the iteration.
func (s *Step) entered(it *frames.Iteration, frame int32) bool {
	for _, i := range s.p.members[it.Frame.Static.Index] {
		if n := &s.p.nodes[i]; n.kind == kind.Enter && n.aux == frame {
			if _, _, acted := s.progress(it, i); !acted {
				return false
			}
		}
	}
	return true
}
