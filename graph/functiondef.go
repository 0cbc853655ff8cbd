package graph

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/registry"
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
func scanFunctionDef(f fields) (*functionDef, error) {
	d := &functionDef{rets: map[string]string{}, controls: map[string]string{}}
	d.def = f.buf
	for {
		more, err := f.next()
		if err != nil {
			return nil, err
		}
		if !more {
			return d, nil
		}
		switch {
		case f.is(functionSignature, protowire.BytesType):
			d.signature = f.body
		case f.is(functionNode, protowire.BytesType):
			err = d.node(f.sub("NodeDef"))
		case f.is(functionRet, protowire.BytesType):
			err = readEntry(f.sub("FunctionDef.ret"), d.rets)
		case f.is(functionAttr, protowire.BytesType):
			d.attrs = append(d.attrs, f.body)
		case f.is(functionControlRet, protowire.BytesType):
			err = readEntry(f.sub("FunctionDef.control_ret"), d.controls)
		case f.is(functionArgAttr, protowire.BytesType):
			err = d.readArgAttrs(f.sub("FunctionDef.arg_attr"))
		case f.is(functionArgID, protowire.BytesType):
			err = d.readArgID(f.sub("FunctionDef.resource_arg_unique_id"))
		}
		if err != nil {
			return nil, err
		}
	}
}

// readEntry reads an entry of a map of strings.
func readEntry(f fields, into map[string]string) error {
	var key, value string
	for {
		more, err := f.next()
		if err != nil {
			return err
		}
		if !more {
			into[key] = value
			return nil
		}
		switch {
		case f.is(entryKey, protowire.BytesType):
			key = string(f.body.of(f.buf))
			err = f.utf8("key")
		case f.is(entryValue, protowire.BytesType):
			value = string(f.body.of(f.buf))
			err = f.utf8("value")
		}
		if err != nil {
			return err
		}
	}
}

func (d *functionDef) readArgAttrs(f fields) error {
	var arg uint32
	var entries []span
	for {
		more, err := f.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch {
		case f.is(entryKey, protowire.VarintType):
			arg = uint32(f.value)
		case f.is(entryValue, protowire.BytesType):
			for attrs := f.sub("FunctionDef.ArgAttrs"); ; {
				more, err := attrs.next()
				if err != nil {
					return err
				}
				if !more {
					break
				}
				if attrs.is(argAttrsAttr, protowire.BytesType) {
					entries = append(entries, attrs.body)
				}
			}
		}
	}
	if d.argAttrs == nil {
		d.argAttrs = map[uint32][]span{}
	}
	d.argAttrs[arg] = entries
	return nil
}

func (d *functionDef) readArgID(f fields) error {
	var arg, id uint32
	for {
		more, err := f.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		switch {
		case f.is(entryKey, protowire.VarintType):
			arg = uint32(f.value)
		case f.is(entryValue, protowire.VarintType):
			id = uint32(f.value)
		}
	}
	if d.argIDs == nil {
		d.argIDs = map[uint32]uint32{}
	}
	d.argIDs[arg] = id
	return nil
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
	for f := (fields{buf: s.def, msg: "NodeDef", pos: n.attrs.lo, end: n.attrs.hi}); ; {
		more, err := f.next()
		if err != nil || !more {
			return entries, err
		}
		if f.is(nodeAttr, protowire.BytesType) {
			entries = append(entries, f.body)
		}
	}
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
