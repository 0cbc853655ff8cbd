// Package math holds the operations on numbers: arithmetic, comparison, logic,
// elementary functions, conversion, reductions, scans, ranges and segments.
//
// Its file names follow the groups of operations. Each defines its operations,
// their shapes and their kernels; the loops of the cheapest are generated from
// loops.txt. Integers wrap around where they overflow, as two's complement
// does. Subnormal floating-point numbers are kept, while TensorFlow's threads
// flush them to zero.
//
// Programs import it for its effect, which is to register these operations.
package math

//go:generate go run ../../kernel/elementwise/loopgen
