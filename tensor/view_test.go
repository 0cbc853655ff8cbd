package tensor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// look makes a view and claims it, as a kernel on the driver's goroutine does.
func look(t testing.TB, a *Arena, v Value, start, count int, shape ...int64) Value {
	t.Helper()
	w, err := a.View(v, start, count, shape)
	if err != nil {
		t.Fatal(err)
	}
	w.Claim()
	return w
}

func TestViewHoldsItsBase(t *testing.T) {
	b := NewBudget(0)
	a := Arena{Budget: b}
	v := alloc(t, &a, Float, 4, 8)
	for i := range Of[float32](&v) {
		Of[float32](&v)[i] = float32(i)
	}
	v.Hold(1)
	m := look(t, &a, v, 8, 16, 2, 8)
	m.Hold(2)
	w := look(t, &a, m, 8, 8, 8) // a view of a view
	w.Hold(1)
	if v.Sole() || m.Sole() || m.SoleView() || w.SoleView() {
		t.Error("what a view shows may be written")
	}
	a.Drop(v)
	a.Drop(m)
	a.Drop(m)
	if got := Of[float32](&w); !slices.Equal(got, []float32{16, 17, 18, 19, 20, 21, 22, 23}) {
		t.Errorf("the view of a view is %v", got)
	}
	if x := alloc(t, &a, Float, 4, 8); x.t == v.t {
		t.Fatal("a buffer was handed out that a view shows")
	} else {
		a.Reclaim(x)
	}
	if want := HeaderBytes + 128 + viewBytes; b.Used() != want {
		t.Errorf("%d bytes are in use, want %d", b.Used(), want)
	}
	a.Drop(w)
	if b.Used() != 0 {
		t.Errorf("%d bytes are in use by nobody", b.Used())
	}
}

func TestSoleView(t *testing.T) {
	var a Arena
	v := alloc(t, &a, Float, 16)
	v.Hold(1)
	all, half, less := look(t, &a, v, 0, 16, 4, 4), look(t, &a, v, 8, 8, 8), look(t, &a, v, 0, 7, 7)
	for _, w := range []Value{all, half, less} {
		w.Hold(1)
	}
	a.Drop(v)
	a.Drop(half)
	a.Drop(less)
	if !all.SoleView() || all.Sole() {
		t.Error("the only view of a tensor that no token holds may not be written")
	}
	all.Hold(1)
	if all.SoleView() {
		t.Error("one of two holders may write a view")
	}
	half = look(t, &a, all, 8, 8, 8)
	half.Hold(1)
	a.Drop(all)
	a.Drop(all)
	if !half.SoleView() || half.Partial() {
		t.Error("half a tensor may not be written")
	}
	less = look(t, &a, half, 1, 7, 7)
	less.Hold(1)
	a.Drop(half)
	if less.SoleView() || !less.Partial() {
		t.Error("less than half a tensor may be written")
	}
	for _, fed := range []Value{ValueOf(mustSlice(t, Float, []float32{1, 2}, 2)), {}} {
		if fed.IsZero() {
			if fed.SoleView() || fed.Partial() || fed.Holds() != 0 {
				t.Error("nothing is a view")
			}
			continue
		}
		w := look(t, &a, fed, 0, 2, 2, 1)
		w.Hold(1)
		if w.SoleView() || w.Exclusive() || w.Holds() != 0 {
			t.Error("a view of a fed tensor may be written")
		}
		a.Drop(w)
		if again := look(t, &a, fed, 0, 1, 1); again.t != w.t {
			t.Error("the header of a view was not used again")
		}
	}
}

