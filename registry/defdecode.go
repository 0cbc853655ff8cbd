package registry

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Fields of OpList, OpDef, ArgDef, AttrDef and OpDeprecation.
const (
	listOp = protowire.Number(1)

	opName              = protowire.Number(1)
	opInput             = protowire.Number(2)
	opOutput            = protowire.Number(3)
	opAttr              = protowire.Number(4)
	opSummary           = protowire.Number(5)
	opDescription       = protowire.Number(6)
	opDeprecation       = protowire.Number(8)
	opAggregate         = protowire.Number(16)
	opStateful          = protowire.Number(17)
	opCommutative       = protowire.Number(18)
	opUninitializedRefs = protowire.Number(19)
	opControlOutput     = protowire.Number(20)
	opDistributed       = protowire.Number(21)

	argName         = protowire.Number(1)
	argDescription  = protowire.Number(2)
	argType         = protowire.Number(3)
	argTypeAttr     = protowire.Number(4)
	argNumberAttr   = protowire.Number(5)
	argTypeListAttr = protowire.Number(6)
	argIsRef        = protowire.Number(16)

	attrDefName        = protowire.Number(1)
	attrDefType        = protowire.Number(2)
	attrDefDefault     = protowire.Number(3)
	attrDefDescription = protowire.Number(4)
	attrDefHasMinimum  = protowire.Number(5)
	attrDefMinimum     = protowire.Number(6)
	attrDefAllowed     = protowire.Number(7)

	deprecationVersion     = protowire.Number(1)
	deprecationExplanation = protowire.Number(2)
)

// UnmarshalOpDef decodes a serialized OpDef. It fails with INVALID_ARGUMENT and
// the offset of the byte at fault on a message that is not well-formed, and on
// arguments that do not go with the attributes; [OpDef.Validate] is stricter,
// and not fit for the signatures of functions, which may have any name.
func UnmarshalOpDef(b []byte) (*OpDef, error) { return unmarshalOpDef(b, 0) }

