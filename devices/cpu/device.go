package cpu

import (
	"fmt"
	"runtime"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cpu/vec"
)

// Type is the device type of CPUs.
const Type = "CPU"

func init() {
	devices.Register(Type, func(o devices.Options) ([]devices.Device, error) {
		count, given := o.Count[Type]
		if !given {
			count = 1
		}
		var all []devices.Device
		var pool *Pool
		for id := range count {
			if pool == nil {
				pool = NewPool(Options{Threads: o.Threads})
			}
			d := &Device{Pool: pool, owner: id == 0, attributes: o.Describe(Type, id, describe(pool))}
			all = append(all, d)
		}
		return all, nil
	})
}

// describe is such as "amd64 AVX-512, 2 threads".
func describe(p *Pool) string {
	return fmt.Sprintf("%s %s, %d threads", runtime.GOARCH, vec.InstructionSet(), p.Workers())
}

// A Device is a CPU device. Several of one process are different names for the
// same pool, as TensorFlow's are.
type Device struct {
	*Pool
	owner      bool // closes the pool
	attributes devices.Attributes
}

var _ devices.Device = (*Device)(nil)

// As returns the device of another process of a cluster, which runs on the pool of d.
func (d *Device) As(process devices.Spec) *Device {
	kind, _ := d.attributes.Spec.Type()
	id, _ := d.attributes.Spec.ID()
	o := devices.Options{Process: process, MemoryLimit: d.attributes.MemoryLimit}
	return &Device{Pool: d.Pool, attributes: o.Describe(kind, id, d.attributes.Description)}
}

// Attributes returns what is known of the device.
func (d *Device) Attributes() devices.Attributes { return d.attributes }

// Close ends the pool with the first device of a process.
func (d *Device) Close() error {
	if d.owner {
		d.Pool.Close()
	}
	return nil
}
