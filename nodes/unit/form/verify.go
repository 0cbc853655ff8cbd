package form

import (
	"fmt"
	"slices"
)

// Verify checks the form after lifetimes were decided: every value is there
// where it is used, on every path; it is given up exactly once on every path; no
// value is made where it is there already, or where another is there in its
// register; what a loop uses from outside is not given up in it; conditionals and
// loops are steered by the predicates that their blocks' conditions name. It
// shares nothing with the passes that decide. Tests, and programs built with the
// tag invariants, run it, and after the passes before lifetimes [Form.VerifyOrder].
func (f *Form) Verify() error { return f.verify(false) }

// VerifyOrder checks of a form whose lifetimes are not decided what Verify checks apart from
// them: every value is made once, before it is used, on every path; chains and tiles stand together;
// blocks and loops are steered by the predicates that their conditions name.
func (f *Form) VerifyOrder() error { return f.verify(true) }

func (f *Form) verify(early bool) (err error) {
	v := &verifier{form: f, early: early, there: make([][]cond, len(f.Values)), madeIn: make([]*Loop, len(f.Values)), chains: map[int32]bool{}, tiles: map[int32]bool{}}
	for x := range f.Values {
		v.madeIn[x] = f.Values[x].Loop
	}
	defer func() {
		if r := recover(); r != nil {
			bad, ok := r.(mistake)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("unit of frame %q: %s", f.Flow.Frames[f.Frame].Name, string(bad))
		}
	}()
	v.slots, v.first = newSlots(v), make([]int32, len(f.Flow.Nodes))
	for i := 1; i < len(v.first); i++ {
		v.first[i] = v.first[i-1] + f.Flow.Nodes[i-1].Outs
	}
	for _, p := range f.Params {
		if f.Values[p.Value].Role == RoleParam {
			v.make(p.Value, always)
		}
	}
	v.block(f.Body)
	for i := range f.Results {
		v.use(&f.Results[i].Use, always)
	}
	v.gone(0, int32(len(f.Values)), "at the end")
	return nil
}

type mistake string

type verifier struct {
	form   *Form
	early  bool // no use is known to be the last one
	within *Loop
	// there lists, for each value, the conditions under which it is there,
	// relative to the frame of the loop that makes it: one of them must hold.
	there [][]cond
	// madeIn is where each value is made; after a loop, what is left of it
	// counts as made by the loop around it.
	madeIn []*Loop
	slots  *slots
	chains map[int32]bool // those that were met
	tiles  map[int32]bool // likewise
	first  []int32        // by node: its first value, as the analysis numbers them
}

func (v *verifier) fail(format string, args ...any) { panic(mistake(fmt.Sprintf(format, args...))) }

func (v *verifier) make(x int32, c cond) {
	for _, k := range v.there[x] {
		if !v.form.conds.disjoint(k, c) {
			v.fail("%%%d is made where it is there", x)
		}
	}
	v.slots.free(x, c, "made")
	v.there[x] = append(v.there[x], c)
}

// covered reports whether a value is there wherever c holds.
func (v *verifier) covered(list []cond, c cond) bool {
	t := v.form.conds
	for _, k := range list {
		if t.implies(c, k) {
			return true
		}
	}
	for _, k := range list {
		if t.disjoint(k, c) {
			continue
		}
		for _, l := range t.literals(nil, k) {
			if _, found := t.side(c, l.rank); found {
				continue
			}
			for side := range t.preds[l.rank].sides {
				if !v.covered(list, t.with(c, literal{l.rank, side})) {
					return false
				}
			}
			return true
		}
	}
	return false
}

// take makes a value gone where c holds.
func (v *verifier) take(x int32, c cond) {
	t := v.form.conds
	var rest []cond
	for _, k := range v.there[x] {
		if t.disjoint(k, c) {
			rest = append(rest, k)
			continue
		}
		// What is left of k: each literal of c that k does not have, turned round.
		part := k
		for _, l := range t.literals(nil, c) {
			if _, found := t.side(k, l.rank); found {
				continue
			}
			for side := range t.preds[l.rank].sides {
				if side != l.side {
					rest = append(rest, t.with(part, literal{l.rank, side}))
				}
			}
			part = t.with(part, l)
		}
	}
	v.there[x] = rest
}

