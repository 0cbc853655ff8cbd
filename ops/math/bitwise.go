package math

import (
	"math/bits"
	"unsafe"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/elementwise"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("BitwiseAnd").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}").
		Commutative().
		Doc("Combines the bits of x and y by and, with broadcasting.")
	registry.Define("BitwiseOr").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}").
		Commutative().
		Doc("Combines the bits of x and y by or, with broadcasting.")
	registry.Define("BitwiseXor").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}").
		Commutative().
		Doc("Combines the bits of x and y by exclusive or, with broadcasting.")
	registry.Define("Invert").
		Input("x: T").Output("y: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}").
		Doc("Flips every bit of every element.")
	registry.Define("LeftShift").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}").
		Doc(`Shifts the bits of x to the left by y places, with broadcasting.

y: How many places; below 0 counts as 0, and too many as one less than x has bits.`)
	registry.Define("RightShift").
		Input("x: T").Input("y: T").Output("z: T").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}").
		Doc(`Shifts the bits of x to the right by y places, with broadcasting, keeping the sign of signed types.

y: How many places; below 0 counts as 0, and too many as one less than x has bits.`)
	registry.Define("PopulationCount").
		Input("x: T").Output("y: uint8").
		Traits(registry.Elementwise | registry.Total).
		Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}").
		Doc("Counts the bits that are set in every element.")

	kernel.ForTypes("BitwiseAnd", "T", newBitAnd, elementwise.Integers...)
	kernel.ForTypes("BitwiseOr", "T", newBitOr, elementwise.Integers...)
	kernel.ForTypes("BitwiseXor", "T", newBitXor, elementwise.Integers...)
	kernel.ForTypes("Invert", "T", newInvert, elementwise.Integers...)
	kernel.ForTypes("LeftShift", "T", newShiftLeft, elementwise.Integers...)
	kernel.ForTypes("RightShift", "T", newShiftRight, elementwise.Integers...)
	kernel.ForTypes("PopulationCount", "T", newPopulationCount, elementwise.Integers...)

	gradient.None("BitwiseAnd", "BitwiseOr", "BitwiseXor", "Invert", "LeftShift", "RightShift", "PopulationCount")
}

func bitAnd[T elementwise.Integer](x, y T) T  { return x & y }
func bitOr[T elementwise.Integer](x, y T) T   { return x | y }
func bitXor[T elementwise.Integer](x, y T) T  { return x ^ y }
func complement[T elementwise.Integer](x T) T { return ^x }

func shiftLeft[T elementwise.Integer](x, y T) T  { return x << places(y) }
func shiftRight[T elementwise.Integer](x, y T) T { return x >> places(y) }

// places is y within the number of bits of its type.
func places[T elementwise.Integer](y T) uint {
	if y < 0 {
		return 0
	}
	return uint(min(uint64(y), uint64(unsafe.Sizeof(y))*8-1))
}

func newPopulationCount(dt tensor.DType) kernel.Kernel {
	switch dt {
	case tensor.Int8:
		return count[int8](dt, 0xff)
	case tensor.Int16:
		return count[int16](dt, 0xffff)
	case tensor.Int32:
		return count[int32](dt, 0xffffffff)
	case tensor.Int64:
		return count[int64](dt, 1<<64-1)
	case tensor.Uint8:
		return count[uint8](dt, 0xff)
	case tensor.Uint16:
		return count[uint16](dt, 0xffff)
	case tensor.Uint32:
		return count[uint32](dt, 0xffffffff)
	case tensor.Uint64:
		return count[uint64](dt, 1<<64-1)
	}
	return nil
}

// count counts the bits under the mask, which leaves off those that extend a sign.
func count[T elementwise.Integer](dt tensor.DType, mask uint64) kernel.Kernel {
	return &elementwise.Map[T, uint8]{In: dt, Out: tensor.Uint8, F: func(x T) uint8 {
		return uint8(bits.OnesCount64(uint64(x) & mask))
	}}
}
