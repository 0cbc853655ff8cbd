package graph

import (
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/wire"
)

// Field numbers of a FunctionDef.
const (
	functionSignature  = 1
	functionNode       = 3
	functionRet        = 4
	functionAttr       = 5
	functionControlRet = 6
	functionArgAttr    = 7
	functionArgID      = 8

	argAttrsAttr = 1
)

// uniqueArgID is the attribute of an argument node that holds what a
// FunctionDef says in resource_arg_unique_id.
const uniqueArgID = "_resource_arg_unique_id"

// A functionDef is what one reading of a FunctionDef's bytes finds. Inputs of
// nodes are in the form that functions have: "argument" or "node:output:index".
type functionDef struct {
	scan
	signature span
	rets      map[string]string // an output, by its name in the signature, to what it returns
	controls  map[string]string // a control output to a node
	attrs     []span            // entries of the map
	argAttrs  map[uint32][]span // by argument: entries of its map
	argIDs    map[uint32]uint32 // by argument
}

// scanFunctionDef reads the outline of a serialized FunctionDef, which may be
// part of a larger buffer.
func scanFunctionDef(c wire.Cursor) (*functionDef, error) {
	d := &functionDef{rets: map[string]string{}, controls: map[string]string{}}
	d.def = c.Buffer()
	for c.Next() {
		var err error
		switch {
		case c.IsBytes(functionSignature):
			d.signature = spanOf(&c)
		case c.IsBytes(functionNode):
			err = d.node(c.Message("NodeDef"))
		case c.IsBytes(functionRet):
			err = readEntry(c.Message("FunctionDef.ret"), d.rets)
		case c.IsBytes(functionAttr):
			d.attrs = append(d.attrs, spanOf(&c))
		case c.IsBytes(functionControlRet):
			err = readEntry(c.Message("FunctionDef.control_ret"), d.controls)
		case c.IsBytes(functionArgAttr):
			err = d.readArgAttrs(c.Message("FunctionDef.arg_attr"))
		case c.IsBytes(functionArgID):
			err = d.readArgID(c.Message("FunctionDef.resource_arg_unique_id"))
		}
		if err != nil {
			return nil, err
		}
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return d, nil
}

// readEntry reads an entry of a map of strings.
func readEntry(c wire.Cursor, into map[string]string) error {
	var key, value string
	for c.Next() {
		var err error
		switch {
		case c.IsBytes(entryKey):
			key, err = c.Text("key")
		case c.IsBytes(entryValue):
			value, err = c.Text("value")
		}
		if err != nil {
			return err
		}
	}
	into[key] = value
	return c.Err()
}

func (d *functionDef) readArgAttrs(c wire.Cursor) error {
	var arg uint32
	var entries []span
	for c.Next() {
		switch {
		case c.IsVarint(entryKey):
			arg = uint32(c.Value)
		case c.IsBytes(entryValue):
			attrs := c.Message("FunctionDef.ArgAttrs")
			for attrs.Next() {
				if attrs.IsBytes(argAttrsAttr) {
					entries = append(entries, spanOf(&attrs))
				}
			}
			if err := attrs.Err(); err != nil {
				return err
			}
		}
	}
	if d.argAttrs == nil {
		d.argAttrs = map[uint32][]span{}
	}
	d.argAttrs[arg] = entries
	return c.Err()
}

func (d *functionDef) readArgID(c wire.Cursor) error {
	var arg, id uint32
	for c.Next() {
		switch {
		case c.IsVarint(entryKey):
			arg = uint32(c.Value)
		case c.IsVarint(entryValue):
			id = uint32(c.Value)
		}
	}
	if d.argIDs == nil {
		d.argIDs = map[uint32]uint32{}
	}
	d.argIDs[arg] = id
	return c.Err()
}

// decode is the attributes that entries of a map of attributes hold.
func (s *scan) decode(d *registry.AttrDecoder, entries []span) (registry.Attrs, error) {
	bodies := make([][]byte, len(entries))
	for i, sp := range entries {
		bodies[i] = sp.of(s.def)
	}
	return d.Attrs(bodies...)
}

// nodeAttrs is the entries of a node's map of attributes.
func (s *scan) nodeAttrs(n *scanNode) ([]span, error) {
	var entries []span
	c := n.attrs.message("NodeDef", s.def)
	for c.Next() {
		if c.IsBytes(nodeAttr) {
			entries = append(entries, spanOf(&c))
		}
	}
	return entries, c.Err()
}

// argument is the attributes that the node of an argument has besides its own.
func (d *functionDef) argument(dec *registry.AttrDecoder, arg int) (registry.Attrs, error) {
	attrs, err := d.decode(dec, d.argAttrs[uint32(arg)])
	if err != nil {
		return nil, err
	}
	if id, ok := d.argIDs[uint32(arg)]; ok {
		attrs = withAttr(attrs, uniqueArgID, registry.IntAttr(int64(id)))
	}
	return attrs, nil
}

// withAttr is attrs with one attribute set.
func withAttr(attrs registry.Attrs, name string, v registry.AttrValue) registry.Attrs {
	set := make(registry.Attrs, 0, len(attrs)+1)
	i := 0
	for ; i < len(attrs) && attrs[i].Name < name; i++ {
		set = append(set, attrs[i])
	}
	set = append(set, registry.NamedAttr{Name: name, Value: v})
	if i < len(attrs) && attrs[i].Name == name {
		i++
	}
	return append(set, attrs[i:]...)
}
