package function

import (
	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// A Writer is the parts of a function that is being written.
type Writer struct {
	Signature registry.OpDef
	Returns   []Entry
	Controls  []Entry
	Attrs     registry.Attrs   // of the function itself
	Args      []registry.Attrs // of the nodes of arguments, those they all have left out

	nodes []byte // fields of the FunctionDef
}

// An Entry says of a result or control output where it comes from: what
// "node:output:index" or node it is.
type Entry struct{ Name, From string }

// Node adds a node. Inputs are in the form that functions have.
func (w *Writer) Node(name, op string, inputs []string, device string, attrs registry.Attrs) error {
	n := wire.AppendField(nil, outline.NodeName, name)
	n = wire.AppendField(n, outline.NodeOp, op)
	for _, in := range inputs {
		n = wire.AppendField(n, outline.NodeInput, in)
	}
	if device != "" {
		n = wire.AppendField(n, outline.NodeDevice, device)
	}
	n, err := registry.AppendAttrs(n, outline.NodeAttr, attrs)
	if err != nil {
		return outline.NodeError(err, name, op)
	}
	w.NodeDef(n)
	return nil
}

// NodeDef adds a node that is a serialized NodeDef.
func (w *Writer) NodeDef(def []byte) { w.nodes = wire.AppendField(w.nodes, functionNode, def) }

// Function returns what has been written.
func (w *Writer) Function() (*Function, error) {
	sig, err := registry.MarshalOpDef(&w.Signature)
	if err != nil {
		return nil, status.Within(err, "function '%s'", w.Signature.Name)
	}
	b := wire.AppendField(nil, functionSignature, sig)
	b = append(b, w.nodes...)
	for _, e := range w.Returns {
		b = wire.AppendField(b, functionRet, e.append(nil))
	}
	if b, err = registry.AppendAttrs(b, functionAttr, w.Attrs); err != nil {
		return nil, status.Within(err, "function '%s'", w.Signature.Name)
	}
	for _, e := range w.Controls {
		b = wire.AppendField(b, functionControlRet, e.append(nil))
	}
	var ids []byte
	for i, attrs := range w.Args {
		if v := attrs.Find(uniqueArgID); v != nil && v.Kind == registry.KindInt && v.I >= 0 && v.I == int64(uint32(v.I)) {
			ids = wire.AppendField(ids, functionArgID, wire.AppendNumber(wire.AppendNumber(nil, outline.EntryKey, uint64(i)), outline.EntryValue, uint64(v.I)))
			attrs = attrs.Without(uniqueArgID)
		}
		if len(attrs) == 0 {
			continue
		}
		list, err := registry.AppendAttrs(nil, argAttrsAttr, attrs)
		if err != nil {
			return nil, status.Within(err, "function '%s': argument '%s'", w.Signature.Name, w.Signature.Inputs[i].Name)
		}
		b = wire.AppendField(b, functionArgAttr, wire.AppendField(wire.AppendNumber(nil, outline.EntryKey, uint64(i)), outline.EntryValue, list))
	}
	f, err := Unmarshal(append(b, ids...))
	if err != nil {
		return nil, status.Within(err, "function '%s'", w.Signature.Name)
	}
	return f, nil
}

func (e Entry) append(b []byte) []byte {
	b = wire.AppendField(b, outline.EntryKey, e.Name)
	return wire.AppendField(b, outline.EntryValue, e.From)
}
