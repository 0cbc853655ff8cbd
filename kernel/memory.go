package kernel

import (
	"slices"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// Memory says of every input and output of a node where it lies on a device
// type. The kernel's registration says so; strings and resource handles are in
// host memory everywhere, and the lists of indices _input_hostmem and
// _output_hostmem among the node's attributes add to it.
//
// Without a kernel, as for a call of a function, int32 is in host memory too:
// such tensors are shapes and indices as a rule.
func Memory(deviceType string, c *Construction) (inputs, outputs []devices.Memory) {
	inputs, outputs = make([]devices.Memory, len(c.Inputs)), make([]devices.Memory, len(c.Outputs))
	var kernel *Registration
	if e := global.entry(c.Op.Name); e != nil {
		kernel = e.find(deviceType, c.Attrs)
	}
	for _, side := range []struct {
		memory []devices.Memory
		types  []tensor.DType
		args   []registry.ArgDef
		attr   string
	}{
		{inputs, c.Inputs, c.Op.Inputs, "_input_hostmem"},
		{outputs, c.Outputs, c.Op.Outputs, "_output_hostmem"},
	} {
		for i, t := range side.types {
			t = t.Base()
			if t == tensor.String || t == tensor.Resource || t == tensor.Int32 && kernel == nil {
				side.memory[i] = devices.HostMemory
			}
		}
		at := 0
		for i := range side.args {
			end := min(at+side.args[i].Len(c.Attrs), len(side.memory))
			if kernel != nil && (kernel.Host || slices.Contains(kernel.HostMemory, side.args[i].Name)) {
				for ; at < end; at++ {
					side.memory[at] = devices.HostMemory
				}
			}
			at = end
		}
		if v := c.Attrs.Find(side.attr); v != nil {
			for _, index := range v.List {
				if index.I >= 0 && index.I < int64(len(side.memory)) {
					side.memory[index.I] = devices.HostMemory
				}
			}
		}
	}
	return inputs, outputs
}
