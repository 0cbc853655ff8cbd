package cluster

import (
	"context"
	"encoding/json"
	"runtime"
	"time"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// A Status describes a worker at a moment.
type Status struct {
	Name        string        `json:"name"`       // such as "/job:ps/task:0"
	Address     string        `json:"address"`    // where it was asked
	Advertised  string        `json:"advertised"` // where it says that it is
	Incarnation string        `json:"incarnation"`
	Uptime      time.Duration `json:"uptime"`
	Draining    bool          `json:"draining"`
	Bound       time.Duration `json:"bound"`
	Devices     []DeviceInfo  `json:"devices"`
	Sessions    int           `json:"sessions"` // that have state or parts here
	Parts       int           `json:"parts"`    // registered
	Steps       int           `json:"steps"`    // running
	Finished    int64         `json:"finished"` // steps that have ended
	Failed      int64         `json:"failed"`   // of these
	Parcels     int           `json:"parcels"`  // large tensors that others have not fetched yet
	Peers       int           `json:"peers"`    // other processes that it is, or was just, connected with
	MemoryUsed  int64         `json:"memory_used"`
	MemoryLimit int64         `json:"memory_limit"`
	Goroutines  int           `json:"goroutines"`     // of the process
	Left        string        `json:"left,omitempty"` // what is held of steps
}

// A DeviceInfo describes a device of a worker.
type DeviceInfo struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Incarnation uint64 `json:"incarnation"`
	MemoryLimit int64  `json:"memory_limit,omitempty"`
}

// Status describes the worker.
func (w *Worker) Status() Status {
	s := Status{
		Name: w.Name(), Address: w.Address(), Advertised: w.Address(), Incarnation: w.self.String(), Uptime: time.Since(w.began), Draining: w.draining.Load(), Bound: w.bound,
		Finished: w.finished.Load(), Failed: w.failed.Load(), Parcels: w.office.size(), MemoryUsed: w.budget.Used(), MemoryLimit: w.options.MemoryLimit,
		Goroutines: runtime.NumGoroutine(),
	}
	for _, d := range w.devices {
		a := d.Attributes()
		s.Devices = append(s.Devices, DeviceInfo{a.Name, a.Type, a.Incarnation, a.MemoryLimit})
	}
	w.table.Lock()
	s.Sessions, s.Parts, s.Steps = len(w.sessions), len(w.parts), len(w.steps)
	w.table.Unlock()
	w.mu.Lock()
	s.Left, s.Peers = w.core.Left(), w.core.Peers()
	w.mu.Unlock()
	return s
}

// The requests that a worker responds to.
const (
	askStatus = "status"
	askReset  = "reset"
)

// A request is what is asked, as JSON.
type request struct {
	What       string   `json:"what"`
	Containers []string `json:"containers,omitempty"`
}

// ask responds to a request.
func (w *Worker) ask(_ context.Context, b []byte) ([]byte, error) {
	var r request
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, status.Invalid("a request that is not JSON: %v", err)
	}
	switch r.What {
	case askStatus:
		return json.Marshal(w.Status())
	case askReset:
		w.resources.Reset(r.Containers...)
		return []byte("{}"), nil
	}
	return nil, status.Errorf(status.Unimplemented, "unknown request %q", r.What)
}

// attributes returns a device as placement sees it.
func (d *DeviceInfo) attributes() (devices.Attributes, error) {
	spec, err := devices.Parse(d.Name)
	if err != nil {
		return devices.Attributes{}, err
	}
	if !spec.IsFull() {
		return devices.Attributes{}, status.Invalid("device %q is not a full name", d.Name)
	}
	return devices.Attributes{Spec: spec, Name: spec.String(), Type: d.Type, Incarnation: d.Incarnation, MemoryLimit: d.MemoryLimit}, nil
}
