package kernel_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A named kernel can be told from others.
type named string

func (named) Run(*kernel.Context, []tensor.Value, []tensor.Value) error { return nil }

func makes(name string) kernel.Factory {
	return func(*kernel.Construction) (kernel.Kernel, error) { return named(name), nil }
}

func types(attr string, list ...tensor.DType) map[string][]tensor.DType {
	return map[string][]tensor.DType{attr: list}
}

func init() {
	registry.Define("FindTyped").Input("a: Ti").Input("b: Ti").Output("o: To").Attr("Ti: type").Attr("To: type")
	kernel.Register(kernel.Registration{
		Op: "FindTyped", New: makes("int8 on CPU"), HostMemory: []string{"a", "b"},
		Types: map[string][]tensor.DType{"Ti": {tensor.Int8}, "To": {tensor.Int8}},
	})
	kernel.Register(kernel.Registration{
		Op: "FindTyped", Device: "GPU", New: makes("float on GPU"), HostMemory: []string{"a", "b"},
		Types: map[string][]tensor.DType{"Ti": {tensor.Float}, "To": {tensor.Float}},
	})

	registry.Define("FindList").Attr("T: list(type)")
	kernel.Register(kernel.Registration{Op: "FindList", Types: types("T", tensor.Bool), New: makes("bools")})

	registry.Define("FindLabel").Input("x: float")
	kernel.ForAll(makes("plain"), "FindLabel")
	kernel.Register(kernel.Registration{Op: "FindLabel", Label: "one", New: makes("one")})

	registry.Define("FindPriority").Input("x: T").Attr("T: type")
	kernel.Register(kernel.Registration{Op: "FindPriority", Priority: 1, Types: types("T", tensor.Float), New: makes("quick")})
	kernel.ForAll(makes("general"), "FindPriority")
	kernel.Register(kernel.Registration{Op: "FindPriority", Device: "GPU", Priority: 1, New: makes("GPU")})
	kernel.Register(kernel.Registration{Op: "FindPriority", Device: "NPU", Types: types("T", tensor.Float), New: makes("NPU")})

	registry.Define("FindNone").Input("x: float")

	// Rint is an operation that TensorFlow has for float and double only.
	registry.Define("Rint").Input("x: T").Output("y: T").Attr("T: {bfloat16, half, float, double}")
	kernel.ForType("Rint", "T", tensor.Float, makes("float"))
}

// node returns a node of operation op as a factory would see it.
func node(t testing.TB, op, attrs string, inputs ...tensor.DType) *kernel.Construction {
	t.Helper()
	def, err := registry.Global.Lookup(op)
	if err != nil {
		t.Fatal(err)
	}
	given, err := registry.ParseAttrs(attrs)
	if err != nil {
		t.Fatal(err)
	}
	r, err := registry.InferFlat(def, given, inputs)
	if err != nil {
		t.Fatal(err)
	}
	return &kernel.Construction{Node: "n", Op: def, Attrs: r.Attrs, Inputs: r.Inputs, Outputs: r.Outputs}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		device, op, attrs string
		inputs            []tensor.DType
		want              string // a kernel, or the error
	}{
		{"CPU", "FindTyped", "To=DT_INT8", []tensor.DType{tensor.Int8, tensor.Int8}, "int8 on CPU"},
		{"GPU", "FindTyped", "To=DT_FLOAT", []tensor.DType{tensor.Float, tensor.Float}, "float on GPU"},
		{"CPU", "FindTyped", "To=DT_FLOAT", []tensor.DType{tensor.Float, tensor.Float}, `UNIMPLEMENTED: No OpKernel was registered to support Op 'FindTyped' used by {{node n}} with these attrs: [Ti=DT_FLOAT, To=DT_FLOAT]; TensorFlow has kernels for these types
Registered devices: [CPU]
Registered kernels:
  device='CPU'; Ti in [DT_INT8]; To in [DT_INT8]
  device='GPU'; Ti in [DT_FLOAT]; To in [DT_FLOAT]`},
		{"GPU", "FindTyped", "To=DT_INT8", []tensor.DType{tensor.Float, tensor.Float}, `INVALID_ARGUMENT: No OpKernel was registered to support Op 'FindTyped' used by {{node n}} with these attrs: [Ti=DT_FLOAT, To=DT_INT8]
Registered devices: [GPU]
Registered kernels:
  device='CPU'; Ti in [DT_INT8]; To in [DT_INT8]
  device='GPU'; Ti in [DT_FLOAT]; To in [DT_FLOAT]`},
		{"CPU", "FindList", "T=[DT_BOOL, DT_BOOL]", nil, "bools"},
		{"CPU", "FindList", "T=list(type) []", nil, "bools"},
		{"CPU", "FindList", "T=[DT_BOOL, DT_FLOAT]", nil, `UNIMPLEMENTED: No OpKernel was registered to support Op 'FindList' used by {{node n}} with these attrs: [T=[DT_BOOL, DT_FLOAT]]; TensorFlow has kernels for these types
Registered devices: [CPU]
Registered kernels:
  device='CPU'; T in [DT_BOOL]`},
		{"CPU", "FindLabel", "", []tensor.DType{tensor.Float}, "plain"},
		{"CPU", "FindLabel", "_kernel='one'", []tensor.DType{tensor.Float}, "one"},
		{"CPU", "FindLabel", "_kernel='two', _x=1", []tensor.DType{tensor.Float}, `INVALID_ARGUMENT: No OpKernel was registered to support Op 'FindLabel' used by {{node n}} with these attrs: [_kernel="two"]
Registered devices: [CPU]
Registered kernels:
  device='CPU'
  device='CPU'; label='one'`},
		{"CPU", "FindPriority", "", []tensor.DType{tensor.Float}, "quick"},
		{"CPU", "FindPriority", "", []tensor.DType{tensor.Int32}, "general"},
		{"CPU", "FindNone", "", []tensor.DType{tensor.Float}, "UNIMPLEMENTED: operation FindNone is known but has no kernel yet"},
		{"CPU", "Rint", "", []tensor.DType{tensor.Double}, `UNIMPLEMENTED: No OpKernel was registered to support Op 'Rint' used by {{node n}} with these attrs: [T=DT_DOUBLE]; TensorFlow has kernels for these types
Registered devices: [CPU]
Registered kernels:
  device='CPU'; T in [DT_FLOAT]`},
		{"CPU", "Rint", "", []tensor.DType{tensor.Half}, `INVALID_ARGUMENT: No OpKernel was registered to support Op 'Rint' used by {{node n}} with these attrs: [T=DT_HALF]
Registered devices: [CPU]
Registered kernels:
  device='CPU'; T in [DT_FLOAT]`},
	} {
		k, err := kernel.Make(c.device, node(t, c.op, c.attrs, c.inputs...))
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = string(k.(named))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %v on %s (-want +got):\n%s", c.op, c.inputs, c.device, diff)
		}
	}
}

