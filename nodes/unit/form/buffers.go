package form

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/registry"
)

// Buffers is how much memory a unit's values take, by their shapes and lifetimes: what a
// plan made beforehand comes to, next to what the arena of a step does when it hands out
// and takes back buffers whose sizes are powers of two. Values that are always one
// another's memory (a Reshape, an elementwise operation that is the last to use an operand of
// its type and size) are one buffer. It says what could be, and decides nothing
// (docs/design/2026-11-29-weights.md).
//
// Not counted are feeds, constants and variables, which are others' memory, scalars, and
// what kernels use while they run.
type Buffers struct {
	List    []Buffer
	Sum     int64 // of all sizes
	Live    int64 // the most at a time: no plan takes less
	Planned int64 // what this plan takes
	Arena   int64 // what an arena takes
	Unknown int   // values without a known shape
	OneRow  bool  // first dimensions that are not known were counted as 1
}

// A Buffer is memory that values of a unit have, one after the other.
type Buffer struct {
	Values   []int32
	Bytes    int64
	From, To int   // the first and last instruction, counted as the form is printed
	Place    int64 // where the plan puts it
}

// align is what places are multiples of.
const align = 64

// mostPlanned bounds the buffers that are given places, which takes the square of their
// number.
const mostPlanned = 1 << 13

// Buffers plans the memory of a form that has its lifetimes.
func (f *Form) Buffers() *Buffers {
	p := &bufferPlan{form: f, shapes: newShapes(f.Flow), of: make([]int32, len(f.Values)), list: make([]Buffer, len(f.Values))}
	for v := range f.Values {
		p.of[v] = int32(v)
		p.list[v] = Buffer{Values: []int32{int32(v)}, From: -1}
	}
	p.block(f.Body)
	for _, r := range f.Results {
		p.used(r.Use.Value)
	}
	for _, v := range p.kept {
		p.used(v)
	}
	p.clock++
	for _, again := range p.inPlace {
		in, out := &p.list[p.root(again.in)], &p.list[p.root(again.out)]
		if in.Bytes == out.Bytes && in.To <= again.at && out.From >= again.at {
			p.join(again.in, again.out)
		}
	}
	b := &Buffers{Unknown: p.unknown, OneRow: p.shapes.oneRow}
	for v := range p.list {
		if x := &p.list[v]; p.of[v] == int32(v) && x.From >= 0 && x.Bytes > 0 {
			slices.Sort(x.Values)
			b.List = append(b.List, *x)
			b.Sum += x.Bytes
		}
	}
	b.run()
	if len(b.List) <= mostPlanned {
		b.place()
	}
	return b
}

// A bufferPlan is Buffers while it is made.
type bufferPlan struct {
	form    *Form
	shapes  *shapes
	of      []int32  // by value: another value of its buffer, or itself
	list    []Buffer // by value: its buffer, if it stands for it
	clock   int
	kept    []int32 // until the unit ends
	inPlace []inPlace
	unknown int
}

// An inPlace is a result that may have the memory of an operand, if nothing needs that
// afterwards: an elementwise operation's, a Join's, a loop's variable.
type inPlace struct {
	in, out int32
	at      int
}

func (p *bufferPlan) root(v int32) int32 {
	for p.of[v] != v {
		p.of[v] = p.of[p.of[v]]
		v = p.of[v]
	}
	return v
}

// join makes one buffer of those of two values.
func (p *bufferPlan) join(v, w int32) {
	v, w = p.root(v), p.root(w)
	if v == w {
		return
	}
	x, y := &p.list[v], &p.list[w]
	p.of[w] = v
	x.Values = append(x.Values, y.Values...)
	x.Bytes = max(x.Bytes, y.Bytes)
	if x.From < 0 || y.From >= 0 && y.From < x.From {
		x.From = y.From
	}
	x.To = max(x.To, y.To)
}

// used notes that a value is needed now.
func (p *bufferPlan) used(v int32) {
	x := &p.list[p.root(v)]
	x.To = max(x.To, p.clock)
}

