package plan

import (
	"context"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
)

// A Program is what a step needs of a graph, what it is for, and what passes have found
// out about it. A pass changes it in place; graphs and nodes that it refers to never
// change.
type Program struct {
	Graph *graph.Graph
	// Nodes are what the step needs, by id, closed under inputs and controls save for
	// what is fed. What stands for a feed may be among them.
	Nodes   []*graph.Node
	Feeds   []graph.Output // what the caller gives, each at most once
	Fetches []graph.Output // what it wants back
	Targets []*graph.Node  // what must have run

	// Devices are those that nodes may be placed on, the one that feeds come from and
	// fetches go to first; nil: there is no choice.
	Devices []devices.Attributes
	// Placement is where the nodes run; nil before they are placed, and where there is no
	// choice.
	Placement *Placement
	// Waits says that a node may wait for what no edge says, such as an element of a queue,
	// which another may be about to put there. It is known where Devices have memory of
	// their own.
	Waits bool
	// Calls has the functions of calls that stay calls, by name: whether anything in there may
	// wait.
	Calls map[string]bool
	// Split is how the program was split; nil if it was not, as it is on one device.
	Split *Split

	edit *Edit // under way; nil: there is none
}

// A Split is what splitting has made of a program.
type Split struct {
	// Placed is where its nodes were before.
	Placed *Placement
	// Transfers are the edges between pieces, in the order of their Sends.
	Transfers []Transfer
}

// A Transfer is one edge between two pieces of a program.
type Transfer struct {
	Send, Recv *graph.Node
	From, To   int    // places in Devices
	Tensor     string // what crosses, in the program that was split: "x:0", "^x"
}

// Accelerated reports whether some of the devices have memory of their own.
func (p *Program) Accelerated() bool {
	for i := range p.Devices {
		if p.Devices[i].Type != "CPU" {
			return true
		}
	}
	return false
}

// Placed returns where the nodes were placed, before the program was split; nil: there was no
// choice.
func (p *Program) Placed() *Placement {
	if p.Split != nil {
		return p.Split.Placed
	}
	return p.Placement
}

// Edit begins to change the program, or goes on with it.
func (p *Program) Edit(ctx context.Context) (*Edit, error) {
	if p.edit == nil {
		e, err := edit(ctx, p)
		if err != nil {
			return nil, err
		}
		p.edit = e
	}
	p.edit.Watch = status.NewWatch(ctx)
	return p.edit, nil
}

// Finish ends changing the program: its graph is what the edits have made of it. Where they
// have changed nothing, it stays the graph that it was.
func (p *Program) Finish() error {
	e := p.edit
	p.edit = nil
	if e == nil || e.changes == 0 {
		return nil
	}
	return e.finish(p)
}

// Size returns the number of nodes, without feeds.
func (p *Program) Size() int {
	if p.edit != nil {
		return p.edit.Size()
	}
	size := len(p.Nodes)
	for _, f := range p.Feeds {
		if id := f.Op.ID(); has(p.Nodes, f.Op, id) {
			size--
		}
	}
	return size
}

// String returns the program in the text form of graphs, one node a line.
func (p *Program) String() string {
	nodes := p.Nodes
	if p.edit != nil && p.edit.changes > 0 {
		nodes = p.edit.Nodes()
	}
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(n.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// fedAway returns how many nodes of the graph feeds take the places of.
func (p *Program) fedAway() (n int) {
	for _, f := range p.Feeds {
		if f.Op.Class() == graph.ClassPlaceholder {
			n++
		}
	}
	return n
}
