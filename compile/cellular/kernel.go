package cellular

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan/batching"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.Register(kernel.Registration{Op: batching.Op, New: kernel.ChargeOutputs(newLoop)})
}

// mostShapes bounds the programs of one loop: callers with further shapes run alone.
const mostShapes = 64

// A loop is the kernel of one node. What it has compiled, and the lanes, are shared by the steps
// of its program.
type loop struct {
	node         string
	cond, body   *registry.Func
	functions    string // a FunctionDefLibrary with these, of a loop of Enter and Exit; else ""
	frame        string // of such a loop
	types        []tensor.DType
	invariant    []bool
	handleTypes  []tensor.DType
	handleShapes []registry.Shape

	turn  chan struct{} // holds a token; whoever takes it may compile
	mu    sync.Mutex    // guards what follows, and the lanes
	flat  *batching.Loop
	forms map[string]*form
	whole kernel.Function // for any shapes
}

// A form is the programs for callers of the same shapes.
type form struct {
	loop              *loop
	batch             *batching.Batch
	first, next, kept kernel.Function
	discard           []func() // take the programs off the account
	place

	bound *bound       // programs with constants in place of invariants; nil: none
	tries int          // how often such have been made
	ran   atomic.Int64 // iterations since
}

func newLoop(c *kernel.Construction) (kernel.Kernel, error) {
	k := &loop{
		node: c.Node, cond: c.Func("cond"), body: c.Func("body"), functions: c.Str("functions"), frame: c.Str("frame"), types: c.Types("T"),
		handleTypes: c.Types("handle_types"), handleShapes: c.Shapes("handle_shapes"),
		turn: make(chan struct{}, 1), forms: map[string]*form{},
	}
	k.turn <- struct{}{}
	for _, v := range c.Attrs.Find("invariant").List {
		k.invariant = append(k.invariant, v.B)
	}
	if n := len(k.types); len(k.invariant) != n || len(k.handleTypes) != n || len(k.handleShapes) != n {
		return nil, c.Errorf("it has %d variables, and what is said of them is of %d, %d and %d", n, len(k.invariant), len(k.handleTypes), len(k.handleShapes))
	}
	return kernel.BlockingFunc(k.run), nil
}

// run runs the loop for one step.
func (k *loop) run(ctx *kernel.Context, in, out []tensor.Value) error {
	f, whole, err := k.form(ctx.Step, in)
	if err != nil {
		return err
	}
	values := make([]tensor.Value, len(in))
	for i, v := range in {
		if values[i], err = ctx.Share(v); err != nil {
			return err
		}
	}
	m := &member{ctx: ctx.Step.Context, step: ctx.Step, whole: whole, begun: values}
	if f == nil {
		return m.alone(values, out)
	}
	m.form = f.withConstants(ctx.Step, values)
	return m.join(out)
}

// form returns the programs for inputs of these shapes, and the loop as a function. The former is
// nil if such callers cannot be batched.
func (k *loop) form(step *kernel.Step, in []tensor.Value) (*form, kernel.Function, error) {
	key := k.key(in)
	k.mu.Lock()
	f, whole := k.forms[key], k.whole
	known := f != nil || whole != nil && len(k.forms) >= mostShapes
	k.mu.Unlock()
	if !known {
		select {
		case <-k.turn:
		case <-step.Context.Done():
			return nil, nil, status.FromContext(step.Context)
		}
		defer func() { k.turn <- struct{}{} }()
		var err error
		if f, whole, err = k.compile(step, key, in); err != nil {
			return nil, nil, err
		}
	}
	if f == nil || f.batch == nil {
		return nil, whole, nil
	}
	return f, whole, nil
}

// key returns the shapes of what is not invariant.
func (k *loop) key(in []tensor.Value) string {
	var w strings.Builder
	for i, v := range in {
		if k.types[i] != tensor.Variant && k.types[i] != tensor.Resource {
			fmt.Fprint(&w, v.Dims())
		}
		w.WriteByte(';')
	}
	return w.String()
}

// compile makes a form; its caller has the turn.
func (k *loop) compile(step *kernel.Step, key string, in []tensor.Value) (*form, kernel.Function, error) {
	k.mu.Lock()
	f, whole := k.forms[key], k.whole
	k.mu.Unlock()
	if f != nil {
		return f, whole, nil
	}
	functions, ok := step.Functions.(*compile.Functions)
	if !ok {
		return nil, nil, status.Errorf(status.Unimplemented, "a batched loop runs in a step outside a session")
	}
	ctx := step.Context
	args := make([]batching.Arg, len(in))
	for i := range in {
		args[i] = batching.ArgOf(&in[i], k.invariant[i], k.handleTypes[i], k.handleShapes[i])
	}
	if k.flat == nil {
		flat, err := k.flatten(ctx, functions.Library())
		if err != nil {
			return nil, nil, err
		}
		p, err := flat.Whole(args)
		if err != nil {
			return nil, nil, err
		}
		if whole, _, err = functions.Callable(ctx, k.node, p.Graph, p.Feeds, p.Fetches); err != nil {
			return nil, nil, err
		}
		k.mu.Lock()
		k.flat, k.whole = flat, whole
		k.mu.Unlock()
	}
	f = &form{loop: k, place: place{mu: &k.mu, full: fullLane}}
	batch, err := k.flat.Build(args)
	if err == nil {
		err = f.compile(ctx, functions, batch)
	}
	if ended := status.FromContext(ctx); ended != nil {
		return nil, nil, ended
	}
	if err == nil {
		f.batch = batch
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.forms) < mostShapes {
		k.forms[key] = f
	}
	return f, whole, nil
}

// flatten returns the loop, with functions of a library or of its own.
func (k *loop) flatten(ctx context.Context, library *graph.Graph) (*batching.Loop, error) {
	if k.functions == "" {
		return batching.New(ctx, library, k.node, k.types, k.cond, k.body)
	}
	library, err := batching.WithFunctions(library, []byte(k.functions))
	if err != nil {
		return nil, err
	}
	return batching.NewFramed(ctx, library, k.frame, k.types, k.cond, k.body)
}

// compile compiles the programs of a batch. If it fails they are on no account.
func (f *form) compile(ctx context.Context, functions *compile.Functions, b *batching.Batch) (err error) {
	defer func() {
		if err != nil {
			f.drop()
		}
	}()
	for _, p := range []struct {
		to   *kernel.Function
		name string
		of   *batching.Program
	}{{&f.first, "cond", &b.First}, {&f.next, "body", &b.Next}, {&f.kept, "kept", &b.Kept}} {
		if len(p.of.Fetches) == 0 {
			continue
		}
		var discard func()
		if *p.to, discard, err = functions.Callable(ctx, f.loop.node+"/"+p.name, p.of.Graph, p.of.Feeds, p.of.Fetches); err != nil {
			return err
		}
		f.discard = append(f.discard, discard)
	}
	return nil
}

// drop takes the programs off the account.
func (f *form) drop() {
	for _, d := range f.discard {
		d()
	}
	f.discard = nil
}
