package placement_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/placement"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
	"github.com/troupe-go/troupe/status"
)

// TestPlacement runs testdata: graphs in text form, and where their nodes are placed.
// Flags are strict, cpus=N and unasked=DEVICE.
func TestPlacement(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			def, err := graph.ParseText(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			g := graph.New()
			if err := g.Import(def, ""); err != nil {
				d.Fatalf(t, "%v", err)
			}
			cpus, unasked := 2, ""
			d.MaybeScanArgs(t, "cpus", &cpus)
			d.MaybeScanArgs(t, "unasked", &unasked)
			o := placement.Options{Strict: d.HasArg("strict")}
			if o.Unasked, err = devices.Parse(unasked); err != nil {
				d.Fatalf(t, "%v", err)
			}
			for i := range cpus {
				spec := devices.Local().Device("CPU", i)
				o.Devices = append(o.Devices, devices.Attributes{Spec: spec, Name: spec.String(), Type: "CPU"})
			}
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
	spec := devices.Local().Device("CPU", 0)
	_, err := placement.Place(ctx, g.Nodes(), placement.Options{Devices: []devices.Attributes{{Spec: spec, Name: spec.String(), Type: "CPU"}}})
	if status.CodeOf(err) != status.Canceled {
		t.Errorf("placed in a context that has ended: %v", err)
	}
}

func ExamplePlace() {
	g := graph.New()
	b := graph.NewBuilder(g)
	one := b.On("/cpu:1").Const(float32(1))
	b.Op("Neg", nil, one)
	var all []devices.Attributes
	for i := range 2 {
		spec := devices.Local().Device("CPU", i)
		all = append(all, devices.Attributes{Spec: spec, Name: spec.String(), Type: "CPU"})
	}
	placed, err := placement.Place(context.Background(), g.Nodes(), placement.Options{Devices: all})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(placed)
	// Output:
	// Const: (Const): /job:localhost/replica:0/task:0/device:CPU:1
	// Neg: (Neg): /job:localhost/replica:0/task:0/device:CPU:0
}
