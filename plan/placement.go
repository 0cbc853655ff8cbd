package plan

import (
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
)

// A Placement is where the nodes of a program run.
type Placement struct {
	Devices []devices.Attributes
	nodes   []*graph.Node
	at      []int32 // by id of the graph's nodes: place in Devices, -1 for nodes that were not placed
}

// NewPlacement returns one in which no node has been placed. The nodes are of one graph.
func NewPlacement(all []devices.Attributes, nodes []*graph.Node) *Placement {
	size := 0
	for _, n := range nodes {
		size = max(size, n.ID()+1)
	}
	p := &Placement{Devices: all, nodes: nodes, at: make([]int32, size)}
	for i := range p.at {
		p.at[i] = -1
	}
	return p
}

// Put puts a node of the placement on a device, by its place in Devices.
func (p *Placement) Put(n *graph.Node, device int) { p.at[n.ID()] = int32(device) }

// Device returns the place of a node's device in Devices; -1 for a node that was not placed.
func (p *Placement) Device(n *graph.Node) int {
	if n.ID() >= len(p.at) {
		return -1
	}
	return int(p.at[n.ID()])
}

// Name returns the full name of a node's device; "" for a node that was not placed.
func (p *Placement) Name(n *graph.Node) string {
	if d := p.Device(n); d >= 0 {
		return p.Devices[d].Name
	}
	return ""
}

// Only reports whether all nodes are on device d.
func (p *Placement) Only(d int) bool {
	return !slices.ContainsFunc(p.nodes, func(n *graph.Node) bool { return p.Device(n) != d })
}

// String returns a line for each node, as TensorFlow's log_device_placement has them:
// "y: (Neg): /job:localhost/replica:0/task:0/device:CPU:1".
func (p *Placement) String() string {
	var b strings.Builder
	p.Each(func(name, op, device string) { b.WriteString(name + ": (" + op + "): " + device + "\n") })
	return b.String()
}

// Each calls f with the name, the operation and the full name of the device of each node.
func (p *Placement) Each(f func(name, op, device string)) {
	for _, n := range p.nodes {
		f(n.Name(), n.Type(), p.Name(n))
	}
}
