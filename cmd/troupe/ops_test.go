package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph/gradient"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/tensor"
)

// Operations of the tests' own, which do not change as others gain kernels.
func init() {
	registry.Define("ExampleScale").
		Input("x: T").Input("by: S").Output("y: T").
		Attr("T: {half, float, double, int32}").Attr("S: {float, double} = DT_FLOAT").Attr("wrap: bool = false").
		Doc("Multiplies a tensor.\n\nby: the factor, a scalar")
	registry.Define("ExampleBare").Input("x: T").Output("y: T").Attr("T: type").Doc("Has a definition only.")
	kernelOf := func(device string, t, s tensor.DType) {
		kernel.Register(kernel.Registration{
			Op: "ExampleScale", Device: device,
			Types: map[string][]tensor.DType{"T": {t}, "S": {s}},
			New: func(*kernel.Construction) (kernel.Kernel, error) {
				return kernel.Func(func(*kernel.Context, []tensor.Value, []tensor.Value) error { return nil }), nil
			},
		})
	}
	for _, s := range []tensor.DType{tensor.Double, tensor.Float} {
		kernelOf("CPU", tensor.Double, s)
		kernelOf("CPU", tensor.Float, s)
	}
	kernelOf("GPU", tensor.Half, tensor.Float)
	shape.Register(shape.Unchanged, "ExampleScale")
	gradient.Register(func(*gradient.Context) {}, "ExampleScale")
}

func TestOpsList(t *testing.T) {
	lines := strings.Split(command(t, "ops"), "\n")
	if got, want := len(lines)-1, len(registry.Global.Defs(false)); got != want {
		t.Errorf("%d lines for %d operations", got, want)
	}
	for _, want := range []string{"ksg ExampleScale Multiplies a tensor.", "--- ExampleBare Has a definition only."} {
		found := false
		for _, line := range lines {
			found = found || strings.Join(strings.Fields(line), " ") == want
		}
		if !found {
			t.Errorf("no line %q", want)
		}
	}
}

func TestOpsFormats(t *testing.T) {
	var list []map[string]any
	if err := json.Unmarshal([]byte(command(t, "ops", "--format", "json")), &list); err != nil {
		t.Fatal(err)
	}
	if want := len(registry.Global.Defs(false)); len(list) != want {
		t.Errorf("json lists %d operations, want %d", len(list), want)
	}
	for _, args := range [][]string{{"ops", "--format", "pb"}, {"ops", "--format", "pb", "MatMul"}} {
		defs, err := registry.UnmarshalOpList([]byte(command(t, args...)))
		if err != nil {
			t.Fatal(err)
		}
		for _, def := range defs {
			known, err := registry.Global.Lookup(def.Name)
			if err != nil || def.String() != known.String() {
				t.Errorf("%v: %v, want %v", args, def, known)
			}
		}
		if want := map[bool]int{true: 1, false: len(list)}[len(args) == 4]; len(defs) != want {
			t.Errorf("%v: %d operations, want %d", args, len(defs), want)
		}
	}
}

// Kernels are listed once for each registration, as TensorFlow lists its own.
func TestOpsKernelList(t *testing.T) {
	list := []byte(command(t, "ops", "--format", "kernels"))
	for _, def := range registry.Global.Defs(false) {
		for _, r := range kernel.Registered(def.Name) {
			one, err := kernel.MarshalKernelList([]*kernel.Registration{r})
			if err != nil {
				t.Fatal(err)
			}
			rest, ok := bytes.CutPrefix(list, one)
			if !ok {
				t.Fatalf("%s: not %v", def.Name, r)
			}
			list = rest
		}
	}
	if len(list) > 0 {
		t.Errorf("%d bytes more", len(list))
	}
}

func TestOpsPlayedByTheExecutor(t *testing.T) {
	for _, op := range []string{"Switch", "Merge", "Const", "NoOp"} {
		if got := command(t, "ops", op); !strings.Contains(got, "\n  kernels: none needed") {
			t.Errorf("%s: %s", op, got)
		}
	}
}
