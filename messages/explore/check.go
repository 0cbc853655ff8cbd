package explore

import (
	"fmt"

	"github.com/troupe-go/troupe/messages/protocol"
)

// check holds a world against what must be in each.
func (x *explorer) check(w *world) error {
	held := map[protocol.Tag]*protocol.Purse{}
	hold := func(t protocol.Tag, c protocol.Credit) {
		if c == protocol.None {
			return
		}
		if held[t] == nil {
			held[t] = &protocol.Purse{}
		}
		held[t].Add(c)
	}
	away := false // somebody but the step holds credit
	for i := range w.net {
		m := &w.net[i]
		hold(m.Tag, m.Credit)
		away = away || m.Credit != protocol.None
	}
	for _, n := range w.nodes {
		n.Held(func(t protocol.Tag, c protocol.Credit) { hold(t, c); away = true })
	}
	for _, f := range w.frames {
		if f != nil {
			f.Held(func(t protocol.Tag, c protocol.Credit) { hold(t, c); away = true })
		}
	}
	if w.failed != "" {
		return nil // whoever fails keeps what it has
	}
	for _, f := range w.frames {
		if f == nil || f.Over {
			continue
		}
		if n := len(f.Alive()); n > f.Parallel {
			return fmt.Errorf("%d iterations of %q are alive, and %d may be", n, f.Name, f.Parallel)
		}
		for _, it := range f.Alive() {
			tag := protocol.Tag{Frame: f.ID, Iter: it.Index}
			issued, all := it.Account()
			if h := held[tag]; h != nil {
				all.AddAll(h)
				delete(held, tag)
			}
			if all.Units() != issued || all.Broken() {
				return fmt.Errorf("of %d units of credit for %s there are %s", issued, x.tag(w, tag), all.String())
			}
		}
	}
	all := w.step.Account()
	if h := held[protocol.Tag{}]; h != nil {
		all.AddAll(h)
		delete(held, protocol.Tag{})
	}
	if all.Units() != 1 || all.Broken() {
		return fmt.Errorf("of the credit of the step there is %s", all.String())
	}
	for t := range held {
		return fmt.Errorf("there is credit for %s, which is over", x.tag(w, t))
	}
	if w.step.Over && away {
		return fmt.Errorf("the step hears of its end though something may happen")
	}
	return nil
}

// checkEnd holds a world in which nothing can happen against what must be there.
func (x *explorer) checkEnd(w *world) error {
	if !w.step.Over {
		return fmt.Errorf("nothing can happen, and the step has not heard of its end")
	}
	if w.step.Hangs {
		return nil
	}
	for _, f := range w.frames {
		if f != nil && !f.Over {
			return fmt.Errorf("the step has ended, and frame %s has not", x.tag(w, protocol.Tag{Frame: f.ID}))
		}
	}
	for i, n := range w.nodes {
		for _, a := range n.Activations() {
			if n.Frame != 0 {
				return fmt.Errorf("the step has ended, and %s keeps something for %s", x.graph.Flow.Name(int32(i)), x.tag(w, a.Tag))
			}
		}
	}
	return nil
}
