package session

import (
	"context"
	"hash/fnv"
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// listDevices lists the devices of a session, those of the task as local ones.
func (s *endpoint) listDevices(ctx context.Context, q *master.ListDevicesRequest) (*master.ListDevicesResponse, error) {
	if q.GetSessionHandle() == "" {
		m := s.members.Load()
		if m.workers != nil {
			others := slices.DeleteFunc(slices.Clone(m.tasks), func(p devices.Spec) bool { return p == s.process })
			return s.workerDevices(ctx, m, append([]devices.Spec{s.process}, others...))
		}
		return s.ownDevices(m), nil
	}
	s.mu.Lock()
	r := s.sessions[q.GetSessionHandle()]
	s.mu.Unlock()
	if r == nil {
		return nil, status.Invalid("Session %s is not found. Possibly, this master has restarted.", q.GetSessionHandle())
	}
	if r.members.workers != nil {
		return s.workerDevices(ctx, r.members, r.tasks)
	}
	all, err := r.session.ListDevices()
	if err != nil {
		return nil, err
	}
	response := &master.ListDevicesResponse{}
	for _, d := range all {
		spec, err := devices.Parse(d.Name)
		if err != nil {
			return nil, err
		}
		if spec.Process() == s.process {
			response.LocalDevice = append(response.LocalDevice, attributes(d))
		} else {
			response.RemoteDevice = append(response.RemoteDevice, attributes(d))
		}
	}
	return response, nil
}

// ownDevices lists the devices of a session that is not configured.
func (s *endpoint) ownDevices(m *members) *master.ListDevicesResponse {
	response := &master.ListDevicesResponse{}
	for _, p := range m.tasks {
		d := attributes(session.Device{Name: p.Device("CPU", 0).String(), Type: "CPU"})
		if p == s.process {
			response.LocalDevice = append(response.LocalDevice, d)
		} else {
			response.RemoteDevice = append(response.RemoteDevice, d)
		}
	}
	return response
}

// epoch tells the devices of this process from those of another at the same address.
var epoch = newHandle()

// attributes describes a device to a client. Its incarnation, which is never 0, is that
// of the process.
func attributes(d session.Device) *wire.DeviceAttributes {
	h := fnv.New64a()
	h.Write([]byte(epoch + d.Name))
	limit := d.MemoryLimitBytes
	if limit < 0 {
		limit = 0
	}
	return &wire.DeviceAttributes{Name: d.Name, DeviceType: d.Type, MemoryLimit: limit, Incarnation: h.Sum64() | 1}
}
