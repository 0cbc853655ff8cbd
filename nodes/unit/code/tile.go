package code

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/form"
)

// Tiles are calls that follow each other, of kernels that can compute a few rows at a time
// ([kernel.Tiler]): each makes something for a later one of the group. In front of each call
// stands an instruction that plays the call and some that follow it together, where a plan
// for the shapes that there are says so. All errors of shapes are those of the calls.
type Tiles struct {
	Members []TileMember
}

// A TileMember is a call of the group.
type TileMember struct {
	Kernel kernel.Tiler
	Call   int32
	End    int32      // the instruction after it
	In     []TileFrom // its inputs
	Gives  []TileFrom // what it is the last to need
	Needed bool       // what it makes is needed outside of the group
}

// A TileFrom is where a value is: in a slot, once it is made. Member is who makes it, -1 for
// one from outside.
type TileFrom struct {
	Slot     int32
	Member   int
	Constant bool
}

// tilesAt returns how many of the instructions that code begins with are a group of tiles.
func (e *emitter) tilesAt(code []form.Instr) int {
	for n := range code {
		in := &code[n]
		if in.Tile == 0 || in.Tile != code[0].Tile {
			return n
		}
		if in.Out[0] < 0 || e.isScalar(in.Out[0]) {
			return 0
		}
	}
	return len(code)
}

// tiles writes a group.
func (e *emitter) tiles(code []form.Instr) {
	at := int32(len(e.u.Tiles))
	e.u.Tiles = append(e.u.Tiles, Tiles{})
	made := map[int32]int{}
	from := func(v int32, home bool) TileFrom {
		t := TileFrom{Member: -1, Constant: e.form.Values[v].Const >= 0}
		if m, ok := made[v]; ok {
			t.Member = m
		}
		if t.Slot = e.at(v); home {
			t.Slot = e.home(v)
		}
		return t
	}
	members := make([]TileMember, len(code))
	uses := make([]int32, len(code)) // of what a member makes, by others than members
	for i := range code {
		in := &code[i]
		e.here()
		e.add(instr{Op: OpTogether, D: TogetherTiles, X: at, A: uint8(i)})
		m := &members[i]
		m.Kernel = e.form.Flow.Nodes[in.Node].Kernel.(kernel.Tiler)
		m.Call = int32(len(e.u.Calls))
		for _, u := range in.In {
			if k, ok := made[u.Value]; ok {
				uses[k]--
			}
			m.In = append(m.In, from(u.Value, false))
			if u.Mode == form.Move && !e.isScalar(u.Value) {
				m.Gives = append(m.Gives, from(u.Value, true))
			}
		}
		for _, v := range in.Drop {
			if !e.isScalar(v) {
				m.Gives = append(m.Gives, from(v, true))
			}
		}
		e.add(instr{Op: OpCall, X: e.kernelCall(in)})
		e.after(in)
		m.End = e.here()
		made[in.Out[0]] = i
		uses[i] = e.form.Values[in.Out[0]].Uses
	}
	for i := range members {
		members[i].Needed = uses[i] > 0
	}
	e.u.Tiles[at].Members = members
}

// Needed reports whether what member i makes is needed once members up to last have been
// played.
func (t *Tiles) Needed(i, last int) bool {
	return t.Members[i].Needed || t.uses(i, last+1, len(t.Members))
}

// Closed reports whether each of members first to last makes something for a later one of these,
// but for the last.
func (t *Tiles) Closed(first, last int) bool {
	for i := first; i < last; i++ {
		if !t.uses(i, i+1, last+1) {
			return false
		}
	}
	return true
}

// uses reports whether one of members from to to uses what member i makes.
func (t *Tiles) uses(i, from, to int) bool {
	for k := from; k < to; k++ {
		for _, x := range t.Members[k].In {
			if x.Member == i {
				return true
			}
		}
	}
	return false
}
