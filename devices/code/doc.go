// Package code generates the source of accelerator kernels and computes their launch
// parameters.
//
// They are written once, in the common part of OpenCL C and CUDA C: C with vector
// types, pointers to pointers and C++ left out. A prelude has the differences: names
// of types (i32, f64, …), of a kernel (KERNEL), of memory (GLOBAL for what pointers
// point to, LOCAL for what a group of threads shares), of a thread's place (GROUP,
// THREAD, THREADS, GROUPS), and BARRIER. Small generators put in element types,
// expressions and ranks, so that loops over dimensions are written out.
//
// Every function returns launches, to be made one after another in one stream; none
// if there is nothing to do. Operands are [Array]s, dense and row by row. Shapes must
// fit: who calls has worked them out, and a mistake is INTERNAL.
//
// Functions are named by what decides them, such as add_f32_r2, and made once.
package code
