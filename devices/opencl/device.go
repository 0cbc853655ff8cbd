package opencl

import (
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/status"
)

// Type is the device type of OpenCL devices.
const Type = "OPENCL"

// Devices describes the devices that there are, in the order of their numbers.
func Devices() ([]string, error) {
	ids, err := identities()
	if err != nil {
		return nil, err
	}
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = describe(id)
	}
	return all, nil
}

func describe(id uintptr) string {
	return strings.TrimSpace(text(id, deviceName)) + ", " + strings.TrimSpace(text(id, deviceVersion))
}

// A Device is an OpenCL device. See [devices.Accelerator].
type Device struct {
	attributes devices.Attributes
	id         uintptr
	shared     *shared
	context    uintptr // the shared one
	mostBytes  int64   // of one buffer
	mostSize   int     // threads of a group
	completed  *completions

	life     sync.RWMutex // held while programs are used; Close releases them when nobody does
	mu       sync.Mutex
	programs map[string]*program // by source
	queues   []*queue
	buffers  map[*buffer]struct{}
	hosts    map[*hostBuffer]struct{}
	closed   bool
}

var _ devices.Accelerator = (*Device)(nil)

func init() { devices.RegisterAccelerator(Type, Open) }

// Open opens a device by its number. Where the options count several, those of one
// platform copy from each other.
func Open(number int, o devices.Options) (*Device, error) {
	ids, err := identities()
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= len(ids) {
		return nil, status.Errorf(status.NotFound, "OpenCL: no device %d: the drivers have %s, counted from 0", number, status.Count(len(ids), "device"))
	}
	id := ids[number]
	in, err := join(id, ids[:min(o.Count[Type], len(ids))])
	if err != nil {
		return nil, err
	}
	a := o.Describe(Type, number, describe(id))
	if all := amount(id, globalMemSize); a.MemoryLimit == 0 || a.MemoryLimit > all {
		a.MemoryLimit = all
	}
	a.Unified = amount(id, hostUnifiedMemory) != 0
	return &Device{
		attributes: a, id: id, shared: in, context: in.handle, mostBytes: amount(id, maxAllocSize), mostSize: int(amount(id, maxGroupSize)),
		completed: newCompletions(), programs: map[string]*program{},
		buffers: map[*buffer]struct{}{}, hosts: map[*hostBuffer]struct{}{},
	}, nil
}

// Attributes returns what is known of the device.
func (d *Device) Attributes() devices.Attributes { return d.attributes }

// A program is a module, compiled once.
type program struct {
	once   sync.Once
	handle uintptr
	err    error
}

// compile returns the program of a source.
func (d *Device) compile(source string) (uintptr, error) {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return 0, d.gone()
	}
	p := d.programs[source]
	if p == nil {
		p = new(program)
		d.programs[source] = p
	}
	d.mu.Unlock()
	p.once.Do(func() { p.handle, p.err = d.build(source) })
	return p.handle, p.err
}

func (d *Device) gone() error {
	return status.Errorf(status.Unavailable, "device %s is closed", d.attributes.Name)
}

func (d *Device) build(source string) (uintptr, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	bytes := []byte(source + "\x00")
	pin.Pin(&bytes[0])
	texts := []*byte{&bytes[0]}
	var r int32
	handle := api.createProgramWithSource.Call(d.context, 1, uintptr(unsafe.Pointer(&texts[0])), 0, uintptr(unsafe.Pointer(&r)))
	if err := failure("clCreateProgramWithSource", r); err != nil {
		return 0, err
	}
	options := []byte("-cl-std=CL1.2\x00")
	r = int32(api.buildProgram.Call(handle, 1, uintptr(unsafe.Pointer(&d.id)), uintptr(unsafe.Pointer(&options[0])), 0, 0))
	if r != 0 {
		log := make([]byte, 1<<14)
		var n uintptr
		api.getProgramBuildInfo.Call(handle, d.id, buildLog, uintptr(len(log)), uintptr(unsafe.Pointer(&log[0])), uintptr(unsafe.Pointer(&n)))
		api.releaseProgram.Call(handle)
		return 0, status.Within(failure("clBuildProgram", r), "%s", strings.Trim(string(log[:min(n, uintptr(len(log)))]), "\x00\n"))
	}
	return handle, nil
}

// Load compiles code.
func (d *Device) Load(c *devices.Code) error {
	k, err := d.kernel(c)
	if err == nil { // it holds its program
		api.releaseKernel.Call(k)
	}
	return err
}

// kernel makes a kernel object, which has room for the arguments of one launch at a
// time.
func (d *Device) kernel(c *devices.Code) (uintptr, error) {
	if c.Source == "" {
		return 0, status.Errorf(status.Unimplemented, "%s: code %s has no source", d.attributes.Name, c.Entry)
	}
	d.life.RLock()
	defer d.life.RUnlock()
	p, err := d.compile(c.Source)
	if err != nil {
		return 0, status.Within(err, "code %s", c.Entry)
	}
	name := append([]byte(c.Entry), 0)
	var r int32
	k := api.createKernel.Call(p, uintptr(unsafe.Pointer(&name[0])), uintptr(unsafe.Pointer(&r)))
	return k, failure("clCreateKernel of "+c.Entry, r)
}

// Close ends all that the device has. It waits for what is under way.
func (d *Device) Close() error {
	d.mu.Lock()
	closed := d.closed
	d.closed = true
	d.mu.Unlock()
	if closed {
		return nil
	}
	for _, q := range d.queues { // no more come
		api.finish.Call(q.handle)
	}
	d.completed.close() // what is told meanwhile may release buffers
	d.life.Lock()
	defer d.life.Unlock()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, q := range d.queues {
		for _, k := range q.kernels {
			api.releaseKernel.Call(k)
		}
		api.releaseCommandQueue.Call(q.handle)
	}
	for b := range d.buffers {
		api.releaseMemObject.Call(b.handle)
	}
	for h := range d.hosts {
		h.free()
	}
	for _, p := range d.programs {
		if p.handle != 0 {
			api.releaseProgram.Call(p.handle)
		}
	}
	d.shared.leave()
	return nil
}
