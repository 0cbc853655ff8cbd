// Package resource implements the state of a session that is not in the graph:
// variables, queues, TensorArrays and stacks, and the managers that find them by
// container and name.
//
// A session has one [Manager], and each step has one that ends with it. Nodes
// name resources, or forward handles: a tensor.Handle names a resource, and
// holds it if it cannot be replaced under that name. A node that uses the
// same resource in every step keeps a [Cache].
//
// All resources are safe for concurrent use. Values stored in them must be
// shared (tensor.Value.Share), as they outlive the kernel that stores them. What resources
// hold is charged to the manager's budget until they release it.
//
// Only operations on a [Queue] wait, and they hold no goroutine: the queue calls each waiter
// when its operation is done.
//
// The kernels are in ops/state and ops/data.
package resource
