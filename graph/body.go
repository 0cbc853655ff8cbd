package graph

import (
	"cmp"
	"context"

	"github.com/troupe-go/troupe/graph/function"
	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// A Body is the body of a function for given attributes: a graph in which a node
// _Arg stands for each argument and a node _Retval for each result, lists
// flattened. The graph has the library of the graph that the function was
// instantiated in.
//
// A body that [Graph.Instantiate] returns is shared by all instances of the function, though
// a large one is made again if all callers have released the last:
// its graph must not be changed. To change it, clone the graph and find its arguments
// and results with [NewBody].
type Body struct {
	// Name and Attrs say what was instantiated: the attributes are all that
	// the function declares, sorted. Both are zero in a body that was made
	// otherwise.
	Name  string
	Attrs registry.Attrs

	Graph   *Graph
	Args    []*Node // by position
	Results []*Node // by position
	// Controls are nodes that have run when a call ends, whether or not a
	// result needs them.
	Controls []ControlOutput

	nodes   []*Node // of the graph, by id
	written int     // bytes of the message that it was made of
	frames  error   // what is wrong with them: such a body has shapes, but cannot run
	calls   *inferredCalls
}

// A ControlOutput is a node of a body that a call waits for, and the name that
// the signature has for it.
type ControlOutput struct {
	Name string
	Op   *Node
}

// NewBody finds the arguments and results among the nodes of a graph: those of
// operations _Arg and _Retval, by their attribute index. It fails with
// INVALID_ARGUMENT if these do not count from 0.
func NewBody(g *Graph) (*Body, error) {
	b := &Body{Graph: g, nodes: g.Nodes(), calls: &inferredCalls{}}
	for _, n := range b.nodes {
		switch n.sig.class {
		case ClassArg:
			b.Args = append(b.Args, n)
		case ClassRetval:
			b.Results = append(b.Results, n)
		}
	}
	for _, list := range [][]*Node{b.Args, b.Results} {
		sorted.Stably(list, func(a, b *Node) int { return cmp.Compare(a.position(), b.position()) })
		for i, n := range list {
			if n.position() != int64(i) {
				return nil, outline.NodeError(status.Invalid("it has index %d, where %d is next", n.position(), i), n.name, n.Type())
			}
		}
	}
	return b, nil
}

// position is which argument or result a node stands for.
func (n *Node) position() int64 {
	if v := n.sig.attrs.Find("index"); v != nil {
		return v.I
	}
	return 0
}

// InstantiateContext returns the body of a function of the library, with the given values
// for the attributes that the function declares; those with a default may be
// left out, and others do not matter. Shapes in it are those that follow from
// what the arguments are declared with, and calls within it tell none; for more
// see [Body.Infer].
//
// It takes time linear in the size of the body, of which calls within it are but
// nodes, and fails soon after ctx has ended.
//
// It fails with NOT_FOUND if there is no such function, an operation in its
// body is not known, or an attribute is missing, with INVALID_ARGUMENT if the
// body is not sound, and with RESOURCE_EXHAUSTED if a small definition stands for
// a huge graph. The message names the function and the node.
func (g *Graph) InstantiateContext(ctx context.Context, f *registry.Func) (*Body, error) {
	if f == nil {
		return nil, status.Invalid("the function to be instantiated is nil")
	}
	b, err := g.lib().instantiate(f, status.NewWatch(ctx))
	if err != nil {
		return nil, err
	}
	if b.frames != nil {
		return nil, status.Within(b.frames, "function '%s'", b.Name)
	}
	return b, nil
}

// Instantiate is [Graph.InstantiateContext] with a context that does not end.
func (g *Graph) Instantiate(f *registry.Func) (*Body, error) {
	return g.InstantiateContext(context.Background(), f)
}

// instantiate returns the same body for the same function and attributes. Its
// frames need not be sound.
func (l *library) instantiate(f *registry.Func, watch *status.Watch) (*Body, error) {
	fn := l.Find(f.Name)
	if fn == nil {
		return nil, status.Errorf(status.NotFound, "Function %s is not defined in the library", f.Name)
	}
	attrs, err := fn.Resolve(f.Attrs)
	if err != nil {
		return nil, inFunction(err, fn)
	}
	if !attrs.SmallerThan(mostAttrs) {
		return nil, inFunction(status.Errorf(status.ResourceExhausted, "the values of its attributes take more than %d bytes", mostAttrs), fn)
	}
	key := function.Key(fn, attrs)
	if b := l.body(key); b != nil {
		return l.used(b), nil
	}
	b, err := build(l, fn, attrs, watch)
	if err != nil {
		return nil, inFunction(err, fn)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.bodies[key]
	if kept != nil { // made by another caller, or made again
		if first := kept.get(); first != nil {
			return l.used(first), nil
		}
		kept.put(b)
		return l.used(b), nil
	}
	// What a body takes in addition to its definition is what the values of attributes make.
	if l.written += len(key) + max(0, b.written-2*len(fn.Def)); l.written > mostWritten {
		return nil, inFunction(status.Errorf(status.ResourceExhausted, "the values of attributes of functions take more than %d bytes together", mostWritten), fn)
	}
	kept = &keptBody{}
	kept.put(b)
	l.bodies[key] = kept
	l.granted += 1 + len(b.nodes)
	return l.used(b), nil
}

const (
	// mostAttrs is about how many bytes the attributes of an instance of a function
	// may take when they are written out.
	mostAttrs = 1 << 20
	// mostWritten is how many they may take in all instances of a library, each time
	// that they stand in a body.
	mostWritten = 64 << 20
)

// body returns what has been instantiated under a key, nil if nothing has.
func (l *library) body(key string) *Body {
	for ; l != nil; l = l.over {
		l.mu.RLock()
		kept := l.bodies[key]
		var b *Body
		if kept != nil {
			b = kept.get()
		}
		l.mu.RUnlock()
		if b != nil {
			return b
		}
	}
	return nil
}

// inFunction puts in front of an error which function it is about.
func inFunction(err error, fn *Function) error { return status.Within(err, "function '%s'", fn.Name) }

// build makes the body.
func build(l *library, fn *Function, attrs registry.Attrs, watch *status.Watch) (*Body, error) {
	layout, err := l.LayOut(fn, attrs, watch)
	if err != nil {
		return nil, err
	}
	g := NewWithRegistry(l.ops)
	g.library = l
	im := importer{g: g, watch: watch, opts: &ImportOptions{InternalNames: true, KeepShapes: true}, scan: layout.Outline, declared: Versions{Producer: Version}, body: true,
		attrs: registry.AttrDecoder{Watch: watch}}
	if _, err := im.run(); err != nil {
		return nil, err
	}
	b := &Body{Name: fn.Name, Attrs: attrs, Graph: g, nodes: g.nodes, written: len(layout.Bytes)}
	if _, b.frames = g.watchFrames(watch); b.frames != nil {
		if err := watch.Ask(); err != nil { // they may be sound
			return nil, err
		}
	}
	at := func(position int32) *Node { return &im.nodes[im.place[position]] }
	for i := range layout.Args {
		b.Args = append(b.Args, at(int32(i)))
	}
	for i := range layout.Results {
		b.Results = append(b.Results, at(int32(len(layout.Nodes)-layout.Results+i)))
	}
	for _, c := range layout.Controls {
		b.Controls = append(b.Controls, ControlOutput{c.Name, at(c.Node)})
	}
	return b, nil
}
