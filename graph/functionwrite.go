package graph

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// A functionWriter is the parts of a FunctionDef that is being written.
type functionWriter struct {
	sig      registry.OpDef
	nodes    []byte // fields of the FunctionDef
	rets     []stringEntry
	controls []stringEntry
	attrs    registry.Attrs
	args     []registry.Attrs // of the nodes of arguments, those they all have left out
}

type stringEntry struct{ key, value string }

// node adds a node. Inputs are in the form that functions have.
func (w *functionWriter) node(name, op string, inputs []string, device string, attrs registry.Attrs) error {
	var n []byte
	text := func(num protowire.Number, s string) {
		n = protowire.AppendTag(n, num, protowire.BytesType)
		n = protowire.AppendString(n, s)
	}
	text(nodeName, name)
	text(nodeOp, op)
	for _, in := range inputs {
		text(nodeInput, in)
	}
	if device != "" {
		text(nodeDevice, device)
	}
	n, err := registry.AppendAttrs(n, nodeAttr, attrs)
	if err != nil {
		return nodeError(err, name, op)
	}
	w.nodeDef(n)
	return nil
}

// nodeDef adds a node that is a serialized NodeDef.
func (w *functionWriter) nodeDef(def []byte) { w.nodes = appendField(w.nodes, functionNode, def) }

// function is what has been written.
func (w *functionWriter) function() (*Function, error) {
	sig, err := registry.MarshalOpDef(&w.sig)
	if err != nil {
		return nil, within(err, "function '%s'", w.sig.Name)
	}
	b := appendField(nil, functionSignature, sig)
	b = append(b, w.nodes...)
	for _, e := range w.rets {
		b = appendField(b, functionRet, e.append(nil))
	}
	if b, err = registry.AppendAttrs(b, functionAttr, w.attrs); err != nil {
		return nil, within(err, "function '%s'", w.sig.Name)
	}
	for _, e := range w.controls {
		b = appendField(b, functionControlRet, e.append(nil))
	}
	var ids []byte
	for i, attrs := range w.args {
		if v := attrs.Find(uniqueArgID); v != nil && v.Kind == registry.KindInt && v.I >= 0 && v.I == int64(uint32(v.I)) {
			ids = appendField(ids, functionArgID, appendNumber(appendNumber(nil, entryKey, uint64(i)), entryValue, uint64(v.I)))
			attrs = withoutAttrs(attrs, uniqueArgID)
		}
		if len(attrs) == 0 {
			continue
		}
		list, err := registry.AppendAttrs(nil, argAttrsAttr, attrs)
		if err != nil {
			return nil, within(err, "function '%s': argument '%s'", w.sig.Name, w.sig.Inputs[i].Name)
		}
		b = appendField(b, functionArgAttr, appendField(appendNumber(nil, entryKey, uint64(i)), entryValue, list))
	}
	f, err := UnmarshalFunction(append(b, ids...))
	if err != nil {
		e := *status.From(err)
		e.Message = "function '" + w.sig.Name + "': " + e.Message
		return nil, &e
	}
	return f, nil
}

func (e stringEntry) append(b []byte) []byte {
	b = appendField(b, entryKey, []byte(e.key))
	return appendField(b, entryValue, []byte(e.value))
}

func appendField(b []byte, num protowire.Number, body []byte) []byte {
	b = protowire.AppendTag(b, num, protowire.BytesType)
	return protowire.AppendBytes(b, body)
}

func appendNumber(b []byte, num protowire.Number, v uint64) []byte {
	b = protowire.AppendTag(b, num, protowire.VarintType)
	return protowire.AppendVarint(b, v)
}

// withoutAttrs is attrs without those of these names.
func withoutAttrs(attrs registry.Attrs, names ...string) registry.Attrs {
	var kept registry.Attrs
	for i := range attrs {
		drop := false
		for _, name := range names {
			drop = drop || attrs[i].Name == name
		}
		if !drop {
			kept = append(kept, attrs[i])
		}
	}
	return kept
}
