// Package outline locates the nodes of a serialized graph, with their names, inputs
// and attributes, without decoding them: the first step of an import and of the
// instantiation of a function. It serves package graph.
package outline

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// Field numbers of GraphDef, NodeDef and the entries of maps.
const (
	GraphNode, GraphLibrary, GraphVersion, GraphVersions = 1, 2, 3, 4

	NodeName, NodeOp, NodeInput, NodeDevice, NodeAttr = 1, 2, 3, 4, 5

	EntryKey, EntryValue = 1, 2
)

// A Span is a range of a message's bytes.
type Span struct{ Lo, Hi int32 }

// Of returns the bytes that the span stands for in b.
func (s Span) Of(b []byte) []byte { return b[s.Lo:s.Hi] }

// SpanOf returns where the value of a cursor's present field is.
func SpanOf(c *wire.Cursor) Span { return Span{int32(c.Lo), int32(c.Hi)} }

// Message begins with a span of b as a message.
func (s Span) Message(name string, b []byte) wire.Cursor {
	return wire.Section(name, b, int(s.Lo), int(s.Hi))
}

// An Outline is what one reading of a message's bytes finds: where its nodes
// and their parts are. Nothing of them is copied or decoded.
type Outline struct {
	Bytes     []byte
	Nodes     []Node
	Inputs    []Input // of all nodes, one after another
	Libraries []Span
	Versions  []Span
	NameBytes int // of all nodes together
}

// A Node is a NodeDef by its place.
type Node struct {
	Name, Op, Device Span
	Attrs            Span // from the first attr field to the end of the last
	Input            int32
	NumInputs        int32 // control inputs included
}

// An Input is one input of a node: first the text, then what an import finds
// that it refers to.
type Input struct {
	Text  Span
	Index int32 // output of the node, or that of control inputs
	Node  int32 // position; negative: not among the nodes
}

// CheckSize makes sure that spans can point to all of a message.
func CheckSize(b []byte) error {
	if len(b) > math.MaxInt32 {
		return status.Invalid("the message has %d bytes, but a message has at most 2 GiB", len(b))
	}
	return nil
}

// MaxOutputs bounds the outputs of all nodes of a message of that many bytes,
// as a node can declare any number of them in a few bytes.
func MaxOutputs(bytes int) int { return 1<<20 + bytes }

// ReadGraphDef reads the outline of a serialized GraphDef.
func ReadGraphDef(def []byte) (*Outline, error) {
	if err := CheckSize(def); err != nil {
		return nil, err
	}
	o := &Outline{Bytes: def}
	c := wire.NewCursor("GraphDef", def)
	if err := o.reserve(c); err != nil {
		return nil, err
	}
	for c.Next() {
		var err error
		switch {
		case c.IsBytes(GraphNode):
			err = o.AddNode(c.Message("NodeDef"))
		case c.IsBytes(GraphLibrary):
			o.Libraries = append(o.Libraries, SpanOf(&c))
		case c.IsVarint(GraphVersion):
			// Before there were VersionDefs.
		case c.IsBytes(GraphVersions):
			o.Versions = append(o.Versions, SpanOf(&c))
		}
		if err != nil {
			return nil, err
		}
	}
	return o, c.Err()
}

// reserve counts the nodes, to allocate once: a NodeDef takes at least two
// bytes, so the table is proportional to the message.
func (o *Outline) reserve(c wire.Cursor) error {
	nodes := 0
	for c.Next() {
		if c.IsBytes(GraphNode) {
			nodes++
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	o.Nodes = make([]Node, 0, nodes)
	o.Inputs = make([]Input, 0, nodes)
	return nil
}

// AddNode adds the outline of a NodeDef.
func (o *Outline) AddNode(c wire.Cursor) error {
	n := Node{Input: int32(len(o.Inputs))}
	for c.Next() {
		if c.Type != protowire.BytesType {
			continue
		}
		var err error
		switch c.Num {
		case NodeName:
			n.Name = SpanOf(&c)
			err = c.CheckUTF8("name")
		case NodeOp:
			n.Op = SpanOf(&c)
			err = c.CheckUTF8("operation")
		case NodeInput:
			o.Inputs = append(o.Inputs, Input{Text: SpanOf(&c)})
			err = c.CheckUTF8("input")
		case NodeDevice:
			n.Device = SpanOf(&c)
			err = c.CheckUTF8("device")
		case NodeAttr:
			if n.Attrs.Hi == 0 {
				n.Attrs.Lo = int32(c.Start)
			}
			n.Attrs.Hi = int32(c.Hi)
		}
		if err != nil {
			return err
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	n.NumInputs = int32(len(o.Inputs)) - n.Input
	o.NameBytes += int(n.Name.Hi - n.Name.Lo)
	o.Nodes = append(o.Nodes, n)
	return nil
}

// Text returns a span's text.
func (o *Outline) Text(s Span) string { return string(s.Of(o.Bytes)) }

// Entries returns the entries of a node's map of attributes.
func (o *Outline) Entries(n *Node) ([]Span, error) {
	var entries []Span
	c := n.Attrs.Message("NodeDef", o.Bytes)
	for c.Next() {
		if c.IsBytes(NodeAttr) {
			entries = append(entries, SpanOf(&c))
		}
	}
	return entries, c.Err()
}

// Decode returns the attributes that entries of a map of attributes hold.
func (o *Outline) Decode(d *registry.AttrDecoder, entries []Span) (registry.Attrs, error) {
	bodies := make([][]byte, len(entries))
	for i, s := range entries {
		bodies[i] = s.Of(o.Bytes)
	}
	return d.Attrs(bodies...)
}

// NodeError adds to an error which node it is about.
func NodeError(err error, node, op string) error {
	e := *status.From(err)
	e.Message += "; node '" + node + "' (" + op + ")"
	return &e
}
