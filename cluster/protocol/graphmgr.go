package protocol

import (
	"cmp"
	"maps"
	"slices"
)

// A GraphMgr is the table of a worker's registered parts, by handle.
type GraphMgr struct {
	items map[handleID]*Item
}

// A handleID is a handle of one session's.
type handleID struct {
	session SessionID
	handle  uint64
}

func (a handleID) compare(b handleID) int {
	return cmp.Or(cmp.Compare(a.session.Master, b.session.Master), cmp.Compare(a.session.Number, b.session.Number), cmp.Compare(a.handle, b.handle))
}

// An Item is one registered part. It is released when a connection with one of its peers
// is lost: the part could have missed tensors.
type Item struct {
	id         handleID
	peers      []Peer
	compiled   bool
	waited     int // beats since then
	registered bool
}

func (g *GraphMgr) find(id handleID) *Item { return g.items[id] }

// register adds an item; nil if the handle is taken.
func (g *GraphMgr) register(id handleID, peers []Peer) *Item {
	if g.items[id] != nil {
		return nil
	}
	if g.items == nil {
		g.items = map[handleID]*Item{}
	}
	it := &Item{id: id, peers: peers}
	g.items[id] = it
	return it
}

// deregister removes an item.
func (g *GraphMgr) deregister(id handleID) bool {
	found := g.items[id] != nil
	delete(g.items, id)
	return found
}

// of returns the items of a session in the order of their handles.
func (g *GraphMgr) of(s SessionID) (all []*Item) {
	for id, it := range g.items {
		if id.session == s {
			all = append(all, it)
		}
	}
	slices.SortFunc(all, func(a, b *Item) int { return cmp.Compare(a.id.handle, b.id.handle) })
	return all
}

// each calls f for all items, in a fixed order.
func (g *GraphMgr) each(f func(*Item)) {
	keys := slices.SortedFunc(maps.Keys(g.items), handleID.compare)
	for _, k := range keys {
		f(g.items[k])
	}
}
