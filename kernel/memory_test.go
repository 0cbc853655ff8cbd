package kernel_test

import (
	"slices"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("HostMemoryTest").
		Input("a: float").Input("b: T").Input("c: N * string").Input("d: Tlist").
		Output("o: N * T").Output("p: Tlist").
		Attr("T: type").Attr("N: int").Attr("Tlist: list(type)")
	kernel.ForAll(makes("CPU"), "HostMemoryTest")
	kernel.Register(kernel.Registration{
		Op: "HostMemoryTest", Device: "GPU", New: makes("GPU"),
		HostMemory: []string{"a", "c", "d", "o"},
	})
}

// The cases are those of TensorFlow's own test of memory types.
func TestMemory(t *testing.T) {
	const attrs = "T=DT_BOOL, N=3, Tlist=[DT_INT32, DT_FLOAT, DT_INT32]"
	inputs := []tensor.DType{
		tensor.Float, tensor.Bool, tensor.String, tensor.String, tensor.String,
		tensor.Int32, tensor.Float, tensor.Int32,
	}
	const d, h = devices.DeviceMemory, devices.HostMemory
	for _, c := range []struct {
		name, device, attrs string
		in, out             []devices.Memory
	}{
		{"strings alone", "CPU", attrs, []devices.Memory{d, d, h, h, h, d, d, d}, []devices.Memory{d, d, d, d, d, d}},
		{"by argument", "GPU", attrs, []devices.Memory{h, d, h, h, h, h, h, h}, []devices.Memory{h, h, h, d, d, d}},
		{"without a kernel", "NPU", attrs, []devices.Memory{d, d, h, h, h, h, d, h}, []devices.Memory{d, d, d, h, d, h}},
		{"by index", "CPU", attrs + ", _input_hostmem=[1, -1, 99], _output_hostmem=[5]",
			[]devices.Memory{d, h, h, h, h, d, d, d}, []devices.Memory{d, d, d, d, d, h}},
	} {
		in, out := kernel.Memory(c.device, node(t, "HostMemoryTest", c.attrs, inputs...))
		if !slices.Equal(in, c.in) || !slices.Equal(out, c.out) {
			t.Errorf("%s: %v -> %v, want %v -> %v", c.name, in, out, c.in, c.out)
		}
	}
}
