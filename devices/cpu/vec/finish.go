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
	Slope       float32 // of LeakyReluLimit
}

// A Limit is the last step of a [Finish].
type Limit uint8

const (
	NoLimit        Limit = iota
	ReluLimit            // as [Relu]
	Relu6Limit           // as [Relu6]
	LeakyReluLimit       // as [LeakyRelu]
)

// What a finishing has, in bits.
const (
	finishScales = 1 << iota
	finishAdds
	finishAddsOther
	finishRelu
	finishRelu6
	finishLeakyRelu
)

// A finishing is a Finish for the assembly, which knows the fields by their order.
type finishing struct {
	scale, bias, add unsafe.Pointer // for the first of the sums
	what             uint64
	six, slope       float32
}

// short reports whether f does not reach over that many columns, or what is added over so
// many elements.
func (f *Finish) short(columns, elements int) bool {
	return f.Scale != nil && len(f.Scale) < columns || f.Bias != nil && len(f.Bias) < columns || f.Add != nil && len(f.Add) < elements
}

// check panics if f is short.
func (f *Finish) check(columns, elements int) {
	if f.short(columns, elements) {
		panic(fmt.Sprintf("vec: %d factors, %d of a bias and %d to add are too few for %d columns and %d elements", len(f.Scale), len(f.Bias), len(f.Add), columns, elements))
	}
}

// run returns f for the assembly, for the first element of a result.
func (f *Finish) run() (r finishing) {
	if len(f.Scale) > 0 {
		r.scale, r.what = unsafe.Pointer(&f.Scale[0]), finishScales
	}
	if len(f.Bias) > 0 {
		r.bias = unsafe.Pointer(&f.Bias[0])
		r.what |= finishAdds
	}
	if len(f.Add) > 0 {
		r.add = unsafe.Pointer(&f.Add[0])
		r.what |= finishAddsOther
	}
	switch f.Limit {
	case ReluLimit:
		r.what |= finishRelu
	case Relu6Limit:
		r.what |= finishRelu6
	case LeakyReluLimit:
		r.what |= finishLeakyRelu
	}
	r.six, r.slope = 6, f.Slope
	return r
}

// from returns r for the columns from one on, and the element of the result that is there in
// a row.
func (r *finishing) from(column, element int) finishing {
	part := *r
	if part.scale != nil {
		part.scale = unsafe.Add(part.scale, column*4)
	}
	if part.bias != nil {
		part.bias = unsafe.Add(part.bias, column*4)
	}
	if part.add != nil {
		part.add = unsafe.Add(part.add, element*4)
	}
	return part
}

// moveTo makes r, which is whole from some columns on, that for another element there. It never
// points behind the last one, where there may be no memory.
func (r *finishing) moveTo(element int, whole *finishing) {
	if r.add != nil {
		r.add = unsafe.Add(whole.add, element*4)
	}
}

// Rows finishes rows of n elements of a result, which are ldc elements apart; its element at
// is the first.
func (f *Finish) Rows(result []float32, at, rows, n, ldc int) {
	for i := range rows {
		first := at + i*ldc
		o := result[first:][:n]
		if f.Scale != nil {
			Mul(o, o, f.Scale)
		}
		if f.Bias != nil {
			Add(o, o, f.Bias)
		}
		if f.Add != nil {
			Add(o, o, f.Add[first:])
		}
		switch f.Limit {
		case ReluLimit:
			Relu(o, o)
		case Relu6Limit:
			Relu6(o, o)
		case LeakyReluLimit:
			LeakyRelu(o, o, f.Slope)
		}
	}
}
