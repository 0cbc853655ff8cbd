// Package resource implements the state of a session that is not in the graph:
// variables, queues, TensorArrays and stacks, and the managers that find them by
// container and name.
//
// A session has one [Manager], and every step one that dies with it. Nodes
// name resources, or pass on handles: a tensor.Handle names a resource, and
// holds it if it cannot be replaced under that name. A node that uses the
// same resource in every step keeps a [Cache].
//
// All resources are safe for concurrent use. What they are given must be
// shared (tensor.Value.Share): it outlives the kernel that gives it. What they
// hold is charged to the manager's budget until they release it.
//
// Only a [Queue] waits, and it waits without a goroutine: it calls the waiter that
// waits when there is something to say.
//
// Kernels stand elsewhere, in ops/state and ops/data.
package resource
