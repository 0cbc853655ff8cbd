package messages

import (
	"fmt"
	"slices"
	"sort"

	"github.com/troupe-go/troupe/messages/protocol"
	"github.com/troupe-go/troupe/nodes/report"
	"github.com/troupe-go/troupe/status"
)

// A step that hangs, or that is ended from outside, asks its nodes what they wait
// for.

// An inquiry asks a node what it waits for in an iteration.
type inquiry struct {
	tag    protocol.Tag
	inputs []int // that have not come, as far as the node can tell
	begun  bool  // something has come
	waits  bool
}

// answer answers an inquiry.
func (n *node) answer(q *inquiry) {
	flow := n.box.stage.graph.Flow
	q.inputs, q.begun, q.waits = n.Missing(q.tag, func(i int32) int { return len(flow.In[i]) })
}

// ask asks a node. One that nobody has sent to has got nothing.
func (st *stage) ask(i int32, tag protocol.Tag) inquiry {
	q := inquiry{tag: tag}
	n := &st.nodes[i]
	switch {
	case n.pid == nil:
		n.answer(&q)
	case !n.box.suspended:
		n.box.invoker.InvokeUserMessage(&q)
	}
	return q
}

// waiting lists the nodes that wait for an input, in all iterations alive, at most
// limit of them. A node of which nothing has come counts in the root frame and in
// the oldest iteration of a frame alone: later ones may just not be that far.
func (st *stage) waiting(limit int) []report.Waiting {
	var all []report.Waiting
	root := st.frameAt(protocol.Root)
	if root == nil {
		return nil
	}
	below := map[protocol.FrameID][]*seat{} // frames by the one around them
	for _, s := range st.seats[1:] {
		if !s.Over && s != root {
			below[s.Around.Frame] = append(below[s.Around.Frame], s)
		}
	}
	open := []*seat{root}
	for len(open) > 0 && len(all) < limit {
		f := open[len(open)-1]
		open = open[:len(open)-1]
		st.waitingIn(f, limit, &all)
		first := len(open)
		open = append(open, below[f.ID]...)
		slices.SortStableFunc(open[first:], func(a, b *seat) int { return b.Around.Iter - a.Around.Iter })
	}
	return all
}

func (st *stage) waitingIn(f *seat, limit int, all *[]report.Waiting) {
	flow := st.graph.Flow
	alive := f.Alive()
	if len(alive) == 0 && f.Parent < 0 { // the root frame, which has ended
		alive = []*protocol.Iteration{{}}
	}
	for k, it := range alive {
		tag := protocol.Tag{Frame: f.ID, Iter: it.Index}
		for _, i := range f.Idle(it) {
			if len(*all) >= limit {
				return
			}
			q := st.ask(i, tag)
			if !q.waits || !q.begun && k > 0 {
				continue
			}
			w := report.Waiting{Node: flow.Name(i), Op: flow.Op(i), Tag: st.tag(tag)}
			for _, k := range q.inputs {
				name := "^" + flow.Name(flow.In[i][k].Node)
				if port := flow.In[i][k].Port; port >= 0 {
					name = fmt.Sprintf("%s:%d", name[1:], port)
				}
				w.Missing = append(w.Missing, name)
			}
			sort.Strings(w.Missing)
			w.Missing = slices.Compact(w.Missing) // an output may go to several inputs
			*all = append(*all, w)
		}
	}
}

// report reports what the step is doing, with at most limit kernels and waiting nodes.
func (st *stage) report(limit int) *status.Report {
	r := &status.Report{Step: st.step.pid.Id, Running: len(st.running), Ready: st.queue.n}
	if st.at.to != nil && st.at.m.Node >= 0 {
		r.At = report.At(st.graph.Flow.Name(st.at.m.Node), st.tag(st.at.m.Tag))
	}
	for _, p := range st.running[:min(limit, len(st.running))] {
		r.Kernels = append(r.Kernels, report.Node(st.graph.Flow.Name(p.node.Number), st.graph.Flow.Op(p.node.Number), st.tag(p.a.Tag)))
	}
	report.Wait(r, limit, st.waiting)
	return r
}
