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
	s := Source{in.Node, 0}
	return f.Flow.dtype(s) == tensor.Float && f.Flow.output(s).Shape().NumDimensions() != 0
}

// tiles finds, outside of loops, calls whose results only calls of one group use, but for
// that of its last, and brings them together in front of that.
func (f *Form) tiles(c *Credit) {
	t := &tiler{form: f, credit: c, user: make([]int32, len(f.Values)), seen: make([]int32, len(f.Values)), order: make([]bool, len(f.Flow.Nodes))}
	for i := range f.Flow.In {
		for _, from := range f.Flow.In[i] {
			if from.Port < 0 {
				t.order[from.Node] = true
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
	form   *Form
	credit *Credit
	number int32
	user   []int32 // by value: the group of all that use it as far as is known; -1: several have it
	seen   []int32 // by value: how many uses are known
	order  []bool  // by node: others come after it for the order alone
}

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
		case t.form.tiled(in):
			in.Tile = t.groupOf(in, sizes)
			if sizes[in.Tile]++; sizes[in.Tile] == 1 {
				t.number++
			}
			heavy[in.Tile] = heavy[in.Tile] || t.form.heavy(in)
		}
		for _, u := range in.In {
			if t.seen[u.Value]++; t.seen[u.Value] == 1 {
				t.user[u.Value] = in.Tile
			} else if t.user[u.Value] != in.Tile {
				t.user[u.Value] = -1
			}
		}
	}
	for g := range sizes {
		if !heavy[g] {
			sizes[g] = 1
		}
	}
	t.together(b, sizes)
}

// groupOf returns the group of those that use what an instruction makes, or a new one.
func (t *tiler) groupOf(in *Instr, sizes map[int32]int) int32 {
	v := in.Out[0]
	if g := t.user[v]; g > 0 && t.seen[v] == t.form.Values[v].Uses && sizes[g] > 0 && sizes[g] < largestTile && !t.order[in.Node] {
		return g
	}
	return t.number + 1
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
