package profile

import (
	"cmp"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/sorted"
)

// A Transfer is what has gone along one edge from device to device.
type Transfer struct {
	Tensor   string // what crosses: "x:0"; "^x", that the node has run
	From, To string // full names of devices
	Count    int64  // tokens, those without a value included
	Dead     int64  // tokens without a value
	Bytes    int64  // of the values
}

// Transfers counts what goes from device to device. It is safe for concurrent use; the
// zero Transfers is empty.
type Transfers struct {
	mu   sync.Mutex
	list map[Transfer]*Transfer // by Tensor, From and To
}

// Add counts one token along an edge.
func (t *Transfers) Add(tensor, from, to string, dead bool, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := Transfer{Tensor: tensor, From: from, To: to}
	e := t.list[key]
	if e == nil {
		if t.list == nil {
			t.list = map[Transfer]*Transfer{}
		}
		e = &key
		t.list[key] = e
	}
	e.Count++
	e.Bytes += bytes
	if dead {
		e.Dead++
	}
}

// List returns what has been counted, the most bytes first, then the most tokens.
func (t *Transfers) List() []Transfer {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []Transfer
	for _, e := range t.list {
		all = append(all, *e)
	}
	sorted.By(all, func(a, b Transfer) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count),
			strings.Compare(a.Tensor, b.Tensor), strings.Compare(a.From, b.From), strings.Compare(a.To, b.To))
	})
	return all
}
