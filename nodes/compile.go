package nodes

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/frames"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes/kind"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Spec says what a step of a program is for, and where its nodes run. Of the graph it
// takes what fetches and targets need; nothing in there may be left to be lowered.
type Spec struct {
	Feeds   []graph.Output // what the caller gives, each at most once
	Fetches []graph.Output // what it wants back
	Targets []*graph.Node  // what must have run
	// AskedFeeds and AskedFetches are what the caller knows feeds and fetches as, by which they
	// are named: outputs of the graph that g was made of; nil: they are the same.
	AskedFeeds, AskedFetches []graph.Output
	// Devices are those that nodes run on; nil: CPU 0 of this process.
	Devices []devices.Attributes
	// On is the place in Devices of a node's device, where the pieces of a program that has
	// been split are laid out side by side: a Send forwards to its Recv. nil: all nodes are
	// on the first device, and a Send and a Recv meet their other ends at a rendezvous.
	On func(*graph.Node) int
	// FetchAt is where the fetches of a piece stand among those of the step; nil: as they are.
	FetchAt []int
	// Crossing is what a Send sends, as it is counted; nil: the Send's own name for it.
	Crossing func(send *graph.Node) string
	// Again compiles the same program with its nodes, for [Program.Full]: the program releases
	// its own once it is compiled. nil: it keeps them.
	Again func(context.Context) (*Program, error)
	// NoUnits is for engines that play none: none are made.
	NoUnits bool
	// UnitsOff are the passes of units that are left out.
	UnitsOff form.Passes
	// Functions has the programs of functions that are called; nil: none are.
	Functions *Functions
	// Calls says how a node calls its function; nil: no node calls one.
	Calls func(*graph.Node) Calling
	// Function is the function whose body the graph is, before whose name kernels keep state
	// by their own; "": it is that of none.
	Function string
}

// LocalCPU is the full name of CPU 0 of this process.
const LocalCPU = "/job:localhost/replica:0/task:0/device:CPU:0"

// Compile lays out what spec needs of a graph, in time linear in the size of that. It fails
// where a node has no kernel, where a kernel refuses its attributes, and where a node's
// inputs come from different frames; and within a few milliseconds of the end of ctx.
func Compile(ctx context.Context, g *graph.Graph, spec Spec) (*Program, error) {
	c, err := layOut(ctx, g, spec)
	if err != nil {
		return nil, err
	}
	if err := c.units(spec); err != nil {
		c.within.Discard(c.p)
		return nil, err
	}
	if spec.Again != nil {
		c.p.again = spec.Again
		c.p.release()
	}
	return c.p, nil
}

// layOut makes all of a program but its units.
func layOut(ctx context.Context, g *graph.Graph, spec Spec) (*compiler, error) {
	c := newCompiler(ctx, g, spec)
	if err := c.prune(spec); err != nil {
		return nil, err
	}
	if err := c.charge(spec); err != nil {
		return nil, err
	}
	for _, step := range []func(Spec) error{c.link, c.place, c.lay, c.count, c.kernels} {
		if err := step(spec); err != nil {
			c.within.Discard(c.p)
			return nil, err
		}
	}
	return c, nil
}

func newCompiler(ctx context.Context, g *graph.Graph, spec Spec) *compiler {
	c := &compiler{
		ctx:    ctx,
		watch:  status.NewWatch(ctx),
		within: spec.Functions,
		p: &Program{
			function: spec.Function,
			feeds:    spec.Feeds,
			fetches:  spec.Fetches,
			fetchAt:  spec.FetchAt,
		},
		number: make([]int32, g.NumNodes()),
	}
	if spec.AskedFeeds != nil {
		c.p.feeds = spec.AskedFeeds
	}
	if spec.AskedFetches != nil {
		c.p.fetches = spec.AskedFetches
	}
	if spec.Function != "" {
		c.scope = spec.Function + "/"
	}
	for _, d := range spec.Devices {
		c.p.devices, c.types = append(c.p.devices, d.Name), append(c.types, d.Type)
	}
	if len(spec.Devices) == 0 {
		c.p.devices, c.types = []string{LocalCPU}, []string{"CPU"}
	}
	return c
}

// A compiler holds what is needed while a program is made.
type compiler struct {
	ctx    context.Context
	watch  *status.Watch
	p      *Program
	needs  *graph.Needs
	number []int32    // by id of the graph's nodes: number in the program plus 1, or 0
	within *Functions // that the program may call
	scope  string     // what stands before a node's name where kernels keep state by it
	types  []string   // of the program's devices
	in     [][]source // data inputs of each node, by number, then control inputs
}

