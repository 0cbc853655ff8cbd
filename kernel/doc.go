// Package kernel is the interface between operations and their computation: the
// [Kernel] interface, the [Context] in which a kernel runs, the [Construction] from
// which it is made, and the registry of kernels.
//
//	func init() {
//		kernel.ForType("Hypot", "T", tensor.Float, newHypot[float32])
//	}
//
// CONTRIBUTING.md writes that kernel from end to end, and
// docs/design/2026-11-21-kernel-interface.md compares the candidates for the
// interface.
package kernel
