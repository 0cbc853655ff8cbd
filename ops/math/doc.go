// Package math holds the operations on numbers: arithmetic, comparison, logic,
// elementary functions, conversion, reductions, scans, ranges and segments.
//
// What works element by element is here, in files named for groups of operations;
// [github.com/troupe-go/troupe/ops/math/reduction] has what combines elements, products of
// matrices included, and [github.com/troupe-go/troupe/ops/math/cast] conversion: packages
// of their own, so that they compile at the same time. Each defines its operations,
// their shapes and their kernels; the loops of the cheapest are generated from
// loops.txt. Integers wrap around where they overflow, as two's complement
// does. Subnormal floating-point numbers are kept, while TensorFlow's threads
// flush them to zero.
//
// Programs import it for its effect, which is to register these operations.
package math

import (
	_ "github.com/troupe-go/troupe/ops/math/cast"
	_ "github.com/troupe-go/troupe/ops/math/reduction"
)

//go:generate go run ../../kernel/elementwise/loopgen
