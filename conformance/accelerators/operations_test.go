package accelerators

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// emulation is an emulated device.
func emulation(t *testing.T) *streams.Device {
	driver := emulated.New(emulated.Options{Seed: 3})
	d, err := streams.Open(actors.System(), actors.System().Root, func() (devices.Accelerator, error) { return driver, nil }, streams.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := driver.Err(); err != nil {
			t.Error(err)
		}
		d.Close()
	})
	return d
}

// operate runs an operation on the player's device.
func (p *player) operate(o *operation) ([]*tensor.Tensor, error) {
	a := p.device.Attributes()
	c, memory, err := o.construction(a.Type, a.Name)
	if err != nil {
		return nil, err
	}
	k, err := kernel.Make(a.Type, c)
	if err != nil {
		return nil, err
	}
	values := make([]tensor.Value, len(o.in))
	for i, x := range o.in {
		switch {
		case i < o.variables:
			name := fmt.Sprint(o.op, i)
			values[i] = p.run("VarHandleOp", handle(name, x.DType()))
			p.run0("AssignVariableOp", values[i], p.upOnce(x))
		case memory[i] == devices.HostMemory:
			values[i] = tensor.ValueOf(x)
		default:
			values[i] = p.up(x)
		}
	}
	out := make([]tensor.Value, len(c.Outputs))
	if err := k.Run(p.ctx, values, out); err != nil {
		return nil, err
	}
	p.held = append(p.held, out...)
	if len(out) == 0 {
		for i, x := range o.in[:o.variables] {
			out = append(out, p.run("ReadVariableOp", registry.Attrs{typed("dtype", x.DType())}, values[i]))
		}
	}
	var results []*tensor.Tensor
	for _, v := range out {
		results = append(results, p.down(v))
	}
	for i := range o.variables {
		p.all("DestroyResourceOp", nil, values[i])
	}
	return results, nil
}

// held is what the player has; give drops it.
func (p *player) give() {
	for _, v := range p.held {
		p.ctx.Arena.Sweep(v)
	}
	p.held = nil
}

// try holds what a device computes against the CPU's kernel.
func (p *player) try(o *operation) {
	p.t.Helper()
	want, err := o.onCPU()
	if err != nil {
		p.t.Errorf("%v: the CPU's kernel: %v", o, err)
		return
	}
	defer p.give()
	if o.again {
		if _, err := p.operate(o); err != nil {
			p.t.Errorf("%v: %v", o, err)
		}
	}
	got, err := p.operate(o)
	if err != nil {
		p.t.Errorf("%v: %v", o, err)
		return
	}
	for i := range want {
		if err := tensor.Compare(got[i], want[i], o.tolerance()); err != nil {
			p.t.Errorf("%v %v: output %d: %v", o, o.attrs, i, err)
		}
	}
}

// TestOperations computes each operation as sessions do, by itself.
func TestOperations(t *testing.T) {
	named := regexp.MustCompile(*caseNames)
	for name, open := range map[string]func(t *testing.T) *streams.Device{
		"Emulated": emulation,
		"OpenCL":   func(t *testing.T) *streams.Device { return opened(t, opencl.Open).Device },
		"CUDA":     func(t *testing.T) *streams.Device { return opened(t, cuda.Open).Device },
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "Emulated" {
				t.Skip("its driver compiles a hundred kernels")
			}
			p := newPlayer(t, open(t))
			for _, o := range operations() {
				if named.MatchString(o.op) {
					p.try(&o)
				}
			}
			if s := p.device.Statistics(); s.Blocks != 0 {
				t.Errorf("memory after all tokens are gone: %+v", s)
			}
		})
	}
}
