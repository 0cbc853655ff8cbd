package session

import (
	"context"
	"slices"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Accelerators are devices with memory of their own. Each is an actor, and so are its
// streams; see package actors/streams. What the nodes on it compute stays in its memory,
// and goes to the host's where a node of another device, or a fetch, wants it.

// accelerators are those of a session, by full name.
type accelerators struct {
	all     []accelerator
	streams map[string]devices.Streams // for kernels; nil: there are none
}

// An accelerator is a [streams.Device], whose type would be compiled with the packages
// that have sessions.
type accelerator interface {
	devices.Streams
	Statistics() stream.Statistics
	Close() error
}

// openAccelerators opens what the options ask for. What they take of the host is charged.
func (o *SessionOptions) openAccelerators(budget *tensor.Budget) (a accelerators, err error) {
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	processes, err := o.processes()
	if err != nil {
		return a, err
	}
	for _, kind := range sorted.Keys(o.Devices) {
		open := devices.OpenerOf(kind)
		if open == nil || o.Devices[kind] == 0 {
			continue
		}
		if o.Resources != nil {
			return a, status.Errorf(status.Unimplemented, "a session with a device of type %s cannot share resources, whose values would be in the memory of the session's device; leave SessionOptions.Resources nil", kind)
		}
		if _, err := registry.Global.Lookup("_Upload"); err != nil {
			return a, status.Errorf(status.FailedPrecondition, "a device of type %s needs the kernels of package ops/accelerated, which the program does not import", kind)
		}
		for number := range o.Devices[kind] {
			d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
				return open(number, devices.Options{Process: processes[0], Seed: o.Seed, Count: o.Devices, MemoryLimit: o.DeviceMemoryLimit})
			}, streams.Options{Budget: budget})
			if err != nil {
				return a, err
			}
			if a.streams == nil {
				a.streams = map[string]devices.Streams{}
			}
			a.all = append(a.all, d)
			a.streams[d.Attributes().Name] = d
		}
	}
	return a, nil
}

// watch begins to record what the accelerators do. What it answers ends that, and adds
// it to what is known of the run.
func (a *accelerators) watch(ctx context.Context, m *RunMetadata, clock func() int64) func() {
	var watches []*streams.Watch
	for _, d := range a.all {
		watches = append(watches, d.(*streams.Device).Watch(clock))
	}
	return func() {
		for _, w := range watches {
			if works := w.Stop(ctx); m.Stats != nil {
				m.Stats.Works = append(m.Stats.Works, works...)
			}
		}
	}
}

// A DeviceMemory is the memory use of an accelerator, in bytes.
type DeviceMemory struct {
	Device string // full name
	Limit  int64
	InUse  int64 // what tensors have
	Peak   int64 // the most that InUse was since the device was opened
	Kept   int64 // what none has, and the session keeps for the next
	Allocs int64 // how often memory was asked for
	Reused int64 // how often of these some was at hand
}

// memory returns how that of all accelerators is used; nil if there are none.
func (a *accelerators) memory() []DeviceMemory {
	var all []DeviceMemory
	for _, d := range a.all {
		s := d.Statistics()
		all = append(all, DeviceMemory{d.Attributes().Name, s.Limit, s.InUse, s.Peak, s.Resting, s.Allocs, s.Reused})
	}
	return all
}

// close ends the accelerators: what is due there fails.
func (a *accelerators) close() {
	for _, d := range slices.Backward(a.all) {
		d.Close()
	}
}
