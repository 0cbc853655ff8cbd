package simulated

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// Options is what a machine has. The zero Options is a good one.
type Options struct {
	Devices      int    // GPUs; 0 is 1
	Memory       int64  // bytes of each; 0 is 1 GiB
	Capability   int    // compute capability, 90 for 9.0; 0 is 99, for which NVRTC makes PTX of 90
	Seed         uint64 // of the pauses of streams
	Workers      int    // goroutines that a kernel runs on; 0 is 2
	NoBLAS       bool   // there is no cuBLAS
	Taken        int64  // bytes of each that another process has
	NoPeerAccess bool   // copies between devices have no way but the host
	Driver       int    // its release of CUDA, 12040 for 12.4; 0 is 13000
}

// A Machine has simulated GPUs, in place of those of the computer.
type Machine struct {
	options Options
	restore func()
	running sync.WaitGroup // streams' goroutines

	mu       sync.Mutex
	devices  []*device
	handles  map[uintptr]any
	currents map[int][]*context // of a thread, the last is current
	staged   int                // copies between devices by way of the host
	last     uintptr
	windows  map[uint64]*memory // by number, also those that were freed
	hosts    []*memory
	streams  int // that were ever made
	mistakes []mistake
	calls    map[string]int
	rng      *rand.Rand
	told     clock     // what the host knows to be done
	marked   sync.Cond // an event came, or a context failed
}

// A device is a GPU.
type device struct {
	number  int
	context *context // the primary one; nil if there is none
	refs    int
	used    int64 // bytes of memory
}

// current is the machine that the functions of the table work on.
var current atomic.Pointer[Machine]

// Install puts a machine in place of the computer's, for devices that are opened from
// then on. There is one at a time. It fails with UNIMPLEMENTED where libraries cannot be
// called, and with NOT_FOUND where there is no NVRTC.
func Install(o Options) (*Machine, error) {
	if _, err := api.FindCompiler(); err != nil {
		return nil, err
	}
	if o.Devices == 0 {
		o.Devices = 1
	}
	if o.Memory == 0 {
		o.Memory = 1 << 30
	}
	if o.Capability == 0 {
		o.Capability = 99
	}
	if o.Driver == 0 {
		o.Driver = 13000
	}
	if o.Workers == 0 {
		o.Workers = 2
	}
	m := &Machine{options: o, handles: map[uintptr]any{}, currents: map[int][]*context{}, windows: map[uint64]*memory{}, calls: map[string]int{}, rng: rand.New(rand.NewPCG(o.Seed, 1))}
	m.marked.L = &m.mu
	for i := range o.Devices {
		m.devices = append(m.devices, &device{number: i})
	}
	if !current.CompareAndSwap(nil, m) {
		return nil, status.Errorf(status.FailedPrecondition, "there is a simulated machine already")
	}
	l := &api.Libraries{Driver: driverTable()}
	if !o.NoBLAS {
		l.BLAS = blasTable()
	}
	m.restore = api.Replace(l)
	return m, nil
}

// The tables are made once: functions for libraries are never given back.
var (
	driverTable = sync.OnceValue(func() *api.Driver {
		t := new(api.Driver)
		fill(t.Functions(), driverFunctions)
		return t
	})
	blasTable = sync.OnceValue(func() *api.BLAS {
		t := new(api.BLAS)
		fill(t.Functions(), blasFunctions)
		return t
	})
)

// fill puts addresses of functions into a table, in which none may be missing.
func fill(table map[string]*dynamic.Function, functions map[string]any) {
	for name, at := range table {
		f, ok := functions[name]
		if !ok {
			panic("simulated: there is no " + name)
		}
		*at = dynamic.Function(dynamic.Callback(f))
	}
}

// Close takes the machine away again. It answers what was done wrongly, and what devices
// that are still open have not given back.
func (m *Machine) Close() error {
	m.restore()
	m.mu.Lock()
	for _, d := range m.devices {
		if d.refs > 0 {
			m.mistake("the primary context of device %d is retained %d times at the end", d.number, d.refs)
			m.destroy(d)
		}
	}
	for range m.currents {
		m.mistake("a thread is left with a context that it did not have before")
	}
	m.mu.Unlock()
	m.running.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, h := range m.hosts {
		dynamic.Free(h.bytes)
	}
	current.CompareAndSwap(m, nil)
	var all []error
	for _, x := range m.mistakes {
		if !slices.ContainsFunc(x.unless, func(c *context) bool { return c.lost }) {
			all = append(all, x.error)
		}
	}
	return errors.Join(all...)
}

// Mistakes returns how many there are so far.
func (m *Machine) Mistakes() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.mistakes)
}

// Calls returns how often a function was called.
func (m *Machine) Calls(function string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls[function]
}

// Staged returns how many copies between devices went by way of the host.
func (m *Machine) Staged() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.staged
}

// Lose ends the context of a device, as a kernel does that touches memory that is not
// there. It reports whether there was one that lived.
func (m *Machine) Lose(number int) bool { return m.LoseBy(number, illegalAddress) }

// LoseBy is Lose with the result that all calls have from then on.
func (m *Machine) LoseBy(number int, result int32) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.devices[number].context
	if c == nil || c.failed != success {
		return false
	}
	c.fail(result)
	return true
}

// mostMistakes bounds what is recorded.
const mostMistakes = 100

// A mistake is what was done wrongly; none if one of some contexts turns out to be lost.
type mistake struct {
	error
	unless []*context
}

// mistake takes one down. The machine is locked.
func (m *Machine) mistake(format string, args ...any) { m.mistakeUnless(nil, format, args...) }

// mistakeUnless records what is done with memory that another context may yet read: of no
// consequence if either is lost, as what is read is then.
func (m *Machine) mistakeUnless(lost []*context, format string, args ...any) {
	if len(m.mistakes) < mostMistakes {
		m.mistakes = append(m.mistakes, mistake{fmt.Errorf(format, args...), lost})
	}
}

// add makes a handle. The machine is locked.
func (m *Machine) add(x any) uintptr {
	m.last += 64
	h := 0x7e0000000000 + m.last
	m.handles[h] = x
	return h
}

// enter begins a call: the machine, locked.
func enter(function string) *Machine {
	m := current.Load()
	m.mu.Lock()
	m.calls[function]++
	return m
}

// handle returns what a handle stands for. The machine is locked.
func handle[T any](m *Machine, function string, h uintptr) (T, bool) {
	x, ok := m.handles[h].(T)
	if !ok {
		m.mistake("%s is given %#x, which is no %T but %T", function, h, x, m.handles[h])
	}
	return x, ok
}
