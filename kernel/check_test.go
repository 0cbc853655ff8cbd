package kernel_test

import (
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// A mistake in a registration is found when a kernel of its operation is first
// looked up, and names the registration.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		op      string
		kernels []kernel.Registration
		want    string
	}{
		{"MistakeAttr", []kernel.Registration{{Types: types("S", tensor.Float)}},
			"INTERNAL: kernel of operation MistakeAttr (device='CPU'; S in [DT_FLOAT]): the operation has no attribute S"},
		{"MistakeKind", []kernel.Registration{{Types: types("n", tensor.Float)}},
			"INTERNAL: kernel of operation MistakeKind (device='CPU'; n in [DT_FLOAT]): attribute n is of kind int, and only types can be asked for"},
		{"MistakeType", []kernel.Registration{{Types: types("T", tensor.Float.Ref())}},
			"INTERNAL: kernel of operation MistakeType (device='CPU'; T in [DT_FLOAT_REF]): attribute T can never be float_ref"},
		{"MistakeArgument", []kernel.Registration{{HostMemory: []string{"y", "z"}}},
			"INTERNAL: kernel of operation MistakeArgument (device='CPU'): host memory is asked for 'z', which is neither an input nor an output"},
		{"MistakeTwice", []kernel.Registration{{Types: types("T", tensor.Float, tensor.Half)}, {Types: types("T", tensor.Double)}, {Types: types("T", tensor.Float)}},
			"INTERNAL: kernel of operation MistakeTwice (device='CPU'; T in [DT_FLOAT]): another of equal priority fits the same nodes: device='CPU'; T in [DT_FLOAT, DT_HALF]"},
		{"MistakeNone", []kernel.Registration{{Types: types("T", tensor.Float)}, {Types: types("T", tensor.Float), Label: "l"}, {Types: types("T", tensor.Float), Priority: 1}, {Device: "GPU"}}, ""},
	} {
		registry.Define(c.op).Input("x: T").Output("y: T").Attr("T: type").Attr("n: int = 1")
		for _, r := range c.kernels {
			r.Op, r.New = c.op, makes("")
			kernel.Register(r)
		}
		got := ""
		if _, err := kernel.Find("CPU", node(t, c.op, "", tensor.Float)); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.op, got, c.want)
		}
	}
	if err := kernel.Validate(registry.Global); err == nil {
		t.Error("Validate finds no mistake")
	}
	empty, err := registry.New()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := kernel.Validate(empty).Error(), "INTERNAL: a kernel is registered for operation "+kernel.Ops()[0]+", which is not defined"; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// A kernel that is registered after its operation's kernels have been looked
// up is found, and checked.
func TestRegisterLate(t *testing.T) {
	registry.Define("Late").Input("x: T").Attr("T: type")
	kernel.ForType("Late", "T", tensor.Float, makes("early"))
	if _, err := kernel.Find("CPU", node(t, "Late", "", tensor.Float)); err != nil {
		t.Fatal(err)
	}
	kernel.ForType("Late", "T", tensor.Half, makes("late"))
	if k, err := kernel.Make("CPU", node(t, "Late", "", tensor.Half)); err != nil || k != named("late") {
		t.Error(k, err)
	}
	kernel.ForAll(makes("later"), "Late")
	if _, err := kernel.Find("CPU", node(t, "Late", "", tensor.Half)); err == nil {
		t.Error("two kernels fit, and nothing is said")
	}
}

func TestRegisterPanics(t *testing.T) {
	for _, r := range []kernel.Registration{{Op: "Late"}, {New: makes("")}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v is taken", &r)
				}
			}()
			kernel.Register(r)
		}()
	}
}
