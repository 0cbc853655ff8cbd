package form

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// A Damage is a way to make a good form bad, or at least another.
type Damage struct {
	Name string
	// Always says that Verify objects though nothing need come of it: to what has
	// no place in a form, or has another meaning.
	Always bool
	// Do damages a form at a random place: it says what it did, and undo makes it
	// good again. ok is false if there is no such place.
	Do func(p *Places, rng *rand.Rand) (what string, undo func(), ok bool)
}

// Places are the parts of a form.
type Places struct {
	form   *Form
	uses   []*Use
	drops  []*[]int32
	blocks []*Block
	ifs    []*Instr
	calls  []*Instr // those that make something
	loops  []*Loop
	within map[*Use]*Loop // the innermost loop around a use
}

// PlacesOf lists the parts of a form.
func PlacesOf(f *Form) *Places {
	p := &Places{form: f, within: map[*Use]*Loop{}}
	use := func(u *Use, w *Loop) { p.uses, p.within[u] = append(p.uses, u), w }
	var block func(b *Block, w *Loop)
	block = func(b *Block, w *Loop) {
		if b == nil {
			return
		}
		p.blocks, p.drops = append(p.blocks, b), append(p.drops, &b.Drop)
		for i := range b.Code {
			in := &b.Code[i]
			for k := range in.In {
				use(&in.In[k], w)
			}
			p.drops = append(p.drops, &in.Drop)
			switch in.Op {
			case If:
				p.ifs = append(p.ifs, in)
				block(in.Then, w)
				block(in.Else, w)
			case While:
				l := in.Loop
				p.loops = append(p.loops, l)
				for k := range l.Vars {
					use(&l.Vars[k].Init, w)
				}
				block(l.Head, l)
				use(&l.Test, l)
				block(l.Body, l)
				for k := range l.Vars {
					use(&l.Vars[k].Next, l)
				}
				block(l.Tail, l)
			default:
				if len(in.Out) > 0 && in.Out[0] >= 0 {
					p.calls = append(p.calls, in)
				}
			}
		}
	}
	block(f.Body, nil)
	for i := range f.Results {
		use(&f.Results[i].Use, nil)
	}
	p.drops = slices.DeleteFunc(p.drops, func(d *[]int32) bool { return len(*d) == 0 })
	return p
}

// some chooses one of those that fit.
func some[T any](rng *rand.Rand, all []T, fits func(T) bool) (x T, ok bool) {
	var list []T
	for _, x := range all {
		if fits == nil || fits(x) {
			list = append(list, x)
		}
	}
	if len(list) == 0 {
		return x, false
	}
	return list[rng.IntN(len(list))], true
}

// set changes something, and changes it back.
func set[T any](p *T, x T) (undo func()) {
	old := *p
	*p = x
	return func() { *p = old }
}

// mode makes uses of one mode such of another.
func mode(from, to Mode) func(p *Places, rng *rand.Rand) (string, func(), bool) {
	return func(p *Places, rng *rand.Rand) (string, func(), bool) {
		u, ok := some(rng, p.uses, func(u *Use) bool { return u.Mode == from })
		if !ok {
			return "", nil, false
		}
		return fmt.Sprintf("%%%d", u.Value), set(&u.Mode, to), true
	}
}

