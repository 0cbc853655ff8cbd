package session

import (
	"maps"
	"slices"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
)

// Accelerators are devices with memory of their own. Each is an actor, and so are its
// streams; see package actors/streams. What the nodes on it compute stays in its memory,
// and goes to the host's where a node of another device, or a fetch, wants it.

// accelerators are those of a session, by full name.
type accelerators struct {
	all     []*streams.Device
	streams map[string]devices.Streams // for kernels; nil: there are none
}

// openAccelerators opens what the options ask for.
func (o *SessionOptions) openAccelerators() (a accelerators, err error) {
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	for _, kind := range slices.Sorted(maps.Keys(o.Devices)) {
		open := devices.OpenerOf(kind)
		if open == nil || o.Devices[kind] == 0 {
			continue
		}
		if _, err := registry.Global.Lookup("_Upload"); err != nil {
			return a, status.Errorf(status.FailedPrecondition, "a device of type %s needs the kernels of package ops/accelerated, which the program does not import", kind)
		}
		for number := range o.Devices[kind] {
			d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
				return open(number, devices.Options{Seed: o.Seed})
			}, streams.Options{})
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

// close ends the accelerators: what is due there fails.
func (a *accelerators) close() {
	for _, d := range slices.Backward(a.all) {
		d.Close()
	}
}
