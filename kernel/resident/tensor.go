package resident

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/code"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Tensor is a tensor in the memory of an accelerator. It never changes.
type Tensor struct {
	object tensor.Object // whose value it is
	device devices.Streams
	dt     tensor.DType
	dims   []int64
	memory *memory
	shared atomic.Bool // the collector's
}

// A memory is held by the tensors that differ in shape alone.
type memory struct {
	buffer  devices.Buffer
	holders atomic.Int32
	fault   atomic.Pointer[status.Error] // why an emulated work has not written it
}

// failed is why there are no contents; nil as a rule.
func (m *memory) failed() error {
	if err := m.fault.Load(); err != nil {
		return err
	}
	return nil
}

// newMemory holds a buffer once. The garbage collector releases what is not released otherwise.
func newMemory(b devices.Buffer) *memory {
	m := &memory{buffer: b}
	m.holders.Store(1)
	runtime.AddCleanup(m, func(b devices.Buffer) { b.Release() }, b)
	return m
}

// release gives one hold up.
func (m *memory) release() {
	if m.holders.Add(-1) == 0 {
		m.buffer.Release()
	}
}

// Array returns the tensor as code has it.
func (t *Tensor) Array() code.Array {
	return code.Array{Buffer: t.memory.buffer, Type: t.dt, Dims: t.dims}
}

// DType returns the element type.
func (t *Tensor) DType() tensor.DType { return t.dt }

// Dims returns the shape, not to be written.
func (t *Tensor) Dims() []int64 { return t.dims }

// String returns what a printed variant says.
func (t *Tensor) String() string {
	return fmt.Sprintf("%v%s on %s", t.dt, tensor.FormatDims(t.dims), t.device.Attributes().Name)
}

// Claim has nothing to hold.
func (t *Tensor) Claim(*tensor.Arena) {}

// Release gives the memory up.
func (t *Tensor) Release(*tensor.Arena) {
	if !t.shared.Load() {
		t.memory.release()
	}
}

// Share leaves the memory to the collector.
func (t *Tensor) Share(func(tensor.Value)) { t.shared.Store(true) }

// Bytes returns the header on the host; the device counts its memory itself.
func (t *Tensor) Bytes() int { return 128 }

var _ tensor.Distant = (*Tensor)(nil)

// DistantBytes returns what the elements take on the device.
func (t *Tensor) DistantBytes() int64 {
	n, _ := bytes(t.dt, t.dims)
	return n
}

// Again is another tensor in the same memory.
func (t *Tensor) Again() *tensor.Object {
	t.memory.holders.Add(1)
	other := &Tensor{device: t.device, dt: t.dt, dims: t.dims, memory: t.memory}
	other.object.Value = other
	return &other.object
}

// value returns a token for a new tensor.
func value(ctx *kernel.Context, d devices.Streams, dt tensor.DType, dims []int64, m *memory) (tensor.Value, error) {
	t := &Tensor{device: d, dt: dt, dims: dims, memory: m}
	t.object.Value = t
	return ctx.Holding(&t.object, t)
}

// Of returns the tensor that a token on an accelerator carries.
func Of(v *tensor.Value) (*Tensor, error) {
	if v.DType() == tensor.Variant && v.NumElements() == 1 {
		if o := tensor.Of[*tensor.Object](v)[0]; o != nil {
			if t, ok := o.Value.(*Tensor); ok {
				return t, nil
			}
		}
	}
	return nil, status.Errorf(status.Internal, "a %v in host memory comes where one on an accelerator should", v.DType())
}

// bytes returns how many the elements take.
func bytes(dt tensor.DType, dims []int64) (int64, error) {
	n, err := tensor.NumElements(dt, dims)
	return int64(n) * int64(dt.Size()), err
}

// Upload is v, of the host's, on a device.
func Upload(ctx *kernel.Context, d devices.Streams, v *tensor.Value) (tensor.Value, error) {
	m, err := upload(ctx, d, v)
	if err != nil {
		return tensor.Value{}, err
	}
	return value(ctx, d, v.DType(), append([]int64(nil), v.Dims()...), m)
}

// upload is memory of a device with v's elements.
func upload(ctx *kernel.Context, d devices.Streams, v *tensor.Value) (*memory, error) {
	if v.DType().HasPointers() {
		return nil, status.Errorf(status.Internal, "elements of type %v stay in host memory", v.DType())
	}
	b, err := d.Reserve(ctx.Step.Context, int64(v.SizeBytes()))
	if err != nil {
		return nil, err
	}
	if err := d.Write(ctx.Step.Context, b, tensor.Bytes(v)); err != nil {
		b.Release()
		return nil, err
	}
	return newMemory(b), nil
}

// Copy brings the tensor that v carries, on any device of the step's, to a device: done gets
// it when it is there, and must not wait. What done does not use it releases.
func Copy(ctx *kernel.Context, device string, v *tensor.Value, done func(*Tensor, error)) error {
	d, err := streams(ctx, device)
	if err != nil {
		return err
	}
	t, err := Of(v)
	if err != nil {
		return err
	}
	return t.copy(ctx, d, func(m *memory, err error) {
		if err != nil {
			done(nil, err)
			return
		}
		c := &Tensor{device: d, dt: t.dt, dims: t.dims, memory: m}
		c.object.Value = c
		done(c, nil)
	})
}

// Token returns the token that carries a new tensor.
func (t *Tensor) Token(ctx *kernel.Context) (tensor.Value, error) { return ctx.Holding(&t.object, t) }

// copy brings the elements into memory of another device: done gets it, or why not.
func (t *Tensor) copy(ctx *kernel.Context, d devices.Streams, done func(*memory, error)) error {
	n, err := bytes(t.dt, t.dims)
	if err != nil {
		return err
	}
	b, err := d.Reserve(ctx.Step.Context, n)
	if err != nil {
		return err
	}
	m, from := newMemory(b), t.memory
	err = d.Bring(ctx.Step.Context, b, from.buffer, n, func(err error) {
		if err == nil {
			err = from.failed()
		}
		if err != nil {
			m.release()
			m = nil
		}
		done(m, err)
	})
	if err != nil {
		m.release()
	}
	return err
}

// Download brings a tensor to the host: done gets it when the device has come to it,
// and must not wait.
func Download(ctx context.Context, v *tensor.Value, done func(*tensor.Tensor, error)) error {
	t, err := Of(v)
	if err != nil {
		return err
	}
	return t.download(ctx, done)
}

func (t *Tensor) download(ctx context.Context, done func(*tensor.Tensor, error)) error {
	host, err := tensor.New(t.dt, t.dims...)
	if err != nil {
		return err
	}
	n := int64(host.SizeBytes())
	if n == 0 {
		done(host, nil)
		return nil
	}
	m := t.memory
	return t.device.Read(ctx, m.buffer, n, func(from []byte, err error) {
		if err == nil {
			err = m.failed()
		}
		if err != nil {
			done(nil, err)
			return
		}
		to := tensor.ValueOf(host)
		copy(tensor.Bytes(&to), from)
		done(to.Tensor(), nil)
	})
}
