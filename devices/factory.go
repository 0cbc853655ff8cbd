package devices

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// Options is what devices are made from.
type Options struct {
	Process Spec // whose devices; the zero Spec is Local()
	// Count is how many devices of a type to make at most; a type that is
	// missing means all there are, for the CPU one. An accelerator's opener takes it for
	// how many are going to be opened, from 0 on, which then should reach each other.
	Count map[string]int
	// Threads is how many goroutines a CPU computes on at the same time, the
	// caller included; 0 is GOMAXPROCS.
	Threads     int
	MemoryLimit int64 // bytes for each device; 0 is the device's own limit
	Seed        int64 // of what an emulated device leaves to chance
}

// A Factory makes the devices of one type, numbered from 0. A machine without
// any is no error.
type Factory func(Options) ([]Device, error)

// An Opener opens the accelerator of a type that has a number, counted from 0. It fails
// with NOT_FOUND where there are not so many, or no driver.
type Opener func(number int, o Options) (Accelerator, error)

var (
	mu        sync.Mutex
	factories = map[string]Factory{}
	openers   = map[string]Opener{}
)

// RegisterAccelerator adds the opener of a type. It panics if the type has one or is not
// a word.
func RegisterAccelerator[D Accelerator](kind string, open func(number int, o Options) (D, error)) {
	mu.Lock()
	defer mu.Unlock()
	if openers[kind] != nil || factories[kind] != nil || !isWord(kind) || open == nil {
		panic(fmt.Sprintf("devices: type %q cannot be registered, or is already", kind))
	}
	openers[kind] = func(number int, o Options) (Accelerator, error) {
		d, err := open(number, o)
		if err != nil {
			return nil, err // and not a D that is nil
		}
		return d, nil
	}
}

// OpenerOf returns how accelerators of a type are opened; nil if the type has none.
func OpenerOf(kind string) Opener {
	mu.Lock()
	defer mu.Unlock()
	return openers[kind]
}

// accelerators lists the types that have openers, sorted.
func accelerators() []string {
	mu.Lock()
	defer mu.Unlock()
	return sorted.Keys(openers)
}

// Register adds the factory of a type. It panics if the type has one or is not
// a word.
func Register(kind string, f Factory) {
	mu.Lock()
	defer mu.Unlock()
	if factories[kind] != nil || !isWord(kind) || f == nil {
		panic(fmt.Sprintf("devices: type %q cannot be registered, or is already", kind))
	}
	factories[kind] = f
}

// Types lists the registered types, sorted.
func Types() []string {
	mu.Lock()
	defer mu.Unlock()
	return sorted.Keys(factories)
}

// New makes the devices of all registered types, CPUs first, then by type. On
// failure it closes those that it made.
func New(o Options) ([]Device, error) {
	if o.Process == (Spec{}) {
		o.Process = Local()
	}
	types := Types()
	for kind := range o.Count {
		if !slices.Contains(types, kind) {
			return nil, status.Errorf(status.NotFound, "Device type %s is not registered; there are %v", kind, append(slices.Clone(types), accelerators()...))
		}
	}
	if i := slices.Index(types, "CPU"); i >= 0 {
		types = slices.Insert(slices.Delete(types, i, i+1), 0, "CPU")
	}
	var all []Device
	for _, kind := range types {
		mu.Lock()
		f := factories[kind]
		mu.Unlock()
		made, err := f(o)
		all = append(all, made...)
		if err != nil {
			for _, d := range all {
				d.Close()
			}
			return nil, err
		}
	}
	return all, nil
}

// Describe fills in the attributes of a new device.
func (o Options) Describe(kind string, id int, description string) Attributes {
	process := o.Process
	if process == (Spec{}) {
		process = Local()
	}
	spec := process.Device(kind, id)
	return Attributes{
		Spec: spec, Name: spec.String(), Type: kind, MemoryLimit: o.MemoryLimit,
		Incarnation: incarnation(), Description: description,
	}
}

// incarnation returns a random number, not 0.
func incarnation() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]) | 1
}