// A source is where an input comes from.
type source struct {
	node int32
	port int32 // -1: a control edge
}

// prune numbers the nodes that fetches and targets need, feeds and fetches as
// nodes of their own.
func (c *compiler) prune(spec Spec) (err error) {
	p := c.p
	if c.needs, err = graph.NewNeeds(spec.Feeds); err != nil {
		return err
	}
	p.args = make([]int32, len(spec.Feeds))
	for i := range p.args {
		p.args[i] = -1
	}
	err = c.needs.Walk(c.watch, spec.Fetches, spec.Targets, func(n *graph.Node) bool {
		if c.number[n.ID()] != 0 {
			return false
		}
		p.nodes = append(p.nodes, node{def: n})
		c.number[n.ID()] = int32(len(p.nodes))
		return true
	}, func(i int32) {
		if p.args[i] < 0 {
			p.args[i] = int32(len(p.nodes))
			p.nodes = append(p.nodes, node{kind: kind.Arg, aux: i, nout: 1})
		}
	})
	for i := range spec.Fetches {
		p.nodes = append(p.nodes, node{kind: kind.Retval, aux: int32(i), nin: 1})
	}
	p.labels = make([]label, len(p.nodes))
	for i := range p.nodes {
		if d := p.nodes[i].def; d != nil {
			p.labels[i] = labelOf(d)
		}
	}
	return err
}

// link finds where every input comes from.
func (c *compiler) link(spec Spec) error {
	p := c.p
	c.in = make([][]source, len(p.nodes))
	total := 0
	for i := range p.nodes {
		if d := p.nodes[i].def; d != nil {
			total += len(d.Inputs()) + len(d.Controls())
		} else {
			total++
		}
	}
	slab := make([]source, 0, total)
	for i := range p.nodes {
		n := &p.nodes[i]
		if err := c.watch.Step(); err != nil {
			return err
		}
		at := len(slab)
		if n.def != nil {
			n.nin, n.nout = int32(n.def.NumInputs()), int32(n.def.NumOutputs())
			for _, o := range n.def.Inputs() {
				slab = append(slab, c.from(o))
			}
			across := c.across(spec, n)
			if across != nil {
				slab = append(slab, source{c.number[across.ID()] - 1, 0})
			}
			for _, d := range n.def.Controls() {
				if d == across {
					continue
				}
				if a, ok := c.needs.Placeholder(d); ok {
					slab = append(slab, source{p.args[a], -1})
				} else {
					slab = append(slab, source{c.number[d.ID()] - 1, -1})
				}
			}
		} else if n.kind == kind.Retval {
			slab = append(slab, c.from(spec.Fetches[n.aux]))
		}
		c.in[i] = slab[at:len(slab):len(slab)]
		p.maxOut = max(p.maxOut, int(n.nout))
	}
	p.sources = c.in
	return nil
}

func (c *compiler) from(o graph.Output) source {
	if i, ok := c.needs.Feed(o); ok {
		return source{c.p.args[i], 0}
	}
	return source{c.number[o.Op.ID()] - 1, int32(o.Index)}
}

// place says of every node what kind it is, and finds its frame.
func (c *compiler) place(spec Spec) error {
	p := c.p
	for i := range p.nodes {
		n := &p.nodes[i]
		if err := c.watch.Step(); err != nil {
			return err
		}
		if n.def == nil {
			continue
		}
		n.kind = kind.Of(n.def.Type())
		c.station(spec, int32(i))
		switch n.kind {
		case kind.Const:
			t := n.def.Attrs().Find("value").Tensor
			v, err := constant(n.def, t)
			if err != nil {
				return err
			}
			n.aux = int32(len(p.consts))
			p.consts = append(p.consts, v)
		case kind.Switch, kind.SwitchN, kind.Merge:
			p.control = true
		case kind.Enter:
			p.control = true
			if a := n.def.Attrs().Find("is_constant"); a != nil && a.B {
				n.flags |= flagConstant
			}
		case kind.Exit, kind.Next:
			p.control = true
		}
	}
	c.references(spec)
	return c.frames()
}

// constant returns the value of a constant, which must be of the type it claims.
func constant(n *graph.Node, t *tensor.Tensor) (tensor.Value, error) {
	dt := n.OutputTypes()[0]
	var err *status.Error
	switch {
	case t == nil:
		err = status.Invalid("the constant has no value")
	case t.DType() != dt:
		err = status.Invalid("Type mismatch between value (%v) and dtype (%v)", t.DType(), dt)
	case dt == tensor.Variant:
		v, bad := tensor.DecodeVariants(tensor.ValueOf(t))
		if bad == nil {
			return v, nil
		}
		err = status.From(bad)
	default:
		return tensor.ValueOf(t), nil
	}
	err.Node, err.Op = n.Name(), n.Type()
	return tensor.Value{}, err
}

