package registry

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
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
func UnmarshalOpDef(b []byte) (*OpDef, error) { return unmarshalOpDef(wire.NewCursor("", b)) }

func unmarshalOpDef(f wire.Cursor) (*OpDef, error) {
	d := &OpDef{}
	for f.Next() {
		var err error
		switch {
		case f.IsBytes(opInput):
			d.Inputs, err = appendArgDef(d.Inputs, &f)
		case f.IsBytes(opOutput):
			d.Outputs, err = appendArgDef(d.Outputs, &f)
		case f.IsBytes(opAttr):
			err = d.decodeAttrDef(&f)
		case f.IsBytes(opDeprecation):
			err = d.decodeDeprecation(&f)
		case f.IsBytes(opControlOutput):
			var name string
			name, err = f.Text("string")
			d.ControlOutputs = append(d.ControlOutputs, name)
		case f.Type == protowire.BytesType:
			if s := d.stringField(f.Num); s != nil {
				*s, err = f.Text("string")
			}
		case f.Type == protowire.VarintType:
			if flag := d.flagField(f.Num); flag != nil {
				*flag = f.Value != 0
			}
		}
		if err != nil {
			return nil, err
		}
	}
	if err := f.Err(); err != nil {
		return nil, err
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

func (d *OpDef) decodeDeprecation(dep *wire.Cursor) error {
	if d.Deprecation == nil {
		d.Deprecation = &Deprecation{}
	}
	f := dep.Message("")
	for f.Next() {
		switch {
		case f.IsVarint(deprecationVersion):
			d.Deprecation.Version = int(int32(f.Value))
		case f.IsBytes(deprecationExplanation):
			text, err := f.Text("string")
			if err != nil {
				return err
			}
			d.Deprecation.Explanation = text
		}
	}
	return f.Err()
}

func appendArgDef(args []ArgDef, arg *wire.Cursor) ([]ArgDef, error) {
	var a ArgDef
	f := arg.Message("")
	for f.Next() {
		var err error
		switch {
		case f.IsBytes(argName):
			a.Name, err = f.Text("string")
		case f.IsBytes(argDescription):
			a.Description, err = f.Text("string")
		case f.IsVarint(argType):
			a.Type, err = dataType(&f)
		case f.IsBytes(argTypeAttr):
			a.TypeAttr, err = f.Text("string")
		case f.IsBytes(argNumberAttr):
			a.NumberAttr, err = f.Text("string")
		case f.IsBytes(argTypeListAttr):
			a.TypeListAttr, err = f.Text("string")
		case f.IsVarint(argIsRef):
			a.IsRef = f.Value != 0
		}
		if err != nil {
			return nil, err
		}
	}
	// A fixed type of references may be spelled either way.
	if a.Type.IsRef() {
		a.Type, a.IsRef = a.Type.Base(), true
	}
	return append(args, a), f.Err()
}

// dataType returns a field of a data type.
func dataType(f *wire.Cursor) (tensor.DType, error) {
	n := int32(f.Value)
	if n != 0 && (n < 0 || n > math.MaxUint8 || !tensor.DType(n).Valid()) {
		return 0, f.Errorf(f.Lo, "unknown data type %d", n)
	}
	return tensor.DType(n), nil
}

func (d *OpDef) decodeAttrDef(attr *wire.Cursor) error {
	var a AttrDef
	var allowed *AttrValue
	dec := AttrDecoder{}
	f := attr.Message("")
	for f.Next() {
		var err error
		switch {
		case f.IsBytes(attrDefName):
			a.Name, err = f.Text("string")
		case f.IsBytes(attrDefType):
			kind, ok := ParseKind(string(f.Body()))
			if !ok {
				err = f.Errorf(f.Lo, "unknown type of attr %s", quote(clip(string(f.Body()))))
			}
			a.Kind = kind
		case f.IsBytes(attrDefDefault):
			if a.Default == nil {
				a.Default = &AttrValue{}
			}
			err = dec.attr(a.Default, f.Message(""))
		case f.IsBytes(attrDefDescription):
			a.Description, err = f.Text("string")
		case f.IsVarint(attrDefHasMinimum):
			a.HasMinimum = f.Value != 0
		case f.IsVarint(attrDefMinimum):
			a.Minimum = int64(f.Value)
		case f.IsBytes(attrDefAllowed):
			if allowed == nil {
				allowed = &AttrValue{}
			}
			err = dec.attr(allowed, f.Message(""))
		}
		if err != nil {
			return status.Within(err, "attr '%s'", a.Name)
		}
	}
	if err := f.Err(); err != nil {
		return status.Within(err, "attr '%s'", a.Name)
	}
	if a.Kind == KindNone {
		return attr.Errorf(attr.Lo, "attr '%s' has no type", a.Name)
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
	f := wire.NewCursor("", b)
	for f.Next() {
		if !f.IsBytes(listOp) {
			continue
		}
		d, err := unmarshalOpDef(f.Message(""))
		if err != nil {
			return nil, status.Within(err, "op %d of the list", len(defs))
		}
		defs = append(defs, d)
	}
	return defs, f.Err()
}
