package accelerators

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/actors/streams"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/devices/cuda"
	"github.com/troupe-go/troupe/devices/emulated"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

var narrowToo = flag.Bool("narrow", false, "TestNarrow computes all operations with half and bfloat16")

// emulation returns an emulated device.
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
		p.ctx.Arena.Reclaim(v)
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
				t.Skip("its driver compiles dozens of kernels")
			}
			n := 1
			if name == "OpenCL" {
				n = oneIn()
			}
			p := newPlayer(t, open(t))
			for i, o := range operations() {
				if named.MatchString(o.op) && i%n == 0 {
					p.try(&o)
				}
			}
			if s := p.device.Statistics(); s.Blocks != 0 {
				t.Errorf("memory after all tokens are gone: %+v", s)
			}
		})
	}
}

// narrowed returns an operation with its floats as another type; false if a device has no kernel
// for it, or the CPU.
func (o *operation) narrowed(dt tensor.DType) (*operation, bool) {
	n := *o
	n.in = nil
	changed := false
	for _, x := range o.in {
		if x.DType() == tensor.Float {
			x, changed = cast(x, dt), true
		}
		n.in = append(n.in, x)
	}
	n.attrs = slices.Clone(o.attrs)
	for i, a := range n.attrs {
		if a.Value.Kind == registry.KindType && a.Value.Type == tensor.Float {
			n.attrs[i], changed = typed(a.Name, dt), true
		}
	}
	n.tol = tensor.Tolerance{ATol: 0.03, RTol: 0.03}
	if dt == tensor.Bfloat16 {
		n.tol = tensor.Tolerance{ATol: 0.25, RTol: 0.1}
	}
	c, _, err := n.construction("EMULATED", "")
	if !changed || err != nil {
		return nil, false
	}
	if _, err = kernel.Find("EMULATED", c); err != nil {
		return nil, false
	}
	_, err = n.onCPU()
	return &n, err == nil
}

// TestNarrow computes the operations with half and bfloat16, for which drivers compile as many
// functions again.
func TestNarrow(t *testing.T) {
	if !*narrowToo {
		t.Skip("-narrow is not given")
	}
	named := regexp.MustCompile(*caseNames)
	for name, open := range map[string]func(t *testing.T) *streams.Device{
		"Emulated": emulation,
		"OpenCL":   func(t *testing.T) *streams.Device { return opened(t, opencl.Open).Device },
		"CUDA":     func(t *testing.T) *streams.Device { return opened(t, cuda.Open).Device },
	} {
		t.Run(name, func(t *testing.T) {
			d, tried := open(t), map[string]bool{}
			for _, dt := range []tensor.DType{tensor.Half, tensor.Bfloat16} {
				p, count := newPlayer(t, d), 0
				for _, o := range operations() {
					if n, ok := o.narrowed(dt); ok && named.MatchString(o.op) {
						p.try(n)
						tried[o.op], count = true, count+1
					}
				}
				t.Logf("%d trials of %v", count, dt)
			}
			t.Logf("%d operations", len(tried))
		})
	}
}

// elsewhere are operations that other tests try: of variables and copies, and those that share
// all but the name with one that is tried.
const elsewhere = `_Upload _Download _Copy ReadVariableOp AssignVariableOp AssignAddVariableOp AssignSubVariableOp VariableShape Reshape
	GuaranteeConst PreventGradient Snapshot StopGradient BatchMatMul FusedBatchNormGradV2 ParallelDynamicStitch`

// TestTried: every operation with a kernel for accelerators has a trial.
func TestTried(t *testing.T) {
	tried := map[string]bool{}
	for _, op := range slices.Concat(code.Unary(), code.Binary(), strings.Fields(elsewhere)) {
		tried[op] = true
	}
	for _, o := range operations() {
		tried[o.op] = true
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range slices.Concat(calls(rng), parts(rng), layers(rng)) {
		tried[c.op] = true
	}
	for _, g := range groups {
		for _, c := range g.trials() {
			tried[c.op] = true
		}
	}
	for _, op := range kernel.Ops() {
		for _, r := range kernel.Registered(op) {
			rule := strings.HasPrefix(op, "ResourceApply") // whose rules are tried by themselves
			if r.Device == "EMULATED" && !r.Host && !tried[op] && !rule {
				t.Errorf("nothing tries %s", op)
			}
		}
	}
}
