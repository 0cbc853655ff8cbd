package code

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/form"
)

// Tiles are calls that follow each other, of kernels that can compute a few rows at a time
// ([kernel.Tiler]): a group whose results only its own calls use, but for the last one's. In
// front of each call stands an instruction that plays the call and some that follow it
// together, where a plan for the shapes that there are says so. All errors of shapes are those of the calls.
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
	for i := range code {
		in := &code[i]
		e.here()
		e.add(instr{Op: OpTogether, D: TogetherTiles, X: at, A: uint8(i)})
		m := &members[i]
		m.Kernel = e.form.Flow.Nodes[in.Node].Kernel.(kernel.Tiler)
		m.Call = int32(len(e.u.Calls))
		for _, u := range in.In {
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
	}
	e.u.Tiles[at].Members = members
}

// Closed reports whether nobody but members first to last uses what these make, apart from
// what the last one does.
func (t *Tiles) Closed(first, last int) bool {
	for i := last + 1; i < len(t.Members); i++ {
		for _, x := range t.Members[i].In {
			if x.Member >= first && x.Member < last {
				return false
			}
		}
	}
	return true
}
