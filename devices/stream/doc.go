// Package stream orders the commands of one accelerator. It starts no goroutine and
// knows no driver's queue: it decides what a command must wait for, and which memory it
// may have.
//
// A device has five streams, each of which executes its commands in order: [Compute],
// [HostToDevice], [DeviceToHost], [DeviceToDevice] and [Lent]. A command says which
// blocks of memory it reads and writes. [Order.Add] returns the places in other
// streams that it must come after: the last write of what it reads, and the last
// write and all reads since of what it writes. What a stream has waited for once it
// need not wait for again.
//
// A copy from one device to another is a command of both: of the receiver's
// [DeviceToDevice], which does it, and, as a read, of the source's [Lent], which
// waits for it. So each device's Order knows its own streams alone, and what is
// read by another device is kept from being overwritten as if it were read here.
//
// Memory is released when it is no longer needed, not when the device is done with
// it: a [Pool] passes the block to its next owner together with the commands that still use
// it, so that the next owner's first command waits for that, on the device. The
// host never does.
//
// Package actors/streams runs these as actors.
package stream
