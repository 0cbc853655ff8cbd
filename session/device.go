package session

import "fmt"

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

const cpu0 = "/job:localhost/replica:0/task:0/device:CPU:0"

// ListDevices lists the devices that the session's steps run on.
func (s *Session) ListDevices() ([]Device, error) {
	if err := s.runs.enter(); err != nil {
		return nil, err
	}
	defer s.runs.leave()
	return []Device{cpuDevice(s.options.MemoryLimit)}, nil
}

func cpuDevice(limit int64) Device {
	if limit <= 0 {
		limit = -1
	}
	return Device{Name: cpu0, Type: "CPU", MemoryLimitBytes: limit}
}
