package resident

import (
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/philox"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Work is one run of a [Plan]. It collects launches, to be made one after another, until
// the first error.
type Work struct {
	ctx      *kernel.Context
	node     string
	device   devices.Streams // nil: nothing will be launched
	numbers  philox.Generator
	scratch  []*memory
	launches []devices.Launch
	err      error
}

// Reserve takes n values of the counter of the node's generator.
func (w *Work) Reserve(seed, seed2 int64, n uint64) (philox.Generator, error) {
	return philox.Reserve(w.ctx, w.node, seed, seed2, n)
}

// Numbers returns the generator that the plan's Draw took.
func (w *Work) Numbers() philox.Generator { return w.numbers }

// Add puts launches behind those before, unless there was an error.
func (w *Work) Add(l []devices.Launch, err error) {
	if w.err == nil {
		w.launches, w.err = append(w.launches, l...), err
	}
}

// Fail makes the run end with an error.
func (w *Work) Fail(err error) { w.Add(nil, err) }

// Failed reports whether there was an error.
func (w *Work) Failed() bool { return w.err != nil }

// Do puts a plan's launches behind those before.
func (w *Work) Do(p Plan, out []code.Array, in []Input) {
	switch {
	case w.err != nil:
	case p.Run != nil:
		p.Run(w, out, in)
	case p.Write != nil:
		w.Add(p.Write(out, in))
	}
}

// Scratch is memory of the device that goes with the launches, for what lies between the
// inputs and the outputs.
func (w *Work) Scratch(t tensor.DType, dims ...int64) code.Array {
	a := code.Array{Type: t, Dims: dims}
	if w.err != nil || w.device == nil {
		return a
	}
	n, err := bytes(t, dims)
	if err != nil {
		w.err = err
		return a
	}
	b, err := w.device.Reserve(w.ctx.Step.Context, n)
	if err != nil {
		w.err = err
		return a
	}
	w.scratch, a.Buffer = append(w.scratch, newMemory(b)), b
	if n == 0 {
		w.err = w.device.Write(w.ctx.Step.Context, b, nil)
	}
	return a
}

// Beside is scratch of an array's type and shape; of one without elements it is that.
func (w *Work) Beside(a code.Array) code.Array {
	if a.Elements() == 0 {
		return a
	}
	return w.Scratch(a.Type, a.Dims...)
}

// Copy is scratch with the elements of a tensor of the host's.
func (w *Work) Copy(v *tensor.Value) code.Array {
	a := code.Array{Type: v.DType(), Dims: v.Dims()}
	if w.err != nil || w.device == nil {
		return a
	}
	m, err := upload(w.ctx, w.device, v)
	if err != nil {
		w.err = err
		return a
	}
	w.scratch, a.Buffer = append(w.scratch, m), m.buffer
	return a
}

// release gives scratch up: its next owner's first work waits for the launches.
func (w *Work) release() {
	for _, m := range w.scratch {
		m.release()
	}
}

// Launches returns what the kernel would hand over for inputs of these shapes, whose arrays have
// no memory: for who only wants to see the code. Outputs of more than a gigabyte are refused.
func (k *enqueuing) Launches(ctx *kernel.Context, in []Input) ([]devices.Launch, error) {
	shapes, err := k.plan.Shapes(in)
	if err != nil {
		return nil, err
	}
	var out []code.Array
	for _, s := range shapes {
		n, err := bytes(s.Type, s.Dims)
		if err != nil {
			return nil, err
		}
		if n > 1<<30 {
			return nil, status.Errorf(status.ResourceExhausted, "an output of %d bytes", n)
		}
		out = append(out, code.Array{Type: s.Type, Dims: s.Dims})
	}
	w := Work{ctx: ctx, node: k.node}
	w.Do(k.plan, out, in)
	return w.launches, w.err
}

// Launches returns what the kernel would hand over for variables and other inputs of these shapes.
func (k *changing) Launches(_ *kernel.Context, in []Input) ([]devices.Launch, error) {
	n := k.change.Variables
	if err := k.change.Check(in[:n], in[n:]); err != nil {
		return nil, err
	}
	var now []code.Array
	for _, v := range in[:n] {
		now = append(now, v.Array)
	}
	return k.change.Write(now, now, in[n:])
}
