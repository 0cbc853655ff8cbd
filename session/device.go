package session

import (
	"fmt"
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cpu"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// A Device is something that kernels run on.
type Device struct {
	Name             string // such as "/job:localhost/replica:0/task:0/device:CPU:0"
	Type             string // such as "CPU"
	MemoryLimitBytes int64  // -1: none that is known
}

// String describes the device, such as
// `(Device: name "/device:CPU:0", type CPU, no memory limit)`.
func (d Device) String() string {
	limit := "no memory limit"
	if d.MemoryLimitBytes >= 0 {
		limit = fmt.Sprintf("memory limit %d bytes", d.MemoryLimitBytes)
	}
	return fmt.Sprintf("(Device: name %q, type %s, %s)", d.Name, d.Type, limit)
}

func cpuDevice(limit int64) Device {
	if limit <= 0 {
		limit = -1
	}
	return Device{Name: devices.CPU0, Type: cpu.Type, MemoryLimitBytes: limit}
}

// ListDevices lists the devices that the session's steps run on.
func (s *Session) ListDevices() ([]Device, error) {
	if err := s.runs.enter(); err != nil {
		return nil, err
	}
	defer s.runs.leave()
	var all []Device
	for _, a := range s.places {
		limit := a.MemoryLimit
		if a.Type == cpu.Type { // which share the session's
			limit = s.options.MemoryLimit
		}
		if limit <= 0 {
			limit = -1
		}
		all = append(all, Device{Name: a.Name, Type: a.Type, MemoryLimitBytes: limit})
	}
	return all, nil
}

// mostDevices bounds the devices of one type: what a message says may be anything.
const mostDevices = 4096

// checkDevices refuses devices that no session can have.
func (o *SessionOptions) checkDevices() error {
	for _, kind := range sorted.Keys(o.Devices) {
		switch n := o.Devices[kind]; {
		case n < 0, n > mostDevices:
			return status.Invalid("%d devices of type %s", n, kind)
		case kind == cpu.Type && n == 0:
			return status.Invalid("a session needs a CPU device")
		}
	}
	return nil
}

// open makes the devices of a session but its accelerators, and says which pool its CPUs
// share.
func (o *SessionOptions) open() ([]devices.Device, *cpu.Pool, error) {
	count := map[string]int{}
	for kind, n := range o.Devices {
		if devices.OpenerOf(kind) == nil {
			count[kind] = n
		}
	}
	for _, kind := range devices.Types() {
		if _, named := count[kind]; !named && kind != cpu.Type {
			count[kind] = 0
		}
	}
	processes, err := o.processes()
	if err != nil {
		return nil, nil, err
	}
	all, err := devices.New(devices.Options{Process: processes[0], Count: count, Threads: o.Threads})
	if err != nil {
		return nil, nil, err
	}
	own := len(all)
	for _, p := range processes[1:] {
		for _, d := range all[:own] {
			if d, ok := d.(*cpu.Device); ok {
				all = append(all, d.As(p))
			}
		}
	}
	return all, all[0].(*cpu.Device).Pool, nil // CPUs come first
}

// processes are the processes of the session.
func (o *SessionOptions) processes() ([]devices.Spec, error) {
	if o.Processes == nil {
		return []devices.Spec{devices.Local()}, nil
	}
	var all []devices.Spec
	for _, name := range o.Processes {
		s, err := devices.Parse(name)
		if err != nil {
			return nil, err
		}
		job, named := s.Job()
		task, numbered := s.Task()
		if s != s.Process() || !named || !numbered {
			return nil, status.Invalid("process %q: name its job and its task, as \"/job:ps/task:0\"", name)
		}
		replica, _ := s.Replica()
		if s, err = devices.Process(job, replica, task); err != nil {
			return nil, err
		}
		if slices.Contains(all, s) {
			return nil, status.Invalid("process %v is given more than once", s)
		}
		all = append(all, s)
	}
	if len(all) == 0 || len(all) > mostDevices {
		return nil, status.Invalid("%s; a session has between 1 and %d", status.Count(len(all), "process"), mostDevices)
	}
	return all, nil
}

// closeDevices ends the devices of a session.
func closeDevices(all []devices.Device) {
	for _, d := range slices.Backward(all) {
		d.Close()
	}
}