func TestSharingAViewSharesItsBase(t *testing.T) {
	for name, share := range map[string]func(a *Arena, v Value){
		"Share":     func(a *Arena, v Value) { v.Share() },
		"Tensor":    func(a *Arena, v Value) { v.Tensor() },
		"WithShape": func(a *Arena, v Value) { v.t.WithShape([]int64{2, 4}) },
		"Row":       func(a *Arena, v Value) { v.Row(0) },
		"Disown":    func(a *Arena, v Value) { a.UnchargeValue(v) },
	} {
		b := NewBudget(0)
		a := Arena{Budget: b}
		v := alloc(t, &a, Float, 16)
		Of[float32](&v)[8] = 5
		v.Hold(1)
		w, x := look(t, &a, v, 8, 8, 4, 2), look(t, &a, v, 0, 16, 2, 8)
		w.Hold(1)
		x.Hold(1)
		share(&a, w)
		if v.Sole() || x.Exclusive() || v.Exclusive() || !v.Shared() {
			t.Errorf("after %s of a view somebody may write its base", name)
		}
		want := HeaderBytes + 64 + 2*viewBytes
		if name == "Disown" {
			want = viewBytes // x's
		}
		if b.Used() != want {
			t.Errorf("after %s %d bytes are in use, want %d", name, b.Used(), want)
		}
		a.UnchargeValue(x) // its base is nobody's to take off any more
		want -= viewBytes
		for _, u := range []Value{v, w, x} {
			a.Drop(u)
		}
		if b.Used() != want {
			t.Errorf("%s: %d bytes are in use, want %d", name, b.Used(), want)
		}
		if y := alloc(t, &a, Float, 16); y.t == v.t {
			t.Errorf("after %s the buffer was handed out", name)
		}
		if Of[float32](&w)[0] != 5 {
			t.Errorf("after %s the view is %v", name, Of[float32](&w))
		}
		a.Finish()
		if b.Used() != 0 {
			t.Errorf("%s: %d bytes are in use after the step", name, b.Used())
		}
	}
}

func TestExclusive(t *testing.T) {
	var a Arena
	v := alloc(t, &a, Float, 8)
	v.Hold(1)
	if !v.Exclusive() {
		t.Error("a fetched tensor is not its only holder's")
	}
	w := look(t, &a, v, 0, 8, 2, 4)
	w.Hold(1)
	if v.Exclusive() || w.Exclusive() {
		t.Error("a tensor and a view of it are two callers' own")
	}
	a.Drop(v)
	if !w.Exclusive() {
		t.Error("a fetched view is not its only holder's")
	}
	w.Hold(1)
	if w.Exclusive() {
		t.Error("a view that was fetched twice is its fetcher's own")
	}
}

// A kernel away from the driver makes views that hold nothing until the driver
// claims them; what it gives up before that gives nothing up.
func TestClaim(t *testing.T) {
	b := NewBudget(0)
	driver, away := Arena{Budget: b}, Arena{Budget: b}
	v := alloc(t, &driver, Float, 16)
	v.Hold(1)
	w, _ := away.View(v, 0, 16, []int64{4, 4})
	x, _ := away.View(w, 4, 12, []int64{12})
	away.Reclaim(x)
	if v.t.refs != 1 {
		t.Errorf("%d hold the base before views are claimed", v.t.refs)
	}
	w.Claim()
	w.Claim()
	if v.t.refs != 2 {
		t.Errorf("%d hold the base, want 2", v.t.refs)
	}
	w.Hold(1)
	driver.Drop(v)
	driver.Drop(w)
	if b.Used() != 0 {
		t.Errorf("%d bytes are in use by nobody", b.Used())
	}
	for _, v := range []Value{{}, Scalar(int32(1)), ValueOf(mustSlice(t, Float, []float32{1, 2}, 2)), alloc(t, &driver, Float, 2)} {
		v.Claim()
	}
}

func TestViewOfAHome(t *testing.T) {
	var a Arena
	var h BufferSlot
	v := take(t, &h, &a, Float, 16)
	v.Hold(1)
	w := look(t, &a, v, 0, 16, 4, 4)
	w.Hold(1)
	a.Drop(v)
	if x := take(t, &h, &a, Float, 16); x.t == v.t {
		t.Error("a tensor was handed out that a view shows")
	}
	a.Drop(w)
	if x := take(t, &h, &a, Float, 16); x.t != v.t {
		t.Error("a tensor did not come home with the last view of it")
	}
}

