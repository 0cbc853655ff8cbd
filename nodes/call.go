package nodes

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// maxDepth bounds the calls that may be open at once, one within the other.
const maxDepth = 4096

// Functions has the programs of functions of a graph: those that stayed calls when
// a program was laid out, as they call themselves or come to too many nodes, and
// those that kernels call. Each is compiled when it is first called, and kept. It
// is safe for concurrent use.
type Functions struct {
	library *graph.Graph // that has the functions
	compile CompileFunc
	engine  Engine // plays what kernels call; nil: they cannot call

	// Budget is charged what compiled programs take, those of functions and those
	// that call them; nil: they are on no account.
	Budget  *tensor.Budget
	charged atomic.Int64

	mu       sync.Mutex
	programs map[calleeKey]*callee
}

// A CompileFunc makes the program of a function, which runs entirely or does only what its
// results need.
type CompileFunc func(ctx context.Context, f *registry.Func, entirely bool) (*Program, error)

// NewFunctions is for the functions of g's library, which kernels call on engine e; nil:
// they cannot call.
func NewFunctions(g *graph.Graph, e Engine, compile CompileFunc) *Functions {
	return &Functions{library: g, engine: e, compile: compile, programs: map[calleeKey]*callee{}}
}

// A Calling is how a node calls a function that stayed a call.
type Calling struct {
	Entirely bool // all in there that is stateful runs, whatever the results need
	Waits    bool // something in there may wait
}

// A calleeKey is what there is one program of: a function with its attributes, and
// whether it runs entirely.
type calleeKey struct {
	function string
	entirely bool
}

// A callee is the program of a function, which one of its callers compiles.
type callee struct {
	entirely bool
	turn     chan struct{} // holds one token: whoever takes it may compile
	program  atomic.Pointer[Program]
	plays    sync.Pool // of *play
}

// A recursiveCall stands where other nodes have a kernel: the node calls a
// function which could not be laid out. A step that runs units runs it, and plays
// the function on its own goroutine (see play), where nothing in there may wait. Other
// steps hand it out, and whoever drives the step plays the function's program; see
// [Call].
type recursiveCall struct {
	of     *Functions
	f      *registry.Func
	callee *callee
}

// callee returns the function's.
func (r *Functions) callee(f *registry.Func, entirely bool) *callee {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := calleeKey{f.String(), entirely}
	c := r.programs[key]
	if c == nil {
		c = &callee{entirely: entirely, turn: make(chan struct{}, 1)}
		c.turn <- struct{}{}
		r.programs[key] = c
	}
	return c
}

// program returns the function's. Of several callers one compiles it, and the others
// wait no longer than their own contexts: should it fail, the next one tries.
func (r *Functions) program(ctx context.Context, f *registry.Func, c *callee) (*Program, error) {
	if p := c.program.Load(); p != nil {
		return p, nil
	}
	select {
	case <-c.turn:
	case <-ctx.Done():
		return nil, status.FromContext(ctx)
	}
	defer func() { c.turn <- struct{}{} }()
	if p := c.program.Load(); p != nil {
		return p, nil
	}
	p, err := r.compile(ctx, f, c.entirely)
	if err == nil {
		c.program.Store(p)
	}
	return p, err
}

// A Call is a step within a step: what the node of a recursive function asks its
// driver to play. The step is of its own, and shares with the one around it the
// context, the resources and the number; its fetches are the node's outputs.
type Call struct {
	Program *Program
	Step    kernel.Step
	Feeds   []tensor.Value
	Fetched []tensor.Value
}

// Calls reports whether the activation is a [Call] to be played, not a kernel to be
// run. It is asynchronous too, as anything may wait in there.
func (a *Activation) Calls() bool {
	_, ok := a.kernel.(*recursiveCall)
	return ok
}

// Call returns what the activation calls. It fails where calls are too deep, where the
// step has been cancelled, and where the function does not compile.
func (a *Activation) Call() (*Call, error) {
	return a.kernel.(*recursiveCall).call(&a.ctx, a.in, a.out)
}

// call returns the call that a node makes in a step.
func (k *recursiveCall) call(ctx *kernel.Context, in, out []tensor.Value) (c *Call, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = kernel.Panicked(r)
		}
	}()
	if err := ctx.Err(); err != nil { // before a function is compiled for nobody
		return nil, err
	}
	c = &Call{Step: *ctx.Step, Feeds: slices.Clone(in), Fetched: out}
	if err := deepen(&c.Step, k.f.Name); err != nil {
		return nil, err
	}
	for i := range c.Feeds {
		c.Feeds[i] = c.Feeds[i].Share()
	}
	c.Program, err = k.of.program(c.Step.Context, k.f, k.callee)
	return c, err
}

// Calls reports whether a kernel of a program is a call of a function, which its
// driver plays with [PlayCall], as anything may wait in there.
func Calls(k kernel.Kernel) bool {
	_, ok := k.(*recursiveCall)
	return ok
}

// PlayCall plays the function that a node calls on an engine, to its end.
func PlayCall(k kernel.Kernel, ctx *kernel.Context, in, out []tensor.Value, e Engine) error {
	c, err := k.(*recursiveCall).call(ctx, in, out)
	if err != nil {
		return err
	}
	return e.Run(&c.Step, c.Program, c.Feeds, c.Fetched)
}

// deepen makes a step one within the step that it is a copy of.
func deepen(s *kernel.Step, function string) error {
	if s.Depth++; s.Depth > maxDepth {
		return tooDeep(function)
	}
	return nil
}

func tooDeep(function string) error {
	return status.Errorf(status.ResourceExhausted, "function '%s' calls itself more than %d deep", function, maxDepth)
}

// Play plays what the activation calls on an engine, to its end.
func (a *Activation) Play(e Engine) error {
	if a.meter != nil || a.tape != nil {
		defer a.time()()
	}
	c, err := a.Call()
	if err != nil {
		return err
	}
	return e.Run(&c.Step, c.Program, c.Feeds, c.Fetched)
}
