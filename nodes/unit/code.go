package unit

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

//go:generate go run ./gen

// A Unit is what a form was made into: instructions over the slots of a
// [Machine]. It is immutable and safe for concurrent use.
type Unit struct {
	Frame int32 // the program's frame that is played; 0 is all of it

	instrs  []instr
	nodes   []int32 // by instruction: the node that it stands for, -1 for none
	calls   []call
	moves   []transfer
	reads   []read
	fetches []fetch
	tests   []test
	entries []entrance
	latches []latch
	bands   []band
	chains  []chain
	picks   []pick
	loops   []loop

	params  []param
	results []result
	presets []preset
	slots   int
	homes   int32
	eager   bool    // chains are prepared when they are first played
	scalars bool    // the first 256 slots are registers of scalars
	copies  []bool  // by slot: it never owns what it holds
	stale   []int32 // slots that may hold copies of tensors when the unit has ended
}

// An opcode says what an instruction of a unit does.
type opcode uint8

const (
	opEnd   opcode = iota
	opCall         // runs the kernel of calls[x]
	opMove         // moves[x]: the value is given on
	opCopy         // moves[x]: the value is shared
	opPlain        // moves[x], of what needs no ownership
	opDrop         // gives up what is in slot x
	opRead         // reads[x]: what a reference points to
	opFetch        // fetches[x]
	opJump         // to instruction x
	opTest         // tests[x]: jumps if a predicate does not choose a side
	opLoop         // loop x begins
	opLatch        // latches[x]: the next iteration of a loop begins
	opPick         // picks[x]: element a of a vector, or else what follows
	opBand         // bands[x]: kernels side by side, or else what follows
	opChain        // chains[x]: kernels that were prepared, or else what follows
	opEnter        // entries[x]: jumps if what is taken for granted does not hold
	firstScalar
)

// String returns the opcode's name.
func (o opcode) String() string { return opcodeNames[o] }

// An instr is one instruction. d, a and b are registers of scalars, or a loop.
type instr struct {
	op      opcode
	d, a, b uint8
	x       int32
}

// jumps are the opcodes of a comparison that jumps if it holds, unless it holds,
// and as a latch.
type jumps struct {
	when, unless, latch opcode
}

// A call runs a kernel.
type call struct {
	kernel  kernel.Kernel
	keep    uint64 // inputs that must not be reused
	unread  ports  // outputs that have no reader
	node    int32
	loop    int32 // the innermost loop; -1
	in, nin int32 // slots of the inputs
	out     int32
	nout    int32
	plain   bool       // the output is a register of scalars
	gathers []transfer // brought to the inputs first
	reads   []read     // likewise
	gives   []give     // inputs that are given up
	homes   [2]int32   // range of the machine's homes; empty outside of loops
}

// ports is a set of a node's inputs or outputs, of which there may be any number. Nil is
// the empty set.
type ports []uint64

func (p ports) has(i int) bool {
	w := uint(i) / 64
	return w < uint(len(p)) && p[w]&(1<<(uint(i)%64)) != 0
}

func (p *ports) add(i int) {
	for len(*p) <= i/64 {
		*p = append(*p, 0)
	}
	(*p)[i/64] |= 1 << (i % 64)
}

// A transfer is from one slot to another.
type transfer struct {
	from, to int32
}

// A give is an input that the kernel, or the unit after it, gives up.
type give struct {
	slot int32 // of the input
	home int32 // where it was gathered from; -1: nowhere
}

// A read puts what a reference points to into a slot, or a token of what the
// variable shares.
type read struct {
	transfer
	node, loop int32
	share      bool
}

// A fetch hands a value out.
type fetch struct {
	slot, index int32
	node, loop  int32
	move, read  bool
}

// A test looks at a predicate.
type test struct {
	slot   int32
	side   int32 // passed if it chooses another
	sides  int32
	target int32 // where to go if it is passed
	node   int32
	loop   int32
	move   bool
}

// An entrance to instructions that take for granted that some values are
// scalars.
type entrance struct {
	checks    []check
	vectors   []check // slots that hold a vector of a type
	registers []check // of the island, to be made scalars of their types
	loads     []transfer
	otherwise int32 // where to go if a check fails
}

// A check is that a slot holds a scalar of a type.
type check struct {
	slot int32
	zero tensor.Value // a scalar of the type
}

// A latch goes to the next iteration of a loop.
type latch struct {
	loop, target int32
}

// A loop, for the names of its iterations.
type loop struct {
	frame int32
	node  int32 // steered by its test
	outer int32 // -1
}

// A param is a feed, or what an Enter brings.
type param struct {
	slot int32
	node int32
	feed int32 // -1 for an Enter
}

// A result is what an Exit leaves with.
type result struct {
	node, slot int32
	move       bool
}

// A preset is a slot that holds a constant.
type preset struct {
	slot  int32
	value tensor.Value
}
