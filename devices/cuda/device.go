package cuda

import (
	"bytes"
	"fmt"
	"sync"
	"unsafe"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda/internal/api"
	"github.com/troupe-go/troupe/devices/dynamic"
	"github.com/troupe-go/troupe/status"
)

// Type is the device type of NVIDIA's GPUs, as in TensorFlow.
const Type = "GPU"

// Environment variables that name other libraries of the driver, of NVRTC and of cuBLAS.
const (
	LibraryVariable  = api.DriverVariable
	CompilerVariable = api.CompilerVariable
	BLASVariable     = api.BLASVariable
)

// Devices describes the devices that there are, in the order of their numbers.
func Devices() ([]string, error) {
	driver, n, err := count()
	if err != nil {
		return nil, err
	}
	all := make([]string, n)
	for i := range all {
		id, err := identity(driver, i)
		if err != nil {
			return nil, err
		}
		all[i], _ = describe(driver, id)
	}
	return all, nil
}

func count() (*api.Driver, int, error) {
	driver, err := api.Find()
	if err != nil {
		return nil, 0, err
	}
	var n int32
	if err := driver.Failure("cuDeviceGetCount", int32(driver.DeviceGetCount.Call(uintptr(unsafe.Pointer(&n))))); err != nil {
		return nil, 0, err
	}
	if n == 0 {
		return nil, 0, status.Errorf(status.NotFound, "CUDA: the driver has no device; nvidia-smi lists what it has")
	}
	return driver, int(n), nil
}

func identity(driver *api.Driver, number int) (id int32, err error) {
	return id, driver.Failure("cuDeviceGet", int32(driver.DeviceGet.Call(uintptr(unsafe.Pointer(&id)), uintptr(number))))
}

// nameBytes is room for a device's name.
const nameBytes = 256

// describe returns a device's name, and its compute capability, 90 for 9.0.
func describe(driver *api.Driver, id int32) (description string, capability int) {
	name := make([]byte, nameBytes)
	driver.DeviceGetName.Call(uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)), uintptr(id))
	var major, minor int32
	driver.DeviceGetAttribute.Call(uintptr(unsafe.Pointer(&major)), api.ComputeMajor, uintptr(id))
	driver.DeviceGetAttribute.Call(uintptr(unsafe.Pointer(&minor)), api.ComputeMinor, uintptr(id))
	if end := bytes.IndexByte(name, 0); end >= 0 {
		name = name[:end]
	}
	return fmt.Sprintf("%s, compute capability %d.%d", name, major, minor), int(10*major + minor)
}

// A Device is a GPU. See [devices.Accelerator].
type Device struct {
	attributes devices.Attributes
	capability int
	driver     *api.Driver
	primary    *primary
	poll       *polling
	multiplier multiplier
	over       bool // nothing calls the driver any more; the primary's life is held to change it

	mu      sync.Mutex
	modules map[string]*module // by source
	queues  []*queue
	buffers map[*buffer]struct{}
	hosts   map[*hostBuffer]struct{}
	events  []uintptr // all that were made
	idle    []uintptr // of these, those that nobody uses
	closed  bool
}

var _ devices.Accelerator = (*Device)(nil)

func init() { devices.RegisterAccelerator(Type, Open) }

// Open opens a device by its number.
func Open(number int, o devices.Options) (*Device, error) {
	driver, n, err := count()
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= n {
		return nil, status.Errorf(status.NotFound, "CUDA: no device %d: the driver has %s, counted from 0", number, status.Count(n, "device"))
	}
	id, err := identity(driver, number)
	if err != nil {
		return nil, err
	}
	description, capability := describe(driver, id)
	a := o.Describe(Type, number, description)
	var integrated int32
	driver.DeviceGetAttribute.Call(uintptr(unsafe.Pointer(&integrated)), api.Integrated, uintptr(id))
	a.Unified = integrated != 0
	p, err := join(driver, id)
	if err != nil {
		return nil, err
	}
	free, total, err := p.memory()
	if err != nil {
		p.leave()
		return nil, err
	}
	if a.MemoryLimit == 0 {
		a.MemoryLimit = free
	}
	a.MemoryLimit = min(a.MemoryLimit, total)
	d := &Device{
		attributes: a, capability: capability, driver: driver, primary: p, modules: map[string]*module{},
		buffers: map[*buffer]struct{}{}, hosts: map[*hostBuffer]struct{}{},
	}
	d.poll = newPolling(d)
	return d, nil
}

