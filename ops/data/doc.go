// Package data defines the operations on stateful containers of tensors: TensorArrays
// and stacks, which live as long as a step, and queues and accumulators, which live as
// long as the session.
//
// A handle carries the resource itself (tensor.Handle.Value), so operations
// look nothing up; the older forms of the operations, whose handles are string
// references, carry it in the reference. The flow that TensorArray operations
// pass on only orders them.
//
// Operations on queues may wait. They wait in the queue's lines, without a
// goroutine, and leave them when their step ends.
//
// Programs import it for its effect, which is to register these operations.
package data