// made notes that a value is made now.
func (p *bufferPlan) made(v int32) {
	x := &p.list[p.root(v)]
	if x.From < 0 {
		x.From = p.clock
	}
	x.To = max(x.To, p.clock)
	bytes, known := p.size(v)
	if !known {
		p.unknown++
	}
	x.Bytes = max(x.Bytes, bytes)
}

// size returns how many bytes a value's elements take; 0 of what is not in an arena.
func (p *bufferPlan) size(v int32) (bytes int64, known bool) {
	x := &p.form.Values[v]
	if x.DType.IsRef() || x.DType.HasPointers() || x.Node < 0 || x.Port < 0 {
		return 0, true
	}
	return bytesOf(x.DType, p.shapes.of(x.Source))
}

func (p *bufferPlan) block(b *Block) {
	if b == nil {
		return
	}
	for i := range b.Code { // what b drops first was used before
		p.instr(&b.Code[i])
	}
}

func (p *bufferPlan) instr(in *Instr) {
	p.clock++
	for i := range in.In {
		p.used(in.In[i].Value)
	}
	switch in.Op {
	case If:
		p.block(in.Then)
		p.block(in.Else)
	case While:
		p.loop(in.Loop)
	case Fetch:
		p.kept = append(p.kept, in.In[0].Value)
	case Join:
		if v := in.Out[0]; v >= 0 {
			p.made(v)
			p.becomes(in.In[0], v)
		}
	case Call:
		p.call(in)
	}
	for _, v := range in.Drop { // after a loop, what all iterations need
		p.used(v)
	}
}

func (p *bufferPlan) call(in *Instr) {
	n := &p.form.Flow.Nodes[in.Node]
	for o, v := range in.Out {
		switch {
		case v < 0:
		case n.Def == nil:
			p.made(v)
		case n.Def.Type() == "ReadVariableOp": // the variable's memory
		case o == 0 && len(in.In) > 0 && (n.Def.Def().Is(registry.Forwards) || reshapes[n.Def.Type()]):
			if p.counted(in.In[0].Value) {
				p.made(v)
				p.join(in.In[0].Value, v)
			}
		default:
			p.made(v)
			if n.Def.Def().Is(registry.Elementwise) {
				p.overwrites(in, v)
			}
		}
	}
}

// becomes notes that a value that is given up may be another one's memory. Of several that
// become one on different ways the first is: the others may be there at the same time.
func (p *bufferPlan) becomes(u Use, v int32) {
	if u.Mode == Move && p.counted(u.Value) {
		p.inPlace = append(p.inPlace, inPlace{u.Value, v, p.clock})
	}
}

// overwrites notes the first operand that a result may take the memory of.
func (p *bufferPlan) overwrites(in *Instr, v int32) {
	for _, u := range in.In {
		if u.Mode == Move && p.counted(u.Value) && p.form.Values[u.Value].DType == p.form.Values[v].DType {
			if a, known := p.size(u.Value); known {
				if b, known := p.size(v); known && a == b {
					p.inPlace = append(p.inPlace, inPlace{u.Value, v, p.clock})
					return
				}
			}
		}
	}
}

// counted reports whether a value is the unit's own memory.
func (p *bufferPlan) counted(v int32) bool { return p.list[p.root(v)].From >= 0 }

// reshapes are operations that put out their first input under another shape.
var reshapes = map[string]bool{"Reshape": true, "Squeeze": true, "ExpandDims": true}

// loop plans one iteration: variables have their memory in all of the loop.
func (p *bufferPlan) loop(w *Loop) {
	for i := range w.Vars {
		x := &w.Vars[i]
		p.used(x.Init.Value)
		p.made(x.Value)
		p.becomes(x.Init, x.Value)
	}
	p.block(w.Head)
	p.used(w.Test.Value)
	p.block(w.Body)
	p.clock++
	for i := range w.Vars {
		p.used(w.Vars[i].Next.Value)
	}
	p.block(w.Tail)
	p.clock++
	for i := range w.Vars {
		p.used(w.Vars[i].Value)
	}
}

