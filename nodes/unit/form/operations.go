package form

import (
	"cmp"
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// A ScalarForm is an operation that is a [ScalarOp] for operands of a type.
type ScalarForm struct {
	Op      string
	In, Out tensor.DType // of the operands (of what Select chooses from), of the result
	Inputs  int
	Code    ScalarOp
}

// Scalars lists the operations that are something for scalars.
func Scalars() []ScalarForm {
	var list []ScalarForm
	for o, code := range scalarOps {
		list = append(list, ScalarForm{Op: o.op, In: o.dt, Code: code})
	}
	for types, code := range casts {
		list = append(list, ScalarForm{Op: "Cast", In: types[0], Out: types[1], Code: code})
	}
	for dt := range tensor.DType(64) {
		if machine(dt) {
			list = append(list,
				ScalarForm{Op: "Select", In: dt, Code: ScalarSelect},
				ScalarForm{Op: "SelectV2", In: dt, Code: ScalarSelect})
		}
	}
	list = append(list, ScalarForm{Op: "ToBool", In: tensor.Bool, Code: ScalarMove})
	for i := range list {
		x := &list[i]
		x.Inputs, x.Out = 2, cmp.Or(x.Out, x.In)
		switch x.Op {
		case "Neg", "Abs", "Square", "Cast", "LogicalNot":
			x.Inputs = 1
		case "ToBool":
			x.Inputs, x.Out = 1, tensor.Bool
		case "Select", "SelectV2":
			x.Inputs = 3
		case "Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual":
			x.Out = tensor.Bool
		}
	}
	slices.SortFunc(list, func(a, b ScalarForm) int {
		return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.In, b.In), cmp.Compare(a.Out, b.Out))
	})
	return list
}

// Arithmetic lists the operations on scalars but those that choose and move.
func Arithmetic() []ScalarOp {
	var list []ScalarOp
	for o := ScalarOp(1); o < ScalarSelect; o++ {
		list = append(list, o)
	}
	return list
}
