package graph

import (
	"strings"

	"github.com/troupe-go/troupe/status"
)

// sortNodes orders the nodes as TensorFlow does: of those whose inputs have all
// been placed, back edges excepted, the first in the GraphDef is next. Nodes
// that no such order reaches, since they are in a cycle or take from one, come
// after the first im.sorted places.
func (im *importer) sortNodes() error {
	n := len(im.scan.Nodes)
	im.order = make([]int32, 0, n)
	im.place = make([]int32, n)
	if im.inOrder() {
		for i := range im.place {
			im.place[i] = int32(i)
			im.order = append(im.order, int32(i))
		}
		im.sorted = n
		return nil
	}
	waits := im.waits()
	first, takers := im.takers()
	var ready positions
	for i := range waits {
		im.place[i] = -1
		if waits[i] == 0 {
			ready.add(int32(i))
		}
	}
	for len(ready) > 0 {
		if err := im.watch.Step(); err != nil {
			return err
		}
		i := ready.takeFirst()
		im.place[i] = int32(len(im.order))
		im.order = append(im.order, i)
		for _, to := range takers[first[i]:first[i+1]] {
			if waits[to]--; waits[to] == 0 {
				ready.add(to)
			}
		}
	}
	im.sorted = len(im.order)
	for i := range im.place {
		if im.place[i] < 0 {
			im.place[i] = int32(len(im.order))
			im.order = append(im.order, int32(i))
		}
	}
	return nil
}

// inOrder reports whether every node's inputs precede it already.
func (im *importer) inOrder() bool {
	for i := range im.scan.Nodes {
		sn := &im.scan.Nodes[i]
		for k := sn.Input; k < sn.Input+sn.NumInputs; k++ {
			if im.scan.Inputs[k].Node >= int32(i) && !im.backEdge(int32(i), k) {
				return false
			}
		}
		if im.endless(int32(i)) {
			return false
		}
	}
	return true
}

// waits returns how many inputs each node waits for. One that nothing starts waits
// for one more than it has.
func (im *importer) waits() []int32 {
	waits := make([]int32, len(im.scan.Nodes))
	for i := range waits {
		sn := &im.scan.Nodes[i]
		for k := sn.Input; k < sn.Input+sn.NumInputs; k++ {
			if im.waitsFor(int32(i), k) {
				waits[i]++
			}
		}
		if im.endless(int32(i)) {
			waits[i]++
		}
	}
	return waits
}

// waitsFor reports whether the node at position i can come only after the source
// of its input k.
func (im *importer) waitsFor(i, k int32) bool {
	return im.scan.Inputs[k].Node >= 0 && !im.backEdge(i, k)
}

// takers returns the positions that wait for the node at position i, once for each
// input: takers[first[i]:first[i+1]].
func (im *importer) takers() (first, takers []int32) {
	s := im.scan
	first = make([]int32, len(s.Nodes)+1)
	each := func(f func(src, to int32)) {
		for i := range s.Nodes {
			sn := &s.Nodes[i]
			for k := sn.Input; k < sn.Input+sn.NumInputs; k++ {
				if im.waitsFor(int32(i), k) {
					f(s.Inputs[k].Node, int32(i))
				}
			}
		}
	}
	each(func(src, _ int32) { first[src]++ })
	total := int32(0)
	for i := range first {
		total += first[i]
		first[i] = total
	}
	takers = make([]int32, total)
	each(func(src, to int32) {
		first[src]--
		takers[first[src]] = to
	})
	return first, takers
}

// positions is a binary heap of positions in the GraphDef.
type positions []int32

func (h *positions) add(p int32) {
	*h = append(*h, p)
	s := *h
	for i := len(s) - 1; i > 0 && s[i] < s[(i-1)/2]; i = (i - 1) / 2 {
		s[i], s[(i-1)/2] = s[(i-1)/2], s[i]
	}
}

// takeFirst removes the lowest position.
func (h *positions) takeFirst() int32 {
	s := *h
	first, last := s[0], len(s)-1
	s[0], s = s[last], s[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if s[c] < s[least] {
				least = c
			}
		}
		if least == i {
			break
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
	*h = s
	return first
}

// endless reports whether a Merge has back edges only: nothing starts its loop.
func (im *importer) endless(i int32) bool {
	if im.ops[i].class != ClassMerge {
		return false
	}
	sn := &im.scan.Nodes[i]
	back := false
	for k := sn.Input; k < sn.Input+sn.NumInputs; k++ {
		if im.scan.Inputs[k].Index == Control {
			continue
		}
		if !im.backEdge(i, k) {
			return false
		}
		back = true
	}
	return back
}

// stuckError reports the nodes that are in no order, and a cycle that they
// are in or take from.
func (im *importer) stuckError() error {
	stuck := len(im.order) - im.sorted
	at := make(map[int32]int, stuck) // place in the walk
	var walk []int32
	i := im.order[im.sorted]
	for {
		if im.endless(i) {
			return endlessError(stuck, im.names[i])
		}
		if start, ok := at[i]; ok {
			walk = walk[start:]
			break
		}
		at[i] = len(walk)
		walk = append(walk, i)
		sn := &im.scan.Nodes[i]
		for k := sn.Input; k < sn.Input+sn.NumInputs; k++ {
			if src := im.scan.Inputs[k].Node; im.waitsFor(i, k) && int(im.place[src]) >= im.sorted {
				i = src
				break
			}
		}
	}
	return cycleError(stuck, len(walk), func(k int) string { return im.names[walk[k]] })
}

// cycleError names the n nodes of a cycle, each of which takes the next one.
// stuck also counts those that take from it.
func cycleError(stuck, n int, name func(i int) string) error {
	var b strings.Builder
	for k := n - 1; k >= 0; k-- { // in the direction of the data
		if k < n-maxNamed {
			b.WriteString("...")
			break
		}
		b.WriteString("'" + name(k) + "' -> ")
	}
	if n <= maxNamed {
		b.WriteString("'" + name(n-1) + "'")
	}
	if stuck > n {
		b.WriteString(" and what takes from it")
	}
	return status.Invalid("%d nodes in a cycle: %s (only a NextIteration that goes back to a Merge may close a loop)", stuck, &b)
}

// endlessError names a Merge that has nothing but back edges.
func endlessError(stuck int, merge string) error {
	return status.Invalid("%d nodes in a cycle: '%s' (Merge) has back edges only, so nothing starts its loop", stuck, merge)
}
