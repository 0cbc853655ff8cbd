package accelerators

import (
	"testing"

	"github.com/troupe-go/troupe/devices/cuda"
	"github.com/troupe-go/troupe/devices/cuda/simulated"
	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/status"
)

// simulate puts simulated GPUs in place of the machine's, or skips the test where there
// is no NVRTC. What was done wrongly fails the test.
func simulate(t testing.TB, o simulated.Options) *simulated.Machine {
	t.Helper()
	m, err := simulated.Install(o)
	if code := status.CodeOf(err); code == status.NotFound || code == status.Unimplemented {
		t.Skipf("NOT CHECKED: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		t.Logf("the simulated driver launched %d kernels and copied %d times to the device", m.Calls("cuLaunchKernel"), m.Calls("cuMemcpyHtoDAsync"))
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// gpus has the test run on the machine's GPUs or, where there are none, on simulated ones.
// Where there is no NVRTC either the test is skipped.
func gpus(t testing.TB, n int) {
	t.Helper()
	if all, err := cuda.Devices(); err == nil && len(all) >= n {
		return
	}
	simulate(t, simulated.Options{Devices: n})
}

// there reports whether the machine has a device of a type, if need be a simulated one. What is
// not there is logged.
func there(t testing.TB, kind string) bool {
	t.Helper()
	err := error(nil)
	switch kind {
	case opencl.Type:
		_, err = opencl.Devices()
	case cuda.Type:
		if _, err = cuda.Devices(); err != nil {
			var m *simulated.Machine
			if m, err = simulated.Install(simulated.Options{}); err == nil {
				t.Cleanup(func() {
					if err := m.Close(); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
	if err != nil {
		t.Logf("NOT CHECKED: %v", err)
	}
	return err == nil
}

// TestSimulatedCUDA is TestCUDA on a simulated GPU, which executes what NVRTC compiles; and
// with cuBLAS what has products.
func TestSimulatedCUDA(t *testing.T) {
	if testing.Short() {
		t.Skip("it executes hundreds of kernels")
	}
	t.Run("code", func(t *testing.T) {
		simulate(t, simulated.Options{NoBLAS: true})
		Check(t, opened(t, cuda.Open), 1)
	})
	t.Run("cuBLAS", func(t *testing.T) {
		m := simulate(t, simulated.Options{})
		b := opened(t, cuda.Open)
		for _, group := range groups {
			if group.name == "MatMul" || group.name == "LSTM" {
				for _, c := range group.trials() {
					c.check(t, b)
				}
			}
		}
		if m.Calls("cublasGemmEx") == 0 || m.Calls("cublasGemmStridedBatchedEx") == 0 {
			t.Error("cuBLAS was not called")
		}
	})
}
