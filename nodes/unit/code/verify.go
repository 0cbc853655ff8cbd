package code

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/tensor"
)

// Verify checks the code that was emitted from a form: it executes both with symbolic
// values on the same random paths, and compares. Every value that a kernel makes is a
// number; a predicate chooses its side by its number, so both take the same way. On
// every path
//
//   - the same kernels are called in the same order with the same values, and the same
//     values are read, fetched and left with;
//   - a slot is read only while it holds something, and written only while it owns
//     nothing; what it owns is given up once, and nothing is left at the end;
//   - instructions on scalars have registers of their types.
//
// What a band or a chain describes must come to the same as the calls that it stands
// for, and so must what is written with the assumptions of an island and without.
// Verify shares nothing with what emits code. Tests, and programs built with the tag
// invariants, verify all code.
func Verify(u *Unit, f *form.Form) error {
	if err := u.wellFormed(f); err != nil {
		return verifyError(f, err)
	}
	forwards := forwarders(f)
	for seed := range uint64(paths) {
		want := meaning{form: f, symbols: symbols{seed: seed, forwards: forwards}}
		if err := want.play(); errors.Is(err, errEndless) {
			continue
		}
		got := execution{unit: u, form: f, symbols: symbols{seed: seed, forwards: forwards}, rng: rand.New(rand.NewPCG(seed, 1))}
		if err := got.play(); err != nil {
			return verifyError(f, fmt.Errorf("%w\n%v\n%v", err, f, u))
		}
		if err := same(f, want.events, got.events); err != nil {
			return verifyError(f, fmt.Errorf("%w\n%v\n%v", err, f, u))
		}
	}
	return nil
}

// paths is how many paths through a unit Verify follows.
const paths = 12

// errEndless says that a path was given up because it does not end.
var errEndless = errors.New("endless")

func verifyError(f *form.Form, err error) error {
	return fmt.Errorf("code of frame %q: %w", f.Flow.Frames[f.Frame].Name, err)
}

// same compares what was done on one path.
func same(f *form.Form, want, got []event) error {
	for i := range min(len(want), len(got)) {
		if w, g := want[i], got[i]; w.what != g.what || w.node != g.node || !slices.Equal(w.in, g.in) {
			return fmt.Errorf("%s where the form has %s", g.text(f), w.text(f))
		}
	}
	if len(want) != len(got) {
		return fmt.Errorf("%d calls, reads and fetches where the form has %d", len(got), len(want))
	}
	return nil
}

// wellFormed checks what needs no execution: that every index is inside of its table,
// and what the machine is told of slots.
func (u *Unit) wellFormed(f *form.Form) error {
	if len(u.Nodes) != len(u.Instrs) || len(u.Copies) != u.Slots {
		return fmt.Errorf("%d instructions for %d nodes, %d slots of which %d are described", len(u.Instrs), len(u.Nodes), u.Slots, len(u.Copies))
	}
	tables := [...]int{
		OpCall: len(u.Calls), OpMove: len(u.Moves), OpCopy: len(u.Moves), OpPlain: len(u.Moves), OpDrop: u.Slots, OpRead: len(u.Reads),
		OpFetch: len(u.Fetches), OpJump: len(u.Instrs), OpTest: len(u.Tests), OpLoop: len(u.Loops), OpLatch: len(u.Latches),
		OpPick: len(u.Picks), OpTogether: max(len(u.Bands), len(u.Tiles)), OpChain: len(u.Chains), OpEnter: len(u.Entries), OpWait: len(u.Calls), OpStart: len(u.Calls), OpAwait: 1, OpGuard: len(u.Guards),
	}
	inside := func(x int32, n int) bool { return x >= 0 && int(x) < n }
	for pc, in := range u.Instrs {
		switch {
		case in.Op == OpEnd:
		case int(in.Op) < len(tables):
			if !inside(in.X, tables[in.Op]) {
				return fmt.Errorf("instruction %d, %v: there is no %d", pc, in.Op, in.X)
			}
			if tiles := in.D == TogetherTiles; in.Op == OpTogether && !(tiles && inside(in.X, len(u.Tiles)) && int(in.A) < len(u.Tiles[in.X].Members) || !tiles && inside(in.X, len(u.Bands))) {
				return fmt.Errorf("instruction %d: nothing is played together as %d, %d from %d on", pc, in.D, in.X, in.A)
			}
		}
	}
	if err := u.Enclosed(); err != nil {
		return err
	}
	homes := int32(0)
	for i := range u.Calls {
		c := &u.Calls[i]
		if c.In < 0 || int(c.In+c.Nin) > u.Slots || c.Out < 0 || int(c.Out+c.Nout) > u.Slots {
			return fmt.Errorf("call %d has slots that there are none of", i)
		}
		if c.Homes[0] < 0 || c.Homes[0] > c.Homes[1] || c.Homes[1] > u.Homes || c.Homes[1] > c.Homes[0] && c.Homes[0] < homes {
			return fmt.Errorf("call %d has the homes %v, of which others are another's", i, c.Homes)
		}
		homes = max(homes, c.Homes[1])
		if k := f.Flow.Nodes[c.Node].Kernel; k == nil || !identical(k, c.Kernel) {
			return fmt.Errorf("call %d runs the kernel of another node than %s", i, f.Flow.Name(c.Node))
		}
		for _, g := range c.Gathers {
			if !u.Copies[g.To] || !slices.Contains(u.Stale, g.To) {
				return fmt.Errorf("slot %d, which call %d gathers, may be left with a copy", g.To, i)
			}
		}
		for _, r := range c.Reads {
			if !u.Copies[r.To] || !slices.Contains(u.Stale, r.To) {
				return fmt.Errorf("slot %d, which call %d reads to, may be left with a copy", r.To, i)
			}
		}
	}
	return nil
}

