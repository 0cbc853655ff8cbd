package batching

import (
	"slices"

	"github.com/troupe-go/troupe/graph"
)

// A write is what an iteration does to a list: it sets one element.
type write struct {
	at, item int // among the feeds of Kept, the cuts of the index and of the element
}

// writes returns what an iteration does to the kept variables if all that it does is to set an
// element of each; else nil. Then no loop is needed: all elements are set at once.
func (b *Batch) writes(once *function) []write {
	var list []write
	for k, res := range once.results {
		n := res.Op
		if n.Type() != "TensorListSetItem" || slices.Contains(once.args, res) || len(n.Controls()) > 0 {
			return nil
		}
		if v := n.Attrs().Find("resize_if_index_out_of_bounds"); v != nil && v.B {
			return nil
		}
		in := n.Inputs()
		cuts := once.args[len(b.Held):][:len(b.Cuts)]
		at, item := slices.Index(cuts, in[1]), slices.Index(cuts, in[2])
		if in[0] != once.args[k] || at < 0 || item < 0 {
			return nil
		}
		list = append(list, write{1 + len(b.Held) + at, 1 + len(b.Held) + item})
	}
	return list
}

// scatter writes the program that sets all elements at once. It also returns, of each list,
// whether it has as many elements as before: an index that is out of bounds makes a list longer
// here, and is an error of TensorListSetItem.
func (b *Batch) scatter(w *graph.Builder, p *Program, writes []write) error {
	var same []graph.Output
	for k, x := range writes {
		list, item := p.Feeds[1+k], p.Feeds[x.item]
		next := w.Apply("TensorListScatterIntoExistingList", list, item, p.Feeds[x.at])
		same = append(same, w.Apply("Equal", w.Apply("TensorListLength", list), w.Apply("TensorListLength", next)))
		p.Fetches = append(p.Fetches, next)
	}
	p.Fetches = append(p.Fetches, same...)
	b.Checked = len(same)
	return w.Err()
}