// Damages are ways to damage a form.
var Damages = []Damage{
	{"a Move made Borrow", false, mode(Move, Borrow)},
	{"a Borrow made Move", false, mode(Borrow, Move)},
	{"a Copy made Move", false, mode(Copy, Move)},
	{"a Move made Copy", false, mode(Move, Copy)},
	{"a drop left out", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		d, ok := some(rng, p.drops, nil)
		if !ok {
			return "", nil, false
		}
		k := rng.IntN(len(*d))
		return fmt.Sprintf("%%%d", (*d)[k]), set(d, slices.Delete(slices.Clone(*d), k, k+1)), true
	}},
	{"a drop doubled", true, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		d, ok := some(rng, p.drops, nil)
		if !ok {
			return "", nil, false
		}
		v := (*d)[rng.IntN(len(*d))]
		return fmt.Sprintf("%%%d", v), set(d, append(slices.Clone(*d), v)), true
	}},
	{"a drop at the beginning of its block", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		b, ok := some(rng, p.blocks, func(b *Block) bool {
			return slices.ContainsFunc(b.Code, func(in Instr) bool { return len(in.Drop) > 0 })
		})
		if !ok {
			return "", nil, false
		}
		for i := range b.Code {
			if in := &b.Code[i]; len(in.Drop) > 0 {
				v := in.Drop[0]
				one, two := set(&b.Drop, append(slices.Clone(b.Drop), v)), set(&in.Drop, in.Drop[1:])
				return fmt.Sprintf("%%%d", v), func() { two(); one() }, true
			}
		}
		return "", nil, false
	}},
	{"an instruction moved over the next", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		b, ok := some(rng, p.blocks, func(b *Block) bool { return len(b.Code) > 1 })
		if !ok {
			return "", nil, false
		}
		i := rng.IntN(len(b.Code) - 1)
		swap := func() { b.Code[i], b.Code[i+1] = b.Code[i+1], b.Code[i] }
		swap()
		return p.form.Flow.Name(b.Code[i].Node), swap, true
	}},
	{"a use of a value before it is made", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		b, ok := some(rng, p.blocks, func(b *Block) bool {
			return len(b.Code) > 1 && slices.ContainsFunc(b.Code[:len(b.Code)-1], func(in Instr) bool { return len(in.In) > 0 })
		})
		if !ok {
			return "", nil, false
		}
		for range 20 {
			i := rng.IntN(len(b.Code) - 1)
			in, after := &b.Code[i], &b.Code[i+1+rng.IntN(len(b.Code)-1-i)]
			if len(in.In) == 0 || len(after.Out) == 0 || after.Out[0] < 0 {
				continue
			}
			u := &in.In[rng.IntN(len(in.In))]
			return fmt.Sprintf("%%%d", after.Out[0]), set(&u.Value, after.Out[0]), true
		}
		return "", nil, false
	}},
	{"a value of a loop used outside", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		w, ok := some(rng, p.loops, func(w *Loop) bool { return w.To > w.From })
		if !ok {
			return "", nil, false
		}
		u, ok := some(rng, p.uses, func(u *Use) bool { return p.within[u] == w.Outer })
		if !ok {
			return "", nil, false
		}
		v := w.From + rng.Int32N(w.To-w.From)
		return fmt.Sprintf("%%%d", v), set(&u.Value, v), true
	}},
	{"another value used", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		u, ok := some(rng, p.uses, nil)
		if !ok {
			return "", nil, false
		}
		v := rng.Int32N(int32(len(p.form.Values)))
		return fmt.Sprintf("%%%d for %%%d", v, u.Value), set(&u.Value, v), true
	}},
	{"next values of variables exchanged, modes left", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		w, ok := some(rng, p.loops, func(w *Loop) bool { return len(w.Vars) > 1 })
		if !ok {
			return "", nil, false
		}
		i := rng.IntN(len(w.Vars) - 1)
		x, y := &w.Vars[i].Next.Value, &w.Vars[i+1].Next.Value
		swap := func() { *x, *y = *y, *x }
		swap()
		return "", swap, true
	}},
	{"next value of a variable left out", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		w, ok := some(rng, p.loops, func(w *Loop) bool {
			return slices.ContainsFunc(w.Vars, func(x Variable) bool { return x.Next.Value != x.Value })
		})
		if !ok {
			return "", nil, false
		}
		for i := range w.Vars {
			if x := &w.Vars[i]; x.Next.Value != x.Value {
				return fmt.Sprintf("%%%d", x.Value), set(&x.Next, Use{Value: x.Value, Mode: Move}), true
			}
		}
		return "", nil, false
	}},
	{"drops of the sides of a conditional exchanged", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		in, ok := some(rng, p.ifs, func(in *Instr) bool {
			return in.Else != nil && !slices.Equal(in.Then.Drop, in.Else.Drop)
		})
		if !ok {
			return "", nil, false
		}
		swap := func() { in.Then.Drop, in.Else.Drop = in.Else.Drop, in.Then.Drop }
		swap()
		return fmt.Sprintf("%%%d", in.In[0].Value), swap, true
	}},
	{"the sides of a conditional exchanged", true, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		in, ok := some(rng, p.ifs, func(in *Instr) bool { return in.Else != nil })
		if !ok {
			return "", nil, false
		}
		swap := func() { in.Then, in.Else = in.Else, in.Then }
		swap()
		return fmt.Sprintf("%%%d", in.In[0].Value), swap, true
	}},
	{"the other side of a conditional asked for", true, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		in, ok := some(rng, p.ifs, nil)
		if !ok {
			return "", nil, false
		}
		return fmt.Sprintf("%%%d", in.In[0].Value), set(&in.Side, (in.Side+1)%p.form.Sides(in.Rank)), true
	}},
	{"the other side of a conditional left out", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		in, ok := some(rng, p.ifs, func(in *Instr) bool { return in.Else != nil })
		if !ok {
			return "", nil, false
		}
		return fmt.Sprintf("%%%d", in.In[0].Value), set(&in.Else, nil), true
	}},
	{"another predicate", true, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		in, ok := some(rng, p.ifs, nil)
		if !ok {
			return "", nil, false
		}
		other, ok := some(rng, p.ifs, func(x *Instr) bool { return x.In[0].Value != in.In[0].Value })
		if !ok {
			return "", nil, false
		}
		return fmt.Sprintf("%%%d for %%%d", other.In[0].Value, in.In[0].Value), set(&in.In[0].Value, other.In[0].Value), true
	}},
	{"a loop's parts after its test exchanged", true, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		w, ok := some(rng, p.loops, nil)
		if !ok {
			return "", nil, false
		}
		swap := func() { w.Body, w.Tail = w.Tail, w.Body }
		swap()
		return "", swap, true
	}},
	{"a value made twice", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		in, ok := some(rng, p.calls, nil)
		if !ok {
			return "", nil, false
		}
		other, ok := some(rng, p.calls, func(x *Instr) bool { return x.Out[0] != in.Out[0] })
		if !ok {
			return "", nil, false
		}
		return fmt.Sprintf("%%%d for %%%d", other.Out[0], in.Out[0]), set(&in.Out[0], other.Out[0]), true
	}},
	{"a value written to the register of another", false, func(p *Places, rng *rand.Rand) (string, func(), bool) {
		in, ok := some(rng, p.calls, func(in *Instr) bool { return p.form.Values[in.Out[0]].Into < 0 })
		if !ok {
			return "", nil, false
		}
		v := in.Out[0]
		other, ok := some(rng, p.calls, func(x *Instr) bool {
			for y := x.Out[0]; y >= 0; y = p.form.Values[y].Into {
				if y == v {
					return false
				}
			}
			return true
		})
		if !ok {
			return "", nil, false
		}
		return fmt.Sprintf("%%%d to %%%d", v, other.Out[0]), set(&p.form.Values[v].Into, other.Out[0]), true
	}},
}
