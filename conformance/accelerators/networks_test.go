package accelerators

import (
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices/opencl"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorfile"
)

var networks = flag.String("networks", "", "a folder of SavedModels, each with its input in x.npy, that TestNetworks runs; benchmarks/networks.py makes one")

// TestNetworks runs exported networks on an accelerator, as the CPU answers, and says which
// of their nodes stay with the host.
func TestNetworks(t *testing.T) {
	if *networks == "" {
		t.Skip("no -networks are given")
	}
	if *caseKind == "OPENCL" {
		opened(t, opencl.Open) // or skip the test
	}
	folders, err := filepath.Glob(filepath.Join(*networks, "*", "x.npy"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no networks in %s: %v", *networks, err)
	}
	for _, path := range folders {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			x, err := tensorfile.Read(path, 1<<30)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := asked(t, dir, "CPU", x)
			got, placed := asked(t, dir, *caseKind, x)
			for i := range want {
				if err := tensor.Compare(got[i], want[i], tensor.Tolerance{ATol: 1e-3, RTol: 1e-3}); err != nil {
					t.Errorf("output %d: %v", i, err)
				}
			}
			counts, on := map[string]int{}, 0
			for line := range strings.Lines(placed) {
				_, rest, _ := strings.Cut(line, ": (")
				op, device, _ := strings.Cut(strings.TrimSpace(rest), "): ")
				if strings.Contains(device, "CPU") {
					counts[op]++
				} else {
					on++
				}
			}
			var host []string
			for _, op := range slices.Sorted(maps.Keys(counts)) {
				host = append(host, fmt.Sprintf("%d %s", counts[op], op))
			}
			t.Logf("%d nodes on the device; with the host: %s", on, strings.Join(host, ", "))
		})
	}
}

// asked returns what the signature of a SavedModel answers on a device of a type, and where its
// nodes were.
func asked(t *testing.T, dir, kind string, x *tensor.Tensor) ([]*tensor.Tensor, string) {
	t.Helper()
	m, err := model.Load(dir, []string{"serve"}, &session.SessionOptions{Devices: map[string]int{kind: 1}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Session.Close()
	sig := m.Signatures["serving_default"]
	var feeds, fetches []session.Output
	for _, in := range sig.Inputs {
		o, err := m.Graph.Find(in.Name)
		if err != nil {
			t.Fatal(err)
		}
		feeds = append(feeds, o)
	}
	for _, name := range slices.Sorted(maps.Keys(sig.Outputs)) {
		o, err := m.Graph.Find(sig.Outputs[name].Name)
		if err != nil {
			t.Fatal(err)
		}
		fetches = append(fetches, o)
	}
	call, err := m.Session.MakeCallable(feeds, fetches, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := call.Call(t.Context(), x)
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	placed, err := call.Placement(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got, placed
}
