package vec

import (
	"fmt"
	"unsafe"
)

// A Finish is what is done with sums before they are stored, each step rounded: a sum is
// multiplied with the factor of its column, its bias is added, then another number, and
// Limit applies. The zero Finish does nothing.
type Finish struct {
	Scale, Bias []float32 // of all columns; nil: none
	Add         []float32 // nil: nothing; lies as the result does
	Limit       Limit
}

// A Limit is the last step of a [Finish].
type Limit uint8

const (
	NoLimit    Limit = iota
	ReluLimit        // as [Relu]
	Relu6Limit       // as [Relu6]
)

// What a finishing has, in bits.
const (
	finishScales = 1 << iota
	finishAdds
	finishAddsFar
	finishRelu
	finishRelu6
)

// A finishing is a Finish for the assembly, which knows the fields by their order.
type finishing struct {
	scale, bias unsafe.Pointer
	far         uintptr // from an element of the result to what is added to it
	what        uint64
	six         float32
}

// check panics if f does not reach over that many columns, or what is added over so many
// elements.
func (f *Finish) check(columns, elements int) {
	if f.Scale != nil && len(f.Scale) < columns || f.Bias != nil && len(f.Bias) < columns || f.Add != nil && len(f.Add) < elements {
		panic(fmt.Sprintf("vec: %d factors, %d of a bias and %d to add are too few for %d columns and %d elements", len(f.Scale), len(f.Bias), len(f.Add), columns, elements))
	}
}

// of returns f for the columns from one on of a result that begins with dst.
func (f *Finish) of(column int, dst []float32) (r finishing) {
	if f.Scale != nil {
		r.scale, r.what = unsafe.Pointer(&f.Scale[column]), finishScales
	}
	if f.Bias != nil {
		r.bias = unsafe.Pointer(&f.Bias[column])
		r.what |= finishAdds
	}
	if f.Add != nil {
		r.far = uintptr(unsafe.Pointer(&f.Add[0])) - uintptr(unsafe.Pointer(&dst[0]))
		r.what |= finishAddsFar
	}
	switch f.Limit {
	case ReluLimit:
		r.what |= finishRelu
	case Relu6Limit:
		r.what |= finishRelu6
	}
	r.six = 6
	return r
}

// rows finishes rows of n elements of a result, which are ldc elements apart.
func (f *Finish) rows(dst []float32, rows, n, ldc int) {
	for i := range rows {
		o := dst[i*ldc:][:n]
		if f.Scale != nil {
			Mul(o, o, f.Scale)
		}
		if f.Bias != nil {
			Add(o, o, f.Bias)
		}
		if f.Add != nil {
			Add(o, o, f.Add[i*ldc:])
		}
		switch f.Limit {
		case ReluLimit:
			Relu(o, o)
		case Relu6Limit:
			Relu6(o, o)
		}
	}
}
