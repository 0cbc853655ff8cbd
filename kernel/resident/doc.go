// Package resident implements tensors in device memory and the kernels that compute
// with them.
//
// A token between nodes on an accelerator carries a variant that holds a [Tensor]: the
// memory, with a type and a shape that the host knows. So all nodes that only pass
// tokens on, of control flow for instance, treat it as any value, and the memory is
// released with the last token. What is in host memory ([kernel.Memory]) is carried as
// on a CPU. [Upload] and [Download] are what brings a value from one memory to the
// other, where a partition has a Send and a Recv.
//
// A kernel made by [Register] computes the shapes of its outputs on the host, asks for
// memory, hands launches over and returns; its outputs are ready for the next kernel at
// once, as the device's streams put everything into order. Operations whose outputs have
// shapes that depend on elements have no such kernels.
//
// On an emulated accelerator the same kernel enqueues one command that runs the CPU's
// kernel of the operation, later, on the device's memory.
package resident
