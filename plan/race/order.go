package race

import "github.com/troupe-go/troupe/graph"

// layers is how many iterations a walk looks ahead, the present one included: who is
// ordered with the next iteration and the one after is taken to be ordered with all.
const layers = 3

// A walk finds what is ordered with a node, as seen from a frame.
type walk struct {
	p     *program
	in    [][]int32 // by number: what it waits for
	frame int
	seen  [layers][]int32 // the walk in which a node was reached
	count int32
	stack []step
}

type step struct {
	node  int32
	layer int8
}

func newWalk(p *program) *walk {
	w := &walk{p: p, in: make([][]int32, len(p.nodes))}
	for i, list := range p.out {
		for _, to := range list {
			w.in[to] = append(w.in[to], int32(i))
		}
	}
	for l := range w.seen {
		w.seen[l] = make([]int32, len(p.nodes))
	}
	return w
}

// reached reports whether the last run met a node so many iterations away.
func (w *walk) reached(node int32, layer int) bool { return w.seen[layer][node] == w.count }

// run follows edges from a node, forwards or backwards. Iterations are those of
// the frame: what goes round a loop within it stays in the same one, and what would
// go round a loop outside ends there. So does what comes into a loop and would go round it,
// as the first iteration is not behind it; it may leave the loop.
func (w *walk) run(from int32, frame int, forwards bool) error {
	w.frame = frame
	w.count++
	w.stack = append(w.stack[:0], step{from, 0})
	edges := w.p.out
	if !forwards {
		edges = w.in
	}
	for len(w.stack) > 0 {
		if err := w.p.watch.Step(); err != nil {
			return err
		}
		s := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		for _, to := range edges[s.node] {
			next := s.node // the node whose output the edge is
			if !forwards {
				next = to
			}
			layer := int(s.layer)
			if w.p.nodes[next].Class() == graph.ClassNextIteration {
				switch f := w.p.frames.FrameOf[next]; {
				case f == frame:
					layer++
				case w.p.within(frame, f):
					continue
				default: // a loop within; it is the node's own until an iteration later
					if own := layer == 0 && w.p.within(w.p.frames.FrameOf[from], f); own != forwards {
						continue
					}
				}
			}
			if layer < layers && w.seen[layer][to] != w.count {
				w.seen[layer][to] = w.count
				w.stack = append(w.stack, step{to, int8(layer)})
			}
		}
	}
	return nil
}
