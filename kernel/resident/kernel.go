package resident

import (
	"context"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Types are the device types that kernels of this package are for: those of the
// drivers, and the emulated one's.
var Types = []string{"OPENCL", "GPU", emulated}

const emulated = "EMULATED"

// A Shape is the type and the shape of an output.
type Shape struct {
	Type tensor.DType
	Dims []int64
	// Like is the input whose memory the output shares, plus one; 0: it has its own.
	Like int
}

// A Plan is what a kernel does. Inputs in device memory have an array, those of the
// host a value.
type Plan struct {
	// Shapes is those of the outputs, and, behind them, of memory that only Write uses.
	Shapes func(in []Input) ([]Shape, error)
	Write  func(out []code.Array, in []Input) ([]devices.Launch, error) // nil: nothing
	// Run is as Write, for kernels that need more memory than the outputs only then.
	Run func(w *Work, out []code.Array, in []Input)
	// Draw takes what a run draws from its node's generator, before it is handed over.
	Draw func(w *Work, out []Shape, in []Input) (philox.Generator, error)
}

// An Input is one argument.
type Input struct {
	code.Array
	Host *tensor.Value // nil in device memory
}

// Register adds kernels of an operation for all accelerators. host names the inputs
// that are in host memory.
func Register(op string, types map[string][]tensor.DType, host []string, plan func(*kernel.Construction) (Plan, error)) {
	for _, kind := range Types {
		kernel.Register(kernel.Registration{Op: op, Device: kind, Types: types, HostMemory: host, New: func(c *kernel.Construction) (kernel.Kernel, error) {
			p, err := plan(c)
			if err != nil {
				return nil, err
			}
			k := &enqueuing{plan: p, node: c.Node, op: op, device: c.Device, types: c.Inputs}
			k.hosts, _ = kernel.Memory(kind, c)
			if kind == emulated && (p.Write != nil || p.Run != nil) {
				if k.cpu, err = kernel.Make("CPU", c); err != nil {
					return nil, err
				}
			}
			return k, nil
		}})
	}
}

// RegisterHost adds kernels for all accelerators that are the CPU's, on the host's
// memory: for what is a shape, an index or a counter, which the host asks for next.
func RegisterHost(op string, types map[string][]tensor.DType) {
	for _, kind := range Types {
		kernel.Register(kernel.Registration{Op: op, Device: kind, Types: types, Host: true, New: func(c *kernel.Construction) (kernel.Kernel, error) {
			return kernel.Make("CPU", c)
		}})
	}
}

// An enqueuing is a kernel that enqueues commands.
type enqueuing struct {
	plan   Plan
	node   string
	op     string
	device string
	types  []tensor.DType
	hosts  []devices.Memory // of the inputs
	cpu    kernel.Kernel    // what an emulated device runs
}

// Run enqueues the commands of a node.
func (k *enqueuing) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	d, err := streams(ctx, k.device)
	if err != nil {
		return err
	}
	tensors, inputs, err := k.arguments(in, 0)
	if err != nil {
		return err
	}
	shapes, err := k.plan.Shapes(inputs)
	if err != nil {
		return err
	}
	if k.cpu != nil {
		shapes = shapes[:len(out)]
	}
	memories, arrays := make([]*memory, len(shapes)), make([]code.Array, len(shapes))
	given := 0
	defer func() { // of those that no output has
		for _, m := range memories[given:] {
			if m != nil {
				m.release()
			}
		}
	}()
	for i, s := range shapes {
		if s.Like > 0 {
			memories[i] = tensors[s.Like-1].memory
			memories[i].holders.Add(1)
			continue
		}
		n, err := bytes(s.Type, s.Dims)
		if err != nil {
			return err
		}
		b, err := d.Reserve(ctx.Step.Context, n)
		if err != nil {
			return err
		}
		memories[i] = newMemory(b)
		if n == 0 {
			if err := d.Write(ctx.Step.Context, b, nil); err != nil {
				return err
			}
		}
		arrays[i] = code.Array{Buffer: b, Type: s.Type, Dims: s.Dims}
	}
	var launches []devices.Launch
	w := Work{ctx: ctx, node: k.node, device: d}
	defer w.release()
	if k.plan.Draw != nil {
		if w.numbers, err = k.plan.Draw(&w, shapes, inputs); err != nil {
			return err
		}
	}
	if k.cpu == nil {
		w.Do(k.plan, arrays, inputs)
		launches, err = w.launches, w.err
	} else {
		launches, err = k.emulate(&w, arrays, inputs, memories, tensors)
	}
	if err != nil {
		return err
	}
	for i := range launches {
		launches[i].Works = ctx.Step.Works
		if err := d.Launch(&launches[i]); err != nil {
			return err
		}
	}
	for i, s := range shapes[:len(out)] {
		if out[i], err = value(ctx, d, s.Type, s.Dims, memories[i]); err != nil {
			return err
		}
		given++
	}
	return nil
}

