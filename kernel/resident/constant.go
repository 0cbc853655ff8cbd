package resident

import (
	"sync"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/tensor"
)

// A Constant is a kernel that puts out its input, which never changes, in the memory of a
// device. It is uploaded in the first step, and again when the device was lost meanwhile;
// between, the device's memory holds it. It goes with the kernel, when the session drops
// the program or is closed.
type Constant struct {
	Device string // full name

	mu   sync.Mutex
	life uint64 // the device's incarnation that has it
	kept *memory
	dims []int64
}

// Run hands out another token for the copy.
func (k *Constant) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	d, err := streams(ctx, k.Device)
	if err != nil {
		return err
	}
	m, dims, err := k.on(ctx, d, &in[0])
	if err != nil {
		return err
	}
	if out[0], err = value(ctx, d, in[0].DType(), dims, m); err != nil {
		m.release()
	}
	return err
}

// on returns the memory with the constant, held again, and its shape.
func (k *Constant) on(ctx *kernel.Context, d devices.Streams, v *tensor.Value) (*memory, []int64, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if life := d.Attributes().Incarnation; k.kept == nil || k.life != life {
		m, err := upload(ctx, d, v)
		if err != nil {
			return nil, nil, err
		}
		if k.kept != nil {
			k.kept.release()
		}
		k.kept, k.life, k.dims = m, life, append([]int64(nil), v.Dims()...)
	}
	k.kept.holders.Add(1)
	return k.kept, k.dims, nil
}
