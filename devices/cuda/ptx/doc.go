// Package ptx is an interpreter of PTX, the assembly language into which NVRTC
// compiles kernels. It is for tests on machines without a GPU: what the compiler made
// of the kernels is what runs.
//
// Parse decodes a module once; [Entry.Run] executes an entry for all threads of a grid.
// Blocks are shared out among goroutines. The threads of a block run in warps of 32,
// which take one instruction at a time; lanes that branch differently go on apart, those
// that are furthest behind first, until they meet again.
//
// It is strict where a GPU is not: every access to memory is checked for bounds and
// alignment, a barrier that not all threads of a block come to is an error, and so is an
// instruction that is not known. Arithmetic is IEEE's with the rounding that an
// instruction names; what the language leaves to the hardware (ex2.approx and the like)
// is computed in double and rounded.
//
// A function is put in place of what calls it. Textures, warp-wide, atomic and matrix
// instructions are not known.
package ptx
