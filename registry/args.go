package registry

import (
	"math"

	"github.com/troupe-go/troupe/tensor"
)

// Len returns the number of tensors that an argument stands for on a node whose
// attributes are valid; 0 if the attribute that says it is missing.
func (a *ArgDef) Len(attrs Attrs) int {
	switch {
	case a.NumberAttr != "":
		if v := attrs.Find(a.NumberAttr); v != nil && v.I > 0 {
			return int(min(v.I, math.MaxInt32))
		}
		return 0
	case a.TypeListAttr != "":
		if v := attrs.Find(a.TypeListAttr); v != nil {
			return len(v.List)
		}
		return 0
	}
	return 1
}

// IsList reports whether the argument stands for any number of tensors.
func (a *ArgDef) IsList() bool { return a.NumberAttr != "" || a.TypeListAttr != "" }

// ArgRange finds the argument called name among a definition's inputs or
// outputs: on a node with valid attributes it is the tensors start to stop-1.
func ArgRange(args []ArgDef, attrs Attrs, name string) (start, stop int, ok bool) {
	for i := range args {
		n := args[i].Len(attrs)
		if args[i].Name == name {
			return start, start + n, true
		}
		start += n
	}
	return 0, 0, false
}

// ArgAt returns the argument that tensor i of a node's inputs or outputs belongs to,
// and its place within that argument; nil if there are not so many.
func ArgAt(args []ArgDef, attrs Attrs, i int) (arg *ArgDef, place int) {
	for k := range args {
		n := args[k].Len(attrs)
		if i < n {
			return &args[k], i
		}
		i -= n
	}
	return nil, 0
}

// typeOf returns the type of each tensor of an argument that is no list of types.
func (a *ArgDef) typeOf(attrs Attrs) tensor.DType {
	t := a.Type
	if a.TypeAttr != "" {
		t = attrs.Find(a.TypeAttr).Type
	}
	return a.ref(t)
}

// ref is t, or its reference type if the argument is of references.
func (a *ArgDef) ref(t tensor.DType) tensor.DType {
	if a.IsRef {
		return t.Ref()
	}
	return t
}
