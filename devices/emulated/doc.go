// Package emulated is an accelerator in pure Go with a checker of ordering, for
// programs and tests without hardware.
//
// Its memory is apart from the host's. Its queues really run behind: a seed decides
// which of them goes on next, and how long each command is kept back. A seed and a
// scheduler that runs one function at a time make a whole run repeatable.
//
// # The checker
//
// Every command has a vector clock (C. Fidge, "Timestamps in message-passing systems
// that preserve the partial ordering", 1988; F. Mattern, 1989) over the queues and
// the host: what certainly happened before it. A queue's clock takes in the host's
// when a command is put into it, and an event's when it waits for one; the host's takes
// in an event's when the host waits for it. A completion that was only notified of
// says nothing of the order of queues, as it might have come later; it does free
// buffers of the host's, and buffers that are released.
//
// A command that reads a buffer must come after the last command that wrote it; one that
// writes it, also after all that have read it since. Where nothing orders two such
// works, the device fails with INTERNAL, and the error names both, also if all went
// well this time. So it does for what is read and was never written, released while
// it is in use, or used when it was released, and for a command that leaves a buffer's
// bounds.
//
// Memory that has not been written holds a poison, and so does a buffer of the host's
// that a command is going to write.
package emulated
