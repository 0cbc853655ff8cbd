package placement_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/graphtest"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/plan/placement"
	"github.com/troupe-go/troupe/status"
)

// TestPlacement runs testdata: graphs in text form, and where their nodes are placed.
// Flags are strict, cpus=N and unasked=DEVICE.
func TestPlacement(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			g := graphtest.Parse(t, d.Input)
			cpus, unasked := 2, ""
			d.MaybeScanArgs(t, "cpus", &cpus)
			d.MaybeScanArgs(t, "unasked", &unasked)
			ask, err := devices.Parse(unasked)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			o := placement.Options{Devices: graphtest.CPUs(cpus), Unasked: ask, Strict: d.HasArg("strict")}
			p, err := placement.Place(t.Context(), g.Nodes(), o)
			if err != nil {
				return err.Error() + "\n"
			}
			return strings.ReplaceAll(p.String(), "/job:localhost/replica:0/task:0/device:", "")
		})
	})
}

// Who has been told to stop does not place a large graph to its end.
func TestPlacementCancelled(t *testing.T) {
	g := graph.New()
	b := graph.NewBuilder(g)
	for range 20000 {
		b.Add(graph.OpSpec{Type: "NoOp"})
	}
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := placement.Place(ctx, g.Nodes(), placement.Options{Devices: graphtest.CPUs(1)})
	if status.CodeOf(err) != status.Canceled {
		t.Errorf("placed in a context that has ended: %v", err)
	}
}

func ExamplePlace() {
	g := graph.New()
	b := graph.NewBuilder(g)
	one := b.On("/cpu:1").Const(float32(1))
	b.Op("Neg", nil, one)
	var both []devices.Attributes
	for i := range 2 {
		both = append(both, devices.Options{}.Describe("CPU", i, ""))
	}
	placed, err := placement.Place(context.Background(), g.Nodes(), placement.Options{Devices: both})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(placed)
	// Output:
	// Const: (Const): /job:localhost/replica:0/task:0/device:CPU:1
	// Neg: (Neg): /job:localhost/replica:0/task:0/device:CPU:0
}
