package nodes

import "github.com/troupe-go/troupe/tensor"

// What whoever chooses among the nodes that are ready may know of them.

// Choice returns the node that index i of an [Order] stands for, by number, and the
// iteration in which it may act.
func (s *Step) Choice(i int) (node int, tag string) {
	a := s.ready.buf[s.ready.head+i]
	return int(a.node), a.it.Tag()
}

// Name returns the name of the node of that number: of the graph's node, or "_arg_x:0" of a
// feed, "_retval_y:0" of a fetch.
func (p *Program) Name(node int) string { return p.name(int32(node)) }

// Reads reports whether the kernel was given the values of references when it was handed
// out, and may write through others when it runs.
func (a *Activation) Reads() bool {
	p := a.step.p
	n := &p.nodes[a.node]
	if n.flags&flagDeref == 0 {
		return false
	}
	reads, writes := false, false
	for k, t := range p.labels[a.node].inputs {
		if t.IsRef() || t == tensor.Resource {
			writes = true
		} else if from := p.sources[a.node][k]; from.port >= 0 && p.isRef(from) {
			reads = true
		}
	}
	return reads && writes
}
