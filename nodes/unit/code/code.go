package code

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/tensor"
)

// A Unit is what a form was made into: instructions over the slots of a
// [Machine]. It is immutable and safe for concurrent use.
type Unit struct {
	Frame int32 // the program's frame that is played; 0 is all of it

	Instrs  []instr
	Nodes   []int32 // by instruction: the node that it stands for, -1 for none
	Calls   []Call
	Moves   []transfer
	Reads   []Read
	Fetches []Fetch
	Tests   []Test
	Entries []Entrance
	Guards  []Guard
	Latches []latch
	Bands   []Band
	Chains  []Chain
	Tiles   []Tiles
	Picks   []Pick
	Loops   []loop

	Params  []param
	Results []result
	Presets []preset
	Slots   int
	Homes   int32
	Eager   bool    // chains are prepared when they are first played
	Scalars bool    // the first 256 slots are registers of scalars
	Waits   bool    // it may be parked
	Copies  []bool  // by slot: it never owns what it holds
	Stale   []int32 // slots that may hold copies of tensors when the unit has ended
}

// An opcode says what an instruction of a unit does.
type opcode uint8

const (
	OpEnd      opcode = iota
	OpCall            // runs the kernel of calls[x]
	OpMove            // moves[x]: the value is given on
	OpCopy            // moves[x]: the value is shared
	OpPlain           // moves[x], of what needs no ownership
	OpDrop            // gives up what is in slot x
	OpRead            // reads[x]: what a reference points to
	OpFetch           // fetches[x]
	OpJump            // to instruction x
	OpTest            // tests[x]: jumps if a predicate does not choose a side
	OpLoop            // loop x begins
	OpLatch           // latches[x]: the next iteration of a loop begins
	OpPick            // picks[x]: element a of a vector, or else what follows
	OpTogether        // calls that are played together, or else what follows: d says of which kind x is
	OpChain           // chains[x]: kernels that were prepared, or else what follows
	OpEnter           // entries[x]: jumps if what is taken for granted does not hold
	OpWait            // runs the kernel of calls[x], for which the unit may be parked
	OpStart           // likewise, but it is parked later, by an OpAwait
	OpAwait           // parks the unit until all is done that was started
	OpGuard           // guards[x]: leaves the island if register d holds no scalar of type a
	firstScalar
)

// What D says of an OpTogether. Both are outside of what is played often, and share an opcode as
// there are no more than 256.
const (
	TogetherBand  = iota // bands[x]: kernels side by side
	TogetherTiles        // tiles[x]: from member a on, kernels that compute a few rows at a time
)

// opcodeOf returns the opcode of an operation on scalars.
func opcodeOf(s form.ScalarOp) opcode { return firstScalar + opcode(s) - 1 }

// String returns the opcode's name.
func (o opcode) String() string { return opcodeNames[o] }

// latches reports whether an opcode begins the next iteration of the loop d.
func (o opcode) Latches() bool {
	if o == OpLatchIf {
		return true
	}
	return o > OpLatchIf && (o-OpLatchIf)%3 == 0
}

// An instr is one instruction. d, a and b are registers of scalars, or a loop.
//
// It has 16 bytes on purpose: for 8 the compiler works out the address anew for each
// field.
type instr struct {
	Op      opcode
	D, A, B uint8
	X       int32 // never negative
	_       int64
}

// jumps are the opcodes of a comparison that jumps if it holds, unless it holds,
// and as a latch.
type jumps struct {
	when, unless, latch opcode
}

// A call runs a kernel.
type Call struct {
	Kernel  kernel.Kernel
	Keep    uint64 // inputs that must not be reused
	Unread  ports  // outputs that have no reader
	Node    int32
	Loop    int32 // the innermost loop; -1
	In, Nin int32 // slots of the inputs
	Out     int32
	Nout    int32
	Plain   bool       // the output is a register of scalars
	Gathers []transfer // brought to the inputs first
	Reads   []Read     // likewise
	Gives   []give     // inputs that are given up
	Homes   [2]int32   // range of the machine's homes; empty outside of loops
}

// ports is a set of a node's inputs or outputs, of which there may be any number. Nil is
// the empty set.
type ports []uint64

func (p ports) Has(i int) bool {
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
	From, To int32
}

// A give is an input that the kernel, or the unit after it, gives up.
type give struct {
	Slot int32 // of the input
	Home int32 // where it was gathered from; -1: nowhere
}

// A read puts what a reference points to into a slot, or a token of what the
// variable shares.
type Read struct {
	transfer
	Node, Loop int32
	Share      bool
}

// A fetch hands a value out.
type Fetch struct {
	Slot, Index int32
	Node, Loop  int32
	Move, Read  bool
}

// A test looks at a predicate.
type Test struct {
	Slot   int32
	Side   int32 // passed if it chooses another
	Sides  int32
	Target int32 // where to go if it is passed
	Node   int32
	Loop   int32
	Move   bool
}

// An entrance to instructions that take for granted that some values are
// scalars.
type Entrance struct {
	Checks    []check
	Vectors   []check // slots that hold a vector of a type
	Registers []check // of the island, to be made scalars of their types
	Loads     []transfer
	Otherwise int32 // where to go if a check fails
}

// A Guard stands behind a kernel that may wait, whose output an island takes for a scalar. If
// it is none, what the island has in registers is brought to where it lies outside of the
// island, and the unit goes on with what is written without its assumptions.
type Guard struct {
	Register  check
	Moves     []transfer // from registers
	Otherwise int32      // where to go on
}

// A check is that a slot holds a scalar of a type.
type check struct {
	Slot int32
	Zero tensor.Value // a scalar of the type
}

// A latch goes to the next iteration of a loop.
type latch struct {
	Loop, Target int32
}

// A loop, for the names of its iterations.
type loop struct {
	Frame int32
	Node  int32 // steered by its test
	Outer int32 // -1
}

// A param is a feed, or what an Enter brings.
type param struct {
	Slot int32
	Node int32
	Feed int32 // -1 for an Enter
}

// A result is what an Exit leaves with.
type result struct {
	Node, Slot int32
	Move       bool
}

// A preset is a slot that holds a constant.
type preset struct {
	Slot  int32
	Value tensor.Value
}
