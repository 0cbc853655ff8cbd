package form

import (
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
)

// A Form is a unit in its intermediate form: values, and blocks of instructions
// that make and use them. Blocks nest: a conditional holds what is live on its
// sides, a loop what comes before its test, after it, and at its end. Nothing is
// left of the nodes that only say where values go.
//
// A value is made on every path at most once before it is given up. Who uses a
// value either moves it (the value is given up, its buffer may be reused),
// borrows it, or copies it (one more holds it). What is given up without being
// used is dropped. Verify checks all of that.
type Form struct {
	Flow   *Flow
	conds  *conditions
	Frame  int32 // the program's frame that is played
	Values []Value
	Params []Param // what is there when the unit begins
	Body   *Block
	// Results are the values of the Exits, where the unit is a loop's.
	Results []Result
	Loops   []*Loop // an outer one before those in it
	Calls   int     // how many there are
	Off     Passes  // those that are left out
}

// Sides returns how many values the predicate of a rank has.
func (f *Form) Sides(rank int32) int32 { return f.conds.preds[rank].sides }

// Shape returns what the graph knows of the shape of a value.
func (f *Form) Shape(v int32) graph.Shape { return f.Flow.output(f.Values[v].Source).Shape() }

// A Param is a feed, or what an Enter brings.
type Param struct {
	Value int32
	Node  int32 // the Arg or Enter
}

// A Result is what an Exit leaves with.
type Result struct {
	Node int32
	Use  Use
}

// A role says what a value is to its unit.
type role uint8

const (
	RoleLocal    role = iota // made by an instruction
	RoleParam                // there from the beginning, for the unit to give up
	RoleShared               // a feed or constant: others hold it, nobody gives it up
	roleVariable             // of a loop: made again by every iteration
	roleJoined               // of a Merge: made by one of several moves
)

// A Value is a virtual register.
type Value struct {
	Source      // where it is made
	Role   role // what it is to the unit
	DType  tensor.DType
	Loop   *Loop // in which it is made; nil outside of all
	When   cond  // when it is made, relative to the frame it is made in
	Const  int32 // index of the constant, -1 if it is none
	Uses   int32 // how often it stands in a Use
	Into   int32 // the value whose register it may be written to at once; -1
}

// A Mode says what becomes of a value where it is used.
type Mode uint8

// The modes.
const (
	Borrow Mode = iota // it stays as it is
	Move               // it is given up
	Copy               // it stays, and what uses it holds it as well
)

// A Use is a value as somebody uses it.
type Use struct {
	Value int32
	Mode  Mode
	Read  bool // it is a reference, and what is behind it is used
}

// An Op says what an instruction does.
type Op uint8

// The instructions.
const (
	Call  Op = iota // runs the kernel of Node: Out = Node(In)
	Read            // Out[0] is what the reference In[0] points to
	Join            // Out[0] = In[0]: one of several ways to make Out[0]
	Index           // Out[0] is the scalar Side: which input a Merge has taken
	Fetch           // In[0] is fetch number Side
	If              // Then if In[0] chooses Side, else Else
	While           // plays Loop
	Await           // waits for the Calls before it that were started
)

// An Instr is one instruction.
type Instr struct {
	Op   Op
	Node int32 // for messages
	Side int32
	In   []Use
	Out  []int32 // values; -1 where nobody uses one
	Rank int32   // of an If: its predicate's
	Then *Block
	Else *Block
	Loop *Loop
	Drop []int32 // values given up afterwards

	Pick   int32 // of a StridedSlice that is x[i]: the value of i, plus 1
	Before []int // the packing that was put in front of it

	Number int32 // of a Call: below Form.Calls
	Starts bool  // of a Call that may wait: an Await waits for it
	Chain  int32 // of a Call: the chain that it is one of, counted from 1; 0: none
	Tile   int32 // of a Call: the group that is computed in tiles with it, counted from 1; 0: none

	scalar scalar // what it is for scalars, once somebody has asked
}

// A Block is instructions in order.
type Block struct {
	Drop []int32 // values given up first
	Code []Instr
	When cond
}

// A Loop is played: Head; Test; while it holds Body, and the variables get their
// next values, and again; then Tail.
type Loop struct {
	Frame  int32
	Number int32 // in Form.Loops
	Outer  *Loop // nil for the outermost
	Depth  int32 // 1 for the outermost
	Vars   []Variable
	Test   Use
	Node   int32 // steered by the test, for messages
	Head   *Block
	Body   *Block
	Tail   *Block

	rank int32 // of its test
	When cond  // when it is entered, relative to the frame around it

	From, To int32 // the values made in it, and in loops within, are those from from to to-1
}

// A Variable is a value that an iteration hands to the next.
type Variable struct {
	Value int32
	Init  Use
	Next  Use
}