func (v *verifier) use(u *Use, c cond) {
	x := &v.form.Values[u.Value]
	if x.Role == RoleShared {
		if u.Mode == Move {
			v.fail("%%%d is not the unit's to give up", u.Value)
		}
		return
	}
	if !v.outer(v.madeIn[u.Value]) {
		v.fail("%%%d is used outside of its loop", u.Value)
	}
	if v.madeIn[u.Value] != v.within { // from outside: it is there all the time
		if u.Mode == Move {
			v.fail("a loop gives up %%%d, which it has from outside", u.Value)
		}
		return
	}
	if !v.covered(v.there[u.Value], c) {
		v.fail("%%%d is used where it is not there", u.Value)
	}
	if u.Mode == Move {
		v.take(u.Value, c)
	}
}

// outer reports whether a loop is around the place that is looked at.
func (v *verifier) outer(w *Loop) bool {
	if w == nil {
		return true
	}
	for x := v.within; x != nil; x = x.Outer {
		if x == w {
			return true
		}
	}
	return false
}

// drop gives up values that are there, or are on some of the ways that lead here:
// a slot that holds nothing may be dropped.
func (v *verifier) drop(list []int32, c cond) {
	for _, x := range list {
		if !v.maybe(x, c) {
			v.fail("%%%d is dropped where it is not there", x)
		}
		v.slots.free(x, c, "dropped")
		v.take(x, c)
	}
}

// maybe reports whether a value is there on some of the ways on which c holds.
func (v *verifier) maybe(x int32, c cond) bool {
	for _, k := range v.there[x] {
		if !v.form.conds.disjoint(k, c) {
			return true
		}
	}
	return false
}

// makes reports whether a value is made somewhere in the block, loops within left out.
func (b *Block) makes(x int32) bool {
	for i := range b.Code {
		in := &b.Code[i]
		if slices.Contains(in.Out, x) || in.Op == If && (in.Then.makes(x) || in.Else != nil && in.Else.makes(x)) {
			return true
		}
	}
	return false
}

func (v *verifier) gone(from, to int32, where string) {
	for x := from; x < to; x++ {
		switch {
		case v.early:
			v.there[x] = nil
		case len(v.there[x]) > 0:
			v.fail("%%%d is still there %s", x, where)
		}
	}
}

func (v *verifier) block(b *Block) {
	for i, x := range b.Drop {
		// What another way has made, and is not live because the block makes it, need
		// not be there on any way that leads here.
		if v.maybe(x, b.When) || !b.makes(x) {
			v.drop(b.Drop[i:i+1], b.When)
		}
	}
	for i := range b.Code {
		in := &b.Code[i]
		switch in.Op {
		case While:
			v.loop(in, b.When)
		case If:
			v.steered(&in.In[0], in.Rank)
			v.use(&in.In[0], b.When)
			v.under(in.Then, v.form.conds.with(b.When, literal{in.Rank, in.Side}))
			v.block(in.Then)
			if in.Else != nil {
				v.otherwise(b, in)
			}
		default:
			v.chain(b.Code, i)
			v.tile(b.Code, i)
			stands := map[int32]int{}
			for _, u := range in.In {
				stands[u.Value]++
			}
			for k := range in.In {
				if u := &in.In[k]; u.Mode == Move && stands[u.Value] > 1 {
					v.fail("%%%d is given up and used by one instruction", u.Value)
				}
				v.use(&in.In[k], b.When)
			}
			for _, o := range in.Out {
				if o >= 0 {
					v.make(o, b.When)
				}
			}
		}
		v.drop(in.Drop, b.When)
	}
}

// chain looks that what is of one chain stands together, in a loop, and may be of
// one.
func (v *verifier) chain(code []Instr, i int) {
	c := code[i].Chain
	switch {
	case c == 0:
	case v.within == nil || !v.form.chained(&code[i]):
		v.fail("%s is in chain %d", v.form.Flow.Name(code[i].Node), c)
	case i > 0 && code[i-1].Chain == c:
	case v.chains[c]:
		v.fail("%s is apart from chain %d", v.form.Flow.Name(code[i].Node), c)
	default:
		v.chains[c] = true
	}
}

// tile looks that a group of tiles stands together, outside of loops, that each of it may
// be of one, and that the group uses what its members make but for the last.
func (v *verifier) tile(code []Instr, i int) {
	g := code[i].Tile
	if g == 0 {
		return
	}
	name := v.form.Flow.Name(code[i].Node)
	switch {
	case v.within != nil || !v.form.tiled(&code[i]):
		v.fail("%s is in tiles %d", name, g)
	case i > 0 && code[i-1].Tile == g:
	case v.tiles[g]:
		v.fail("%s is apart from tiles %d", name, g)
	default:
		v.tiles[g] = true
	}
	if i+1 == len(code) || code[i+1].Tile != g {
		return
	}
	for k := i + 1; k < len(code) && code[k].Tile == g; k++ {
		for _, u := range code[k].In {
			if u.Value == code[i].Out[0] {
				return
			}
		}
	}
	v.fail("none of tiles %d uses what %s makes", g, name)
}

