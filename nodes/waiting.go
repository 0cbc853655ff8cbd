package nodes

import (
	"slices"
	"sort"

	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/nodes/report"
)

// Waiting lists the nodes that wait for an input, of all iterations alive, at
// most limit of them. A node of which nothing has come counts in the root frame
// and in the oldest iteration of a frame alone: later ones may just not be
// that far.
func (s *Step) Waiting(limit int) []report.Waiting {
	var all []report.Waiting
	if root := s.frames.Root(); root != nil {
		left := []*frames.Iteration{root}
		for len(left) > 0 && len(all) < limit {
			it := left[len(left)-1]
			left = left[:len(left)-1]
			s.waitingIn(it, limit, &all)
			for _, f := range slices.Backward(it.Children()) {
				for k := f.Alive() - 1; k >= 0; k-- {
					left = append(left, f.At(k))
				}
			}
		}
	}
	return all
}

// waitingIn appends the nodes of one iteration that wait.
func (s *Step) waitingIn(it *frames.Iteration, limit int, all *[]report.Waiting) {
	p := s.p
	static := it.Frame.Static
	begin := static.First
	if it.Index > 0 {
		begin = static.Later
	}
	oldest := it.Frame.At(0) == it
	for local, i := range p.members[static.Index] {
		if len(*all) >= limit {
			return
		}
		left := it.Pending[local] >> 1
		if left == 0 || left > 1<<30 || (left == begin[local]>>1 && !oldest) {
			continue
		}
		if w, ok := s.waits(it, i, left); ok {
			*all = append(*all, w)
		}
	}
}

// waits reports what node i of an iteration waits for. Which data input came dead
// and which not at all cannot be told apart, so the count decides how many of
// the candidates are named.
func (s *Step) waits(it *frames.Iteration, i int32, left uint32) (report.Waiting, bool) {
	n := &s.p.nodes[i]
	w := report.Waiting{Node: s.p.name(i), Op: s.p.op(i), Tag: it.Tag()}
	for k, from := range s.p.producers(i) {
		if from.control || it.Inputs[n.in+int32(k)].IsZero() {
			w.Missing = append(w.Missing, from.name)
		}
	}
	sort.Strings(w.Missing)
	w.Missing = slices.Compact(w.Missing) // an output may go to several inputs
	return w, len(w.Missing) > 0 && left > 0
}
