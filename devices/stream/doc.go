// Package stream orders the works of one accelerator. It starts no goroutine and
// knows no driver's queue: it decides what a work must wait for, and which memory it
// may have.
//
// A device has four streams, each of which does its works in order: [Compute],
// [HostToDevice], [DeviceToHost] and [DeviceToDevice]. A work says which blocks of
// memory it reads and writes. [Order.Add] answers the places in other streams that
// it must come after: the last write of what it reads, and the last write and all
// reads since of what it writes. What a stream has waited for once it need not wait
// for again.
//
// Memory is released when nobody needs it any more, not when the device is done with
// it: a [Pool] gives the block to its next owner together with what streams still do
// with it, so that the next owner's first work waits for that, on the device. The
// host never does.
//
// Package actors/streams makes actors of this.
package stream
