package unit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/tensor"
)

// Islands lists a form's islands: the loop, or the program; the values from
// outside that must be scalars; the values that are then known to be scalars.
func (f *Form) Islands() string {
	c := &credit{left: 1 << 30}
	var w strings.Builder
	tell := func(what string, s *island) {
		if s == nil {
			return
		}
		fmt.Fprintf(&w, "%s:", what)
		for v := s.from; v < s.to; v++ {
			if s.has[v-s.from] {
				fmt.Fprintf(&w, " %%%d", v)
			}
		}
		w.WriteString(", if")
		for _, v := range s.assume {
			fmt.Fprintf(&w, " %%%d", v)
		}
		w.WriteByte('\n')
	}
	if len(f.Loops) == 0 {
		tell("program", newIsland(f, c, nil, nil))
	}
	found := map[*Loop]*island{}
	for _, l := range f.Loops { // outer ones first
		outer := found[l.Outer]
		s := newIsland(f, c, l, outer)
		tell("loop "+f.flow.Frames[l.Frame].Name, s)
		if found[l] = s; s == nil {
			found[l] = outer
		}
	}
	if w.Len() == 0 {
		return "none\n"
	}
	return w.String()
}

// A ScalarOp is an operation that units have an instruction for.
type ScalarOp struct {
	Op      string
	In, Out tensor.DType // of the operands (of what Select chooses from), of the result
	Inputs  int
	Code    string // what the instruction is called
}

// ScalarOps lists the operations that units have instructions for, as their
// tables do.
func ScalarOps() []ScalarOp {
	var list []ScalarOp
	for o, code := range scalarOps {
		list = append(list, ScalarOp{Op: o.op, In: o.dt, Code: code.String()})
	}
	for types, code := range casts {
		list = append(list, ScalarOp{Op: "Cast", In: types[0], Out: types[1], Code: code.String()})
	}
	for dt := range tensor.DType(64) {
		if machine(dt) {
			list = append(list,
				ScalarOp{Op: "Select", In: dt, Code: opSelect.String()},
				ScalarOp{Op: "SelectV2", In: dt, Code: opSelect.String()})
		}
	}
	list = append(list, ScalarOp{Op: "ToBool", In: tensor.Bool, Code: opMoveScalar.String()})
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
	slices.SortFunc(list, func(a, b ScalarOp) int {
		return cmp.Or(cmp.Compare(a.Op, b.Op), cmp.Compare(a.In, b.In), cmp.Compare(a.Out, b.Out))
	})
	return list
}

// Opcodes returns the names of the instructions of scalars that are no jumps.
func Opcodes() []string { return opcodeNames[firstScalar:opMoveScalar] }
