package race

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/sorted"
)

// An Access is an operation and what it does to an object.
type Access struct {
	Node *graph.Node // of the graph in which functions are laid out
	Mode Mode
}

// A Race is two accesses of an object that nothing orders.
type Race struct {
	Object Object
	A, B   Access // the same node if it races with itself in other iterations
	// Loop is the frame in different iterations of which the two are not ordered, if
	// they are within one iteration, or there is but one; else "".
	Loop string
}

// String returns the race in words.
func (r Race) String() string {
	where := ""
	if r.Loop != "" {
		where = fmt.Sprintf(" in another iteration of %q", r.Loop)
	}
	if r.A.Node == r.B.Node {
		return fmt.Sprintf("%s: %s (%s) %s%s, and nothing orders them", r.Object.Name, r.A.Node.Name(), r.A.Node.Type(), r.A.Mode, iterations(r.Loop))
	}
	return fmt.Sprintf("%s: %s (%s) %s, and %s (%s) %s%s, and nothing orders them",
		r.Object.Name, r.A.Node.Name(), r.A.Node.Type(), r.A.Mode, r.B.Node.Name(), r.B.Node.Type(), r.B.Mode, where)
}

func iterations(loop string) string { return fmt.Sprintf(" in several iterations of %q", loop) }

// Most is how many races are found of one program: a variable that 50,000 operations
// assign has a billion.
const Most = 10_000

// Find finds the races of a program, each pair of operations once for an object, in
// the order of objects' names and of nodes; of more than Most any so many. The time is linear in the program for each
// access that changes something. It fails with INVALID_ARGUMENT if the step has no
// meaning (a fetch that is not there, inputs from different frames), and soon after
// ctx has ended.
func Find(ctx context.Context, p Program) ([]Race, error) { return find(ctx, p, false) }

// Unordered finds what [Find] does, and also the pairs whose order Find takes not to
// matter: sums in floating point, which it may change in the last bits; putting into a
// queue and taking out, of which the first to come may wait; and reading what is only
// forwarded. What a reference holds that is fetched is no access, as it is read when the
// step has ended. So two operations that are no such pair, and touch no object beside
// those that are known, lead to the same state in both orders, if both orders there are.
func Unordered(ctx context.Context, p Program) ([]Race, error) { return find(ctx, p, true) }

func find(ctx context.Context, p Program, strict bool) ([]Race, error) {
	q, err := layOut(ctx, p)
	if err != nil {
		return nil, err
	}
	q.strict = strict
	objects, refs, err := q.objects()
	if err != nil {
		return nil, err
	}
	list, err := q.accesses(objects, refs)
	if err != nil {
		return nil, err
	}
	conditions, err := q.conditions()
	if err != nil {
		return nil, err
	}
	f := &finder{program: q, walk: newWalk(q), conditions: conditions, loops: q.loops()}
	for i, o := range objects {
		if err := f.object(o, list[i]); err != nil {
			return nil, err
		}
		if len(f.races) >= Most {
			f.races = f.races[:Most]
			break
		}
	}
	sorted.Stably(f.races, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.Object.Name, b.Object.Name), cmp.Compare(a.A.Node.ID(), b.A.Node.ID()), cmp.Compare(a.B.Node.ID(), b.B.Node.ID()))
	})
	return f.races, nil
}

// loops reports which frames have iterations that may run at once.
func (p *program) loops() []bool {
	list := make([]bool, len(p.frames.Frames))
	for i, n := range p.nodes {
		if n.Class() == graph.ClassNextIteration {
			list[p.frames.FrameOf[i]] = true
		}
	}
	for i, n := range p.nodes {
		if n.Class() != graph.ClassEnter {
			continue
		}
		if v, err := n.Attr("parallel_iterations"); err == nil && v == int64(1) {
			list[p.frames.Entered[i]] = false
		}
	}
	return list
}

// A finder compares accesses.
type finder struct {
	*program
	walk       *walk
	conditions [][]literal
	loops      []bool // by frame
	races      []Race
}

