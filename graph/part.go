package graph

import (
	"context"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Part is an Editor of what a step needs of a graph, for who changes a program
// before it is run. Of shapes it believes only what the program itself implies:
// what is fed may be of any shape, whatever the graph says of it, and what nodes
// bring along in _output_shapes does not count. They are worked out when
// [Part.Shapes] first asks for them, and are unknown before; Done does not ask.
type Part struct {
	*Editor
	// Feeds are the outputs to be fed, by the position of those that the part
	// was made for: each that of a placeholder of its own.
	Feeds []Output

	copies []*Node               // by the ids of the original
	origin []*Node               // by the ids of the copies: the nodes that they are of, or in place of
	claims map[*Node]shape.Shape // of nodes that were added
	fed    map[Output]Output
	shaped bool
}

// EditPart begins to change a copy of a part of the graph: of the nodes of need,
// which are closed under inputs and control inputs save for what is fed. It takes
// time in proportion to these, and to the ids of the graph. Functions are shared
// with the graph, so that none can be added.
//
// It fails with NOT_FOUND if the program does not link placeholders, and soon
// after ctx has ended with its error.
func (g *Graph) EditPart(ctx context.Context, need []*Node, feeds []Output) (*Part, error) {
	c := &Graph{
		ops: g.ops, library: g.library, draft: true, blind: true, bare: true,
		nodes: make([]*Node, 0, len(need)+len(feeds)), byName: make(map[string]int32, len(need)+len(feeds)),
	}
	g.mu.RLock()
	c.versions = g.versions
	c.inferrer.Producer = g.versions.Producer
	size := len(g.nodes)
	g.mu.RUnlock()
	p := &Part{
		Editor: &Editor{g: c, watch: status.NewWatch(ctx), lax: true},
		copies: make([]*Node, size),
	}
	if err := p.feed(need, feeds); err != nil {
		return nil, err
	}
	if err := p.copy(need); err != nil {
		return nil, err
	}
	return p, c.watchUses(p.watch)
}

// feed adds a placeholder for each feed: under the name of the fed one, if it is
// a placeholder, whose place the new one takes altogether.
func (p *Part) feed(need []*Node, feeds []Output) error {
	if len(feeds) == 0 {
		return nil
	}
	taken := make(map[string]bool, len(need))
	for _, n := range need {
		taken[n.name] = true
	}
	p.fed = make(map[Output]Output, len(feeds))
	for _, f := range feeds {
		f = f.Canonical()
		spec := OpSpec{Type: "Placeholder", Name: f.Op.name, Attrs: Attrs{"dtype": f.DataType().Base()}, Device: f.Op.device}
		placeholder := f.Op.Class() == ClassPlaceholder
		if !placeholder {
			for spec.Name = f.Op.name + "/feed"; taken[spec.Name] || p.g.named(spec.Name) != nil; spec.Name += "_" {
			}
		}
		n, err := p.g.AddOperation(spec)
		if err != nil {
			return err
		}
		if placeholder {
			p.copies[f.Op.id] = n
		}
		p.origin = append(p.origin, f.Op)
		p.fed[f] = n.Output(0)
		p.Feeds = append(p.Feeds, n.Output(0))
	}
	return nil
}

// copy copies the nodes, in the order of their ids.
func (p *Part) copy(need []*Node) error {
	inputs, controls := 0, 0
	slab := make([]Node, 0, len(need))
	for _, n := range need {
		if err := p.watch.Steps(1 + len(n.self.inputs)); err != nil {
			return err
		}
		if p.copies[n.id] != nil {
			continue // a fed placeholder
		}
		inputs += len(n.self.inputs)
		controls += len(n.controls)
		slab = append(slab, Node{graph: p.g, id: len(p.g.nodes), name: n.name, device: n.device, function: n.function, sig: n.sig, shapes: unknownShapes(len(n.sig.outTypes))})
		c := &slab[len(slab)-1]
		c.self = c
		if c.sig.declared != nil {
			c.sig = c.sig.undeclared()
		}
		p.copies[n.id] = c
		p.origin = append(p.origin, n)
		p.g.add(c)
	}
	ins := make([]Output, 0, inputs)
	waits := make([]*Node, 0, controls)
	for _, n := range need {
		if err := p.watch.Steps(1 + len(n.self.inputs)); err != nil {
			return err
		}
		c := p.copies[n.id]
		if p.isFeed(c) {
			continue
		}
		firstIn, firstWait := len(ins), len(waits)
		for _, from := range n.self.inputs {
			ins = append(ins, p.Output(from))
		}
		for _, from := range n.controls {
			waits = append(waits, p.copies[from.id])
		}
		c.inputs, c.controls = ins[firstIn:len(ins):len(ins)], waits[firstWait:len(waits):len(waits)]
	}
	return nil
}

func (p *Part) isFeed(c *Node) bool { return c.id < len(p.Feeds) && p.Feeds[c.id].Op == c }

// Output returns what output o of the original has become.
func (p *Part) Output(o Output) Output {
	o = o.Canonical()
	if to, ok := p.fed[o]; ok {
		return to
	}
	return Output{p.copies[o.Op.id], o.Index}
}

// Copy returns what node n of the original has become; nil if it is not of the part.
func (p *Part) Copy(n *Node) *Node { return p.copies[n.id] }

// Shapes returns what is known of the shapes of a node's outputs, not to be written.
func (p *Part) Shapes(n *Node) ([]shape.Shape, error) {
	if !p.shaped {
		if err := p.infer(); err != nil {
			return nil, err
		}
	}
	return n.self.shapes, nil
}

// Inherit lets what the original graph claims of n hold for by, which takes its place.
func (p *Part) Inherit(by, n *Node) {
	if by.function == "" {
		by.function = n.function
	}
	if s, ok := p.claims[n]; ok {
		p.Claim(by, s)
	}
	if n.id >= len(p.origin) {
		return
	}
	for len(p.origin) <= by.id {
		p.origin = append(p.origin, nil)
	}
	p.origin[by.id] = p.origin[n.id]
}

// Claim lets a shape be what is claimed of a node that was added, which has one output.
func (p *Part) Claim(n *Node, s shape.Shape) {
	if p.claims == nil {
		p.claims = map[*Node]shape.Shape{}
	}
	p.claims[n] = s
}

// Claimed returns what the original graph says of the shape of an output: what is fed may
// be of another. Of nodes that were added nothing is claimed but by [Part.Claim].
func (p *Part) Claimed(o Output) shape.Shape {
	if s, ok := p.claims[o.Op]; ok {
		return s
	}
	if o.Op.id < len(p.origin) && p.origin[o.Op.id] != nil {
		if shapes := p.origin[o.Op.id].self.shapes; o.Index < len(shapes) {
			return shapes[o.Index]
		}
	}
	return shape.Shape{}
}

// infer determines the shapes of all nodes. From then on those of nodes that are
// added are known at once.
func (p *Part) infer() error {
	order, err := p.order()
	if err != nil {
		return err
	}
	for _, n := range order {
		if err := p.watch.Steps(4); err != nil {
			return err
		}
		n.shapes = unknownShapes(len(n.sig.outTypes))
		if !n.vouches() {
			continue
		}
		if shapes, handles, err := n.inferred(&p.g.inferrer, nil); err == nil {
			n.shapes, n.handles = shapes, handles
		}
	}
	p.shaped, p.g.bare = true, false
	return nil
}

// vouches reports whether the shapes of n's outputs follow from its inputs and
// attributes. What a variable, a list or a peer holds may be of other shapes than
// were declared.
func (n *Node) vouches() bool {
	switch n.sig.class {
	case ClassPlaceholder, ClassArg, ClassRecv, ClassCall, ClassVariable:
		return false
	}
	for _, t := range n.sig.inTypes {
		if t == tensor.Resource || t == tensor.Variant || t.IsRef() {
			return false
		}
	}
	return !n.sig.op.Stateful
}

// unknowns is shapes of which nothing is known, to be shared: they are not written.
var unknowns [16]shape.Shape

func unknownShapes(n int) []shape.Shape {
	if n <= len(unknowns) {
		return unknowns[:n:n]
	}
	return make([]shape.Shape, n)
}

// Done returns the graph that the changes have made, as that of an Editor, but no more
// is known of its shapes than was asked for.
func (p *Part) Done() (*Graph, error) {
	if p.done {
		return nil, errDone
	}
	order, err := p.order()
	if err != nil {
		return nil, err
	}
	byName := make(map[string]int32, len(order))
	for i, n := range order {
		if err := p.watch.Step(); err != nil {
			return nil, err
		}
		byName[n.name] = int32(i)
	}
	p.settle(order, byName, p.g.inferrer)
	return p.finish(), nil
}
