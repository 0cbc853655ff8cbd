package partition

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A frame is a loop of the program that is split. The first is the root.
type frame struct {
	graph.Frame
	cond     *graph.Node  // its LoopCond; nil if it has none
	parallel int64        // parallel_iterations
	drives   map[int]bool // devices that have a NextIteration of it
}

// A controlLoop sets off, in each iteration of a frame, what is received on a device.
type controlLoop struct {
	merge       *graph.Node
	enter, next *graph.Node // set off what comes in the first iteration alone, and in all others
}

// A phase says in which iterations of its frame a node acts.
type phase uint8

const (
	always phase = iota
	first        // it waits for an Enter that is not constant
	later        // it waits for a NextIteration
)

// trigger returns the node that sets off what is received of a phase.
func (l *controlLoop) trigger(p phase) *graph.Node {
	switch p {
	case first:
		return l.enter
	case later:
		return l.next
	}
	return l.merge
}

// findPhases finds when nodes in frames act, given inputs before consumers.
func (s *splitter) findPhases(nodes []*graph.Node) {
	for _, n := range nodes {
		switch n.Class() {
		case graph.ClassMerge, graph.ClassExit:
		case graph.ClassEnter:
			if c := n.Attrs().Find("is_constant"); c == nil || !c.B {
				s.phases[n] = first
			}
		case graph.ClassNextIteration:
			s.phases[n] = later
		default:
			graph.InputNodes(n, func(from *graph.Node) {
				if p := s.phases[from]; p != always {
					s.phases[n] = p
				}
			})
		}
	}
}

// findFrames finds the frame of what each node puts out.
func (s *splitter) findFrames() error {
	nodes := s.Nodes()
	at := make(map[*graph.Node]int, len(nodes))
	control := false
	for i, n := range nodes {
		at[n] = i
		control = control || n.Class() == graph.ClassEnter
	}
	s.frames = []frame{{Frame: graph.Frame{Parent: -1}}}
	if !control {
		return nil
	}
	found, err := graph.FrameAnalysis{
		Watch: s.watch,
		Nodes: len(nodes),
		Inputs: func(i int, yield func(int)) {
			graph.InputNodes(nodes[i], func(from *graph.Node) { yield(at[from]) })
		},
		Kind:      func(i int) graph.FrameKind { return nodes[i].Class().FrameKind() },
		FrameName: func(i int) string { return nodes[i].FrameName() },
		Name:      func(i int) string { return nodes[i].Name() },
	}.Run()
	if err != nil {
		return err
	}
	for _, f := range found.Frames[1:] {
		s.frames = append(s.frames, frame{Frame: f, drives: map[int]bool{}})
	}
	s.frameOf, s.phases = map[*graph.Node]int{}, map[*graph.Node]phase{}
	s.findPhases(nodes)
	for i, n := range nodes {
		if f := found.Out(i, n.Class().FrameKind()); f > 0 {
			s.frameOf[n] = f
		}
		switch f := &s.frames[found.FrameOf[i]]; n.Class() {
		case graph.ClassLoopCond:
			f.cond = n
		case graph.ClassNextIteration:
			if f.drives != nil {
				f.drives[s.device[n]] = true
			}
		case graph.ClassEnter:
			e := &s.frames[found.Entered[i]]
			if e.parallel == 0 {
				e.parallel = n.Attrs().Find("parallel_iterations").I
			}
		}
	}
	return nil
}

// addLoops adds the control loops that the crossings need, and the crossings that the
// loops need.
func (s *splitter) addLoops() error {
	for k := 0; k < len(s.order); k++ { // loops add crossings
		g := s.order[k]
		f := s.frameOf[g.from.Op]
		if f == 0 {
			continue
		}
		if _, err := s.loop(place{f, g.to}, g.from.Op); err != nil {
			return err
		}
	}
	// A device may send within a frame though nothing of the frame goes round there.
	for k := 0; k < len(s.order); k++ {
		from := s.order[k].from.Op
		for f := s.frameOf[from]; f > 0; f = s.frames[f].Parent {
			p := place{f, s.device[from]}
			if s.frames[f].drives[p.device] || s.loops[p] != nil {
				continue
			}
			if _, err := s.loop(p, from); err != nil {
				return err
			}
		}
	}
	return nil
}

// loop returns the control loop of a place, made for the sake of a node when it is first
// asked for.
func (s *splitter) loop(p place, of *graph.Node) (*controlLoop, error) {
	if l := s.loops[p]; l != nil {
		return l, nil
	}
	f := &s.frames[p.frame]
	if f.cond == nil {
		return nil, status.Invalid("A cross-device loop must have a pivot predicate: %s", f.Name)
	}
	var seed graph.Output
	if f.Parent == 0 {
		nothing, err := tensor.New(tensor.Float, 0)
		if err != nil {
			return nil, err
		}
		c, err := s.add(p.device, of, graph.OpSpec{Type: "Const", Attrs: graph.Attrs{"value": nothing, "dtype": tensor.Float}})
		if err != nil {
			return nil, err
		}
		seed = c.Output(0)
	} else {
		outer, err := s.loop(place{f.Parent, p.device}, of)
		if err != nil {
			return nil, err
		}
		seed = outer.merge.Output(0)
	}
	name := "_cloop" + of.Name()
	enter, err := s.add(p.device, of, graph.OpSpec{Type: "Enter", Name: name, Input: []graph.Input{seed}, Attrs: graph.Attrs{"frame_name": f.Name, "parallel_iterations": max(f.parallel, 1), "is_constant": false}})
	if err != nil {
		return nil, err
	}
	start := enter.Output(0)
	merge, err := s.add(p.device, of, graph.OpSpec{Type: "Merge", Name: name, Input: []graph.Input{graph.OutputList{start, start}}})
	if err != nil {
		return nil, err
	}
	sw, err := s.add(p.device, of, graph.OpSpec{Type: "Switch", Name: name, Input: []graph.Input{merge.Output(0), f.cond.Output(0)}})
	if err != nil {
		return nil, err
	}
	next, err := s.add(p.device, of, graph.OpSpec{Type: "NextIteration", Name: name, Input: []graph.Input{sw.Output(1)}})
	if err != nil {
		return nil, err
	}
	if err := s.SetInput(merge, 1, next.Output(0)); err != nil {
		return nil, err
	}
	for _, n := range []*graph.Node{enter, merge, sw, next} {
		s.frameOf[n] = p.frame
	}
	l := &controlLoop{merge, enter, next}
	s.loops[p] = l
	if s.device[f.cond] != p.device {
		s.want(f.cond.Output(0), graph.Consumer{Op: sw, Index: 1})
	}
	return l, nil
}