// Attributes returns what is known of the device.
func (d *Device) Attributes() devices.Attributes { return d.attributes }

// do calls a function on a thread on which the device's context is current. Once the
// device is closed it calls nothing.
//
//go:uintptrescapes
func (d *Device) do(f dynamic.Function, args ...uintptr) int32 {
	d.primary.life.RLock()
	defer d.primary.life.RUnlock()
	if d.over {
		return api.ContextIsDestroyed
	}
	return d.primary.do(f, args...)
}

// failure returns a result as an error; nil for success.
func (d *Device) failure(call string, result int32) error { return d.driver.Failure(call, result) }

func (d *Device) gone() error {
	return status.Errorf(status.Unavailable, "device %s is closed", d.attributes.Name)
}

// A module is a source that was compiled and loaded once.
type module struct {
	once   sync.Once
	handle uintptr
	err    error
}

// function returns the function of code.
func (d *Device) function(c *devices.Code) (uintptr, error) {
	if c.Source == "" {
		return 0, status.Errorf(status.Unimplemented, "%s: code %s has no source", d.attributes.Name, c.Entry)
	}
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return 0, d.gone()
	}
	m := d.modules[c.Source]
	if m == nil {
		m = new(module)
		d.modules[c.Source] = m
	}
	d.mu.Unlock()
	m.once.Do(func() { m.handle, m.err = d.module(c.Source) })
	if m.err != nil {
		return 0, status.Within(m.err, "code %s", c.Entry)
	}
	name := append([]byte(c.Entry), 0)
	var f uintptr
	r := d.do(d.driver.ModuleGetFunction, uintptr(unsafe.Pointer(&f)), m.handle, uintptr(unsafe.Pointer(&name[0])))
	return f, d.failure("cuModuleGetFunction of "+c.Entry, r)
}

// module compiles and loads a source. What the cache has may be damaged.
func (d *Device) module(source string) (handle uintptr, err error) {
	architecture, err := target(d.driver, d.capability)
	if err != nil {
		return 0, err
	}
	for _, fresh := range []bool{false, true} {
		code, err := compiled(source, architecture, fresh)
		if err != nil {
			return 0, err
		}
		r := d.do(d.driver.ModuleLoadData, uintptr(unsafe.Pointer(&handle)), uintptr(unsafe.Pointer(&code[0])))
		if r == 0 {
			return handle, nil
		}
		err = d.failure("cuModuleLoadData", r)
		if fresh || status.CodeOf(err) == status.Unavailable {
			return 0, err
		}
	}
	return handle, err
}

// Load compiles code.
func (d *Device) Load(c *devices.Code) error {
	_, err := d.function(c)
	return err
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
	d.do(d.driver.CtxSynchronize)
	d.poll.close()
	p := d.primary
	p.life.Lock()
	if d.multiplier.spare != 0 {
		p.do(d.multiplier.blas.Destroy, d.multiplier.spare)
	}
	for _, q := range d.queues {
		if q.blas != nil {
			q.blas.done(d)
		}
		p.do(d.driver.StreamDestroy, q.handle)
		dynamic.Free(q.scratch)
	}
	for _, e := range d.events {
		p.do(d.driver.EventDestroy, e)
	}
	for _, m := range d.modules {
		if m.handle != 0 {
			p.do(d.driver.ModuleUnload, m.handle)
		}
	}
	for b := range d.buffers {
		p.do(d.driver.MemFree, b.address)
	}
	for h := range d.hosts {
		p.do(d.driver.MemFreeHost, h.address)
	}
	d.over = true
	p.life.Unlock()
	return p.leave()
}
