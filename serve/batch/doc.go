// Package batch runs requests of several callers as one step.
//
// A [Batcher] belongs to a loaded model. Each signature is added with [Batcher.Add], and
// [Signature.Run] runs a request: alone if the model is idle, or joined with others along
// the first dimension of its inputs. Two requests join if they are of one signature and
// their inputs have the same types and inner shapes.
//
// By default a Batcher needs no parameters. A request starts at once while fewer steps run
// than there are CPUs; others gather meanwhile, and start together when a step ends. The
// Batcher measures what a step costs by its number of rows, and gathers no more rows than
// make a row cheaper. It also measures whether several steps at a time do more work than
// one with more rows. A request never waits for company that has not arrived, except for
// callers that have just had an answer and, as measured, come back at once.
//
// With [Parameters], which are those of TensorFlow Serving, a batch waits until it is full
// or the timeout has passed.
//
// The rules are in a queue (queue.go, cost.go, pace.go) that starts no goroutine and reads
// no clock. The Batcher drives it. A request's context holds while it waits and while its
// batch runs: the caller returns at once, and the step ends when no caller is left. If a
// batch fails, its requests run one by one, so that each has its own error.
//
// Joining is right only for signatures that treat rows independently. Unless Parameters
// are given, the first batches of a signature are compared with separate runs of their
// requests, and a signature whose results differ is not batched any more. Add takes
// signatures only that have no side effects; that is the caller's duty.
//
// Results are those of separate runs up to the rounding of kernels whose order of
// operations depends on the number of rows.
package batch