// object compares the accesses of one object with each that changes it.
func (f *finder) object(o Object, list []access) error {
	var reported map[[2]int32]bool
	for i, a := range list {
		if err := f.watch.Steps(1 + len(list)/16); err != nil {
			return err
		}
		if len(f.races) >= Most {
			return nil
		}
		if a.mode.looks() || !f.matters(o, a, list) {
			continue
		}
		for frame := f.frames.FrameOf[a.node]; frame >= 0; frame = f.frames.Frames[frame].Parent {
			unordered, err := f.unordered(o, a, i, list, frame)
			if err != nil {
				return err
			}
			for _, r := range unordered {
				pair := [2]int32{min(a.node, r.with.node), max(a.node, r.with.node)}
				if reported[pair] {
					continue
				}
				if reported == nil {
					reported = map[[2]int32]bool{}
				}
				reported[pair] = true
				first, second := a, r.with
				if first.node > second.node {
					first, second = second, first
				}
				race := Race{Object: o, A: Access{f.nodes[first.node], first.mode}, B: Access{f.nodes[second.node], second.mode}}
				if r.across {
					race.Loop = f.frames.Frames[frame].Name
				}
				f.races = append(f.races, race)
			}
		}
	}
	return nil
}

// matters reports whether an access conflicts with any, itself included.
func (f *finder) matters(o Object, a access, list []access) bool {
	return slices.ContainsFunc(list, func(b access) bool { return f.conflicts(o, a, b) })
}

// conflicts reports whether the order of two accesses of an object matters.
func (f *finder) conflicts(o Object, x, y access) bool {
	a, b := x.mode, y.mode
	if f.strict {
		switch {
		case a.looks() && b.looks(), a == none, b == none, a == Fetch, b == Fetch:
			return false
		case a == Add && b == Add:
			return sumsRound(f.nodes[x.node]) || sumsRound(f.nodes[y.node])
		}
		return true
	}
	return conflict(a, b) || o.heap && min(a, b) == Put && max(a, b) == Take
}

// A meeting is an access that another one is not ordered with.
type meeting struct {
	with   access
	across bool // in different iterations
}

// unordered returns the accesses with which a is in no order as seen from a frame: of
// those in one iteration, those that meet no further inside; and of those in
// different iterations.
func (f *finder) unordered(o Object, a access, at int, list []access, frame int) ([]meeting, error) {
	var near [layers][]bool // by access: a comes before it
	across := f.loops[frame] && !(o.anew && f.within(f.frames.FrameOf[f.number[o.Maker]], frame))
	for l := range near {
		near[l] = make([]bool, len(list))
	}
	if err := f.walk.run(a.node, frame, true); err != nil {
		return nil, err
	}
	for k, b := range list {
		for l := range near {
			near[l][k] = f.walk.reached(b.node, l)
		}
	}
	if err := f.walk.run(a.node, frame, false); err != nil {
		return nil, err
	}
	var found []meeting
	for k, b := range list {
		in := f.frames.FrameOf[b.node]
		if !f.within(in, frame) || !f.conflicts(o, a, b) || k < at && !b.mode.looks() {
			continue
		}
		apart := apart(f.nodes[a.node], f.nodes[b.node])
		ordered := near[0][k] || a.node == b.node || f.walk.reached(b.node, 0) && b.mode != Fetch
		if f.common(f.frames.FrameOf[a.node], in) == frame && !ordered && !apart &&
			!exclusive(f.conditions[a.node], f.conditions[b.node], func(c int) bool { return f.within(frame, c) }) {
			found = append(found, meeting{with: b})
			continue
		}
		if !across || apart || a.node == b.node && varies(f.nodes[a.node]) {
			continue
		}
		ahead := near[1][k] && near[2][k]
		behind := f.walk.reached(b.node, 1) && f.walk.reached(b.node, 2)
		if !(ahead && behind) &&
			!exclusive(f.conditions[a.node], f.conditions[b.node], func(c int) bool { return c != frame && f.within(frame, c) }) {
			found = append(found, meeting{b, true})
		}
	}
	return found, nil
}