func unmarshalOpDef(b []byte, at int) (*OpDef, error) {
	d := &OpDef{}
	f := fieldsOf(b, at)
	for f.next() {
		var err error
		switch {
		case f.isBytes(opInput):
			d.Inputs, err = appendArgDef(d.Inputs, &f.field)
		case f.isBytes(opOutput):
			d.Outputs, err = appendArgDef(d.Outputs, &f.field)
		case f.isBytes(opAttr):
			err = d.decodeAttrDef(&f.field)
		case f.isBytes(opDeprecation):
			err = d.decodeDeprecation(&f.field)
		case f.isBytes(opControlOutput):
			var name string
			name, err = f.text()
			d.ControlOutputs = append(d.ControlOutputs, name)
		case f.typ == protowire.BytesType:
			if s := d.stringField(f.num); s != nil {
				*s, err = f.text()
			}
		case f.typ == protowire.VarintType:
			if flag := d.flagField(f.num); flag != nil {
				*flag = f.varint() != 0
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if f.err != nil {
		return nil, f.err
	}
	if problems := d.checkArgs(); problems != nil {
		return nil, invalidOp(d.Name, problems)
	}
	return d, nil
}

func (d *OpDef) stringField(num protowire.Number) *string {
	switch num {
	case opName:
		return &d.Name
	case opSummary:
		return &d.Summary
	case opDescription:
		return &d.Description
	}
	return nil
}

func (d *OpDef) flagField(num protowire.Number) *bool {
	switch num {
	case opAggregate:
		return &d.Aggregate
	case opStateful:
		return &d.Stateful
	case opCommutative:
		return &d.Commutative
	case opUninitializedRefs:
		return &d.AllowsUninitializedInput
	case opDistributed:
		return &d.DistributedCommunication
	}
	return nil
}

func (d *OpDef) decodeDeprecation(dep *field) error {
	if d.Deprecation == nil {
		d.Deprecation = &Deprecation{}
	}
	f := fieldsOf(dep.body, dep.at)
	for f.next() {
		switch {
		case f.isVarint(deprecationVersion):
			d.Deprecation.Version = int(int32(f.varint()))
		case f.isBytes(deprecationExplanation):
			text, err := f.text()
			if err != nil {
				return err
			}
			d.Deprecation.Explanation = text
		}
	}
	return f.err
}

func appendArgDef(args []ArgDef, arg *field) ([]ArgDef, error) {
	var a ArgDef
	f := fieldsOf(arg.body, arg.at)
	for f.next() {
		var err error
		switch {
		case f.isBytes(argName):
			a.Name, err = f.text()
		case f.isBytes(argDescription):
			a.Description, err = f.text()
		case f.isVarint(argType):
			a.Type, err = f.dtype()
		case f.isBytes(argTypeAttr):
			a.TypeAttr, err = f.text()
		case f.isBytes(argNumberAttr):
			a.NumberAttr, err = f.text()
		case f.isBytes(argTypeListAttr):
			a.TypeListAttr, err = f.text()
		case f.isVarint(argIsRef):
			a.IsRef = f.varint() != 0
		}
		if err != nil {
			return nil, err
		}
	}
	// A fixed type of references may be spelled either way.
	if a.Type.IsRef() {
		a.Type, a.IsRef = a.Type.Base(), true
	}
	return append(args, a), f.err
}

// dtype is a field of a data type.
func (f *field) dtype() (tensor.DType, error) {
	n := int32(f.varint())
	if n != 0 && (n < 0 || n > math.MaxUint8 || !tensor.DType(n).Valid()) {
		return 0, malformed(f.at, "unknown data type %d", n)
	}
	return tensor.DType(n), nil
}

func (d *OpDef) decodeAttrDef(attr *field) error {
	var a AttrDef
	var allowed *AttrValue
	dec := AttrDecoder{}
	f := fieldsOf(attr.body, attr.at)
	for f.next() {
		var err error
		switch {
		case f.isBytes(attrDefName):
			a.Name, err = f.text()
		case f.isBytes(attrDefType):
			kind, ok := ParseKind(string(f.body))
			if !ok {
				err = malformed(f.at, "unknown type of attr %s", quote(clip(string(f.body))))
			}
			a.Kind = kind
		case f.isBytes(attrDefDefault):
			if a.Default == nil {
				a.Default = &AttrValue{}
			}
			err = dec.attr(a.Default, f.body, f.at)
		case f.isBytes(attrDefDescription):
			a.Description, err = f.text()
		case f.isVarint(attrDefHasMinimum):
			a.HasMinimum = f.varint() != 0
		case f.isVarint(attrDefMinimum):
			a.Minimum = int64(f.varint())
		case f.isBytes(attrDefAllowed):
			if allowed == nil {
				allowed = &AttrValue{}
			}
			err = dec.attr(allowed, f.body, f.at)
		}
		if err != nil {
			return within(err, "attr '%s'", a.Name)
		}
	}
	if f.err != nil {
		return within(f.err, "attr '%s'", a.Name)
	}
	if a.Kind == KindNone {
		return malformed(attr.at, "attr '%s' has no type", a.Name)
	}
	if a.Default != nil && a.Default.Kind == ListOf && a.Kind.IsList() {
		a.Default.Kind = a.Kind
	}
	if allowed != nil {
		for i := range allowed.List {
			switch e := &allowed.List[i]; e.Kind {
			case KindType:
				a.AllowedTypes = append(a.AllowedTypes, e.Type)
			case KindString:
				a.AllowedStrings = append(a.AllowedStrings, e.S)
			default:
				return status.Invalid("attr '%s': allowed values of kind %v", a.Name, e.Kind)
			}
		}
	}
	d.Attrs = append(d.Attrs, a)
	return nil
}

// UnmarshalOpList decodes a serialized OpList.
func UnmarshalOpList(b []byte) ([]*OpDef, error) {
	var defs []*OpDef
	f := fieldsOf(b, 0)
	for f.next() {
		if !f.isBytes(listOp) {
			continue
		}
		d, err := unmarshalOpDef(f.body, f.at)
		if err != nil {
			return nil, within(err, "op %d of the list", len(defs))
		}
		defs = append(defs, d)
	}
	return defs, f.err
}
