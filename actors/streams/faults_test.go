package streams_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda"
	"github.com/troupe-go/troupe/devices/cuda/simulated"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var (
	faults    = flag.Uint64("faults", 36, "under how many seeds TestFaults plays random works with a fault, on each driver")
	faultOn   = flag.String("faulton", "", "the one kind of driver of TestFaults; all unless given")
	faultSeed = flag.Uint64("faultseed", 0, "the first seed of TestFaults")
)

// portable is mix with a source, for drivers that compile.
var portable = &devices.Code{Entry: "mixed", Emulate: mix.Emulate, Source: `#ifdef __OPENCL_VERSION__
__kernel void mixed(__global const uint *x, __global const uint *y, __global uint *z, uint n) {
  uint i = get_global_id(0);
#else
extern "C" __global__ void mixed(const unsigned *x, const unsigned *y, unsigned *z, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#endif
  if (i < n) z[i] = x[i] + 3 * y[i];
}
`}

// A faulty driver panics in one call, or does not return from it, and is good otherwise.
type faulty struct {
	devices.Accelerator
	plan *plan
}

// A plan is which call of all lives' fails, and how.
type plan struct {
	method string
	left   atomic.Int64 // calls of it before the one that fails
	block  chan struct{}
	met    atomic.Bool
	// drivers are those that are open.
	drivers sync.WaitGroup
}

// call is made at the start of each method.
func (p *plan) call(method string) {
	if p.method != method || p.left.Add(-1) != 0 {
		return
	}
	p.met.Store(true)
	if p.block == nil {
		panic("planned for " + method)
	}
	<-p.block
}

func (f faulty) Alloc(n int64) (devices.Buffer, error) {
	f.plan.call("Alloc")
	return f.Accelerator.Alloc(n)
}

func (f faulty) AllocHost(n int64) (devices.HostBuffer, error) {
	f.plan.call("AllocHost")
	return f.Accelerator.AllocHost(n)
}

func (f faulty) Load(c *devices.Code) error {
	f.plan.call("Load")
	return f.Accelerator.Load(c)
}

func (f faulty) Close() error {
	defer f.plan.drivers.Done()
	err := f.Accelerator.Close()
	f.plan.call("Close")
	return err
}

func (f faulty) NewQueue(name string) (devices.Queue, error) {
	f.plan.call("NewQueue")
	q, err := f.Accelerator.NewQueue(name)
	return faultyQueue{q, f.plan}, err
}

type faultyQueue struct {
	devices.Queue
	plan *plan
}

func (q faultyQueue) Write(dst devices.Buffer, src devices.HostBuffer, n int64) error {
	q.plan.call("Write")
	return q.Queue.Write(dst, src, n)
}

func (q faultyQueue) Read(dst devices.HostBuffer, src devices.Buffer, n int64) error {
	q.plan.call("Read")
	return q.Queue.Read(dst, src, n)
}

func (q faultyQueue) Copy(dst, src devices.Buffer, n int64) error {
	q.plan.call("Copy")
	return q.Queue.Copy(dst, src, n)
}

func (q faultyQueue) Launch(l *devices.Launch) error {
	q.plan.call("Launch")
	return q.Queue.Launch(l)
}

func (q faultyQueue) Record() (devices.Event, error) {
	q.plan.call("Record")
	return q.Queue.Record()
}

func (q faultyQueue) Wait(e devices.Event) error {
	q.plan.call("Wait")
	return q.Queue.Wait(e)
}

func (q faultyQueue) Flush() error {
	q.plan.call("Flush")
	return q.Queue.Flush()
}

// In a call of a stream's actor, and in one of whoever hands works over.
var (
	inStreams = []string{"Write", "Read", "Copy", "Launch", "Record", "Wait", "Flush"}
	inCallers = []string{"Alloc", "AllocHost", "Load", "NewQueue", "Close"}
)

// A bed is a kind of driver to try faults on.
type bed struct {
	name     string
	patience time.Duration // in which a good driver compiles
	open     func(o devices.Options, seed uint64) (devices.Accelerator, error)
	lose     func(devices.Accelerator) // nil: it cannot be lost
	done     func() error              // says what was done wrongly
}

