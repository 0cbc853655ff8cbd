package session

import (
	"context"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/serve/session/master"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// A workers is the processes that run the steps of a server's sessions, by task.
type workers map[devices.Spec]string

// openPatience is how long workers may take to answer when a session opens: they may just have
// been started. askPatience is that of other requests.
const (
	openPatience = 10 * time.Second
	askPatience  = 2 * time.Second
)

// Members are the tasks of a server, and where they are. They are not changed, but replaced.
type members struct {
	tasks   []devices.Spec
	workers workers // nil: steps run in this process
}

// members checks Cluster and Workers.
func (o *Options) members() (m *members, err error) {
	if o.Workers == nil {
		m = &members{}
		m.tasks, err = tasksOf(o.Cluster)
		return m, err
	}
	switch {
	case o.Cluster != nil:
		return nil, status.Invalid("Cluster and Workers exclude each other: Workers has the tasks")
	case o.Session.Target != "":
		return nil, status.Invalid("Session.Target and Workers exclude each other: Workers makes the targets")
	case o.Session.Resources != nil:
		return nil, status.Invalid("Session.Resources and Workers exclude each other: resources belong to the workers")
	}
	return membersAt(o.Workers)
}

// membersAt checks addresses of workers by job and task.
func membersAt(addresses map[string][]string) (m *members, err error) {
	numbers, all := map[string]int{}, workers{}
	seen := map[string]string{}
	for _, job := range sorted.Keys(addresses) {
		numbers[job] = len(addresses[job])
		for task, address := range addresses[job] {
			p, err := devices.Process(job, 0, task)
			if err != nil {
				return nil, err
			}
			if strings.ContainsAny(address, ",/") || !strings.Contains(address, ":") {
				return nil, status.Invalid("the address of %s is %q; write HOST:PORT", short(p), address)
			}
			if seen[address] != "" {
				return nil, status.Invalid("%s and %s have the same address %s", seen[address], short(p), address)
			}
			seen[address], all[p] = short(p), address
		}
	}
	m = &members{workers: all}
	m.tasks, err = tasksOf(numbers)
	return m, err
}

// SetWorkers replaces [Options].Workers, as workers come and go: it is for the sessions that are
// opened from now on, while those that are open keep the workers that they have. The tasks as
// which the server is served must be among them. Only a server with Options.Workers has it.
func (s *Server) SetWorkers(addresses map[string][]string) error {
	if s.options.Workers == nil {
		return status.Errorf(status.FailedPrecondition, "the server's sessions run in its own process, not on workers")
	}
	m, err := membersAt(addresses)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for p := range s.endpoints {
		if m.workers[p] == "" {
			return status.Errorf(status.FailedPrecondition, "the server is served as %s, which is not among the workers", short(p))
		}
	}
	s.members.Store(m)
	return nil
}

// short returns a process's name without its replica, of which there is one.
func short(p devices.Spec) string { return strings.Replace(p.String(), "/replica:0", "", 1) }

// target returns the target of some tasks.
func (w workers) target(tasks []devices.Spec) string {
	addresses := make([]string, len(tasks))
	for i, p := range tasks {
		addresses[i] = w[p]
	}
	return "troupe://" + strings.Join(addresses, ",")
}

// ask returns the status of the workers of some tasks. Each must be the task that the server
// takes it for.
func (s *Server) ask(ctx context.Context, m *members, tasks []devices.Spec, patience time.Duration) ([]cluster.Status, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	all, errs, err := cluster.Ask(ctx, m.workers.target(tasks), &s.options.Session.Cluster)
	if err != nil {
		return nil, err
	}
	for i, p := range tasks {
		if err := errs[i]; err != nil {
			code := status.CodeOf(err)
			if code == status.DeadlineExceeded {
				code = status.Unavailable
			}
			return nil, status.Errorf(code, "worker %s at %s cannot be reached: %v", short(p), m.workers[p], status.From(err).Message)
		}
		if all[i].Name != short(p) {
			return nil, status.Errorf(status.FailedPrecondition, "the worker at %s is %s, and the server's configuration has %s there", m.workers[p], all[i].Name, short(p))
		}
	}
	return all, nil
}

// openAway opens a session on the workers of some tasks, the first for nodes that may be
// anywhere.
func (s *Server) openAway(ctx context.Context, m *members, g *session.Graph, o session.SessionOptions, config *wire.ConfigProto, tasks []devices.Spec) (*session.Session, error) {
	if _, err := s.ask(ctx, m, tasks, openPatience); err != nil {
		return nil, err
	}
	config.DeviceCount = nil // the devices are the workers'
	var err error
	if o.Config, err = proto.Marshal(config); err != nil {
		return nil, status.Invalid("ConfigProto: %v", err)
	}
	o.Target, o.Resources = m.workers.target(tasks), nil
	o.Cluster.Isolated = config.GetIsolateSessionState()
	return session.NewSession(g, &o)
}

// workerDevices lists the devices of the workers of some tasks.
func (s *endpoint) workerDevices(ctx context.Context, m *members, tasks []devices.Spec) (*master.ListDevicesResponse, error) {
	all, err := s.ask(ctx, m, tasks, askPatience)
	if err != nil {
		return nil, err
	}
	response := &master.ListDevicesResponse{}
	for i, p := range tasks {
		for _, d := range all[i].Devices {
			a := &wire.DeviceAttributes{Name: d.Name, DeviceType: d.Type, MemoryLimit: d.MemoryLimit, Incarnation: d.Incarnation}
			if p == s.process {
				response.LocalDevice = append(response.LocalDevice, a)
			} else {
				response.RemoteDevice = append(response.RemoteDevice, a)
			}
		}
	}
	return response, nil
}

// resetWorkers clears containers of the workers of some tasks.
func (s *Server) resetWorkers(ctx context.Context, m *members, tasks []devices.Spec, containers []string) error {
	if len(tasks) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	return cluster.Reset(ctx, m.workers.target(tasks), &s.options.Session.Cluster, containers...)
}
