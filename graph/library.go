package graph

import (
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/graph/function"
	"github.com/troupe-go/troupe/registry"
)

// A library is the functions of a graph, and the bodies that have been made of
// them. The graph shares it with these bodies: a body of ten nodes has ten nodes,
// however many functions there are. It is safe for concurrent use.
type library struct {
	*function.Library
	ops  *registry.Registry
	over *library // what a staged library is yet to be committed to

	last atomic.Pointer[Body] // of a staged library; see used

	mu      sync.RWMutex
	bodies  map[string]*keptBody // by the key of what was instantiated
	spent   int                  // of the allowance for inference; see call
	granted int
	written int // see mostWritten
}

func newLibrary(ops *registry.Registry) *library {
	return &library{Library: function.NewLibrary(ops), ops: ops, bodies: map[string]*keptBody{}}
}

// clone returns a library to which functions can be added without l's having them.
func (l *library) clone() *library {
	c := newLibrary(l.ops)
	c.Library = l.Library.Clone()
	return c
}

// stage returns a library of what is going to be added to l, and of all that l has.
func (l *library) stage() *library {
	staged := newLibrary(l.ops)
	staged.Library, staged.over = l.Library.Stage(), l
	return staged
}

// commit adds what a staged library holds to the one under it, or nothing if
// that has meanwhile got another function of the same name.
func (l *library) commit() error {
	if err := l.Library.Commit(); err != nil {
		return err
	}
	to := l.over
	to.mu.Lock()
	defer to.mu.Unlock()
	for key, kept := range l.bodies {
		if to.bodies[key] == nil {
			if b := kept.get(); b != nil {
				b.Graph.library = to
			}
			to.bodies[key] = kept
		}
	}
	to.spent, to.granted, to.written = to.spent+l.spent, to.granted+l.granted, to.written+l.written
	return nil
}

// lib returns the library for those who do not hold the lock.
func (g *Graph) lib() *library {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.library
}

// stageLibrary reads the functions of a GraphDef, of which the graph's nodes
// are to know while it is imported.
func (im *importer) stageLibrary() error {
	im.lib = im.g.library.stage()
	for _, sp := range im.scan.Libraries {
		if err := im.lib.Read(sp.Message("FunctionDefLibrary", im.scan.Bytes), im.watch); err != nil {
			return err
		}
	}
	im.g.library = im.lib
	return nil
}

// changeLibrary adds what change adds, or nothing if it fails.
func (g *Graph) changeLibrary(change func(*library) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	staged := g.library.stage()
	if err := change(staged); err != nil {
		return err
	}
	if err := staged.commit(); err != nil {
		return err
	}
	g.library.requireReader(g)
	return nil
}

// requireReader makes sure that readers of the graph know functions if there are
// some.
func (l *library) requireReader(g *Graph) {
	if l.Len() > 0 {
		g.versions.MinConsumer = max(g.versions.MinConsumer, functionConsumer)
	}
}