// beds are the kinds of drivers that can be opened here. begin is called before each trial.
func beds(t *testing.T) (all []func(seed uint64) bed) {
	all = append(all, func(uint64) bed {
		return bed{
			name: "EMULATED", patience: 5 * time.Millisecond,
			open: func(o devices.Options, seed uint64) (devices.Accelerator, error) {
				return emulated.New(emulated.Options{Devices: o, Seed: seed}), nil
			},
			lose: func(d devices.Accelerator) { d.(*emulated.Device).Lose("unplugged") },
		}
	})
	if _, err := opencl.Devices(); err != nil {
		t.Logf("NOT CHECKED: %v", err)
	} else {
		all = append(all, func(uint64) bed {
			return bed{name: "OPENCL", patience: 400 * time.Millisecond, open: func(o devices.Options, _ uint64) (devices.Accelerator, error) { return opencl.Open(0, o) }}
		})
	}
	m, err := simulated.Install(simulated.Options{})
	if err != nil {
		t.Logf("NOT CHECKED: %v", err)
		return all
	}
	m.Close()
	return append(all, func(seed uint64) bed {
		m, err := simulated.Install(simulated.Options{Seed: seed, Memory: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		return bed{
			name: "GPU", patience: 100 * time.Millisecond,
			open: func(o devices.Options, _ uint64) (devices.Accelerator, error) { return cuda.Open(0, o) },
			lose: func(devices.Accelerator) { m.Lose(0) },
			done: m.Close,
		}
	})
}

// TestFaults plays random works, over memory of several classes under a limit, in whose midst
// a driver panics or does not return, an actor is stopped or poisoned, or the device is lost.
// Every read gets the right bytes or UNAVAILABLE with the device's name, and the device is
// good again afterwards.
func TestFaults(t *testing.T) {
	met := map[string]int{}
	for _, begin := range beds(t) {
		n := *faults
		if testing.Short() {
			n = min(n, 12)
		}
		for seed := *faultSeed; seed < *faultSeed+n; seed++ {
			b := begin(seed)
			if *faultOn != "" && b.name != *faultOn {
				if b.done != nil {
					b.done()
				}
				break
			}
			what, err := trial(b, seed)
			if b.done != nil {
				err = errors.Join(err, b.done())
			}
			if err != nil {
				t.Fatalf("%s, -faultseed %d -faults 1, %s: %v", b.name, seed, what, err)
			}
			met[b.name+" "+what]++
		}
	}
	var table strings.Builder
	for _, what := range slices.Sorted(maps(met)) {
		fmt.Fprintf(&table, "\n%4d %s", met[what], what)
	}
	t.Log(table.String())
}

// maps are the keys.
func maps(m map[string]int) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// A trial plays works with one fault, and says which.
func trial(b bed, seed uint64) (what string, err error) {
	rng := rand.New(rand.NewPCG(seed, 21))
	p := &plan{}
	p.left.Store(1 + rng.Int64N(40))
	patience, external := time.Duration(0), ""
	switch k := seed % 6; {
	case k < 2:
		p.method = inStreams[rng.IntN(len(inStreams))]
		what = "panics in " + p.method
	case k == 2:
		p.method = inCallers[rng.IntN(len(inCallers))]
		p.left.Store(1 + rng.Int64N(6))
		if p.method == "NewQueue" || p.method == "Close" {
			external = "poisoned" // so that there is another life
			p.left.Store(1 + rng.Int64N(2))
			if p.method == "NewQueue" {
				p.left.Add(5)
			}
		}
		what = "panics in " + p.method
	case k == 3:
		p.method, p.block, patience = inStreams[rng.IntN(len(inStreams))], make(chan struct{}), b.patience
		what = "does not return from " + p.method
	case k == 4 && b.lose != nil && rng.IntN(2) == 0:
		external = "lost"
	default:
		external = []string{"stopped", "poisoned"}[rng.IntN(2)]
	}
	if what == "" {
		what = "is " + external
	}
	limit := int64(24 << 10)
	budget := tensor.NewBudget(96 << 10)
	var driver atomic.Value
	d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) {
		inner, err := b.open(devices.Options{MemoryLimit: limit}, seed)
		if err != nil {
			return nil, err
		}
		driver.Store(&inner)
		p.drivers.Add(1)
		return faulty{inner, p}, nil
	}, streams.Options{Patience: patience, Budget: budget})
	if err != nil {
		return what, err
	}
	w := &duty{device: d, rng: rng, limit: limit}
	for i := range 120 {
		if external != "" && i == 40 {
			pids := d.Actors()
			pid, root := pids[rng.IntN(len(pids))], actors.System().Root
			switch external {
			case "lost":
				b.lose(*driver.Load().(*devices.Accelerator))
			case "stopped":
				root.Stop(pid)
			default:
				root.Poison(pid)
			}
		}
		w.act()
	}
	if p.block != nil && p.met.Load() {
		for n := d.Attributes().Incarnation; d.Attributes().Incarnation == n && w.losses == 0; { // its keeper is replaced
			w.act()
			runtime.Gosched()
		}
	}
	w.settle()
	w.good()
	w.check(d.Close())
	if p.block != nil {
		close(p.block)
	}
	p.drivers.Wait() // also those whose keepers were replaced, which then settle their accounts
	for end := time.Now().Add(time.Minute); p.block != nil && budget.Used() != 0 && time.Now().Before(end); {
		runtime.Gosched()
	}
	if w.err == nil && w.open.Load() != 0 {
		w.err = fmt.Errorf("%d reads have no end", w.open.Load())
	}
	if n := budget.Used(); w.err == nil && n != 0 {
		w.err = fmt.Errorf("%d bytes stay charged", n)
	}
	if w.losses == 0 {
		what += ", too late"
	}
	return what, w.err
}

