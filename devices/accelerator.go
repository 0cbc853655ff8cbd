package devices

import (
	"context"

	"github.com/troupe-go/troupe/status"
)

// An Accelerator is the driver of a device with memory of its own and queues that
// run asynchronously. It is safe for concurrent use, except for
// its queues. A driver knows no dependencies: package devices/stream
// orders commands, package actors/streams enqueues them.
//
// An error with the code UNAVAILABLE says that the device is lost: no call to it
// succeeds any more but Close.
type Accelerator interface {
	Attributes() Attributes
	// Alloc allocates device memory, of at least one byte, with undefined contents. It
	// fails with RESOURCE_EXHAUSTED if there is none.
	Alloc(bytes int64) (Buffer, error)
	// AllocHost allocates host memory that queues copy from and to without
	// waiting.
	AllocHost(bytes int64) (HostBuffer, error)
	// Load prepares code for launches, which takes up to seconds the first time.
	// Launch does so for code that was not loaded. A mistake in the code is INTERNAL, with the
	// compiler's log; code that the device cannot run is UNIMPLEMENTED.
	Load(c *Code) error
	// NewQueue creates a queue, whose name is for messages.
	NewQueue(name string) (Queue, error)
	// Reaches reports whether queues of the accelerator copy from buffers of another, and
	// queues of both wait for events of the other. What one does not reach goes by way of
	// the host.
	Reaches(other Accelerator) bool
	// Close ends all queues, works and buffers, done or not; events that are not
	// done fail.
	Close() error
}

// A Buffer is a piece of an accelerator's memory.
type Buffer interface {
	Size() int64
	// Release releases the memory. Commands that use it must have ended.
	Release()
}

// A HostBuffer is memory of the host's for copies.
type HostBuffer interface {
	Buffer
	// Bytes is the memory. The host may read it if no command that writes it is under
	// way, and write it if no command that uses it is.
	Bytes() []byte
}

// A Queue executes commands in the order of its calls. No call
// waits for a command to end. One goroutine at a time may use it.
type Queue interface {
	// Write copies n bytes of the host's to the device, Read from the device, and Copy
	// within it, or from an accelerator that it reaches. All count from the start of both.
	// What comes from an accelerator that fails meanwhile may be anything.
	Write(dst Buffer, src HostBuffer, n int64) error
	Read(dst HostBuffer, src Buffer, n int64) error
	Copy(dst, src Buffer, n int64) error
	Launch(l *Launch) error // l may be changed when it returns
	// Record returns an event that is done when all commands before it are. The caller
	// releases it.
	Record() (Event, error)
	// Wait keeps all later commands back until e is done, an event of any queue of the same
	// accelerator, or of one that reaches it or that it reaches. That such a one fails
	// ends the wait, and should do this accelerator no harm.
	Wait(e Event) error
	// Flush announces that a caller is going to wait for the commands in the queue.
	Flush() error
	Close() error // when it is empty
}

// CheckCopy returns the error of a copy that leaves its buffers, for drivers; nil if it does
// not.
func CheckCopy(bytes, to, from int64) error {
	if bytes < 1 || bytes > to || bytes > from {
		return status.Errorf(status.Internal, "a copy of %d bytes from a buffer of %d to one of %d", bytes, from, to)
	}
	return nil
}

// An Event is a place in a queue.
type Event interface {
	// Notify calls done, once, when the queue has passed the event: with nil, or
	// with what failed. It may call from within, or from any goroutine; done must
	// not wait.
	Notify(done func(error))
	// Wait waits for the same.
	Wait(ctx context.Context) error
	Release() // forgets the event; whoever waits for it still gets it
}

// An Access is what a command does with a buffer.
type Access uint8

// Accesses to a buffer are bits. A command that only writes may leave parts as they are.
const (
	Reads  Access = 1
	Writes Access = 2
)

// Code is one kernel function for accelerators.
type Code struct {
	Entry string // the function's name, and the code's for messages
	// Source is the text of a module that has the function, in the common part of
	// OpenCL C and CUDA C; see package devices/code.
	Source string
	// Emulate does what the function does, for all threads, in Go. args are the
	// launch's, memory the bytes of those that are buffers, at their places.
	Emulate func(l *Launch, memory [][]byte) error
}

// A Launch is one execution of code by many threads.
type Launch struct {
	Code   *Code
	Groups [3]int // of threads, in each dimension, at least 1
	Size   [3]int // threads of a group, in each dimension, at least 1
	Args   []Arg
	Works  *Commands // of the step that it is for; nil: nobody asks what becomes of it
	// Product is what a [Multiplier] computes of two buffers, in the order of Args, into a
	// third, in place of Code, which then has no more than a name. Nil: Code is executed.
	Product *Product
}

// An Arg is an argument of a launch: a buffer, or a number.
type Arg struct {
	Buffer Buffer // nil for a number
	Access Access // to the buffer
	Bits   uint64 // the number
	Bytes  uint8  // of the number: 4 or 8
}

// Streams are an accelerator's, as kernels see them: works are handed over, in an order
// that is right for each of them after the other, and are done in an order that makes no
// difference. Package actors/streams implements them.
type Streams interface {
	Attributes() Attributes
	Load(c *Code) error
	// Reserve allocates memory, with undefined contents.
	Reserve(ctx context.Context, bytes int64) (Buffer, error)
	// Write copies from the host; from may be changed when it returns.
	// Like Read, it waits only for memory of the host's to copy through.
	Write(ctx context.Context, to Buffer, from []byte) error
	// Read copies n bytes to the host: done gets them, for as long as it runs, or why
	// there are none, and must not wait.
	Read(ctx context.Context, from Buffer, n int64, done func([]byte, error)) error
	// Bring copies n bytes from memory of another device's streams, without the host where
	// the drivers can: done is called once, when they are there, or with why they are not,
	// and must not wait. If either device fails that is UNAVAILABLE, with its name.
	Bring(ctx context.Context, to, from Buffer, n int64, done func(error)) error
	// Launch executes code; l may be changed when it returns.
	Launch(l *Launch) error
	// Lost is why the device does not have what memory held, UNAVAILABLE: it failed since
	// it gave the memory. Nil: it has.
	Lost(b Buffer) error
}
