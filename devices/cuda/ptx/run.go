package ptx

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// Addresses of the generic space are those of windows of this many bits. The first few are
// a block's and a thread's own memory; each other one is for one allocation.
const (
	windowBits   = 38
	sharedWindow = 1
	localWindow  = 2
	// FirstWindow is the first that is the device's.
	FirstWindow = 16
)

// Address returns where a window begins.
func Address(window uint64) uint64 { return window << windowBits }

// Window is which window an address is in, and where in it.
func Window(address uint64) (window, offset uint64) {
	return address >> windowBits, address & (1<<windowBits - 1)
}

// A Launch is one execution of an entry.
type Launch struct {
	Grid, Block [3]uint32
	Params      []byte // of all parameters, each at its offset
	// Memory is the bytes of a window, which are going to be read or written; nil if it
	// has none. Many goroutines call it.
	Memory  func(window uint64, write bool) []byte
	Workers int // goroutines; 0 is 1
	// Seed decides which warp of a block goes on, and for how many instructions.
	Seed uint64
}

// A Fault is what ended a launch.
type Fault struct {
	Entry, Instruction string
	Line               int // of the text
	Block, Thread      [3]uint32
	Reason             string
	Misaligned         bool // an access, which was within bounds
}

// Error returns all of it.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s, line %d, %s, block %v, thread %v: %s", f.Entry, f.Line, f.Instruction, f.Block, f.Thread, f.Reason)
}

const lanes = 32

// A vector is a register of all threads of a warp.
type vector [lanes]uint64

// A group is lanes that are at one instruction.
type group struct {
	at   int32
	mask uint32
}

// A warp is threads that go together.
type warp struct {
	registers []vector
	local     []byte // of each lane, one after the other
	groups    []group
	first     int // the number of lane 0's thread within the block
	waiting   bool
}

// A worker executes blocks, one at a time.
type worker struct {
	entry  *Entry
	launch *Launch
	warps  []warp
	shared []byte
	races  races
	block  [3]uint32
	known  []view // by instruction, of the last access
	rng    *rand.Rand
	going  []int // warps that have not come to the barrier
}

// A view is the memory of a window.
type view struct {
	window uint64
	bytes  []byte
}

// Run executes the entry for all threads. The first fault ends it.
func (e *Entry) Run(l *Launch) error {
	threads := int(l.Block[0]) * int(l.Block[1]) * int(l.Block[2])
	blocks := int64(l.Grid[0]) * int64(l.Grid[1]) * int64(l.Grid[2])
	if len(l.Params) < e.ParamBytes() || threads < 1 || e.threads > 0 && threads > e.threads {
		return fmt.Errorf("ptx: %s cannot have %d bytes of parameters and %d threads", e.Name, len(l.Params), threads)
	}
	var (
		next  atomic.Int64
		first atomic.Pointer[Fault]
		all   sync.WaitGroup
	)
	work := func() {
		w := e.worker(l, threads)
		for first.Load() == nil {
			n := next.Add(1) - 1
			if n >= blocks {
				return
			}
			x, rest := n%int64(l.Grid[0]), n/int64(l.Grid[0])
			w.block = [3]uint32{uint32(x), uint32(rest % int64(l.Grid[1])), uint32(rest / int64(l.Grid[1]))}
			if f := w.run(); f != nil {
				first.CompareAndSwap(nil, f)
			}
		}
	}
	for range min(int64(l.Workers), blocks) - 1 {
		all.Go(work)
	}
	work()
	all.Wait()
	if f := first.Load(); f != nil {
		return f
	}
	return nil
}

// worker returns one for blocks of so many threads.
func (e *Entry) worker(l *Launch, threads int) *worker {
	w := &worker{entry: e, launch: l, shared: make([]byte, e.Shared), races: newRaces(e.Shared), known: make([]view, len(e.code))}
	addresses := map[string]uint64{}
	for _, g := range e.module.Globals {
		addresses[g.Name] = g.Address
	}
	special := func(r []vector, name string, value func(lane int) uint32) {
		v := &r[e.named[name]]
		for l := range v {
			v[l] = uint64(value(l))
		}
	}
	for from := 0; from < threads; from += lanes {
		r := make([]vector, e.registers)
		for c, n := range e.constants {
			value := c.bits
			if c.global != "" {
				value = addresses[c.global]
			}
			for l := range r[n] {
				r[n][l] = value
			}
		}
		for d, axis := range []string{"x", "y", "z"} {
			special(r, "%tid."+axis, func(lane int) uint32 { return place(from+lane, l.Block)[d] })
			special(r, "%ntid."+axis, func(int) uint32 { return l.Block[d] })
			special(r, "%nctaid."+axis, func(int) uint32 { return l.Grid[d] })
		}
		special(r, "%laneid", func(lane int) uint32 { return uint32(lane) })
		w.warps = append(w.warps, warp{registers: r, local: make([]byte, e.Local*lanes), first: from})
	}
	return w
}

