package session

import (
	"github.com/troupe-go/troupe/devices"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// ContextOptions says how a [Context] works.
type ContextOptions struct {
	Config []byte // a serialized ConfigProto
	Async  bool   // accepted; nothing is executed that could be waited for
}

// A Context is the runtime that a [TensorHandle] lives in, as TensorFlow's
// binding has it. The binding executes no operation on handles, nor does this.
type Context struct{ devices []Device }

// NewContext makes a context; nil options are the defaults.
func NewContext(options *ContextOptions) (*Context, error) {
	if options != nil {
		if err := proto.Unmarshal(options.Config, new(wire.ConfigProto)); err != nil {
			return nil, status.Invalid("Unparseable ConfigProto: %v", err)
		}
	}
	return &Context{[]Device{cpuDevice(defaultMemoryLimit())}}, nil
}

// ListDevices lists the devices that a handle may be on.
func (c *Context) ListDevices() ([]Device, error) { return c.devices, nil }

// A TensorHandle refers to a tensor on a device.
type TensorHandle struct {
	tensor *Tensor
	device string
}

// NewTensorHandle makes a handle for t on the CPU.
func NewTensorHandle(t *Tensor) (*TensorHandle, error) {
	if t == nil {
		return nil, status.Invalid("a handle needs a tensor")
	}
	return &TensorHandle{t, devices.CPU0}, nil
}

// DataType returns the tensor's element type.
func (h *TensorHandle) DataType() DataType { return h.tensor.DataType() }

// Shape returns the tensor's shape.
func (h *TensorHandle) Shape() ([]int64, error) { return h.tensor.Shape(), nil }

// DeviceName returns the device that computed the tensor.
func (h *TensorHandle) DeviceName() (string, error) { return h.device, nil }

// BackingDeviceName returns the device in whose memory the tensor is.
func (h *TensorHandle) BackingDeviceName() (string, error) { return h.device, nil }

// ToTensor returns the tensor itself.
func (h *TensorHandle) ToTensor() (*Tensor, error) { return h.tensor, nil }

// CopyToDevice returns a handle for the same tensor on a device of the context.
func (h *TensorHandle) CopyToDevice(c *Context, deviceName string) (*TensorHandle, error) {
	for _, d := range c.devices {
		if deviceName == d.Name || "/job:localhost/replica:0/task:0"+deviceName == d.Name {
			return &TensorHandle{h.tensor, d.Name}, nil
		}
	}
	return nil, status.Invalid("%s unknown device.", deviceName)
}