func TestViewOfScalarsAndNothing(t *testing.T) {
	b := NewBudget(0)
	a := Arena{Budget: b}
	s := look(t, &a, Scalar(int16(-3)), 0, 1, 1, 1)
	if Of[int16](&s)[0] != -3 || !slices.Equal(s.Dims(), []int64{1, 1}) {
		t.Errorf("it is %v %v", s.Dims(), Of[int16](&s))
	}
	v := alloc(t, &a, Int16, 4)
	Of[int16](&v)[2] = 9
	v.Hold(1)
	if one := look(t, &a, v, 2, 1); !one.Plain() || At0[int16](&one) != 9 {
		t.Errorf("an element is %v", one)
	}
	none := look(t, &a, v, 4, 0, 0, 7)
	none.Hold(1)
	if none.NumElements() != 0 || !v.Sole() {
		t.Error("a view of no elements holds some")
	}
	names := ValueOf(mustSlice(t, String, []string{"a", "b", "c"}, 3))
	two := look(t, &a, names, 1, 2, 2, 1)
	if !slices.Equal(Of[string](&two), []string{"b", "c"}) {
		t.Errorf("strings are %q", Of[string](&two))
	}
	for _, part := range [][2]int{{-1, 2}, {0, -1}, {3, 2}, {5, 0}, {1 << 62, 1 << 62}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("elements %v of 4 are a view", part)
				}
			}()
			a.View(v, part[0], part[1], []int64{int64(part[1])})
		}()
	}
}

func TestBitcastView(t *testing.T) {
	var a Arena
	v := alloc(t, &a, Uint8, 16)
	for i := range Of[uint8](&v) {
		Of[uint8](&v)[i] = uint8(i)
	}
	v.Hold(1)
	w, ok := a.Bitcast(v, Uint32, []int64{4})
	w.Claim()
	if !ok || len(Of[uint32](&w)) != 4 || v.Sole() {
		t.Fatalf("a bitcast of 16 bytes: %v", ok)
	}
	odd := look(t, &a, v, 1, 4, 4)
	for _, c := range []struct {
		v     Value
		dt    DType
		shape []int64
	}{{odd, Uint32, []int64{1}}, {v, Uint32, []int64{5}}, {v, Uint32, []int64{-1}}, {v, String, []int64{1}}, {v, Complex128, nil}, {Scalar(int32(1)), Uint8, []int64{4}}} {
		if _, ok := a.Bitcast(c.v, c.dt, c.shape); ok {
			t.Errorf("%v of %v %v is a view", c.dt, c.v.DType(), c.shape)
		}
	}
}

func TestCompact(t *testing.T) {
	var a Arena
	v := alloc(t, &a, Int32, 10)
	for i := range Of[int32](&v) {
		Of[int32](&v)[i] = int32(i)
	}
	v.Hold(1)
	half, less := look(t, &a, v, 5, 5, 5), look(t, &a, v, 6, 4, 2, 2)
	if w := half.Compact(); w != half || half.Holds() != 40 {
		t.Error("half a tensor was copied")
	}
	w := less.Compact()
	if w == less || !w.Shared() || less.Shared() || v.Shared() || !slices.Equal(w.Dims(), []int64{2, 2}) {
		t.Errorf("less than half a tensor: %v", w)
	}
	Of[int32](&v)[6] = 77
	if !slices.Equal(Of[int32](&w), []int32{6, 7, 8, 9}) {
		t.Errorf("the copy is %v", Of[int32](&w))
	}
	names := ValueOf(mustSlice(t, String, []string{"a", "b", "c"}, 3))
	one := look(t, &a, names, 1, 1, 1).Compact()
	if !slices.Equal(Of[string](&one), []string{"b"}) {
		t.Errorf("a copy of a string is %q", Of[string](&one))
	}
}

