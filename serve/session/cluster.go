package session

import (
	"maps"
	"net"
	"slices"

	"google.golang.org/grpc"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// defaultJob is the job of a server without a cluster: the name that TensorFlow gives its
// local servers.
const defaultJob = "localhost"

// An endpoint is the server as one of its tasks: what clients reach at one address.
type endpoint struct {
	*Server
	process devices.Spec
	grpc    *grpc.Server
}

// tasksOf lists the processes of a cluster, by job and number.
func tasksOf(cluster map[string]int) ([]devices.Spec, error) {
	if cluster == nil {
		cluster = map[string]int{defaultJob: 1}
	}
	var all []devices.Spec
	for _, job := range sorted.Keys(cluster) {
		n := cluster[job]
		if n < 1 || n > mostTasks-len(all) {
			return nil, status.Invalid("job %s has %d tasks; a cluster has between 1 and %d, each job at least one", job, n, mostTasks)
		}
		for task := range n {
			p, err := devices.Process(job, 0, task)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil, status.Invalid("the cluster has no tasks")
	}
	return all, nil
}

// mostTasks bounds the tasks of a cluster: every session has devices of each.
const mostTasks = 256

// ServeTask is [Server.Serve] as a task of [Options].Cluster. The sessions that clients
// open at l have its devices first.
func (s *Server) ServeTask(l net.Listener, job string, task int) error {
	p, err := devices.Process(job, 0, task)
	if tasks := s.members.Load().tasks; err == nil && !slices.Contains(tasks, p) {
		err = status.Errorf(status.NotFound, "the cluster has no task %d of job %s; it has %v", task, job, tasks)
	}
	if err != nil {
		l.Close()
		return err
	}
	e := s.endpoint(p)
	if e == nil {
		l.Close()
		return nil // the server is closed
	}
	if err := e.grpc.Serve(l); err != nil && err != grpc.ErrServerStopped {
		return status.Errorf(status.Unavailable, "serving %v: %w", l.Addr(), err)
	}
	return nil
}

// endpoint returns the endpoint of a task; nil after Close.
func (s *Server) endpoint(p devices.Spec) *endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	if e := s.endpoints[p]; e != nil {
		return e
	}
	e := &endpoint{Server: s, process: p, grpc: grpc.NewServer(s.grpcOptions()...)}
	e.grpc.RegisterService(&service, e)
	s.endpoints[p] = e
	return e
}

// all returns the endpoints.
func (s *Server) all() []*endpoint {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.endpoints))
}

// processes names the processes of a session that is opened at an endpoint, its own
// first: those of the members that the client's filters let through.
func (e *endpoint) processes(m *members, filters []string) ([]devices.Spec, error) {
	pass, err := filter(filters)
	if err != nil {
		return nil, err
	}
	all := []devices.Spec{e.process}
	for _, p := range m.tasks {
		if p != e.process && pass(p) {
			all = append(all, p)
		}
	}
	return all, nil
}

// filter returns which processes device filters, such as "/job:ps" or
// "/job:worker/task:1", let through; without any, all.
func filter(filters []string) (func(devices.Spec) bool, error) {
	var specs []devices.Spec
	for _, f := range filters {
		spec, err := devices.Parse(f)
		if err != nil {
			return nil, status.Within(err, "device filter %q", f)
		}
		specs = append(specs, spec.Process())
	}
	return func(p devices.Spec) bool {
		return len(specs) == 0 || slices.ContainsFunc(specs, func(s devices.Spec) bool { return s.Matches(p) })
	}, nil
}
