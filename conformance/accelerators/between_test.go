package accelerators

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/session"
)

// tossed is a graph whose values go to and fro between two accelerators: z is
// (x*x - x) * -x.
const tossed = `
x = Placeholder() @/cpu:0 {dtype=DT_FLOAT}
a = Neg(x) @/device:FIRST {T=DT_FLOAT}
b = Square(a) @/device:SECOND {T=DT_FLOAT}
c = AddV2(b, a) @/device:SECOND {T=DT_FLOAT}
z = Mul(c, a) @/device:FIRST {T=DT_FLOAT}
`

// Values go from one accelerator to another without the host: one copy for all that want
// it there, counted and drawn, whose memory is given back when the step ends.
func TestSessionBetween(t *testing.T) {
	for _, engine := range []string{"actors", "tokens", "sequential", "seeded:3", "messages", "messages:5"} {
		for _, apart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,apart=%v", engine, apart), func(t *testing.T) {
				toss(t, session.SessionOptions{Engine: engine, SeparateSteps: apart, Devices: map[string]int{"EMULATED": 2}}, "EMULATED:0", "EMULATED:1", true)
			})
		}
	}
}

// The same between two OpenCL devices of one platform, which a process of its own has.
func TestSessionBetweenOpenCL(t *testing.T) {
	withDevices(t, func() {
		toss(t, session.SessionOptions{Devices: map[string]int{"OPENCL": 2}}, "OPENCL:0", "OPENCL:1", true)
	})
}

// Between devices of two drivers the host is.
func TestSessionBetweenDrivers(t *testing.T) {
	opened(t, opencl.Open) // or skip the test
	toss(t, session.SessionOptions{Devices: map[string]int{"OPENCL": 1, "EMULATED": 1}}, "OPENCL:0", "EMULATED:0", false)
}

// withDevices runs the test's body in a process in which PoCL has two devices.
func withDevices(t *testing.T, body func()) {
	const variable = "TROUPE_OPENCL_SEVERAL"
	if os.Getenv(variable) != "" {
		if all, err := opencl.Devices(); err != nil || len(all) < 2 {
			t.Skipf("NOT CHECKED: there are no two devices: %v, %v", all, err)
		}
		body()
		return
	}
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	c.Env = append(os.Environ(), variable+"=1", "POCL_DEVICES=basic basic")
	said, err := c.CombinedOutput()
	if err == nil && strings.Contains(string(said), "NOT CHECKED") {
		t.Skipf("%s", said)
	}
	if err != nil || !strings.Contains(string(said), "--- PASS: "+t.Name()) {
		t.Errorf("%v: %s", err, said)
	}
}

// toss runs the graph on two devices, whose drivers reach each other, or not.
func toss(t *testing.T, o session.SessionOptions, first, second string, reach bool) {
	g := parsed(t, strings.NewReplacer("FIRST", first, "SECOND", second).Replace(tossed))
	s, err := session.NewSession(g, &o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const rows, columns = 30, 40
	x := ramp(rows, columns)
	want := slices.Clone(floats(x))
	for i, x := range want {
		want[i] = (x*x - x) * -x
	}
	out := func(name string) session.Output { return g.Operation(name).Output(0) }
	for step := range 5 {
		var m session.RunMetadata
		got, err := s.RunWithOptions(t.Context(), session.RunOptions{Metadata: &m, Profile: true}, map[session.Output]*session.Tensor{out("x"): x}, []session.Output{out("z")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, z := range floats(got[0]) {
			if d := z - want[i]; d > 1e-5 || d < -1e-5 {
				t.Fatalf("step %d: element %d is %g, want %g", step, i, z, want[i])
			}
		}
		const size = 4 * rows * columns
		works := map[string]int{}
		for _, w := range m.Stats.Works {
			if w.Stream == "compute" {
				continue
			}
			if w.Bytes != size {
				t.Errorf("%s of %d bytes", w.Name, w.Bytes)
			}
			_, at, _ := strings.Cut(w.Device, "device:")
			works[at+" "+w.Stream+": "+w.Name]++
		}
		expected := map[string]int{first + " host-to-device: write": 1, first + " device-to-host: read": 1}
		if reach {
			expected[second+" device-to-device: copy from "+first]++
			expected[first+" device-to-device: copy from "+second]++
		} else {
			for _, at := range []string{first, second} {
				expected[at+" host-to-device: write"]++
				expected[at+" device-to-host: read"]++
			}
		}
		if fmt.Sprint(works) != fmt.Sprint(expected) {
			t.Errorf("step %d: works %v, want %v", step, works, expected)
		}
		edges := map[string]int64{}
		for _, e := range m.Transfers {
			_, to, _ := strings.Cut(e.To, "device:")
			edges[e.Tensor+" to "+to] += e.Bytes
		}
		if want := map[string]int64{"x:0 to " + first: size, "a:0 to " + second: size, "c:0 to " + first: size, "z:0 to CPU:0": size}; fmt.Sprint(edges) != fmt.Sprint(want) {
			t.Errorf("step %d: transfers %v, want %v", step, edges, want)
		}
		for _, d := range m.Devices {
			if d.InUse != 0 || d.Peak == 0 {
				t.Errorf("step %d: memory %+v", step, d)
			}
		}
		drawn(t, m.Stats, "two devices")
	}
}