func TestBorrow(t *testing.T) {
	var a Arena
	v := alloc(t, &a, Int32, 6)
	copy(Of[int32](&v), []int32{0, 1, 2, 3, 4, 5})
	v.Hold(1)
	w := v.Borrow(2, 4, []int64{2, 2})
	if !slices.Equal(Of[int32](&w), []int32{2, 3, 4, 5}) || w.Sole() || !w.Shared() {
		t.Errorf("borrowed elements are %v", Of[int32](&w))
	}
	if v.Peek() != v.t || !v.Sole() {
		t.Error("what was borrowed is not its holder's any more")
	}
	if got := Scalar(int32(7)).Peek(); got.ElementText(0) != "7" {
		t.Errorf("a scalar reads as %v", got)
	}
	one := v.Borrow(3, 1, nil)
	if !one.Inside(Int32) || At0[int32](&one) != 3 {
		t.Errorf("a borrowed element is %v", one)
	}
}

// An entry is what the model knows of a tensor.
type entry struct {
	v       Value
	base    *entry // of a view
	tokens  int
	claimed bool // a view that holds its base
	shared  bool
	gone    bool
	off     bool   // taken off the account
	size    int64  // charged for it
	first   uint32 // its first element; the others follow
}

// held returns how many hold p: tokens, and views that somebody holds.
func (p *entry) held(all []*entry) int {
	n := p.tokens
	for _, w := range all {
		if w.base == p && w.claimed && !w.gone {
			n++
		}
	}
	return n
}

