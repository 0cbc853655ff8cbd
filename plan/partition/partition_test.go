package partition_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/graphtest"
	_ "github.com/troupe-go/troupe/ops/array"
	_ "github.com/troupe-go/troupe/ops/control"
	_ "github.com/troupe-go/troupe/ops/math"
	_ "github.com/troupe-go/troupe/ops/state"
	_ "github.com/troupe-go/troupe/ops/transport"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/plan/partition"
	"github.com/troupe-go/troupe/plan/placement"
	"github.com/troupe-go/troupe/tensor"
)

// TestPartition runs testdata: graphs in text form, and the pieces that are made of
// them. Arguments are feed=(x:0,…) fetch=(y:0,…), bfloat16, as which floats
// cross, late, for receives on CPU:1, and waits, for programs that may wait.
func TestPartition(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			g := graphtest.Parse(t, d.Input)
			var lists [2][]graph.Output
			for i, key := range []string{"feed", "fetch"} {
				for _, arg := range d.CmdArgs {
					for _, name := range arg.Vals {
						if arg.Key != key {
							continue
						}
						o, err := g.Find(name)
						if err != nil {
							d.Fatalf(t, "%v", err)
						}
						lists[i] = append(lists[i], o)
					}
				}
			}
			all := graphtest.CPUs(2)
			placed, err := placement.Place(t.Context(), g.Nodes(), placement.Options{Devices: all})
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			var o partition.Options
			if d.HasArg("bfloat16") {
				o.Cast = func(from graph.Output, _, _ int) tensor.DType {
					if from.DataType().Base() == tensor.Float {
						return tensor.Bfloat16
					}
					return tensor.Invalid
				}
			}
			if d.HasArg("late") {
				o.Late = func(device int) bool { return device == 1 }
			}
			need, err := g.Subgraph(lists[0], lists[1], nil)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			p := &plan.Program{Graph: g, Nodes: need, Feeds: lists[0], Fetches: lists[1], Devices: all, Placement: placed, Waits: d.HasArg("waits")}
			if err := partition.Split(t.Context(), p, o); err != nil {
				return err.Error() + "\n"
			}
			apart, err := partition.Graphs(t.Context(), p)
			if err != nil {
				return err.Error() + "\n"
			}
			var b strings.Builder
			for _, p := range apart {
				fmt.Fprintf(&b, "%s\n", short(p.Device))
				var lines []string
				for _, n := range p.Nodes {
					lines = append(lines, "  "+line(n))
				}
				slices.Sort(lines)
				b.WriteString(strings.Join(lines, "\n") + "\n")
				if len(p.Fetches) > 0 {
					fmt.Fprintf(&b, "  fetches %v\n", p.Fetches)
				}
			}
			return b.String()
		})
	})
}

func short(device string) string { return device[strings.LastIndex(device, "CPU"):] }

// line returns a node with its inputs; of a transfer also what it is known by.
func line(n *graph.Node) string {
	var in []string
	for _, o := range n.Inputs() {
		in = append(in, o.String())
	}
	for _, c := range n.Controls() {
		in = append(in, "^"+c.Name())
	}
	s := fmt.Sprintf("%s = %s(%s)", n.Name(), n.Type(), strings.Join(in, ", "))
	switch n.Class() {
	case graph.ClassSend:
		s += " to " + short(n.Attrs().Find("recv_device").S) + " " + n.Attrs().Find("tensor_name").S
	case graph.ClassRecv:
		s += " from " + short(n.Attrs().Find("send_device").S) + " " + n.Attrs().Find("tensor_name").S
	}
	return s
}

// Splitting stays linear in the number of edges that cross.
func TestPartitionIsLinear(t *testing.T) {
	added := func(n int) int {
		g := graph.New()
		b := graph.NewBuilder(g)
		last := b.On("/cpu:0").Const(make([]float32, 32))
		for i := range n {
			last = b.On(fmt.Sprintf("/cpu:%d", i%2)).Op("Neg", nil, last)
		}
		if err := b.Err(); err != nil {
			t.Fatal(err)
		}
		all := graphtest.CPUs(2)
		placed, err := placement.Place(t.Context(), g.Nodes(), placement.Options{Devices: all})
		if err != nil {
			t.Fatal(err)
		}
		p := &plan.Program{Graph: g, Nodes: g.Nodes(), Fetches: []graph.Output{last}, Devices: all, Placement: placed}
		if err := partition.Split(t.Context(), p, partition.Options{}); err != nil {
			t.Fatal(err)
		}
		if len(p.Split.Transfers) != n {
			t.Errorf("%d transfers of a chain of %d", len(p.Split.Transfers), n)
		}
		return len(p.Nodes)
	}
	if few, many := added(100), added(4000); many > few*41 {
		t.Errorf("%d nodes of a chain of 100, %d of one of 4000", few, many)
	}
}

// So does splitting at a node that thousands on another device read, wait for, and that
// waits for thousands.
func TestPartitionFan(t *testing.T) {
	const n = 5000
	g := graph.New()
	b := graph.NewBuilder(g)
	x := b.On("/cpu:0").Const(make([]float32, 32))
	var all []*graph.Node
	for range n {
		all = append(all, b.On("/cpu:1").After(x.Op).Add(graph.OpSpec{Type: "Neg", Input: []graph.Input{x}}))
	}
	end := b.On("/cpu:0").After(all...).Add(graph.OpSpec{Type: "NoOp"})
	if err := b.Err(); err != nil {
		t.Fatal(err)
	}
	placed, err := placement.Place(t.Context(), g.Nodes(), placement.Options{Devices: graphtest.CPUs(2)})
	if err != nil {
		t.Fatal(err)
	}
	p := &plan.Program{Graph: g, Nodes: g.Nodes(), Targets: []*graph.Node{end}, Devices: graphtest.CPUs(2), Placement: placed}
	if err := partition.Split(t.Context(), p, partition.Options{}); err != nil {
		t.Fatal(err)
	}
	if got, want := len(p.Split.Transfers), n+2; got != want {
		t.Errorf("%d transfers, want %d", got, want)
	}
	if got := len(p.Targets[0].Controls()); got != n {
		t.Errorf("the end waits for %d, want %d", got, n)
	}
}
