// Package kernel is what an operation's computation is written against: the
// [Kernel] interface, the [Context] it runs in, the [Construction] it is made
// from, and the table of registered kernels.
//
//	func init() {
//		kernel.ForType("Hypot", "T", tensor.Float, newHypot[float32])
//	}
//
// CONTRIBUTING.md writes that kernel from end to end, and
// docs/design/2026-11-21-kernel-interface.md compares the candidates for the
// interface.
package kernel
