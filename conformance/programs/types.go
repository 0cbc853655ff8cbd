package programs

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/tensor"
)

// A Kind is what a variable of a program holds.
type Kind uint8

// The kinds.
const (
	Tensor Kind = iota // an [Array]
	List               // a list of arrays, itself a value: TensorFlow's TensorList
	Handle             // names an [Object], which has a state
	Flow               // orders what is done to an object: done once it is there
	Shared             // an array, or what a reference variable holds whenever somebody looks
)

// An ObjectKind is a kind of things with a state.
type ObjectKind uint8

// The kinds of objects. Variables and references belong to the session, the
// others to the step.
const (
	Variable  ObjectKind = iota // VarHandleOp
	Reference                   // VariableV2 as frames, VarHandleOp in functions
	TensorArray
	Stack
)

// A Type is what is known of a variable before the program runs.
type Type struct {
	Kind   Kind
	DType  tensor.DType // of the elements
	Dims   []int        // of the tensor, or of the elements; -1: not known
	Len    int          // elements of a list or TensorArray; -1: not known
	Object ObjectKind   // of a handle
}

func tensorType(dt tensor.DType, dims ...int) Type { return Type{DType: dt, Dims: dims} }

// Scalar reports whether t is a tensor of rank 0.
func (t Type) Scalar() bool { return t.Kind == Tensor && len(t.Dims) == 0 }

// is reports whether t is a scalar of that element type.
func (t Type) is(dt tensor.DType) bool { return t.Scalar() && t.DType == dt }

// known reports whether all dimensions are.
func (t Type) known() bool { return !slices.Contains(t.Dims, -1) }

// size returns the number of elements of a tensor of known dimensions.
func (t Type) size() int { return product(t.Dims) }

// fits reports whether a value of type t is one of type u.
func (t Type) fits(u Type) bool {
	return t.Kind == u.Kind && t.DType == u.DType && t.Object == u.Object && (u.Len < 0 || t.Len == u.Len) &&
		slices.EqualFunc(t.Dims, u.Dims, func(a, b int) bool { return b < 0 || a == b })
}

// String is "float32[2,?]".
func (t Type) String() string {
	dims := ""
	for i, d := range t.Dims {
		if i > 0 {
			dims += ","
		}
		if d < 0 {
			dims += "?"
		} else {
			dims += fmt.Sprint(d)
		}
	}
	s := fmt.Sprintf("%v[%s]", t.DType, dims)
	switch t.Kind {
	case List:
		return fmt.Sprintf("list of %d %s", t.Len, s)
	case Handle:
		return [...]string{"variable", "reference", "array", "stack"}[t.Object] + " of " + s
	case Flow:
		return "flow"
	case Shared:
		return "shared " + s
	}
	return s
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

// Classes of element types.
var (
	signedInts   = []tensor.DType{tensor.Int32, tensor.Int64, tensor.Int8, tensor.Int16}
	unsignedInts = []tensor.DType{tensor.Uint8, tensor.Uint16, tensor.Uint32, tensor.Uint64}
	floats       = []tensor.DType{tensor.Float, tensor.Double, tensor.Half, tensor.Bfloat16}
	complexes    = []tensor.DType{tensor.Complex64, tensor.Complex128}
	ints         = slices.Concat(signedInts, unsignedInts)
	reals        = slices.Concat(ints, floats)
	signed       = slices.Concat(signedInts, floats)
	numbers      = slices.Concat(reals, complexes)
	bools        = []tensor.DType{tensor.Bool}
	anyType      = slices.Concat(numbers, bools)
)

func isInt(dt tensor.DType) bool      { return slices.Contains(ints, dt) }
func isUnsigned(dt tensor.DType) bool { return slices.Contains(unsignedInts, dt) }
func isFloat(dt tensor.DType) bool    { return slices.Contains(floats, dt) }
func isComplex(dt tensor.DType) bool  { return slices.Contains(complexes, dt) }

// broadcast returns the type of what comes of elements of a and b, and whether they
// go together whatever the dimensions not known are. Same says that both are one
// variable.
func broadcast(a, b Type, same bool) ([]int, bool) {
	if same {
		return a.Dims, true
	}
	dims := make([]int, max(len(a.Dims), len(b.Dims)))
	for i := 1; i <= len(dims); i++ {
		x, y := 1, 1
		if i <= len(a.Dims) {
			x = a.Dims[len(a.Dims)-i]
		}
		if i <= len(b.Dims) {
			y = b.Dims[len(b.Dims)-i]
		}
		switch {
		case x == 1:
			x = y
		case y == 1:
		case x != y || x < 0:
			return nil, false
		}
		dims[len(dims)-i] = x
	}
	return dims, true
}
