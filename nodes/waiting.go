package nodes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/status"
)

// A Waiting node has got some of its inputs, not all.
type Waiting struct {
	Node, Op string
	Tag      string   // frame and iteration; "" in the root frame
	Missing  []string // inputs that have not come: "x:0", "^init"
}

// String is `"join" (AddV2) at loop[3] waits for x:0, ^init`.
func (w Waiting) String() string {
	at := ""
	if w.Tag != "" {
		at = " at " + w.Tag
	}
	return fmt.Sprintf("%q (%s)%s waits for %s", w.Node, w.Op, at, strings.Join(w.Missing, ", "))
}

// Waiting lists the nodes that wait for an input, of all iterations alive, at
// most limit of them. A node of which nothing has come counts in the root frame
// and in the oldest iteration of a frame alone: later ones may just not be
// that far.
func (s *Step) Waiting(limit int) []Waiting {
	var all []Waiting
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
func (s *Step) waitingIn(it *frames.Iteration, limit int, all *[]Waiting) {
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

// waits says what node i of an iteration waits for. Which data input came dead
// and which not at all cannot be told apart, so the count decides how many of
// the candidates are named.
func (s *Step) waits(it *frames.Iteration, i int32, left uint32) (Waiting, bool) {
	n := &s.p.nodes[i]
	w := Waiting{Node: s.p.name(i), Op: s.p.op(i), Tag: it.Tag()}
	for k, from := range s.p.producers(i) {
		if from.control || it.Inputs[n.in+int32(k)].IsZero() {
			w.Missing = append(w.Missing, from.name)
		}
	}
	slices.Sort(w.Missing)
	w.Missing = slices.Compact(w.Missing) // an output may go to several inputs
	return w, len(w.Missing) > 0 && left > 0
}

// hung is the error of a step that can make no progress though fetch i has not
// come.
func (s *Step) hung(i int) *status.Error {
	const most = 16
	waiting := s.Waiting(most)
	var b strings.Builder
	for _, w := range waiting {
		b.WriteString("\n\t")
		b.WriteString(w.String())
	}
	if len(waiting) == most {
		b.WriteString("\n\t…")
	}
	return status.Errorf(status.Internal, "Retval[%d] does not have value: the step can make no progress and the tensor %s never came. Waiting:%s",
		i, s.p.fetches[i], b.String())
}