// streams returns a device of the step's.
func streams(ctx *kernel.Context, device string) (devices.Streams, error) {
	if d := ctx.Step.Accelerators[device]; d != nil {
		return d, nil
	}
	return nil, status.Errorf(status.Internal, "the step has no streams of %s", device)
}

// arguments returns the inputs from first on, and those of them that are in device memory.
func (k *enqueuing) arguments(in []tensor.Value, first int) ([]*Tensor, []Input, error) {
	tensors, inputs := make([]*Tensor, len(in)), make([]Input, len(in))
	for i := first; i < len(in); i++ {
		if k.hosts[i] == devices.HostMemory {
			inputs[i] = Input{code.Array{Type: in[i].DType(), Dims: in[i].Dims()}, &in[i]}
			continue
		}
		t, err := Of(&in[i])
		if err != nil {
			return nil, nil, status.Within(err, "input %d of %s", i, k.op)
		}
		if t.dt != k.types[i].Base() {
			return nil, nil, status.Errorf(status.Internal, "input %d of %s is %v", i, k.op, t)
		}
		tensors[i], inputs[i] = t, Input{Array: t.Array()}
	}
	return tensors, inputs, nil
}

// emulate returns the launch that runs the CPU's kernel. If that fails, the outputs have no
// contents, and who reads them gets its error; and so does the step at its end.
func (k *enqueuing) emulate(w *Work, out []code.Array, in []Input, made []*memory, from []*Tensor) ([]devices.Launch, error) {
	var l devices.Launch
	works, numbers := w.ctx.Step.Works, w.numbers
	hosts := make([]tensor.Value, len(in))
	inputs := append([]Input(nil), in...)
	for i, x := range in {
		if x.Host != nil {
			var err error
			if hosts[i], err = w.ctx.Share(*x.Host); err != nil {
				return nil, err
			}
			inputs[i].Host = nil
			continue
		}
		l.Args = append(l.Args, devices.Arg{Buffer: x.Buffer, Access: devices.Reads})
	}
	for _, z := range out {
		l.Args = append(l.Args, devices.Arg{Buffer: z.Buffer, Access: devices.Writes})
	}
	l.Groups, l.Size = [3]int{1, 1, 1}, [3]int{1, 1, 1}
	l.Code = &devices.Code{Entry: k.op, Emulate: func(_ *devices.Launch, memory [][]byte) error {
		err := error(nil)
		for _, t := range from {
			if t != nil && err == nil {
				err = t.memory.failed()
			}
		}
		if err == nil {
			if err = k.compute(out, inputs, hosts, memory, numbers); err != nil {
				e := *status.From(err)
				if e.Node == "" {
					e.Node, e.Op, e.Device = k.node, k.op, k.device
				}
				err = &e
			}
		}
		if err != nil {
			works.Failed(err)
			for _, m := range made {
				m.fault.Store(status.From(err))
			}
		}
		return nil
	}}
	return []devices.Launch{l}, nil
}

// compute runs the CPU's kernel on an emulated device's memory.
func (k *enqueuing) compute(out []code.Array, in []Input, hosts []tensor.Value, memory [][]byte, numbers philox.Generator) error {
	values, results := make([]tensor.Value, len(in)), make([]tensor.Value, len(out))
	for i := range in {
		if !hosts[i].IsZero() {
			values[i] = hosts[i]
			continue
		}
		t, err := tensor.New(in[i].Type, in[i].Dims...)
		if err != nil {
			return err
		}
		values[i] = tensor.ValueOf(t)
		copy(tensor.Bytes(&values[i]), memory[0])
		values[i].Share()
		memory = memory[1:]
	}
	log := zerolog.Nop()
	ctx := &kernel.Context{Arena: &tensor.Arena{}, Step: &kernel.Step{
		Context: context.Background(), Resources: resource.NewManager(), PerStep: resource.NewManager(), Pool: alone{}, Log: &log,
	}}
	defer ctx.Arena.Finish()
	if k.plan.Draw != nil {
		if err := philox.Begin(ctx.Step.States(), k.node, numbers); err != nil {
			return err
		}
	}
	if err := k.cpu.Run(ctx, values, results); err != nil {
		return err
	}
	for i, z := range out {
		v := &results[i]
		if v.DType() != z.Type || tensor.FormatDims(v.Dims()) != tensor.FormatDims(z.Dims) {
			return fmt.Errorf("output %d of %s is %v%s, and was announced as %v%s", i, k.op, v.DType(), tensor.FormatDims(v.Dims()), z.Type, tensor.FormatDims(z.Dims))
		}
		copy(memory[i], tensor.Bytes(v))
	}
	return nil
}

// alone is a pool of one.
type alone struct{}

func (alone) Parallel(n, grain int, f func(lo, hi int)) {
	for lo := 0; lo < n; lo += grain {
		f(lo, min(lo+grain, n))
	}
}

func (alone) Workers() int { return 1 }

func (alone) Expect(time.Duration) {}
