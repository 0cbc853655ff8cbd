package graph

import (
	"io"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/wire"
)

// WriteTo writes the graph as a serialized GraphDef.
func (g *Graph) WriteTo(w io.Writer) (int64, error) {
	def, err := g.GraphDef(ExportOptions{})
	if err != nil {
		return 0, err
	}
	n, err := w.Write(def)
	return int64(n), err
}

// ExportOptions says how a graph is written.
type ExportOptions struct {
	// StripDefaults leaves out attributes that have their default value, so
	// that readers whose definitions lack the attribute can read the graph.
	// Those whose names begin with an underscore stay.
	StripDefaults bool
	// Nodes restricts the graph to these nodes, whose inputs must be among
	// them; nil means all.
	Nodes []*Node
	// Device, if not nil, returns the device to write for a node, instead of the one that
	// it requests.
	Device func(*Node) string
}

// GraphDef returns the graph as a serialized GraphDef: the same bytes for the same
// graph. Nodes are written by id, functions and attributes by name.
func (g *Graph) GraphDef(opts ExportOptions) ([]byte, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	nodes := opts.Nodes
	if nodes == nil {
		nodes = g.nodes
	}
	var b, scratch []byte
	var err error
	for _, n := range nodes {
		device := n.device
		if opts.Device != nil {
			device = opts.Device(n)
		}
		if scratch, err = n.self.appendDef(scratch[:0], device, opts.StripDefaults); err != nil {
			return nil, outline.NodeError(err, n.name, n.Type())
		}
		b = wire.AppendField(b, outline.GraphNode, scratch)
	}
	if !g.library.Empty() {
		b = wire.AppendField(b, outline.GraphLibrary, g.library.Append(nil))
	}
	return wire.AppendField(b, outline.GraphVersions, g.versions.Append(nil)), nil
}

// NodeDef returns the node as a serialized NodeDef.
func (n *Node) NodeDef() ([]byte, error) { return n.self.appendDef(nil, n.device, false) }

func (n *Node) appendDef(b []byte, device string, strip bool) ([]byte, error) {
	b = wire.AppendField(b, outline.NodeName, n.name)
	b = wire.AppendField(b, outline.NodeOp, n.sig.op.Name)
	for _, from := range n.inputs {
		b = wire.AppendField(b, outline.NodeInput, TensorID{from.Op.name, from.Index}.inputString())
	}
	for _, c := range n.controls {
		b = wire.AppendField(b, outline.NodeInput, "^"+c.name)
	}
	if device != "" {
		b = wire.AppendField(b, outline.NodeDevice, device)
	}
	return registry.AppendAttrs(b, outline.NodeAttr, n.attrsToWrite(strip))
}

// attrsToWrite returns the node's attributes, perhaps without those that have their
// default value.
func (n *Node) attrsToWrite(strip bool) registry.Attrs {
	if !strip {
		return n.sig.attrs
	}
	return n.sig.op.WithoutDefaults(n.sig.attrs)
}
