package accelerated

import (
	"context"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/resident"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Operations that programs are given where an edge goes from one memory to another; see
// package partition. A user's graph may not hold them.

func init() {
	registry.Define("_Upload").
		Input("host: T").
		Output("device: T").
		Attr("T: type").
		Attr("constant: bool = false").
		Doc(`Copies a tensor of the host's memory into that of the device.

constant: It is the same tensor each time, so that one copy serves all steps.`)
	registry.Define("_Download").
		Input("device: T").
		Output("host: T").
		Attr("T: type").
		Doc("Copies a tensor of the device's memory into that of the host.")
	registry.Define("_Copy").
		Input("there: T").
		Output("here: T").
		Attr("T: type").
		Doc("Copies a tensor of another accelerator's memory into that of the device.")
	resident.RegisterHost("Const", nil) // the copy of it that stays with a device is its reader's
	shape.Register(shape.Unchanged, "_Upload", "_Download", "_Copy")
	for _, kind := range resident.Types {
		kernel.Register(kernel.Registration{Op: "_Upload", Device: kind, HostMemory: []string{"host"}, New: func(c *kernel.Construction) (kernel.Kernel, error) {
			if c.Bool("constant") {
				return &resident.Constant{Device: c.Device}, nil
			}
			return upload{c.Device}, nil
		}})
		kernel.Register(kernel.Registration{Op: "_Download", Device: kind, HostMemory: []string{"host"}, Waits: true, New: func(*kernel.Construction) (kernel.Kernel, error) {
			return download{}, nil
		}})
		kernel.Register(kernel.Registration{Op: "_Copy", Device: kind, Waits: true, New: func(c *kernel.Construction) (kernel.Kernel, error) {
			return between{c.Device}, nil
		}})
	}
}

// upload hands a copy over, and does not wait for it.
type upload struct{ device string }

func (k upload) Run(ctx *kernel.Context, in, out []tensor.Value) (err error) {
	d := ctx.Step.Accelerators[k.device]
	if d == nil {
		return status.Errorf(status.Internal, "the step has no streams of %s", k.device)
	}
	out[0], err = resident.Upload(ctx, d, &in[0])
	return err
}

// download is done when the copy is, or when the step has ended.
type download struct{}

func (download) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	until(ctx.Step.Context, done, func(e *ending) error {
		return resident.Download(ctx.Step.Context, &in[0], func(t *tensor.Tensor, err error) {
			e.end(func() error {
				if err == nil {
					out[0] = tensor.ValueOf(t)
				}
				return err
			})
		})
	})
}

func (k download) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return waited(k, ctx, in, out)
}

// between is done when the copy is, or when the step has ended: nobody may take what comes
// before both devices have passed the copy, for either might be lost meanwhile.
type between struct{ device string }

func (k between) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	until(ctx.Step.Context, done, func(e *ending) error {
		return resident.Copy(ctx, k.device, &in[0], func(t *resident.Tensor, err error) {
			if !e.end(func() error {
				if err == nil {
					out[0], err = t.Token(ctx)
				}
				return err
			}) && err == nil {
				t.Release(nil)
			}
		})
	})
}

func (k between) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	return waited(k, ctx, in, out)
}

func waited(k kernel.Async, ctx *kernel.Context, in, out []tensor.Value) error {
	done := make(chan error, 1)
	k.Start(ctx, in, out, func(err error) { done <- err })
	return <-done
}

// An ending is that of something that is begun, or of the step if that comes first.
type ending struct {
	mu   sync.Mutex
	over bool
	stop func() bool // watching the step
	done func(error)
}

// until begins something, whose end is to be told, and is done with that or with the step.
func until(step context.Context, done func(error), begin func(*ending) error) {
	e := &ending{done: done}
	if err := begin(e); err != nil {
		e.end(func() error { return err })
		return
	}
	stop := context.AfterFunc(step, func() { e.end(func() error { return status.FromContext(step) }) })
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stop = stop; e.over {
		stop()
	}
}

// end takes what has come, if it is the first to end, and reports whether it is.
func (e *ending) end(take func() error) bool {
	e.mu.Lock()
	first, stop := !e.over, e.stop
	e.over = true
	e.mu.Unlock()
	if !first {
		return false
	}
	if stop != nil {
		stop()
	}
	e.done(take())
	return true
}
