// Package vec holds the numeric kernels of the CPU device as plain functions
// on slices: matrix products, elementwise arithmetic and the functions that
// neural networks use. On amd64 the float32 and float64 ones run in assembly
// for AVX-512 or AVX2 with FMA, whichever the machine has; everywhere else, and
// for other element types, in portable Go.
//
// # Matrix products
//
// [Gemm] and [GemmAdd] work on row-major matrices that lie in slices: row i of
// a matrix with leading dimension ld starts at i*ld. Either operand may be
// given transposed. A slice must reach at least to its matrix's last element.
// Large products are shared out through a [kernel.Pool]; small ones neither
// copy their operands nor allocate.
//
// # Elementwise functions
//
// They work on len(dst) elements. Operands must be at least that long. dst may
// start at the same element as an operand, but must not overlap one in any
// other way. Where an operand is a single number the name says on which side:
// [SubScalar] is x-s, [ScalarSub] is s-x.
//
// # Bits
//
//   - Add, Sub, Mul, Div, Max, Min and Relu are rounded once, as IEEE 754 says,
//     and give the same bits on every machine, except for which NaN is a NaN. So do
//     AddScaled, Rotate, RotateRows and Dot, which fuse nothing and add in a fixed order.
//   - Gemm, Taps.Multiply, TapLine.Multiply, Exp, Tanh and Sigmoid give the same bits for the same inputs,
//     whatever the pool and the number of its workers, on all machines with AVX2
//     or AVX-512; and the same bits on all others. The two differ in the last
//     bits: the assembly uses fused multiply-add, the portable code never does,
//     on no architecture. An element of Exp, Tanh or Sigmoid depends on its
//     operand alone, not on its place in the slice.
//   - The functions on float64 and the steps of Fourier transforms, [FourierStep], have the
//     same bits on every machine: they fuse nothing.
//   - An element of a product with floating-point elements is the sum of its k
//     products in order, in blocks of [GemmBlock]: each block is summed from
//     zero, and the blocks are added up in order. It depends on its row of A, its
//     column of B and k alone.
//
// Errors of the functions are given in units in the last place (ulp) of the
// float32 result. NaN goes to NaN; infinities, subnormal numbers and the sign
// of zero are treated as package math does.
package vec