// otherwise looks at the Else of a conditional. Where there are more than two
// sides its block stands for all the others, and has drops only.
func (v *verifier) otherwise(b *Block, in *Instr) {
	t := v.form.conds
	if t.preds[in.Rank].sides == 2 {
		v.under(in.Else, t.with(b.When, literal{in.Rank, 1 - in.Side}))
		v.block(in.Else)
		return
	}
	if len(in.Else.Code) > 0 {
		v.fail("instructions in the Else of a conditional of many sides")
	}
	for side := range t.preds[in.Rank].sides {
		if side != in.Side {
			v.drop(in.Else.Drop, t.with(b.When, literal{in.Rank, side}))
		}
	}
}

// steered looks that a use is of the predicate of a rank.
func (v *verifier) steered(u *Use, rank int32) {
	if x := &v.form.Values[u.Value]; v.first[x.Node]+x.Port != v.form.conds.preds[rank].value {
		v.fail("%%%d is not what decides", u.Value)
	}
}

// under looks that a block's condition is what its place says.
func (v *verifier) under(b *Block, c cond) {
	if b.When != c {
		v.fail("a block is on the wrong side")
	}
}

// atOnce is use for several that happen at the same time.
func (v *verifier) atOnce(uses []*Use, c cond) {
	for _, moves := range []bool{false, true} {
		for _, u := range uses {
			if (u.Mode == Move) == moves {
				v.use(u, c)
			}
		}
	}
}

func (v *verifier) loop(in *Instr, c cond) {
	w := in.Loop
	inits, nexts := make([]*Use, len(w.Vars)), make([]*Use, len(w.Vars))
	for i := range w.Vars {
		inits[i], nexts[i] = &w.Vars[i].Init, &w.Vars[i].Next
	}
	v.atOnce(inits, c)
	// What it has from outside must be there when it begins.
	for _, x := range v.form.outside(in) {
		if v.madeIn[x] == v.within && !v.covered(v.there[x], c) {
			v.fail("a loop uses %%%d, which is not there", x)
		}
	}
	outer := v.within
	v.within, v.slots.entered[w] = w, c
	v.under(w.Head, always)
	v.steered(&w.Test, w.rank)
	v.under(w.Body, v.form.conds.with(always, literal{w.rank, 1}))
	v.under(w.Tail, v.form.conds.with(always, literal{w.rank, 0}))
	for i := range w.Vars {
		v.make(w.Vars[i].Value, always)
	}
	v.block(w.Head)
	v.use(&w.Test, always)
	at := v.snapshot(w.From, w.To)
	on := w.Body.When
	v.narrow(w.From, w.To, on)
	v.block(w.Body)
	for i := range w.Vars {
		if x := &w.Vars[i]; x.Next.Value == x.Value && x.Next.Mode != Move && !v.early {
			v.fail("%%%d stays and is not kept", x.Value)
		}
	}
	v.atOnce(nexts, on)
	v.gone(w.From, w.To, "at the end of an iteration")
	copy(v.there[w.From:w.To], at)
	v.narrow(w.From, w.To, w.Tail.When)
	v.block(w.Tail)
	v.within = outer
	// What is left is there for those around the loop.
	for x := w.From; x < w.To; x++ {
		if len(v.there[x]) == 0 {
			continue
		}
		if !v.covered(v.there[x], w.Tail.When) {
			if v.early {
				v.there[x] = nil
				continue
			}
			v.fail("%%%d is there after a loop, but not always", x)
		}
		v.there[x] = []cond{c}
		v.madeIn[x] = outer
	}
}

func (v *verifier) snapshot(from, to int32) [][]cond {
	list := make([][]cond, to-from)
	for x := from; x < to; x++ {
		list[x-from] = slices.Clone(v.there[x])
	}
	return list
}

// narrow looks at values where c holds alone.
func (v *verifier) narrow(from, to int32, c cond) {
	for x := from; x < to; x++ {
		var list []cond
		for _, k := range v.there[x] {
			if k = v.form.conds.and(k, c); k != never {
				list = append(list, k)
			}
		}
		v.there[x] = list
	}
}