// run finds what is live at a time, and what an arena takes.
func (b *Buffers) run() {
	byFrom, byTo := make([]int, len(b.List)), make([]int, len(b.List))
	for i := range b.List {
		byFrom[i], byTo[i] = i, i
	}
	slices.SortStableFunc(byFrom, func(i, j int) int { return cmp.Compare(b.List[i].From, b.List[j].From) })
	slices.SortStableFunc(byTo, func(i, j int) int { return cmp.Compare(b.List[i].To, b.List[j].To) })
	var live int64
	free := map[int64]int{} // by size
	for _, i := range byFrom {
		for len(byTo) > 0 && b.List[byTo[0]].To < b.List[i].From {
			x := &b.List[byTo[0]]
			live -= x.Bytes
			free[class(x.Bytes)]++
			byTo = byTo[1:]
		}
		x := &b.List[i]
		live += x.Bytes
		b.Live = max(b.Live, live)
		if c := class(x.Bytes); free[c] > 0 {
			free[c]--
		} else {
			b.Arena += c
		}
	}
}

// class returns the size of the buffer that an arena hands out for so many bytes.
func class(bytes int64) int64 { return int64(max(1<<bits.Len64(uint64(bytes-1)), 64)) }

// place gives every buffer a place, the largest first: the lowest where nothing is that is
// live at the same time.
func (b *Buffers) place() {
	order := make([]int, len(b.List))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(b.List[j].Bytes, b.List[i].Bytes) })
	var placed []int // by place
	for _, i := range order {
		x := &b.List[i]
		at := int64(0)
		for _, j := range placed {
			y := &b.List[j]
			if y.To < x.From || x.To < y.From {
				continue
			}
			if at+x.Bytes <= y.Place {
				break
			}
			at = max(at, (y.Place+y.Bytes+align-1)&^(align-1))
		}
		x.Place = at
		b.Planned = max(b.Planned, at+x.Bytes)
		k, _ := slices.BinarySearchFunc(placed, at, func(j int, at int64) int { return cmp.Compare(b.List[j].Place, at) })
		placed = slices.Insert(placed, k, i)
	}
}

// String prints the sums, and what lies at each place in the order of time; nothing where no
// size is known.
func (b *Buffers) String() string {
	if len(b.List) == 0 {
		return ""
	}
	var w strings.Builder
	fmt.Fprintf(&w, "buffers: %d bytes, of which %d at a time", b.Sum, b.Live)
	if b.Planned > 0 {
		fmt.Fprintf(&w, "; planned %d", b.Planned)
	}
	fmt.Fprintf(&w, ", by the arena %d", b.Arena)
	if b.OneRow {
		w.WriteString("; for one row, where feeds do not say how many")
	}
	if b.Unknown > 0 {
		fmt.Fprintf(&w, "; without %d of unknown shape", b.Unknown)
	}
	w.WriteByte('\n')
	if b.Planned == 0 {
		return w.String()
	}
	places := map[int64][]*Buffer{}
	var order []int64
	for i := range b.List {
		x := &b.List[i]
		if places[x.Place] == nil {
			order = append(order, x.Place)
		}
		places[x.Place] = append(places[x.Place], x)
	}
	slices.Sort(order)
	for _, at := range order {
		fmt.Fprintf(&w, "\tat %d:", at)
		slices.SortStableFunc(places[at], func(x, y *Buffer) int { return cmp.Compare(x.From, y.From) })
		for i, x := range places[at] {
			if i > 0 {
				w.WriteByte(',')
			}
			for k, v := range x.Values {
				if k > 0 {
					w.WriteByte('=')
				} else {
					w.WriteByte(' ')
				}
				fmt.Fprintf(&w, "%%%d", v)
			}
			fmt.Fprintf(&w, " (%d)", x.Bytes)
		}
		w.WriteByte('\n')
	}
	return w.String()
}
