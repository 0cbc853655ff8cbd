package nodes

import "github.com/troupe-go/troupe/graph"

// What whoever chooses among the nodes that are ready may know of them.

// Choice is the node that index i of an [Order] stands for, by number, and the
// iteration in which it may act.
func (s *Step) Choice(i int) (node int, tag string) {
	a := s.ready.buf[s.ready.head+i]
	return int(a.node), a.it.Tag()
}

// Name is the name of the node of that number: of the graph's node, or "_arg_x:0" of a
// feed, "_retval_y:0" of a fetch.
func (p *Program) Name(node int) string { return p.name(int32(node)) }

// Def is the node of the graph, in which functions are laid out; nil of a feed or fetch.
func (p *Program) Def(node int) *graph.Node { return p.nodes[node].def }

// Read says whether references have been read for the kernel, at the time when it was
// handed out.
func (a *Activation) Read() bool { return a.step.p.nodes[a.node].flags&flagDeref != 0 }
