package accelerators

import (
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/session"
)

// TestSessionLimits: what does not fit into an accelerator's memory, or of which the host has
// no room for copies, fails with RESOURCE_EXHAUSTED, the node and the device; a step that fits
// runs afterwards.
func TestSessionLimits(t *testing.T) {
	kinds := []string{"EMULATED"}
	if there(t, opencl.Type) {
		kinds = append(kinds, "OPENCL")
	}
	if there(t, "GPU") {
		kinds = append(kinds, "GPU")
	}
	for _, kind := range kinds {
		for name, o := range map[string]session.SessionOptions{
			"device": {DeviceMemoryLimit: 64 << 10},
			"host":   {MemoryLimit: 400 << 10},
		} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				g := parsed(t, strings.ReplaceAll(`
x = Placeholder() @/cpu:0 {dtype=DT_FLOAT}
y = Neg(x) @/device:KIND:0 {T=DT_FLOAT}
z = Relu(y) @/device:KIND:0 {T=DT_FLOAT}
`, "KIND", kind))
				o.Devices = map[string]int{kind: 1}
				s, err := session.NewSession(g, &o)
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				run := func(n int64) error {
					_, err := s.Run(map[session.Output]*session.Tensor{g.Operation("x").Output(0): ramp(n, 256)}, []session.Output{g.Operation("z").Output(0)}, nil)
					return err
				}
				for range 3 {
					if err := run(16); err != nil {
						t.Fatal(err)
					}
					err := run(1024) // 1 MiB
					if session.CodeOf(err) != session.ResourceExhausted || !strings.Contains(err.Error(), "/device:"+kind+":0") || !strings.Contains(err.Error(), `node "`) {
						t.Fatalf("%v", err)
					}
				}
				if err := run(16); err != nil {
					t.Error(err)
				}
			})
		}
	}
}