// identical reports whether two kernels are one, where that can be told.
func identical(a, b kernel.Kernel) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && (!reflect.ValueOf(a).Comparable() || a == b)
}

// An event is something of which the order and the values matter.
type event struct {
	what string // call, read, fetch, result
	node int32  // of a fetch its index
	in   []uint64
}

func (e event) text(f *form.Form) string {
	if e.what == "fetch" {
		return fmt.Sprintf("fetch %d of %x", e.node, e.in)
	}
	return fmt.Sprintf("a %s of %s(%x)", e.what, f.Flow.Name(e.node), e.in)
}

// symbols are the values of one path: numbers.
type symbols struct {
	seed     uint64
	forwards map[int32]bool
	count    map[int32]uint64
	events   []event
}

// soon is how often a kernel is called before all that it makes is even, so that loops
// end.
const soon = 5

// call returns the numbers of what a kernel puts out.
func (s *symbols) call(node int32, in []uint64, outs int) []uint64 {
	if s.forwards[node] {
		return slices.Clone(in[:1])
	}
	if s.count == nil {
		s.count = map[int32]uint64{}
	}
	s.events = append(s.events, event{"call", node, slices.Clone(in)})
	s.count[node]++
	out := make([]uint64, outs)
	for o := range out {
		if out[o] = mix(s.seed, 1, uint64(node), uint64(o), s.count[node]); s.count[node] > soon {
			out[o] &^= 1
		}
	}
	return out
}

// read returns the number of what a node reads from a reference.
func (s *symbols) read(node int32, ref uint64) uint64 {
	s.events = append(s.events, event{"read", node, []uint64{ref}})
	return mix(s.seed, 2, uint64(node), ref, uint64(len(s.events)))
}

func (s *symbols) target(ref uint64) uint64 { return mix(s.seed, 3, ref) }
func (s *symbols) param(node int32) uint64  { return mix(s.seed, 4, uint64(node)) }

// constant returns the number of a constant: the same for equal scalars, and for one tensor.
func (s *symbols) constant(f *form.Form, v tensor.Value) uint64 {
	if v.Plain() {
		return mix(s.seed, 5, uint64(v.DType()), tensor.Inner[uint64](&v))
	}
	return mix(s.seed, 6, uint64(slices.Index(f.Flow.Consts, v)))
}

func mix(list ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, x := range list {
		h ^= x
		h *= 0xbf58476d1ce4e5b9
		h ^= h >> 29
		h *= 0x94d049bb133111eb
		h ^= h >> 32
	}
	return h
}

// forwarders finds calls that are a move for scalars: what they put out is what they
// are given.
func forwarders(f *form.Form) map[int32]bool {
	found := map[int32]bool{}
	var block func(b *form.Block)
	block = func(b *form.Block) {
		if b == nil {
			return
		}
		for i := range b.Code {
			in := &b.Code[i]
			if in.Op == form.Call && f.ScalarOf(in).Op == form.ScalarMove {
				found[in.Node] = true
			}
			block(in.Then)
			block(in.Else)
			if w := in.Loop; w != nil {
				block(w.Head)
				block(w.Body)
				block(w.Tail)
			}
		}
	}
	block(f.Body)
	return found
}
