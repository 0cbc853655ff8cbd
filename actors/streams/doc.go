// Package streams runs accelerators as actors: a device is an actor under supervision,
// each of its streams another, whose messages are commands.
//
//	parent ─supervises─▶ device ─supervises─▶ compute, host-to-device, device-to-host, device-to-device, lent
//
//	message     from → to                        what the stream does
//	Launch      Device → compute                 enqueues the launch
//	Copy        Device → a stream of copies      enqueues the copy
//	Record      Device → stream                  records an event, and notifies the streams that subscribed
//	Wait        Device → stream                  holds back later commands until the event is done
//	After       Device → stream                  calls a function when all commands before it are done
//	Recorded    stream → stream that waits       continues with the commands that it held back
//	Failed      stream → device                  ends this incarnation: the device's actor fails
//
// A [Device] is what the rest of the program holds: its methods order a command (package
// devices/stream), send what follows from that, and return. No goroutine waits in a
// driver: a stream's actor only fills its queue, and completion is reported by
// [devices.Event.Notify]. A stream that must wait for an event which another stream
// has yet to record keeps its messages until that stream notifies it.
//
// # Copies between devices
//
// A copy from one device's memory to another's is done by the receiver's stream,
// after the source's last write, and the source's stream "lent" waits for it, so
// that the source's other streams keep off that memory. Both wait for events of the
// other device's streams, as streams of one device do, and neither is blocked.
// Between drivers that cannot do that ([devices.Accelerator].Reaches) copies go through the
// host.
//
// # Failure
//
// A command that its queue refuses leaves memory without contents: it, all commands that
// read that memory, and reads of it by the host fail with that error; the device
// goes on. If the device itself fails or is lost, every completion that is still
// due comes with UNAVAILABLE and the device's name, and so does every command on
// memory of that incarnation. A copy from another device is done when both have
// passed it, so it fails with whichever fails first; the other goes on. The
// device's actor fails, and its supervisor starts it again: it closes the driver,
// opens it again, and has another incarnation and no memory.
//
// The same follows if a driver panics, in a stream's actor or in the call of a
// method, if a stream's actor is stopped, and if a driver's call does not return in
// time ([Patience]). Such a call holds up the actor that makes it, so the device
// then gets another actor; the old one closes its driver when the call returns. A
// device whose own actor is stopped is not opened again: works fail with
// UNAVAILABLE.
//
// # Memory
//
// A device's memory is allocated by a pool (package devices/stream), up to the
// device's limit. Memory of the driver is allocated and released without the
// lock that commands are ordered by, as it may wait for the device. Copies from and to
// the host go through host buffers of the driver. These, and the memory of a device
// that has no other than the host's, are charged to [Options].Budget. An allocation that does not
// fit fails with RESOURCE_EXHAUSTED and the device's name.
//
// # Schedules
//
// With a [Seeded] dispatcher, and an emulated device that is scheduled by it, what
// happens when is decided by a number.
package streams
