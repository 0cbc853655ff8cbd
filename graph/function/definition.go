package function

import (
	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
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

// A Definition is what one reading of a FunctionDef's bytes finds. Inputs of
// nodes are in the form that functions have: "argument" or "node:output:index".
type Definition struct {
	outline.Outline
	Returns  map[string]string // an output, by its name in the signature, to what it returns
	Controls map[string]string // a control output to a node
	Attrs    []outline.Span    // entries of the map

	signature outline.Span
	argAttrs  map[uint32][]outline.Span // by argument: entries of its map
	argIDs    map[uint32]uint32         // by argument
}

// Definition reads the function's definition.
func (f *Function) Definition() (*Definition, error) {
	return readDefinition(wire.NewCursor("FunctionDef", f.Def), nil)
}

// readDefinition reads the outline of a serialized FunctionDef, which may be
// part of a larger buffer.
func readDefinition(c wire.Cursor, watch *status.Watch) (*Definition, error) {
	d := &Definition{Returns: map[string]string{}, Controls: map[string]string{}}
	d.Bytes = c.Buffer()
	for c.Next() {
		if err := watch.Step(); err != nil {
			return nil, err
		}
		var err error
		switch {
		case c.IsBytes(functionSignature):
			d.signature = outline.SpanOf(&c)
		case c.IsBytes(functionNode):
			err = d.AddNode(c.Message("NodeDef"))
		case c.IsBytes(functionRet):
			err = readEntry(c.Message("FunctionDef.ret"), d.Returns)
		case c.IsBytes(functionAttr):
			d.Attrs = append(d.Attrs, outline.SpanOf(&c))
		case c.IsBytes(functionControlRet):
			err = readEntry(c.Message("FunctionDef.control_ret"), d.Controls)
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
		case c.IsBytes(outline.EntryKey):
			key, err = c.Text("key")
		case c.IsBytes(outline.EntryValue):
			value, err = c.Text("value")
		}
		if err != nil {
			return err
		}
	}
	into[key] = value
	return c.Err()
}

func (d *Definition) readArgAttrs(c wire.Cursor) error {
	var arg uint32
	var entries []outline.Span
	for c.Next() {
		switch {
		case c.IsVarint(outline.EntryKey):
			arg = uint32(c.Value)
		case c.IsBytes(outline.EntryValue):
			attrs := c.Message("FunctionDef.ArgAttrs")
			for attrs.Next() {
				if attrs.IsBytes(argAttrsAttr) {
					entries = append(entries, outline.SpanOf(&attrs))
				}
			}
			if err := attrs.Err(); err != nil {
				return err
			}
		}
	}
	if d.argAttrs == nil {
		d.argAttrs = map[uint32][]outline.Span{}
	}
	d.argAttrs[arg] = entries
	return c.Err()
}

func (d *Definition) readArgID(c wire.Cursor) error {
	var arg, id uint32
	for c.Next() {
		switch {
		case c.IsVarint(outline.EntryKey):
			arg = uint32(c.Value)
		case c.IsVarint(outline.EntryValue):
			id = uint32(c.Value)
		}
	}
	if d.argIDs == nil {
		d.argIDs = map[uint32]uint32{}
	}
	d.argIDs[arg] = id
	return c.Err()
}

// Argument returns the attributes that the node of an argument has besides its own.
func (d *Definition) Argument(dec *registry.AttrDecoder, arg int) (registry.Attrs, error) {
	attrs, err := d.Decode(dec, d.argAttrs[uint32(arg)])
	if err != nil {
		return nil, err
	}
	if id, ok := d.argIDs[uint32(arg)]; ok {
		attrs = attrs.With(uniqueArgID, registry.IntAttr(int64(id)))
	}
	return attrs, nil
}
