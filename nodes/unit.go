package nodes

import (
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A unit is a frame, with all frames below it, that is played as one: its
// nodes in an order worked out beforehand, values copied straight from the
// kernel that makes them to the input slots of those that take them. It is
// made only of frames in which nothing can block, and where it is certain
// beforehand under which condition each node is live (see liveness). Then the
// order is one that the token rules allow, and nothing observable differs.
//
// Switch, Merge, Enter, Exit, NextIteration, LoopCond and Identity leave no
// instruction behind: they only say where values go. docs/design/units.md
// tells the whole story.
type unit struct {
	frame  int32 // the program's; 0 for the unit of it all
	code   []instr
	ports  []port  // ranges of dests
	dests  []int32 // slots
	vars   []loopVar
	loops  []loop
	slots  int
	preset []preset        // slots that hold a constant from the beginning, for good
	keep   []bool          // by slot: holds a value that outlives its reading
	args   []argument      // of the root's unit: feeds
	enters map[int32]int32 // of a loop's unit: the slot of each Enter's value
	exits  []exit          // of a loop's unit: what it leaves with
	stale  bool            // values may be left in slots at the end of a run
}

// An exit of a loop's unit is where an Exit's value is at the end.
type exit struct {
	node, slot int32
}

// A preset is a constant's value in a slot.
type preset struct {
	slot  int32
	value tensor.Value
}

// An argument is a feed and where it goes.
type argument struct {
	feed int32
	to   port
}

// A loopVar is a value carried from one iteration to the next.
type loopVar struct {
	reg  int32 // slot of the current value
	next int32 // slot of the next one; -1 where it is written to reg at once
	to   port  // who reads it in an iteration
}

// A loop is what the code of a loop refers to.
type loop struct {
	frame  int32    // the program's frame
	outer  int32    // the enclosing loop; -1
	vars   [2]int32 // range of the unit's vars
	enters []hop
	exits  []hop
}

// A hop brings the value of a slot into a loop or out of it.
type hop struct {
	slot int32
	copy bool // the slot is a variable's register, which opLeave empties
	to   port
}

type opcode uint8

const (
	opKernel  opcode = iota
	opNoOp           // a node without outputs that has no kernel
	opMove           // hands a value on under a condition
	opFetch          // takes a fetch
	opGuard          // jumps to target unless the predicate in slot in has the side
	opLoop           // enters loop aux
	opIterate        // begins an iteration of loop aux
	opTest           // jumps to target unless the loop goes on
	opLatch          // ends an iteration of loop aux and jumps to target
	opLeave          // leaves loop aux
	opPoll           // looks whether the step was cancelled
)

// An instr is one instruction of a unit.
type instr struct {
	op     opcode
	side   bool // of opGuard
	deref  bool // inputs may be references to read
	direct bool // one output with one reader, whose slot is aux
	node   int32
	in     int32
	nin    int32
	out    int32 // first port
	nout   int32
	aux    int32
	target int32
	keep   uint64 // inputs that are read again
	kernel kernel.Kernel
}
