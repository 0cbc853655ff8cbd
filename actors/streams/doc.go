// Package streams makes actors of an accelerator: the device is an actor under
// supervision, each of its streams another, whose messages are its works.
//
//	parent ─supervises─▶ device ─supervises─▶ compute, host-to-device, device-to-host, device-to-device
//
//	message     from → to                        what the stream does
//	Launch      Device → compute                 enqueues the launch
//	Copy        Device → a stream of copies      enqueues the copy
//	Record      Device → stream                  records an event, and tells those that asked for it
//	Wait        Device → stream                  keeps what comes later back, until the event is done
//	After       Device → stream                  has a function called when all before it is done
//	Recorded    stream → stream that waits       goes on with what it kept
//	Failed      stream → device                  ends this incarnation: the device's actor fails
//
// A [Device] is what the rest of the program holds: its methods order a work (package
// devices/stream), send what follows from that, and return. No goroutine waits in a
// driver: a stream's actor only fills its queue, and completion comes by
// [devices.Event.Notify]. A stream that must wait for an event which another stream
// has yet to record keeps its messages until that stream tells it.
//
// # Failure
//
// A work that its queue refuses leaves memory without contents: it, all works that
// read that memory, and reads of it by the host fail with that error; the device goes
// on. If the device itself fails or is lost, every completion that is still due comes
// with UNAVAILABLE and the device's name, and so does every work on memory of that
// incarnation. The device's actor fails, and its supervisor starts it anew: it closes
// the driver, opens it again, and has another incarnation and no memory.
//
// # Schedules
//
// With a [Seeded] dispatcher, and an emulated device that is scheduled by it, what
// happens when is decided by a number.
package streams
