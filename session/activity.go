package session

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An Activity describes what a session holds and has done; see [Session.Activity].
type Activity struct {
	Engine        string
	Steps, Failed int64 // that ended while the session was watched, see [Session.Watch]
	Nodes         int64 // in the programs of these steps, each node once
	MemoryInUse   int64
	MemoryLimit   int64 // negative: no limit
	ProgramMemory int64
	Resources     []ResourceUse  // queues and variables
	Devices       []DeviceMemory // of accelerators
	Failures      []StepFailure  // the latest, the last one last
}

// A ResourceUse is what a queue or a variable holds.
type ResourceUse = resource.Use

// A StepFailure is the error of a step.
type StepFailure struct {
	At  time.Time
	Err error
}

// mostFailures is how many failures a session remembers.
const mostFailures = 16

// failures are the latest of a session.
type failures struct {
	mu  sync.Mutex
	all []StepFailure
}

func (f *failures) add(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.all) == mostFailures {
		f.all = append(f.all[:0], f.all[1:]...)
	}
	f.all = append(f.all, StepFailure{time.Now(), err})
}

// counts are what is counted while a session is watched.
type counts struct {
	watchers             atomic.Int64
	steps, failed, nodes atomic.Int64
}

// Watch makes the session count its steps until stop is called. Otherwise it counts nothing,
// as one shared counter would slow down callers on many cores.
func (s *Session) Watch() (stop func()) {
	s.counts.watchers.Add(1)
	var once sync.Once
	return func() { once.Do(func() { s.counts.watchers.Add(-1) }) }
}

// count counts a step that has ended.
func (s *Session) count(p *program, err error) {
	if s.counts.watchers.Load() > 0 {
		s.counts.steps.Add(1)
		s.counts.nodes.Add(int64(p.nodes.NumNodes()))
	}
	if err != nil {
		s.counts.failed.Add(1)
		s.failures.add(err)
	}
}

// Activity returns what the session holds and has done. It waits for no step.
func (s *Session) Activity() Activity {
	a := Activity{
		Engine: s.Engine(), Steps: s.counts.steps.Load(), Failed: s.counts.failed.Load(), Nodes: s.counts.nodes.Load(),
		MemoryInUse: s.MemoryInUse(), MemoryLimit: s.options.MemoryLimit, ProgramMemory: s.ProgramMemory(),
		Resources: s.resources.Uses(), Devices: s.accel.memory(),
	}
	s.failures.mu.Lock()
	a.Failures = append(a.Failures, s.failures.all...)
	s.failures.mu.Unlock()
	return a
}

// AbortStep ends a running step, which [StepReport.Step] names, with ABORTED and a reason. It
// fails with NOT_FOUND if the step has ended, and with UNIMPLEMENTED on engines other than
// "actors" and "tokens".
func (s *Session) AbortStep(step, reason string) error {
	e, ok := s.engine.(*actors.Engine)
	if !ok {
		return status.Errorf(status.Unimplemented, "steps of engine %s cannot be aborted one by one", s.Engine())
	}
	if !e.Abort(step, reason) {
		return status.Errorf(status.NotFound, "step %q does not run", step)
	}
	return nil
}

// Variables returns the values of the session's variables that have one, by name; of a
// container, "container/name". The tensors are not to be
// changed, and are to be read before the next step that changes the variables. Values that
// are mapped are copied; one whose file has been cut off is left out.
func (s *Session) Variables() map[string]*Tensor {
	values := map[string]*Tensor{}
	s.resources.Variables(func(name resource.Name, v tensor.Value) {
		full := name.Name
		if name.Container != resource.DefaultContainer {
			full = name.Container + "/" + full
		}
		if held := []tensor.Value{v}; !v.IsRef() && bringIn(held) == nil {
			values[full] = held[0].Tensor()
		}
	})
	return values
}
