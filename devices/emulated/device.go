package emulated

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// Type is the device type of emulated accelerators.
const Type = "EMULATED"

// poison fills what nobody has written: a float32 of it is -1.7e-13.
const poison = 0xAA

// DefaultMemory is the memory of a device that was given no limit.
const DefaultMemory = 1 << 30

// Options is how a device is made. The zero Options is good.
type Options struct {
	Devices devices.Options
	ID      int // the device's number
	// Seed decides in which order queues go on, and how long commands are kept back.
	Seed uint64
	// Schedule runs functions that never wait, one at a time, later; nil runs them
	// on a goroutine of the device's.
	Schedule func(run func())
}

// A Device is an emulated accelerator. See [devices.Accelerator].
type Device struct {
	attributes devices.Attributes
	schedule   func(func())
	idle       sync.WaitGroup // the goroutine, if there is no scheduler

	mu      sync.Mutex
	rng     *rand.Rand
	queues  []*queue
	clock   clock // the host's: what the host has waited for
	done    clock // what the host was told is done
	turning bool  // turn is scheduled
	held    bool  // no queue goes on
	used    int64 // bytes of device memory
	count   int   // pieces of memory so far
	err     error // what ended the device
	closed  bool
	over    atomic.Bool // none of its commands is under way any more, nor will be
}

var _ devices.Accelerator = (*Device)(nil)

func init() {
	devices.RegisterAccelerator(Type, func(number int, o devices.Options) (*Device, error) {
		d := New(Options{Devices: o, ID: number, Seed: uint64(o.Seed) + uint64(number)})
		opened.Store(d, nil)
		return d, nil
	})
}

// opened are the devices that the type's opener has made, until they are closed.
var opened sync.Map // of *Device

// Opened lists the devices that sessions have open, for programs that try how they bear
// the loss of one.
func Opened() []*Device {
	var all []*Device
	opened.Range(func(d, _ any) bool {
		all = append(all, d.(*Device))
		return true
	})
	return all
}

// New makes a device.
func New(o Options) *Device {
	a := o.Devices.Describe(Type, o.ID, "emulated in Go")
	if a.MemoryLimit == 0 {
		a.MemoryLimit = DefaultMemory
	}
	a.Unified = true
	d := &Device{attributes: a, schedule: o.Schedule, rng: rand.New(rand.NewPCG(o.Seed, 0))}
	d.clock.set(d, 0, 1)
	return d
}

// Attributes returns what is known of the device.
func (d *Device) Attributes() devices.Attributes { return d.attributes }

// Load checks that there is an emulation of the code.
func (d *Device) Load(c *devices.Code) error {
	if c.Emulate == nil {
		return status.Errorf(status.Unimplemented, "%s: code %s has no emulation", d.attributes.Name, c.Entry)
	}
	return nil
}

// NewQueue makes a queue.
func (d *Device) NewQueue(name string) (devices.Queue, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.failed(); err != nil {
		return nil, err
	}
	q := &queue{device: d, name: name, agent: len(d.queues) + 1}
	d.queues = append(d.queues, q)
	return q, nil
}

// Reaches says that emulated devices copy from each other.
func (d *Device) Reaches(other devices.Accelerator) bool {
	_, ok := other.(*Device)
	return ok
}

// Err returns what ended the device: a report of the checker, or that it was lost.
func (d *Device) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Lose makes the device fail with UNAVAILABLE, as if it had been pulled out: what is
// under way fails, and so does every call.
func (d *Device) Lose(reason string) {
	d.mu.Lock()
	d.fail(status.Errorf(status.Unavailable, "device %s is lost: %s", d.attributes.Name, reason))
	d.wake()
	d.mu.Unlock()
}

// Hold keeps all queues where they are until what it answers is called, as if the device
// were very slow.
func (d *Device) Hold() (release func()) {
	set := func(held bool) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.held = held
		d.wake()
	}
	set(true)
	return func() { set(false) }
}

// Close ends the device.
func (d *Device) Close() error {
	d.mu.Lock()
	d.fail(status.Errorf(status.Unavailable, "device %s is closed", d.attributes.Name))
	d.closed = true
	d.wake()
	d.mu.Unlock()
	d.idle.Wait()
	d.over.Store(true)
	opened.Delete(d)
	return nil
}

// failed returns what ended the device. It is locked.
func (d *Device) failed() error { return d.err }

// fail ends the device with its first error. It is locked.
func (d *Device) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// wake schedules turns if there is something to do and none is. It is locked.
func (d *Device) wake() {
	if d.turning || !d.busy() || d.held && d.err == nil {
		return
	}
	d.turning = true
	if d.schedule != nil {
		d.schedule(d.turn)
		return
	}
	d.idle.Go(func() {
		for d.play() {
			runtime.Gosched()
		}
	})
}

// turn is one turn, and schedules the next.
func (d *Device) turn() {
	if d.play() {
		d.schedule(d.turn)
	}
}

// busy reports whether a queue has commands. The device is locked.
func (d *Device) busy() bool {
	for _, q := range d.queues {
		if len(q.works) > 0 {
			return true
		}
	}
	return false
}

// play lets one queue, chosen by the seed, come one tick nearer to the end of its
// first command. It is false if no queue has any.
func (d *Device) play() bool {
	d.mu.Lock()
	if d.held && d.err == nil {
		d.turning = false
		d.mu.Unlock()
		return false
	}
	var ready []*queue
	for _, q := range d.queues {
		if len(q.works) > 0 && (d.err != nil || q.works[0].wait == nil || q.works[0].wait.over.Load()) {
			ready = append(ready, q)
		}
	}
	if len(ready) == 0 {
		for _, q := range d.queues { // an event that is waited for was recorded before
			if len(q.works) > 0 && q.works[0].wait.device == d && !d.awaits() {
				panic("emulated: queues wait for each other")
			}
		}
		d.turning = false
		d.mu.Unlock()
		return false
	}
	q := ready[d.rng.IntN(len(ready))]
	w := q.works[0]
	if w.delay > 0 && d.err == nil {
		w.delay--
		d.mu.Unlock()
		return true
	}
	if w.run != nil && d.err == nil {
		d.mu.Unlock() // nobody else plays, and w stays the first
		err := w.perform()
		d.mu.Lock()
		if err != nil {
			d.fail(status.Within(err, "%s", w))
		}
	}
	q.works[0] = nil
	q.works = q.works[1:]
	if w.event == nil {
		d.mu.Unlock()
		return true
	}
	w.event.happen(d.err)
	return true
}

// awaits reports whether a queue waits for another device's. The device is locked.
func (d *Device) awaits() bool {
	for _, q := range d.queues {
		if len(q.works) > 0 && q.works[0].wait != nil && q.works[0].wait.device != d {
			return true
		}
	}
	return false
}

// perform runs a command; code that panics has left its buffers' bounds.
func (w *work) perform() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = status.Errorf(status.Internal, "the code failed: %v", r)
		}
	}()
	return w.run()
}

// A command is an entry of a queue.
type work struct {
	number int // within the queue, from 1
	name   string
	queue  *queue
	run    func() error // nil: nothing
	wait   *event       // what it waits for
	event  *event       // what is done with it
	delay  int          // ticks
}

// String is such as "add, work 7 of queue "compute"".
func (w *work) String() string {
	if w.queue == nil {
		return w.name
	}
	return fmt.Sprintf("%s, work %d of queue %q", w.name, w.number, w.queue.name)
}

// at is String with the device.
func (w *work) at(d *Device) string {
	_, name, _ := strings.Cut(d.attributes.Name, "device:")
	return w.String() + " of " + name
}
