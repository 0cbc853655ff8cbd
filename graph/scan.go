package graph

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// Field numbers of the messages that import reads off the wire itself.
const (
	graphNode, graphLibrary, graphVersion, graphVersions = 1, 2, 3, 4

	nodeName, nodeOp, nodeInput, nodeDevice, nodeAttr = 1, 2, 3, 4, 5

	versionProducer, versionMinConsumer, versionBadConsumers = 1, 2, 3

	entryKey, entryValue = 1, 2
)

// A span is a range of a message's bytes.
type span struct{ lo, hi int32 }

func (s span) of(b []byte) []byte { return b[s.lo:s.hi] }

// spanOf is where the value of a cursor's present field is.
func spanOf(c *wire.Cursor) span { return span{int32(c.Lo), int32(c.Hi)} }

// message begins with a span as a message.
func (s span) message(name string, b []byte) wire.Cursor {
	return wire.Section(name, b, int(s.lo), int(s.hi))
}

// A scan is what one reading of a GraphDef's bytes finds.
type scan struct {
	def       []byte
	nodes     []scanNode
	inputs    []scanInput // of all nodes, one after another
	libraries []span
	versions  Versions
	nameBytes int // of all nodes together
}

// A scanNode is a NodeDef by its place.
type scanNode struct {
	name, op, device span
	attrs            span // from the first attr field to the end of the last
	input            int32
	inputs           int32 // control inputs included
}

// A scanInput is one input of a node: first the text, then what it refers to.
type scanInput struct {
	text  span
	index int32 // output of the node, or Control
	node  int32 // position; negative: of importer.mapped, from -1 on downwards
}

// checkSize makes sure that spans can point to all of a message.
func checkSize(def []byte) error {
	if len(def) > math.MaxInt32 {
		return status.Invalid("the message has %d bytes, but a message has at most 2 GiB", len(def))
	}
	return nil
}

// scanGraphDef reads the outline of a serialized GraphDef.
func scanGraphDef(def []byte) (*scan, error) {
	if err := checkSize(def); err != nil {
		return nil, err
	}
	s := &scan{def: def}
	c := wire.NewCursor("GraphDef", def)
	if err := s.reserve(c); err != nil {
		return nil, err
	}
	for c.Next() {
		var err error
		switch {
		case c.IsBytes(graphNode):
			err = s.node(c.Message("NodeDef"))
		case c.IsBytes(graphLibrary):
			s.libraries = append(s.libraries, spanOf(&c))
		case c.IsVarint(graphVersion):
			// Before there were VersionDefs.
		case c.IsBytes(graphVersions):
			err = s.versions.merge(c.Message("VersionDef"))
		}
		if err != nil {
			return nil, err
		}
	}
	return s, c.Err()
}

// reserve counts the nodes, to allocate once: a NodeDef takes at least two
// bytes, so the table is proportional to the message.
func (s *scan) reserve(c wire.Cursor) error {
	nodes := 0
	for c.Next() {
		if c.IsBytes(graphNode) {
			nodes++
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	s.nodes = make([]scanNode, 0, nodes)
	s.inputs = make([]scanInput, 0, nodes)
	return nil
}

func (s *scan) node(c wire.Cursor) error {
	n := scanNode{input: int32(len(s.inputs))}
	for c.Next() {
		if c.Type != protowire.BytesType {
			continue
		}
		var err error
		switch c.Num {
		case nodeName:
			n.name = spanOf(&c)
			err = c.CheckUTF8("name")
		case nodeOp:
			n.op = spanOf(&c)
			err = c.CheckUTF8("operation")
		case nodeInput:
			s.inputs = append(s.inputs, scanInput{text: spanOf(&c)})
			err = c.CheckUTF8("input")
		case nodeDevice:
			n.device = spanOf(&c)
			err = c.CheckUTF8("device")
		case nodeAttr:
			if n.attrs.hi == 0 {
				n.attrs.lo = int32(c.Start)
			}
			n.attrs.hi = int32(c.Hi)
		}
		if err != nil {
			return err
		}
	}
	if err := c.Err(); err != nil {
		return err
	}
	n.inputs = int32(len(s.inputs)) - n.input
	s.nameBytes += int(n.name.hi - n.name.lo)
	s.nodes = append(s.nodes, n)
	return nil
}

// string is a span's text, for messages.
func (s *scan) string(sp span) string { return string(sp.of(s.def)) }