// place returns the index of a block's thread by its number.
func place(n int, size [3]uint32) [3]uint32 {
	x, rest := uint32(n)%size[0], uint32(n)/size[0]
	return [3]uint32{x, rest % size[1], rest / size[1]}
}

// interleave executes all warps to their next barrier, or their end: one of them at a time,
// which the seed chooses, for up to a number of instructions.
func (w *worker) interleave() *Fault {
	w.going = w.going[:0]
	for i := range w.warps {
		if len(w.warps[i].groups) > 0 {
			w.going = append(w.going, i)
		}
	}
	for len(w.going) > 0 {
		n := 0
		if len(w.going) > 1 {
			n = w.rng.IntN(len(w.going))
		}
		turn := math.MaxInt
		if len(w.going) > 1 && w.rng.IntN(4) > 0 { // else to the barrier
			turn = 1 << w.rng.IntN(10)
		}
		there, f := w.advance(&w.warps[w.going[n]], turn)
		if f != nil {
			return f
		}
		if there {
			last := len(w.going) - 1
			w.going[n] = w.going[last]
			w.going = w.going[:last]
		}
	}
	return nil
}

// poison fills memory with what nobody has written: NaN, and -1.
func poison(b []byte) {
	for i := range b {
		b[i] = 0xff
	}
}

// run executes a block.
func (w *worker) run() *Fault {
	threads := int(w.launch.Block[0]) * int(w.launch.Block[1]) * int(w.launch.Block[2])
	w.rng = rand.New(rand.NewPCG(w.launch.Seed, uint64(w.block[2])<<42|uint64(w.block[1])<<21|uint64(w.block[0])))
	poison(w.shared)
	for i := range w.warps {
		p := &w.warps[i]
		mask := ^uint32(0)
		if rest := threads - p.first; rest < lanes {
			mask = 1<<rest - 1
		}
		p.groups, p.waiting = append(p.groups[:0], group{0, mask}), false
		poison(p.local)
		for d, axis := range []string{"%ctaid.x", "%ctaid.y", "%ctaid.z"} {
			v := &p.registers[w.entry.named[axis]]
			for l := range v {
				v[l] = uint64(w.block[d])
			}
		}
	}
	for {
		if f := w.interleave(); f != nil {
			return f
		}
		w.races.barrier()
		ended, barrier := 0, int32(-1)
		for i := range w.warps {
			p := &w.warps[i]
			switch {
			case len(p.groups) == 0:
				ended++
			case barrier < 0:
				barrier = p.groups[0].at
			case barrier != p.groups[0].at:
				return w.fault(p, p.groups[0], bits.TrailingZeros32(p.groups[0].mask), "not all threads of the block come to this barrier")
			}
		}
		if ended == len(w.warps) {
			return nil
		}
		for i := range w.warps { // beyond the barrier
			if p := &w.warps[i]; len(p.groups) > 0 {
				p.groups[0].at++
			}
		}
	}
}

// fault describes what a thread met.
func (w *worker) fault(p *warp, g group, lane int, format string, args ...any) *Fault {
	in := &w.entry.code[g.at]
	return &Fault{
		Entry: w.entry.Name, Instruction: in.text, Line: int(in.line), Block: w.block,
		Thread: place(p.first+lane, w.launch.Block), Reason: fmt.Sprintf(format, args...),
	}
}