// frames finds every node's frame, walking from the roots: what Enter, Exit
// and the rest do to the frame of their consumers.
func (c *compiler) frames() error {
	p := c.p
	if !p.control {
		p.statics = []*frames.Static{{Parent: -1, Parallel: 1}}
		return nil
	}
	f, err := graph.FrameAnalysis{
		Nodes: len(p.nodes),
		Inputs: func(i int, yield func(from int)) {
			for _, s := range c.in[i] {
				yield(int(s.node))
			}
		},
		Kind: func(i int) graph.FrameKind {
			if d := p.nodes[i].def; d != nil {
				return d.Class().FrameKind()
			}
			return graph.StaysInFrame
		},
		FrameName: func(i int) string { return p.nodes[i].def.FrameName() },
		Name:      func(i int) string { return p.name(int32(i)) },
		Watch:     c.watch,
	}.Run()
	if err != nil {
		return err
	}
	for k, fr := range f.Frames {
		if err := c.watch.Step(); err != nil {
			return err
		}
		p.statics = append(p.statics, &frames.Static{Name: fr.Name, Index: k, Parent: fr.Parent, Parallel: 1})
	}
	frames.Number(p.statics)
	for i := range p.nodes {
		p.nodes[i].frame = int32(f.FrameOf[i])
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if err := c.watch.Step(); err != nil {
			return err
		}
		if n.kind == kind.Exit {
			s := p.statics[n.frame]
			n.aux = int32(s.Exits)
			s.Exits++
		}
		if n.kind != kind.Enter {
			continue
		}
		n.aux = int32(f.Entered[i])
		s := p.statics[n.aux]
		s.Enters++
		limit := n.def.Attrs().Find("parallel_iterations").I
		if limit < 1 {
			return status.Invalid("node %q: parallel_iterations is %d and must be at least 1", n.def.Name(), limit)
		}
		if s.Enters == 1 {
			s.Parallel = int(min(limit, 1<<20))
		}
	}
	return nil
}

// lay numbers nodes and input slots within their frames and makes the edges.
func (c *compiler) lay(spec Spec) error {
	p := c.p
	p.members = make([][]int32, len(p.statics))
	sizes := make([]int, len(p.statics))
	for i := range p.nodes {
		sizes[p.nodes[i].frame]++
	}
	for f, n := range sizes {
		if err := c.watch.Step(); err != nil {
			return err
		}
		p.members[f] = make([]int32, 0, n)
	}
	nports := 0
	for i := range p.nodes {
		n := &p.nodes[i]
		if err := c.watch.Step(); err != nil {
			return err
		}
		s := p.statics[n.frame]
		n.local, n.in, n.ports = int32(s.Nodes), int32(s.Slots), int32(nports)
		s.Nodes++
		s.Slots += int(n.nin)
		p.members[n.frame] = append(p.members[n.frame], int32(i))
		nports += int(n.nout) + 1
	}
	// Count the edges of each port, then place them.
	p.ports = make([]port, nports)
	portOf := func(s source) int32 {
		n := &p.nodes[s.node]
		if s.port < 0 {
			return n.ports + n.nout
		}
		return n.ports + s.port
	}
	total := int32(0)
	for i := range c.in {
		if err := c.watch.Step(); err != nil {
			return err
		}
		for _, s := range c.in[i] {
			p.ports[portOf(s)].hi++
			total++
		}
	}
	at := int32(0)
	for k := range p.ports {
		count := p.ports[k].hi
		p.ports[k] = port{at, at}
		at += count
	}
	p.edges = make([]edge, total)
	for i := range c.in {
		n := &p.nodes[i]
		if err := c.watch.Step(); err != nil {
			return err
		}
		for k, s := range c.in[i] {
			e := edge{local: n.local, slot: -1, node: int32(i)}
			if s.port >= 0 {
				e.slot = n.in + int32(k)
			}
			pt := &p.ports[portOf(s)]
			p.edges[pt.hi] = e
			pt.hi++
		}
	}
	return nil
}

