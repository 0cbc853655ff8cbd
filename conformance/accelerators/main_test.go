package accelerators

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/actors"
	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/cuda"
	"github.com/troupe-go/troupe/devices/opencl"
	_ "github.com/troupe-go/troupe/ops/accelerated"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/status"
)

var every = flag.Bool("every", false, "have drivers that compile code do so for all of it, which takes minutes, in place of one kernel in three; NVRTC for each architecture")

// oneIn returns which kernels drivers are tried on that take long to compile them.
func oneIn() int {
	if *every {
		return 1
	}
	return 3
}

func TestMain(m *testing.M) {
	actors.System()
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// opened puts actors before the first device of a driver, or skips the test where there
// is none.
func opened[D devices.Accelerator](t testing.TB, open func(number int, o devices.Options) (D, error)) *Bench {
	t.Helper()
	d, err := open(0, devices.Options{})
	if code := status.CodeOf(err); code == status.NotFound || code == status.Unimplemented {
		t.Skipf("NOT CHECKED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := Open(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestOpenCL(t *testing.T) {
	if testing.Short() {
		t.Skip("its driver compiles dozens of kernels")
	}
	Check(t, opened(t, opencl.Open), oneIn())
}

// TestCUDA runs where there is a GPU.
func TestCUDA(t *testing.T) { Check(t, opened(t, cuda.Open), 1) }
