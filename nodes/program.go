package nodes

import (
	"context"
	"fmt"
	"sync"

	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/unit/code"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/tensor"
)

// A Program is what a step needs of a graph, laid out for running: a flat
// table of nodes, their edges as ranges of one slice, the frames, the kernels.
// It is immutable and safe for concurrent use.
type Program struct {
	devices  []string // where its nodes run; of most programs one
	function string   // that it is the body of; ""
	feeds    []graph.Output
	fetches  []graph.Output

	nodes   []node
	labels  []label // of the nodes, by number
	ports   []port  // for each node its outputs, then its control port
	edges   []edge
	consts  []tensor.Value
	statics []*frames.Static // the root first
	members [][]int32        // nodes of each frame, by their number in it
	roots   []int32          // nodes of the root frame that wait for nothing
	sources [][]source       // for messages: where inputs come from
	args    []int32          // node of each feed, -1 if nothing needs it

	maxOut  int  // the most outputs of a node
	blocks  bool // a kernel may wait for something outside the step
	control bool // has control flow, so needs frames and death

	whole    *code.Unit   // the program as one unit; nil if it cannot be one
	why      string       // why whole is nil
	unitsOff form.Passes  // passes that are left out
	units    []*code.Unit // by frame, where whole is nil: loops that can
	reasons  []string     // by frame: why it has no unit

	routes  map[int32]route // of its Sends
	fetchAt []int           // where fetches stand among those of the step, of a piece played apart; nil: as they are
	bytes   int64           // that Functions.Budget has been charged for it

	costs   costs
	judging sync.Mutex
	flow    []int32 // nodes of a program without loops, sources first
	finish  []int64 // scratch of judge

	naming sync.Once
	byName map[string]int32 // made when somebody asks

	describing sync.Once
	described  []profile.Node // made for the first profile

	again func(context.Context) (*Program, error) // see Spec.Again

	pool sync.Pool // of *Step
}

type flag uint8

const (
	flagDeref    flag = 1 << iota // an input is a reference to be read, or to be shared
	flagShare                     // forwards what a reference variable shares
	flagConstant                  // an Enter that is constant
	flagCall                      // a call of a function in which nothing waits for anything
	flagTransfer                  // a Send or a Recv that meets its other end at a rendezvous
)

// A node is one actor's program.
type node struct {
	kind   kind.Kind
	flags  flag
	frame  int32
	local  int32 // number in the frame
	in     int32 // first input slot in the frame
	nin    int32
	nout   int32
	ports  int32 // first port
	aux    int32 // constant, feed, fetch, entered frame, or number among its frame's Exits
	device int32 // in Program.devices
	kernel kernel.Kernel
	def    *graph.Node // nil for feeds and fetches, and where Spec.Again makes them again
}

// A port is an output: a range of edges.
type port struct {
	lo, hi int32
}

// An edge leads to a node of the same frame (of the entered or left frame for
// Enter and Exit, of the next iteration for NextIteration).
type edge struct {
	local int32 // consumer's number in its frame
	slot  int32 // consumer's input slot in its frame; -1 for a control edge
	node  int32 // consumer
}

// NumNodes returns the number of nodes, feeds and fetches included.
func (p *Program) NumNodes() int { return len(p.nodes) }

// Feeds returns what a step must be given, by position.
func (p *Program) Feeds() []graph.Output { return p.feeds }

// Fetches returns what a step answers, by position.
func (p *Program) Fetches() []graph.Output { return p.fetches }

// fetch returns where fetch i stands among those of the step.
func (p *Program) fetch(i int32) int32 {
	if p.fetchAt != nil {
		return int32(p.fetchAt[i])
	}
	return i
}

// Blocks reports whether a kernel of the program may wait for something outside
// its step.
func (p *Program) Blocks() bool { return p.blocks }

// name returns what messages call a node.
func (p *Program) name(i int32) string {
	n := &p.nodes[i]
	switch n.kind {
	case kind.Arg:
		return fmt.Sprintf("_arg_%s", p.feeds[n.aux])
	case kind.Retval:
		return fmt.Sprintf("_retval_%s", p.fetches[n.aux])
	}
	return p.labels[i].name
}

// Device returns the full name of a node's device.
func (p *Program) Device(i int32) string { return p.devices[p.nodes[i].device] }

// op returns the operation of a node.
func (p *Program) op(i int32) string {
	switch n := &p.nodes[i]; n.kind {
	case kind.Arg:
		return "_Arg"
	case kind.Retval:
		return "_Retval"
	default:
		return p.labels[i].op.Name
	}
}

// A producer is an input of a node, for messages.
type producer struct {
	name    string // "x:0", "^init"
	control bool
}

// producers lists a node's inputs: data by position, then control.
func (p *Program) producers(i int32) []producer {
	all := make([]producer, 0, len(p.sources[i]))
	for _, s := range p.sources[i] {
		all = append(all, p.producer(s))
	}
	return all
}

func (p *Program) producer(s source) producer {
	if s.port < 0 {
		return producer{"^" + p.name(s.node), true}
	}
	return producer{fmt.Sprintf("%s:%d", p.name(s.node), s.port), false}
}
