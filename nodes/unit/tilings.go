package unit

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/nodes/unit/tile"
)

// Tilings says which calls of a form would be computed in tiles by so many workers, a
// segment a line, for the shapes that the graph knows; a first dimension that it does not know
// counts as 1. "" if there are none.
func Tilings(f *form.Form, workers int) string {
	t := tilings{form: f, workers: workers, dims: map[int32][]int64{}}
	t.block(f.Body)
	return t.String()
}

type tilings struct {
	strings.Builder
	form    *form.Form
	workers int
	dims    map[int32][]int64 // of what groups make, whose shapes the graph may not know
}

func (t *tilings) block(b *form.Block) {
	if b == nil {
		return
	}
	for i := 0; i < len(b.Code); {
		in := &b.Code[i]
		t.block(in.Then)
		t.block(in.Else)
		n := 1
		if in.Tile > 0 {
			for i+n < len(b.Code) && b.Code[i+n].Tile == in.Tile {
				n++
			}
			t.group(b.Code[i : i+n])
		}
		i += n
	}
}

// group writes the segments of one group.
func (t *tilings) group(code []form.Instr) {
	f := t.form
	var g tile.Group
	var outside []kernel.TileInput
	made, number := map[int32]int{}, map[int32]int{}
	uses := make([]int32, len(code)) // of what a member makes, by others than members
	for i := range code {
		in := &code[i]
		m := tile.Member{Kernel: f.Flow.Nodes[in.Node].Kernel.(kernel.Tiler)}
		for _, u := range in.In {
			if at, ok := made[u.Value]; ok {
				uses[at]--
				m.In = append(m.In, at)
				continue
			}
			n, ok := number[u.Value]
			if !ok {
				n = len(outside)
				number[u.Value] = n
				x, ok := t.input(u.Value)
				if !ok {
					return
				}
				outside = append(outside, x)
			}
			m.In = append(m.In, ^n)
		}
		made[in.Out[0]] = i
		uses[i] = f.Values[in.Out[0]].Uses
		g.Members = append(g.Members, m)
	}
	for i := range code {
		g.Members[i].Needed = uses[i] > 0
	}
	for i, dims := range tile.Dims(&g, outside) {
		t.dims[code[i].Out[0]] = dims
	}
	plan := tile.NewPlan(&g, outside, t.workers)
	if plan == nil {
		return
	}
	for _, s := range plan.Segments {
		fmt.Fprintf(t, "\ttiles %d: %s to %s, %v\n", code[0].Tile, f.Flow.Name(code[s.First].Node), f.Flow.Name(code[s.Last].Node), s)
	}
}

// input is what is known of a value; ok is false if that is not its shape.
func (t *tilings) input(v int32) (x kernel.TileInput, ok bool) {
	value := &t.form.Values[v]
	if value.Const >= 0 {
		c := t.form.Flow.Consts[value.Const]
		return kernel.TileInput{DType: c.DType(), Dims: c.Dims(), Constant: c}, true
	}
	x.DType = value.DType
	if x.Dims, ok = t.dims[v]; ok {
		return x, true
	}
	s := t.form.Shape(v)
	if s.NumDimensions() < 0 || x.DType.IsRef() {
		return x, false
	}
	x.Dims = make([]int64, s.NumDimensions())
	for i := range x.Dims {
		if x.Dims[i] = s.Size(i); i == 0 && x.Dims[0] < 0 {
			x.Dims[0] = 1
		} else if x.Dims[i] < 0 {
			return x, false
		}
	}
	return x, true
}
