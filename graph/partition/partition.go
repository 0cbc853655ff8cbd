package partition

import (
	"cmp"
	"context"
	"strconv"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Program is what a step needs of a graph, and what it is for.
type Program struct {
	Graph   *graph.Graph
	Nodes   []*graph.Node // by id, closed under inputs and controls save for what is fed
	Feeds   []graph.Output
	Fetches []graph.Output
	Targets []*graph.Node
}

// Options says how a program is split.
type Options struct {
	Devices []devices.Attributes // that there are
	// Device is the place in Devices of a node of the program.
	Device func(*graph.Node) int
	// Client is the place of the device that is fed and fetched from.
	Client int
	// Cast is the type that an output crosses as, which it is cast to before and from
	// after; Invalid, or no Cast: its own.
	Cast func(from graph.Output, sender, receiver int) tensor.DType
	// Copies says that devices other than CPUs have memory of their own: what goes between
	// it and other memory is copied by nodes.
	Copies bool
	// Late says whether what is received on a device waits until the device has come near
	// to who wants it, so that it does not lie in the device's memory before; nil: nowhere.
	Late func(device int) bool
	// Waits says that a node of the program may wait for what no edge says, such as an
	// element of a queue, which another may be about to put there.
	Waits bool
}

// Pieces is a program that has been split. The devices of its nodes are full names.
type Pieces struct {
	Program // all pieces, side by side
	Devices []devices.Attributes
	// Transfers are the edges between pieces, in the order of their Sends.
	Transfers []Transfer

	device map[*graph.Node]int
}

// A Transfer is one edge between two pieces.
type Transfer struct {
	Send, Recv *graph.Node
	From, To   int    // places in Devices
	Tensor     string // what crosses, in the program that was split: "x:0", "^x"
}

// Device is the place of a node's device in Devices.
func (p *Pieces) Device(n *graph.Node) int { return p.device[n] }

// Split cuts a program into pieces. Feeds, fetches and targets of what it answers take
// the places of those it got. It takes time linear in the size of the program, and
// fails soon after ctx has ended. A frame that cannot be driven on several devices, as
// it has no LoopCond, is INVALID_ARGUMENT.
func Split(ctx context.Context, p Program, o Options) (*Pieces, error) {
	part, err := p.Graph.EditPart(ctx, p.Nodes, p.Feeds)
	if err != nil {
		return nil, err
	}
	s := &splitter{
		Part: part, Options: o, watch: status.NewWatch(ctx),
		device:  make(map[*graph.Node]int, len(p.Nodes)),
		kept:    map[*graph.Node]bool{},
		loops:   map[place]*controlLoop{},
		groups:  map[crossing]*group{},
		instead: map[*graph.Node]map[*graph.Node]*graph.Node{},
	}
	for _, n := range p.Nodes {
		s.device[part.Copy(n)] = o.Device(n)
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
			return nil, err
		}
	}
	g, err := part.Done()
	if err != nil {
		return nil, err
	}
	return &Pieces{
		Program:   Program{Graph: g, Nodes: g.Nodes(), Feeds: part.Feeds, Fetches: s.fetches, Targets: s.targets},
		Devices:   o.Devices,
		Transfers: s.transfers,
		device:    s.device,
	}, nil
}

// A splitter is a program while it is split.
type splitter struct {
	*graph.Part
	Options
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

	transfers []Transfer
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