// TestAccountAgainstModel holds, drops, views, shares and disowns at random, and
// compares the account, and all elements, with a model that is a list of
// tensors and counts by walking over it.
func TestAccountAgainstModel(t *testing.T) {
	for seed := range uint64(200) {
		if err := playModel(rand.New(rand.NewPCG(seed, 1)), 400); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func playModel(r *rand.Rand, steps int) error {
	b := NewBudget(0)
	a, pool := Arena{Budget: b}, Arena{Budget: b}
	var homes [2]BufferSlot
	var all []*entry
	stamp := uint32(0)
	// fresh notes a tensor that a kernel has put out to so many places.
	fresh := func(v Value, base *entry, size int64, first uint32) {
		p := &entry{v: v, base: base, size: size, first: first, claimed: base != nil, tokens: r.IntN(3)}
		all = append(all, p)
		if p.tokens > 0 {
			v.Hold(p.tokens)
			return
		}
		a.Reclaim(v)
		p.settle(all)
	}
	// pick is a tensor that somebody holds.
	pick := func() *entry {
		var held []*entry
		for _, p := range all {
			if p.tokens > 0 {
				held = append(held, p)
			}
		}
		if len(held) == 0 {
			return nil
		}
		return held[r.IntN(len(held))]
	}
	for step := range steps {
		p := pick()
		what := ""
		switch k := r.IntN(10); {
		case p == nil || k == 0:
			what = "alloc"
			shape := []int64{int64(1 + r.IntN(3)), int64(1 + r.IntN(40))}
			v, err := a.Alloc(Uint32, shape)
			if err != nil {
				return err
			}
			stamp = fill(&v, stamp)
			fresh(v, nil, v.t.charged(), At0[uint32](&v))
		case k == 1: // of a home: charged as long as the home has it
			what = "take"
			v, err := homes[r.IntN(2)].Take(&a, Uint32, []int64{16 * int64(1+r.IntN(2))})
			if err != nil {
				return err
			}
			stamp = fill(&v, stamp)
			fresh(v, nil, v.t.charged(), At0[uint32](&v))
		case k == 2 || k == 3:
			what = "view"
			n := p.v.NumElements()
			start := r.IntN(n)
			count := 1 + r.IntN(n-start)
			arena := &a
			if r.IntN(2) == 0 {
				arena = &pool
			}
			w, err := arena.View(p.v, start, count, []int64{int64(count), 1})
			if err != nil {
				return err
			}
			w.Claim()
			root := p
			if p.base != nil {
				root = p.base
			}
			fresh(w, root, viewBytes, p.first+uint32(start))
		case k == 4:
			what = "hold"
			p.v.Hold(1)
			p.tokens++
		case k == 5:
			what = "share"
			p.v.Share()
			p.share()
		case k == 6:
			what = "disown"
			a.UnchargeValue(p.v)
			root := p
			if p.base != nil {
				root = p.base
			}
			root.off = root.off || !root.shared
			p.off = p.off || !p.shared
			p.share()
		case k == 7:
			what = "write"
			root := p
			if p.base != nil {
				root = p.base
			}
			alone := p.tokens == 1 && p.held(all) == 1 && !p.shared && (p.base == nil ||
				root.held(all) == 1 && !root.shared && 2*p.v.NumElements() >= root.v.NumElements())
			if got := p.v.Sole() || p.v.SoleView(); got != alone {
				return fmt.Errorf("step %d: Sole is %v, should be %v", step, got, alone)
			}
			if alone {
				p.v.Retake()
				stamp = fill(&p.v, stamp)
				p.first = At0[uint32](&p.v)
				p.v.Hold(1)
			}
		default:
			what = "drop"
			a.Drop(p.v)
			p.tokens--
			p.settle(all)
		}
		want := int64(0)
		for _, p := range all {
			if !p.gone && !p.off {
				want += p.size
			}
		}
		rest := int64(0) // at home
		for i := range homes {
			for _, h := range homes[i].spare {
				if h != nil && h.origin == atHome {
					rest += h.charged()
				}
			}
		}
		if got := b.Used(); got != want+rest {
			return fmt.Errorf("step %d: after %s %d bytes are in use, should be %d, and %d at home", step, what, got, want, rest)
		}
		for _, p := range all {
			if p.tokens == 0 {
				continue
			}
			for i, x := range Of[uint32](&p.v) {
				if x != p.first+uint32(i) {
					return fmt.Errorf("step %d: after %s element %d of a tensor is %d, should be %d", step, what, i, x, p.first+uint32(i))
				}
			}
		}
	}
	for _, p := range all {
		for ; p.tokens > 0; p.tokens-- {
			a.Drop(p.v)
		}
	}
	for i := range homes {
		homes[i].Release(&a)
	}
	left := int64(0)
	for _, p := range all {
		if p.shared && !p.off {
			left += p.size
		}
	}
	if b.Used() != left {
		return fmt.Errorf("at the end %d bytes are in use, should be %d", b.Used(), left)
	}
	a.Finish()
	pool.Finish()
	if b.Used() != 0 {
		return fmt.Errorf("after the step %d bytes are in use", b.Used())
	}
	return nil
}

// settle releases p, and of its base, if nobody holds them.
func (p *entry) settle(all []*entry) {
	if p.gone || p.shared || p.held(all) > 0 {
		return
	}
	p.gone = true
	if p.base != nil {
		p.base.settle(all)
	}
}

func (p *entry) share() {
	p.shared = true
	if p.base != nil {
		p.base.shared = true
	}
}

// fill returns all elements values that no tensor has had.
func fill(v *Value, stamp uint32) uint32 {
	for i := range Of[uint32](v) {
		Of[uint32](v)[i] = stamp
		stamp++
	}
	return stamp
}

func BenchmarkView(b *testing.B) {
	var a Arena
	v := alloc(b, &a, Float, 4, 4)
	v.Hold(1)
	shape := []int64{16}
	b.ReportAllocs()
	for b.Loop() {
		w, _ := a.View(v, 0, 16, shape)
		w.Claim()
		w.Hold(1)
		a.Drop(w)
	}
}