// count works out what every node waits for at the beginning of an iteration.
func (c *compiler) count(spec Spec) error {
	p := c.p
	for _, s := range p.statics {
		if err := c.watch.Steps(1 + s.Nodes/16); err != nil {
			return err
		}
		s.First = make([]uint32, s.Nodes)
		s.Later = s.First
		if s.Parent >= 0 {
			s.Later = make([]uint32, s.Nodes)
		}
	}
	for i := range p.nodes {
		n := &p.nodes[i]
		if err := c.watch.Step(); err != nil {
			return err
		}
		s := p.statics[n.frame]
		first := uint32(len(c.in[i])) // a node waits for all its edges
		later := first
		if n.kind == kind.Merge {
			first, later = c.mergeWaits(c.in[i])
		}
		s.First[n.local] = pendingOf(first)
		s.Later[n.local] = pendingOf(later)
		if n.frame == 0 && len(c.in[i]) == 0 {
			p.roots = append(p.roots, int32(i))
		}
	}
	return nil
}

// mergeWaits returns how many of its inputs a Merge waits for.
func (c *compiler) mergeWaits(in []source) (first, later uint32) {
	from := make([]mergeInput, len(in))
	for i, s := range in {
		n := &c.p.nodes[s.node]
		from[i] = mergeInput{n.kind, n.flags&flagConstant != 0}
	}
	return mergeWaits(from)
}

// kernels finds and makes every node's kernel.
func (c *compiler) kernels(spec Spec) error {
	p := c.p
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.kind != kind.Kernel || n.def == nil {
			continue
		}
		if err := c.watch.Steps(4); err != nil {
			return err
		}
		k, err := c.kernel(spec, n, c.constants(c.in[i][:n.nin]))
		if err != nil {
			return locate(err, n.def, p.Device(int32(i)))
		}
		n.kernel = k
		switch k.(type) {
		case *recursiveCall:
			p.blocks = true
			if spec.Calls(n.def).Waits {
				n.kind = kind.Async
			} else {
				n.flags |= flagCall
			}
		case kernel.Async:
			n.kind = kind.Async
			p.blocks = true
		case kernel.Blocking:
			p.blocks = true
		}
		if mayWait(k) && !mightWait(n.def) {
			return locate(status.Errorf(status.Internal, "the kernel of an operation that could not wait does"), n.def, p.Device(int32(i)))
		}
	}
	return nil
}

// kernel returns that of a node.
func (c *compiler) kernel(spec Spec, n *node, constants uint64) (kernel.Kernel, error) {
	if f := n.def.Callee(); f != nil {
		if c.within == nil || spec.Calls == nil {
			return nil, status.Errorf(status.Internal, "function '%s' is called in a program that is compiled without functions", f.Name)
		}
		return &recursiveCall{of: c.within, f: f, callee: c.within.callee(f, spec.Calls(n.def).Entirely)}, nil // all other calls are lowered
	}
	of := c.types[n.device]
	if n.flags&flagTransfer != 0 { // which are in the memory of the host on any device
		of = "CPU"
	}
	return makeKernel(n.def, of, c.p.devices[n.device], c.scope, constants)
}

// constants reports which inputs come from constants, bit i for the i-th, perhaps into
// loops.
func (c *compiler) constants(in []source) (set uint64) {
	for i, s := range in[:min(len(in), 64)] {
		for range 8 { // so deep are few
			n := &c.p.nodes[s.node]
			if s.port != 0 || n.def == nil {
				break
			}
			if n.kind == kind.Const {
				set |= 1 << i
			}
			if n.flags&flagConstant == 0 && n.def.Type() != "Identity" {
				break
			}
			s = c.in[s.node][0]
		}
	}
	return set
}

// makeKernel finds and makes the kernel of a node, which knows it as scope and name.
// Of the inputs that constants names the values never change.
func makeKernel(n *graph.Node, deviceType, device, scope string, constants uint64) (kernel.Kernel, error) {
	return kernel.Make(deviceType, &kernel.Construction{
		Node: scope + n.Name(), Op: n.Def(), Attrs: n.Attrs(),
		Inputs: n.InputTypes(), Outputs: n.OutputTypes(), Device: device, Constant: constants,
	})
}

// units makes the units of the program: one of it all, or those of the
// outermost loops that allow it; if it is to have any.
func (c *compiler) units(spec Spec) error {
	p := c.p
	p.costs.nanos = make([]atomic.Uint32, len(p.nodes))
	if slices.ContainsFunc(c.types, func(t string) bool { return t != "CPU" }) {
		p.why = "accelerators are driven by tokens"
		return nil
	}
	if spec.NoUnits {
		p.why = "the engine plays no units"
		return nil
	}
	p.unitsOff = spec.UnitsOff
	return p.makeUnits(c.watch)
}
