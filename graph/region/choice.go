package region

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// A Choice is a conditional under construction: branches of which one runs.
//
//	in branch k, v = Identity(Switch(v, pred):k)
//	result = Merge(of branch 0, of branch 1, …)
//
// A Switch serves all branches that use the value.
type Choice struct {
	outer    *Region
	index    graph.Output
	branches int
	op       string // Switch, RefSwitch for references, or _SwitchN
	attrs    graph.Attrs
	switches map[graph.Output]*graph.Node
}

// Cond begins a conditional: branch 0 runs if pred, a scalar of type bool, is
// false, and branch 1 if it is true.
func (r *Region) Cond(pred graph.Output) (*Choice, error) {
	return r.choose(&Choice{index: pred, branches: 2, op: "Switch"})
}

// Case begins a conditional of n branches, of which index, a scalar of type
// int32, says which runs: the last if there is none such.
func (r *Region) Case(index graph.Output, n int) (*Choice, error) {
	if n < 1 {
		return nil, status.Invalid("a conditional of %d branches", n)
	}
	return r.choose(&Choice{index: index, branches: n, op: "_SwitchN", attrs: graph.Attrs{"num_outs": int64(n)}})
}

func (r *Region) choose(c *Choice) (_ *Choice, err error) {
	c.outer, c.switches = r, map[graph.Output]*graph.Node{}
	if c.index, err = r.Use(c.index); err != nil {
		return nil, err
	}
	_, err = c.Send(c.index)
	return c, err
}

// Send returns the Switch of a value, whose output k is alive where branch k runs.
// Branches send for what they use; this is for those who care for the order of
// nodes.
func (c *Choice) Send(v graph.Output) (*graph.Node, error) {
	v, err := c.outer.Use(v)
	if err != nil {
		return nil, err
	}
	if n := c.switches[v]; n != nil {
		return n, nil
	}
	op := c.op
	if op == "Switch" {
		op = referring(op, v)
	}
	n, err := c.outer.add(Switch, graph.OpSpec{Type: op, Input: []graph.Input{v, c.index}, Attrs: c.attrs})
	if err == nil {
		c.switches[v] = n
	}
	return n, err
}

// Branch begins branch k, whose nodes w adds, or the writer of the region around
// it if that is nil.
func (c *Choice) Branch(k int, w Writer) (*Region, error) {
	b := c.outer.within(c.outer.loop, nil)
	if w != nil {
		b.writer = w
	}
	b.carry = func(v graph.Output) (graph.Output, error) {
		sent, err := c.Send(v)
		if err != nil {
			return graph.Output{}, err
		}
		value := sent.Output(k)
		n, err := b.writer.Write(Arg, graph.OpSpec{Type: referring("Identity", value), Input: []graph.Input{value}})
		if err != nil {
			return graph.Output{}, err
		}
		b.Own(n)
		return n.Output(0), nil
	}
	pivot, err := b.Use(c.index)
	b.Pivot = pivot.Op
	return b, err
}

// Join is, outside, the value that the branch gives which has run. There is one
// for each branch, in the order of branches, of the branch itself: what a branch
// only forwards it has to [Region.Use].
func (c *Choice) Join(role Role, values []graph.Output) (graph.Output, error) {
	if len(values) != c.branches {
		return graph.Output{}, status.Invalid("%d values are to be joined, of %d branches", len(values), c.branches)
	}
	n, err := c.outer.writer.Write(role, graph.OpSpec{Type: "Merge", Input: []graph.Input{graph.OutputList(values)}})
	if err != nil {
		return graph.Output{}, err
	}
	c.outer.Own(n)
	return n.Output(0), nil
}
