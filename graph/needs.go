package graph

import "github.com/troupe-go/troupe/status"

// Needs finds what a step needs of a graph whose outputs Feeds are given.
type Needs struct {
	fed map[Output]int32 // fed output → feed
}

// NewNeeds is for a step that is fed these outputs. It fails with INVALID_ARGUMENT if one
// is fed twice.
func NewNeeds(feeds []Output) (*Needs, error) {
	w := &Needs{}
	if len(feeds) > 0 {
		w.fed = make(map[Output]int32, len(feeds))
	}
	for i, f := range feeds {
		if _, twice := w.fed[f]; twice {
			return nil, status.Invalid("the tensor %s is fed twice", f)
		}
		w.fed[f] = int32(i)
	}
	return w, nil
}

// Feed returns the place of the feed that gives an output.
func (w *Needs) Feed(o Output) (int32, bool) {
	i, ok := w.fed[o]
	return i, ok
}

// Placeholder returns the place of the feed that stands for a node: a placeholder that is fed.
// Who waits for the node waits for the feed.
func (w *Needs) Placeholder(n *Node) (int32, bool) {
	if len(w.fed) == 0 {
		return 0, false
	}
	switch n.Type() {
	case "Placeholder", "PlaceholderV2", "PlaceholderWithDefault":
		i, ok := w.fed[Output{Op: n, Index: 0}]
		return i, ok
	}
	return 0, false
}

// Walk goes from what is fetched and must run to what that needs. It calls need for every
// node that it comes to, which reports whether it is there for the first time, and fed for every
// feed. It keeps a stack of its own: graphs are deep.
func (w *Needs) Walk(watch *status.Watch, fetches []Output, targets []*Node, need func(*Node) bool, fed func(int32)) error {
	var stack []*Node
	push := func(n *Node) {
		if need(n) {
			stack = append(stack, n)
		}
	}
	input := func(o Output) {
		if i, ok := w.fed[o]; ok {
			fed(i)
		} else {
			push(o.Op)
		}
	}
	after := func(n *Node) {
		if i, ok := w.Placeholder(n); ok {
			fed(i)
		} else {
			push(n)
		}
	}
	for _, f := range fetches {
		input(f)
	}
	for _, t := range targets {
		after(t)
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if err := watch.Steps(1 + n.NumInputs()); err != nil {
			return err
		}
		for _, o := range n.Inputs() {
			input(o)
		}
		for _, d := range n.Controls() {
			after(d)
		}
	}
	return nil
}
