// Package simulated is a CUDA driver in Go, for tests of package devices/cuda on machines
// without a GPU. Its functions have the addresses and the calling convention of the
// library's, so order and width of arguments, and what pointers point to, are tried as
// well. Kernels are the PTX that NVRTC makes, executed by package devices/cuda/ptx.
//
// It keeps CUDA's rules. Calls need a context that is current on the thread. Streams run
// behind the caller, each on a goroutine, with pauses that a seed decides. To wait for an
// event that was never recorded is to wait for nothing, and a wait is for what the event
// was last recorded after. A kernel that touches memory that is not allocated ends the
// context: all calls fail from then on until it is made again.
//
// Where a driver may do anything, or hides a mistake, the simulated one records it:
// handles that are not valid, memory that is given back while a stream still uses it,
// two works that touch the same memory and that nothing orders, what is left when a
// context ends. [Machine.Close] reports them.
//
// Streams' order is known by vector clocks. That the host was told of an event's
// completion counts for the host's own memory alone: that a work happened to be
// done must not hide that nothing ordered it.
package simulated