// A list of types of any length does not fill the message.
func TestFindErrorIsBounded(t *testing.T) {
	list := strings.Repeat("DT_FLOAT, ", 1<<14)
	_, err := kernel.Find("CPU", node(t, "FindList", "T=["+list+"]"))
	if status.CodeOf(err) != status.Unimplemented || len(err.Error()) > 1000 {
		t.Errorf("%.200v", err)
	}
}

func TestSupported(t *testing.T) {
	all := []string{"CPU", "GPU", "NPU"}
	for _, c := range []struct {
		op, attrs string
		inputs    []tensor.DType
		want      []string
	}{
		{"FindTyped", "To=DT_INT8", []tensor.DType{tensor.Int8, tensor.Int8}, []string{"CPU"}},
		{"FindTyped", "To=DT_INT8", []tensor.DType{tensor.Float, tensor.Float}, []string{}},
		{"FindPriority", "", []tensor.DType{tensor.Float}, []string{"CPU", "GPU", "NPU"}},
		{"FindPriority", "", []tensor.DType{tensor.Int32}, []string{"GPU", "CPU"}},
		{"FindLabel", "_kernel='one'", []tensor.DType{tensor.Float}, []string{"CPU"}},
		{"FindNone", "", []tensor.DType{tensor.Float}, all},
	} {
		if got := kernel.Supported(all, node(t, c.op, c.attrs, c.inputs...)); !slices.Equal(got, c.want) {
			t.Errorf("%s %v: %v, want %v", c.op, c.inputs, got, c.want)
		}
	}
}

func TestTensorFlowTypes(t *testing.T) {
	if got, limited := kernel.TensorFlowTypes("Rint", "T"); !limited || !slices.Equal(got, []tensor.DType{tensor.Float, tensor.Double}) {
		t.Errorf("Rint: %v, %v", got, limited)
	}
	for _, c := range [][2]string{{"MatMul", "transpose_a"}, {"Identity", "T"}, {"Nothing", "T"}} {
		if got, limited := kernel.TensorFlowTypes(c[0], c[1]); limited {
			t.Errorf("%v: %v", c, got)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	for _, c := range []struct {
		op     string
		inputs []tensor.DType
	}{
		{"FindTyped", []tensor.DType{tensor.Int8, tensor.Int8}},
		{"FindPriority", []tensor.DType{tensor.Float}},
	} {
		b.Run(c.op, func(b *testing.B) {
			attrs := ""
			if c.op == "FindTyped" {
				attrs = "To=DT_INT8"
			}
			n := node(b, c.op, attrs, c.inputs...)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := kernel.Find("CPU", n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
