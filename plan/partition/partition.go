package partition

import (
	"cmp"
	"context"
	"strconv"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plan"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Options says how a program is split.
type Options struct {
	// Client is the place of the device that is fed and fetched from.
	Client int
	// Cast is the type that an output crosses as, which it is cast to before and from
	// after; Invalid, or no Cast: its own.
	Cast func(from graph.Output, sender, receiver int) tensor.DType
	// Copies says that devices other than CPUs have memory of their own: what goes between
	// it and other memory is copied by nodes.
	Copies bool
	// Late reports whether what is received on a device waits until the device has come near
	// to who wants it, so that it does not lie in the device's memory before; nil: nowhere.
	Late func(device int) bool
}

// Pass is the pass that splits a program whose nodes are on several devices.
var Pass = plan.Pass{
	Name: "split",
	When: func(p *plan.Program) bool { return p.Placement != nil && !p.Placement.Only(0) },
	Run: func(ctx context.Context, p *plan.Program) error {
		o := Options{Copies: p.Accelerated()}
		if o.Copies {
			o.Late = func(device int) bool { return p.Devices[device].Type != "CPU" }
		}
		return Split(ctx, p, o)
	},
}

// Split cuts a program whose nodes are placed into pieces, side by side. It takes time
// linear in the size of the program, and fails soon after ctx has ended. A frame that
// cannot be driven on several devices, as it has no LoopCond, is INVALID_ARGUMENT.
func Split(ctx context.Context, p *plan.Program, o Options) error {
	part, err := p.Graph.EditPart(ctx, p.Nodes, p.Feeds)
	if err != nil {
		return err
	}
	s := &splitter{
		Part: part, Options: o, Devices: p.Devices, Waits: p.Waits, watch: status.NewWatch(ctx),
		device:  make(map[*graph.Node]int, len(p.Nodes)),
		kept:    map[*graph.Node]bool{},
		loops:   map[place]*controlLoop{},
		groups:  map[crossing]*group{},
		instead: map[*graph.Node]map[*graph.Node]*graph.Node{},
	}
	for _, n := range p.Nodes {
		s.device[part.Copy(n)] = p.Placement.Device(n)
	}
	for _, f := range part.Feeds {
		s.device[f.Op] = o.Client
		s.kept[f.Op] = true
	}
	for _, f := range p.Fetches {
		s.fetches = append(s.fetches, part.Output(f))
	}
	for _, t := range p.Targets {
		s.targets = append(s.targets, part.Copy(t))
		s.kept[part.Copy(t)] = true
	}
	for _, f := range []func() error{s.follow, s.repeatConstants, s.readReferences, s.readShared, s.findFrames, s.findCrossings, s.addLoops, s.cut, s.delay, s.copy, s.assign} {
		if err := f(); err != nil {
			return err
		}
	}
	g, err := part.Done()
	if err != nil {
		return err
	}
	p.Split = &plan.Split{Placed: p.Placement, Transfers: s.transfers}
	p.Graph, p.Nodes, p.Feeds, p.Fetches, p.Targets = g, g.Nodes(), part.Feeds, s.fetches, s.targets
	p.Placement = plan.NewPlacement(p.Devices, p.Nodes)
	for _, n := range p.Nodes {
		p.Placement.Put(n, s.device[n])
	}
	return nil
}

// A splitter is a program while it is split.
type splitter struct {
	*graph.Part
	Options
	Devices []devices.Attributes
	Waits   bool
	watch   *status.Watch
	device  map[*graph.Node]int
	fetches []graph.Output
	targets []*graph.Node
	kept    map[*graph.Node]bool // the step asks for the node itself

	frames   []frame
	frameOf  map[*graph.Node]int // of what nodes put out; the root's are left out
	phases   map[*graph.Node]phase
	loops    map[place]*controlLoop
	groups   map[crossing]*group
	order    []*group // in the order in which they were found
	memories map[*graph.Node]memory
	number   int // of names
	transfer int // of transfers' names

	waiting []*graph.Node                               // nodes that wait for others on other devices
	instead map[*graph.Node]map[*graph.Node]*graph.Node // by those: what they wait for in whose place

	transfers []plan.Transfer
	received  []receipt // of data into devices' memory
}

// A place is a frame on a device.
type place struct{ frame, device int }

// add adds a node to a piece, under a name made of another's.
func (s *splitter) add(device int, of *graph.Node, spec graph.OpSpec) (*graph.Node, error) {
	if err := s.watch.Steps(8); err != nil {
		return nil, err
	}
	spec.Name = s.UniqueName(cmp.Or(spec.Name, of.Name()) + "/_" + strconv.Itoa(s.number))
	s.number++
	n, err := s.Add(spec)
	if err != nil {
		return nil, err
	}
	s.device[n] = device
	return n, nil
}

// assign writes where the nodes are.
func (s *splitter) assign() error {
	for _, n := range s.Nodes() {
		if err := s.watch.Step(); err != nil {
			return err
		}
		if err := s.SetDevice(n, s.Devices[s.device[n]].Name); err != nil {
			return err
		}
	}
	return nil
}
