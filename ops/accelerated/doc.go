// Package accelerated registers the kernels of accelerators, which map operations to
// the code of package devices/code. Programs that open such a device import it.
//
// An operation's definition, its shape function and its CPU kernel stand with its
// family; here is only what an accelerator needs to know before it computes: the shapes
// of outputs, from the shapes of inputs and from inputs in host memory.
package accelerated
