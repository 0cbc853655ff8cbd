package placement

import (
	"context"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/status"
)

// Options says where nodes may be placed.
type Options struct {
	Devices []devices.Attributes // at least one
	// Strict makes a device that is not there, and a colocation group that disagrees, an
	// error; otherwise placement is soft.
	Strict bool
	// Cluster says that devices belong to processes of a cluster: a node that asks for a
	// process that is not there is an error, also where placement is soft.
	Cluster bool
	// Unasked is what nodes ask for that ask for nothing; the zero Spec: nothing.
	Unasked devices.Spec
	// Pinned are the places in Devices of nodes, by name, that another program has placed:
	// what they hold is there.
	Pinned map[string]int
}

// Pass returns the pass that places the nodes of a program on its devices, where there are
// several or a device that is not there is to be an error. The zero Options.Devices are
// the program's.
func Pass(o Options) plan.Pass {
	return plan.Pass{
		Name: "place",
		When: func(p *plan.Program) bool { return len(p.Devices) > 1 || o.Strict || o.Cluster },
		Run: func(ctx context.Context, p *plan.Program) (err error) {
			o.Devices = p.Devices
			p.Placement, err = Place(ctx, p.Nodes, o)
			return err
		},
	}
}

// Place places nodes of one graph, which come by id. It takes time linear in their
// number and that of their edges, and fails soon after ctx has ended.
func Place(ctx context.Context, nodes []*graph.Node, o Options) (*plan.Placement, error) {
	w := &placer{Options: o, watch: status.NewWatch(ctx), types: typesOf(o.Devices)}
	p := plan.NewPlacement(o.Devices, nodes)
	size := 0
	for _, n := range nodes {
		size = max(size, n.ID()+1)
	}
	w.groups, w.readers = make([]*group, size), make([][]*graph.Node, size)
	if err := w.request(nodes); err != nil {
		return nil, err
	}
	if err := w.colocate(nodes); err != nil {
		return nil, err
	}
	w.pin(nodes)
	var followers []*graph.Node
	for _, n := range nodes {
		if err := w.watch.Step(); err != nil {
			return nil, err
		}
		if w.follows(n) {
			followers = append(followers, n)
			continue
		}
		d, err := w.choose(n)
		if err != nil {
			return nil, err
		}
		p.Put(n, d)
	}
	for _, n := range followers {
		d, err := w.near(n, p)
		if err != nil {
			return nil, err
		}
		p.Put(n, d)
	}
	return p, nil
}

// A placer is what is known while nodes are placed.
type placer struct {
	Options
	watch   *status.Watch
	types   []string // of the devices, the preferred first
	groups  []*group // by id
	readers [][]*graph.Node
}

// typesOf returns the types of devices: CPUs last.
func typesOf(all []devices.Attributes) []string {
	var types []string
	for _, d := range all {
		if d.Type != "CPU" && !slices.Contains(types, d.Type) {
			types = append(types, d.Type)
		}
	}
	return append(types, "CPU")
}

// choose returns the device of a node's group.
func (w *placer) choose(n *graph.Node) (int, error) {
	g := w.groups[n.ID()].root()
	if g.chosen >= 0 {
		return g.chosen, nil
	}
	found := w.best(g, g.asks)
	if found < 0 && w.Strict {
		return 0, w.unavailable(n)
	}
	if found < 0 {
		least := devices.Spec{}
		if w.Cluster {
			least = g.asks.Process()
		}
		found = w.best(g, least)
	}
	if found < 0 {
		return 0, w.unavailable(n)
	}
	g.chosen = found
	return found, nil
}

// best returns the first device that a group may be on and that a spec asks for; -1 if there
// is none.
func (w *placer) best(g *group, asks devices.Spec) int {
	for _, t := range w.types {
		if g.types != nil && !slices.Contains(g.types, t) {
			continue
		}
		for i, d := range w.Devices {
			if d.Type == t && asks.Matches(d.Spec) {
				return i
			}
		}
	}
	return -1
}

// unavailable returns the error for a node that no device is there for.
func (w *placer) unavailable(n *graph.Node) error {
	var there []string
	for _, d := range w.Devices {
		there = append(there, d.Name)
	}
	asked := n.Device()
	if asked == "" {
		asked = w.groups[n.ID()].root().asks.String()
	}
	return &status.Error{Code: status.InvalidArgument, Node: n.Name(), Op: n.Type(), Message: "Cannot assign a device for operation " + n.Name() +
		": {{node " + n.Name() + "}} was explicitly assigned to " + asked + " but available devices are [ " + strings.Join(there, ", ") +
		" ]. Make sure the device specification refers to a valid device."}
}

// supported returns the types that have kernels for a node; nil where all have, or none.
func (w *placer) supported(n *graph.Node) []string {
	if len(w.types) == 1 {
		return nil
	}
	c := &kernel.Construction{
		Node: n.Name(), Op: n.Def(), Attrs: n.Attrs(), Inputs: n.InputTypes(), Outputs: n.OutputTypes(),
	}
	found := kernel.Supported(w.types, c)
	if n.Class() == graph.ClassOther && slices.Contains(found, "CPU") {
		found = slices.DeleteFunc(found, func(t string) bool { // what it cannot do with such attributes
			if t == "CPU" {
				return false
			}
			_, err := kernel.Make(t, c)
			return status.CodeOf(err) == status.Unimplemented
		})
	}
	if len(found) == 0 || len(found) == len(w.types) {
		return nil
	}
	return found
}