// A duty is random works, and what they ought to compute.
type duty struct {
	device *streams.Device
	rng    *rand.Rand
	limit  int64
	memory []*streams.Memory
	want   [][]uint32
	losses int // errors that say so
	open   atomic.Int64
	wrong  atomic.Pointer[error]
	err    error
}

const eachWork = 64 // words

// check takes an error down, unless it says that the device was lost: then memory is gone.
func (w *duty) check(err error) bool {
	if e := w.wrong.Load(); e != nil && w.err == nil {
		w.err = *e
	}
	switch status.CodeOf(err) {
	case status.OK:
		return true
	case status.Unavailable:
		if strings.Contains(err.Error(), "/device:") {
			w.losses++
			for _, m := range w.memory {
				m.Release()
			}
			w.memory, w.want = nil, nil
			return false
		}
	}
	if w.err == nil {
		w.err = err
	}
	return false
}

// fresh is memory for words, nil if there is no room.
func (w *duty) fresh() *streams.Memory {
	m, err := w.device.Alloc(context.Background(), 4*eachWork<<w.rng.IntN(5))
	if status.CodeOf(err) == status.ResourceExhausted {
		if len(w.memory) > 2 {
			w.release()
		}
		return nil
	}
	if !w.check(err) {
		return nil
	}
	return m
}

func (w *duty) release() {
	i := w.rng.IntN(len(w.memory))
	w.memory[i].Release()
	w.memory, w.want = slices.Delete(w.memory, i, i+1), slices.Delete(w.want, i, i+1)
}

func (w *duty) keep(m *streams.Memory, want []uint32, err error) {
	w.memory, w.want = append(w.memory, m), append(w.want, want)
	w.check(err)
}

// act hands one work over.
func (w *duty) act() {
	if w.err != nil {
		return
	}
	ctx, v := context.Background(), make([]uint32, eachWork)
	some := func() int { return w.rng.IntN(len(w.memory)) }
	switch k := w.rng.IntN(10); {
	case len(w.memory) < 3 || k < 2:
		for i := range v {
			v[i] = w.rng.Uint32()
		}
		if len(w.memory) > 6 {
			i := some()
			w.want[i] = v
			w.check(w.device.Write(ctx, w.memory[i], encode(v)))
		} else if m := w.fresh(); m != nil {
			w.keep(m, v, w.device.Write(ctx, m, encode(v)))
		}
	case k < 5:
		x, y := some(), some()
		xm, ym, xw, yw := w.memory[x], w.memory[y], w.want[x], w.want[y]
		for i := range v {
			v[i] = xw[i] + 3*yw[i]
		}
		if k == 4 {
			w.check(w.device.Load(portable))
			if len(w.memory) == 0 {
				return
			}
		}
		if m := w.fresh(); m != nil {
			l := mixing(xm, ym, m, eachWork)
			l.Code, l.Size = portable, [3]int{eachWork, 1, 1}
			w.keep(m, v, w.device.Launch(l))
		}
	case k < 6:
		i := some()
		from, want := w.memory[i], w.want[i]
		if m := w.fresh(); m != nil {
			w.keep(m, want, w.device.Copy(m, from, 4*eachWork))
		}
	case k < 8:
		w.read(some())
	default:
		w.release()
	}
}

// read compares memory with what it ought to hold.
func (w *duty) read(i int) {
	want := w.want[i]
	w.open.Add(1)
	err := w.device.Read(context.Background(), w.memory[i], 4*eachWork, func(b []byte, err error) {
		defer w.open.Add(-1)
		switch {
		case err == nil && !slices.Equal(decode(b), want):
			err = fmt.Errorf("read %v, not %v", decode(b)[:4], want[:4])
		case err == nil, status.CodeOf(err) == status.Unavailable && strings.Contains(err.Error(), "/device:"):
			return
		}
		w.wrong.CompareAndSwap(nil, &err)
	})
	if err != nil {
		w.open.Add(-1)
	}
	w.check(err)
}

// settle reads everything and waits.
func (w *duty) settle() {
	for i := 0; i < len(w.memory); i++ {
		w.read(i)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	w.check(w.device.Wait(ctx))
}

// good waits until the device works, in whichever life.
func (w *duty) good() {
	for end := time.Now().Add(time.Minute); w.err == nil; {
		losses := w.losses
		for range 20 {
			w.act()
		}
		if w.settle(); w.losses == losses {
			return
		}
		if time.Now().After(end) {
			w.err = fmt.Errorf("the device does not come back: %d losses", w.losses)
		}
		runtime.Gosched()
	}
}