// advance executes a warp for a number of instructions or to its next barrier, at which its
// one group then is, or to its end, when it has none; there says that it came so far.
func (w *worker) advance(p *warp, turn int) (there bool, f *Fault) {
	code, regs := w.entry.code, p.registers
	for len(p.groups) > 0 {
		if turn <= 0 {
			return false, nil
		}
		// The group that is furthest behind goes on until it comes to the next one.
		least := 0
		for i, g := range p.groups {
			if g.at < p.groups[least].at {
				least = i
			}
		}
		g := p.groups[least]
		last := len(p.groups) - 1
		p.groups[least] = p.groups[last]
		p.groups = p.groups[:last]
		meeting := int32(len(code))
		for i := 0; i < len(p.groups); i++ {
			if p.groups[i].at == g.at {
				g.mask |= p.groups[i].mask
				p.groups[i] = p.groups[len(p.groups)-1]
				p.groups = p.groups[:len(p.groups)-1]
				i--
			} else {
				meeting = min(meeting, p.groups[i].at)
			}
		}
		for g.mask != 0 && g.at < meeting && turn > 0 {
			turn--
			in := &code[g.at]
			mask := g.mask
			if in.guard >= 0 {
				holds := uint32(0)
				v := &regs[in.guard]
				for l := range v {
					holds |= uint32(v[l]&1) << l
				}
				if in.negated {
					holds = ^holds
				}
				mask &= holds
			}
			switch in.kind {
			case computes:
				d, a, b, c := &regs[in.d], &regs[in.a], &regs[in.b], &regs[in.c]
				do := in.do
				if mask == ^uint32(0) {
					for l := range d {
						d[l] = do(a[l], b[l], c[l])
					}
				} else {
					for m := mask; m != 0; m &= m - 1 {
						l := bits.TrailingZeros32(m) & (lanes - 1)
						d[l] = do(a[l], b[l], c[l])
					}
				}
			case loads, stores:
				if f := w.access(p, g, in, mask); f != nil {
					return false, f
				}
			case reads:
				value := element(w.launch.Params[in.offset:], in)
				d := &regs[in.d]
				for m := mask; m != 0; m &= m - 1 {
					d[bits.TrailingZeros32(m)&(lanes-1)] = value
				}
			case branches:
				if mask == g.mask {
					g.at = in.target
					continue
				}
				if mask != 0 && code[in.target].kind == exits && code[in.target].guard < 0 {
					g.mask &^= mask // nobody waits for them at a barrier
				} else if mask != 0 {
					p.groups = append(p.groups, group{in.target, mask})
					if in.target <= g.at {
						meeting = in.target // behind: it goes first
					} else {
						meeting = min(meeting, in.target)
					}
					g.mask &^= mask
				}
			case waits:
				if len(p.groups) > 0 || mask != g.mask {
					return false, w.fault(p, g, bits.TrailingZeros32(g.mask), "not all threads of the warp come to this barrier")
				}
				p.groups = append(p.groups, g)
				return true, nil
			case exits:
				g.mask &^= mask
			}
			g.at++
		}
		if g.mask != 0 {
			p.groups = append(p.groups, g)
		}
	}
	return true, nil
}

// element returns what is at the start of memory, as a register has it.
func element(from []byte, in *instruction) uint64 {
	switch in.bytes {
	case 1:
		if in.signed {
			return uint64(int8(from[0]))
		}
		return uint64(from[0])
	case 2:
		if in.signed {
			return uint64(int16(binary.LittleEndian.Uint16(from)))
		}
		return uint64(binary.LittleEndian.Uint16(from))
	case 4:
		if in.signed {
			return uint64(int32(binary.LittleEndian.Uint32(from)))
		}
		return uint64(binary.LittleEndian.Uint32(from))
	}
	return binary.LittleEndian.Uint64(from)
}

// access loads or stores.
func (w *worker) access(p *warp, g group, in *instruction, mask uint32) *Fault {
	a, d, b := &p.registers[in.a], &p.registers[in.d], &p.registers[in.b]
	known := &w.known[g.at]
	size := uint64(in.bytes)
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m) & (lanes - 1)
		address := a[l] + uint64(in.offset)
		var memory []byte
		at := address
		switch space := in.space; {
		case space == shared || space == generic && address>>windowBits == sharedWindow:
			memory, at = w.shared, address&(1<<windowBits-1)
			if space == shared {
				at = address
			}
		case space == local || space == generic && address>>windowBits == localWindow:
			memory = p.local[l*w.entry.Local : (l+1)*w.entry.Local]
			if space == generic {
				at &= 1<<windowBits - 1
			}
		default:
			var window uint64
			window, at = Window(address)
			if window != known.window {
				*known = view{window, w.launch.Memory(window, in.kind == stores)}
			}
			memory = known.bytes
		}
		if at >= uint64(len(memory)) || size > uint64(len(memory))-at {
			return w.fault(p, g, l, "%d bytes at %#x, of memory that has %d", size, at, len(memory))
		}
		if at&(size-1) != 0 {
			f := w.fault(p, g, l, "%d bytes at %#x, which is no multiple", size, at)
			f.Misaligned = true
			return f
		}
		if in.space == shared || in.space == generic && address>>windowBits == sharedWindow {
			if other := w.races.access(at, size, p.first+l, in.kind == stores); other >= 0 {
				return w.fault(p, g, l, "no barrier is between this access to shared memory at %#x and that of thread %v", at, place(other, w.launch.Block))
			}
		}
		if in.kind == loads {
			d[l] = element(memory[at:], in)
			continue
		}
		switch v := b[l]; size {
		case 1:
			memory[at] = byte(v)
		case 2:
			binary.LittleEndian.PutUint16(memory[at:], uint16(v))
		case 4:
			binary.LittleEndian.PutUint32(memory[at:], uint32(v))
		default:
			binary.LittleEndian.PutUint64(memory[at:], v)
		}
	}
	return nil
}
