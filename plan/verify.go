package plan

import (
	"iter"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// Verify reports what about a program is not as it must be between passes, as an error of code
// INTERNAL: every edge leads from a node of the program, or from what is fed, to another and
// is known at both ends; feeds, fetches and targets are of the program, and names find their
// nodes; nodes that have been placed are on a device; and no edge but that of a Send and its
// Recv leads from a piece to another.
func (p *Program) Verify() error {
	v := &verifier{is: map[*graph.Node]bool{}, fed: map[graph.Output]bool{}}
	if e := p.edit; e != nil {
		v.feeds, v.fetches, v.named = e.Feeds, e.fetches, e.Node
		for _, t := range e.targets {
			if t != nil {
				v.targets = append(v.targets, t)
			}
		}
		v.nodes = e.Nodes()
		v.verify()
	} else {
		v.feeds, v.fetches, v.targets, v.nodes, v.named = p.Feeds, p.Fetches, p.Targets, p.Nodes, p.Graph.Operation
		v.verify()
		v.order()
		if p.Placement != nil {
			v.placed(p)
		}
	}
	if v.err != nil {
		return v.err
	}
	return nil
}

// A verifier looks at a program.
type verifier struct {
	nodes          []*graph.Node
	feeds, fetches []graph.Output
	targets        []*graph.Node
	named          func(string) *graph.Node

	is  map[*graph.Node]bool
	fed map[graph.Output]bool
	err error // the first
}

func (v *verifier) fail(format string, args ...any) {
	if v.err == nil {
		v.err = status.Errorf(status.Internal, format, args...)
	}
}

func (v *verifier) verify() {
	for _, n := range v.nodes {
		if v.is[n] {
			v.fail("%s is there twice", n.Name())
		}
		v.is[n] = true
	}
	for i, f := range v.feeds {
		if v.fed[f] {
			v.fail("feed %d, %v, is another's, too", i, f)
		}
		v.fed[f] = true
		if !f.Exists() {
			v.fail("feed %d is %v, which is not an output", i, f)
		}
	}
	for i, f := range v.fetches {
		if !f.Exists() || !v.comes(f) {
			v.fail("fetch %d is %v, which is not of the program", i, f)
		}
	}
	for i, t := range v.targets {
		if !v.runs(t) {
			v.fail("target %d is %s, which is not of the program", i, t.Name())
		}
	}
	edges := map[graph.Edge]int{}
	for _, n := range v.nodes {
		if v.named(n.Name()) != n {
			v.fail("%s is not found by its name", n.Name())
		}
		if n.NumInputs() != len(n.InputTypes()) {
			v.fail("%s has %d inputs, not %d", n.Name(), n.NumInputs(), len(n.InputTypes()))
		}
		for e := range n.In() {
			switch {
			case e.IsControl() && !v.runs(e.From.Op), !e.IsControl() && !v.comes(e.From):
				v.fail("%v comes from a node that is not of the program", e)
			case !e.IsControl() && !e.From.Exists():
				v.fail("%v comes from no output", e)
			case !e.IsControl() && e.From.DataType().Base() != n.InputTypes()[e.To.Index].Base():
				v.fail("%v brings %v to where %v is wanted", e, e.From.DataType(), n.InputTypes()[e.To.Index])
			}
			edges[e]++
		}
	}
	for n := range v.sources() {
		for e := range n.Out() {
			if !v.is[e.To.Op] {
				continue // of the graph, but not of the program
			}
			if edges[e]--; edges[e] < 0 {
				v.fail("%v is not known where it leads to", e)
			}
		}
	}
	for e, k := range edges {
		if k != 0 {
			v.fail("%v is not known where it comes from", e)
		}
	}
}

// sources returns the nodes, and those whose outputs are fed.
func (v *verifier) sources() iter.Seq[*graph.Node] {
	return func(yield func(*graph.Node) bool) {
		for _, n := range v.nodes {
			if !yield(n) {
				return
			}
		}
		met := map[*graph.Node]bool{}
		for _, f := range v.feeds {
			if n := f.Op; !v.is[n] && !met[n] {
				met[n] = true
				if !yield(n) {
					return
				}
			}
		}
	}
}

// comes reports whether an output is fed, or one of a node of the program.
func (v *verifier) comes(o graph.Output) bool { return v.fed[o] || v.is[o.Op] }

// runs reports whether a node is of the program, or a placeholder that is fed.
func (v *verifier) runs(n *graph.Node) bool {
	return v.is[n] || n.NumOutputs() > 0 && v.fed[n.Output(0)]
}

// order looks at the order of nodes, by id.
func (v *verifier) order() {
	for i, n := range v.nodes {
		if i > 0 && v.nodes[i-1].ID() >= n.ID() {
			v.fail("%s is behind %s", v.nodes[i-1].Name(), n.Name())
		}
	}
}

// placed looks at where nodes are.
func (v *verifier) placed(p *Program) {
	for _, n := range v.nodes {
		d := p.Placement.Device(n)
		if d < 0 || d >= len(p.Devices) {
			v.fail("%s is on no device", n.Name())
			return
		}
		if p.Split == nil {
			continue
		}
		for e := range n.In() {
			if p.Placement.Device(e.From.Op) != d && !(e.IsControl() && n.Class() == graph.ClassRecv && e.From.Op.Class() == graph.ClassSend) {
				v.fail("%v leads from %s to %s", e, p.Placement.Name(e.From.Op), p.Placement.Name(n))
			}
		}
	}
}
