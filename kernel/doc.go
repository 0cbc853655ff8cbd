// Package kernel is what an operation's computation is written against: the
// [Kernel] interface, the [Context] it runs in, the [Construction] it is made
// from, and the table of registered kernels.
//
//	func init() {
//		kernel.Register[...]
//	}
//
// See docs/design/kernel-interface.md for the candidates that were compared.
package kernel
