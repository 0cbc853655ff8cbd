package registry

import (
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
)

// MarshalOpDef returns the definition as a serialized OpDef.
func MarshalOpDef(d *OpDef) ([]byte, error) { return AppendOpDef(nil, d) }

// AppendOpDef appends the definition as a serialized OpDef to dst and returns
// the extended slice.
func AppendOpDef(dst []byte, d *OpDef) ([]byte, error) {
	dst = appendText(dst, opName, d.Name)
	for i := range d.Inputs {
		dst = appendArg(dst, opInput, &d.Inputs[i])
	}
	for i := range d.Outputs {
		dst = appendArg(dst, opOutput, &d.Outputs[i])
	}
	var err error
	for i := range d.Attrs {
		a := &d.Attrs[i]
		if dst, err = appendMessage(dst, opAttr, a.append); err != nil {
			return dst, status.Within(err, "op '%s': attr '%s'", d.Name, a.Name)
		}
	}
	dst = appendText(dst, opSummary, d.Summary)
	dst = appendText(dst, opDescription, d.Description)
	if dep := d.Deprecation; dep != nil {
		var b []byte
		if dep.Version != 0 {
			b = appendVarint(b, deprecationVersion, uint64(dep.Version))
		}
		b = appendText(b, deprecationExplanation, dep.Explanation)
		dst = appendString(dst, opDeprecation, string(b))
	}
	dst = appendFlag(dst, opAggregate, d.Aggregate)
	dst = appendFlag(dst, opStateful, d.Stateful)
	dst = appendFlag(dst, opCommutative, d.Commutative)
	dst = appendFlag(dst, opUninitializedRefs, d.AllowsUninitializedInput)
	for _, name := range d.ControlOutputs {
		dst = appendString(dst, opControlOutput, name)
	}
	return appendFlag(dst, opDistributed, d.DistributedCommunication), nil
}

// MarshalOpList returns the definitions as a serialized OpList.
func MarshalOpList(defs []*OpDef) ([]byte, error) {
	var b []byte
	var err error
	for _, d := range defs {
		if b, err = appendMessage(b, listOp, func(b []byte) ([]byte, error) { return AppendOpDef(b, d) }); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// appendText appends a string field that is left out where it is empty.
func appendText(dst []byte, num protowire.Number, s string) []byte {
	if s == "" {
		return dst
	}
	return appendString(dst, num, s)
}

// appendFlag appends a bool field that is left out where it is false.
func appendFlag(dst []byte, num protowire.Number, v bool) []byte {
	if !v {
		return dst
	}
	return appendBool(dst, num, v)
}

func appendArg(dst []byte, num protowire.Number, a *ArgDef) []byte {
	b := appendText(nil, argName, a.Name)
	b = appendText(b, argDescription, a.Description)
	if a.Type != 0 {
		b = appendVarint(b, argType, uint64(a.Type))
	}
	b = appendText(b, argTypeAttr, a.TypeAttr)
	b = appendText(b, argNumberAttr, a.NumberAttr)
	b = appendText(b, argTypeListAttr, a.TypeListAttr)
	b = appendFlag(b, argIsRef, a.IsRef)
	return appendString(dst, num, string(b))
}

func (a *AttrDef) append(dst []byte) ([]byte, error) {
	dst = appendText(dst, attrDefName, a.Name)
	dst = appendText(dst, attrDefType, a.Kind.String())
	var err error
	if a.Default != nil {
		if dst, err = appendMessage(dst, attrDefDefault, func(b []byte) ([]byte, error) { return AppendAttr(b, a.Default) }); err != nil {
			return dst, err
		}
	}
	dst = appendText(dst, attrDefDescription, a.Description)
	if a.HasMinimum {
		dst = appendBool(dst, attrDefHasMinimum, true)
		if a.Minimum != 0 {
			dst = appendVarint(dst, attrDefMinimum, uint64(a.Minimum))
		}
	}
	if allowed := a.allowed(); len(allowed.List) > 0 {
		dst, err = appendMessage(dst, attrDefAllowed, func(b []byte) ([]byte, error) { return AppendAttr(b, &allowed) })
	}
	return dst, err
}

// allowed returns the allowed values as a list.
func (a *AttrDef) allowed() AttrValue {
	v := ListAttr(a.Kind.Elem())
	for _, t := range a.AllowedTypes {
		v.List = append(v.List, TypeAttr(t))
	}
	for _, s := range a.AllowedStrings {
		v.List = append(v.List, StringAttr(s))
	}
	return v
}
