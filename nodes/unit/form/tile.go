package form

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// largestTile is how many calls one group of [Instr.Tile] has at most.
const largestTile = 64

// tiled reports whether an instruction may be one of a group's that is computed in tiles.
func (f *Form) tiled(in *Instr) bool {
	if in.Op != Call || in.Chain != 0 || len(in.Out) != 1 || len(in.In) > 64 || !f.Pure(in) {
		return false
	}
	if _, ok := f.Flow.Nodes[in.Node].Kernel.(kernel.Tiler); !ok {
		return false
	}
	for _, u := range in.In { // numbers that are no floats say how: rows of what is not known cannot be
		if v := &f.Values[u.Value]; v.DType != tensor.Float && v.Const < 0 {
			return false
		}
	}
	s := Source{in.Node, 0}
	return f.Flow.dtype(s) == tensor.Float && f.Flow.output(s).Shape().NumDimensions() != 0
}

// tiles finds, outside of loops, calls of which each makes something for a later one of its
// group, and brings them together in front of the group's last one. What a member makes others
// may use as well, but none that comes before the last member.
func (f *Form) tiles(c *Credit) {
	t := &tiler{form: f, credit: c, users: make([][]tileUse, len(f.Values)), ordered: make([]bool, len(f.Flow.Nodes))}
	for i := range f.Flow.In {
		for _, from := range f.Flow.In[i] {
			if from.Port < 0 {
				t.ordered[from.Node] = true
			}
		}
	}
	c.Spend(len(f.Values) + len(f.Flow.Nodes))
	t.block(f.Body)
}

// heavy reports whether a call may be worth computing in tiles for itself.
func (f *Form) heavy(in *Instr) bool {
	_, light := f.Flow.Nodes[in.Node].Kernel.(kernel.Elementwise)
	return !light
}

type tiler struct {
	form    *Form
	credit  *Credit
	at      int32       // how many instructions come after the one that is looked at
	last    []int32     // by group, less one: how many come after its last member
	users   [][]tileUse // by value: those that are known
	ordered []bool      // by node: others come after it for the order alone
}

// A tileUse is an instruction that uses a value: how many come after it, and its group.
type tileUse struct{ at, tile int32 }

func (t *tiler) block(b *Block) {
	t.credit.Spend(len(b.Code))
	sizes, heavy := map[int32]int{}, map[int32]bool{}
	for i := len(b.Code) - 1; i >= 0; i-- {
		in := &b.Code[i]
		switch {
		case in.Op == If:
			t.block(in.Then)
			if in.Else != nil {
				t.block(in.Else)
			}
		case in.Op == While:
			for _, v := range t.form.uses(in) {
				t.use(v, 0)
			}
		case t.form.tiled(in):
			in.Tile = t.groupOf(in, sizes)
			if sizes[in.Tile]++; sizes[in.Tile] == 1 {
				t.last = append(t.last, t.at)
			}
			heavy[in.Tile] = heavy[in.Tile] || t.form.heavy(in)
		}
		for _, u := range in.In {
			t.use(u.Value, in.Tile)
		}
		t.at++
	}
	for g := range sizes {
		if !heavy[g] {
			sizes[g] = 1
		}
	}
	t.together(b, sizes)
}

func (t *tiler) use(v, tile int32) { t.users[v] = append(t.users[v], tileUse{t.at, tile}) }

// groupOf returns the group of which one uses what an instruction makes, and that all others use
// behind the last of it, or a new one.
func (t *tiler) groupOf(in *Instr, sizes map[int32]int) int32 {
	v, another := in.Out[0], int32(len(t.last)+1)
	users := t.users[v]
	t.credit.Spend(len(users))
	if len(users) != int(t.form.Values[v].Uses) || t.ordered[in.Node] {
		return another
	}
	g := int32(0) // the group that comes first
	for _, u := range users {
		if sizes[u.tile] > 0 && (g == 0 || t.last[u.tile-1] > t.last[g-1]) {
			g = u.tile
		}
	}
	if g == 0 || sizes[g] == largestTile {
		return another
	}
	for _, u := range users {
		if u.tile != g && u.at >= t.last[g-1] {
			return another
		}
	}
	return g
}

// together brings the members of each group to where its last one is.
func (t *tiler) together(b *Block, sizes map[int32]int) {
	waiting := map[int32][]Instr{}
	code := b.Code[:0:0]
	for i := range b.Code {
		in := &b.Code[i]
		n := sizes[in.Tile]
		switch {
		case in.Op == Call && in.Tile > 0 && n < 2:
			in.Tile = 0
			code = append(code, *in)
		case in.Op == Call && in.Tile > 0 && len(waiting[in.Tile]) < n-1:
			waiting[in.Tile] = append(waiting[in.Tile], *in)
		case in.Op == Call && in.Tile > 0:
			code = append(append(code, waiting[in.Tile]...), *in)
		default:
			code = append(code, *in)
		}
	}
	b.Code = code
}
