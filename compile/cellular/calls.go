package cellular

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan/batching"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	kernel.Register(kernel.Registration{Op: batching.CallOp, New: kernel.ChargeOutputs(newCalls)})
}

// calls is the kernel of a node that calls a function that calls itself. What it has compiled, and
// the lanes, are shared by the steps of its program.
type calls struct {
	node         string
	f            *registry.Func
	types        []tensor.DType
	invariant    []bool
	handleTypes  []tensor.DType
	handleShapes []registry.Shape

	turn      chan struct{} // holds a token; whoever takes it may compile
	mu        sync.Mutex    // guards what follows, and the lanes
	recursion *batching.Recursion
	whole     kernel.Function
	roles     []batching.Role      // of the arguments, once they are known
	forms     map[string]*callForm // nil: callers of these shapes run alone
}

// A callForm is the programs for callers of the same shapes, with the invariants of one of them as
// constants. Callers that bring others run alone, until it is their turn to have them compiled.
type callForm struct {
	batch   *batching.Calls
	to      []tensor.Value // invariants that are constants
	groups  []group
	first   []int // of each function, the group of its first stage
	discard []func()
	place

	tries int          // how often it has been compiled
	ran   atomic.Int64 // batches since
}

// A group is what instances that stand before the same stage of the same function run.
type group struct {
	function, stage int
	of              *batching.Stage
	run             kernel.Function // nil: there is nothing to compute
}

func newCalls(c *kernel.Construction) (kernel.Kernel, error) {
	k := &calls{
		node: c.Node, f: c.Func("f"), types: c.Types("Tin"),
		handleTypes: c.Types("handle_types"), handleShapes: c.Shapes("handle_shapes"),
		turn: make(chan struct{}, 1), forms: map[string]*callForm{},
	}
	k.turn <- struct{}{}
	for _, v := range c.Attrs.Find("invariant").List {
		k.invariant = append(k.invariant, v.B)
	}
	if n := len(k.types); len(k.invariant) != n || len(k.handleTypes) != n || len(k.handleShapes) != n {
		return nil, c.Errorf("it has %d arguments, and what is said of them is of %d, %d and %d", n, len(k.invariant), len(k.handleTypes), len(k.handleShapes))
	}
	return kernel.BlockingFunc(k.run), nil
}

// run runs the calls of one step.
func (k *calls) run(ctx *kernel.Context, in, out []tensor.Value) error {
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
	step := *ctx.Step
	step.Depth-- // of whole, as the call that it stands for is not one within the step
	m := &member{ctx: ctx.Step.Context, step: &step, whole: whole, begun: values, told: make(chan outcome, 1)}
	if f == nil {
		return m.alone(values, out)
	}
	if !f.batch.Worthwhile() && WatchOf(m.ctx) == nil || !f.takes(values) {
		return m.alone(values, out)
	}
	o := f.enter(m, func(l *lane) player { return newAgenda(l, f, pick(values, f.batch.Invariants)) })
	switch {
	case f.isGone(m):
		return o.err // its calls are the driver's
	case o.what == failed:
		return o.err
	case o.what == solo, o.what == again:
		return m.alone(values, out)
	}
	copy(out, m.tree.results)
	return nil
}

// takes reports whether the arguments have the shapes that the programs were made for.
func (f *callForm) takes(values []tensor.Value) bool {
	first := &f.batch.Functions[0]
	for k, i := range first.Args {
		if !slices.Equal(values[i].Dims(), first.Slots[k].Shape) {
			return false
		}
	}
	return true
}

// key returns the shapes of what is not invariant, as far as the roles leave them open: the first
// dimension of tables may be any, and what is not used.
func (k *calls) key(in []tensor.Value, roles []batching.Role) string {
	var w strings.Builder
	for i, v := range in {
		if !k.invariant[i] && k.types[i] != tensor.Resource && k.types[i] != tensor.Variant {
			dims := v.Dims()
			switch {
			case roles == nil || len(dims) == 0:
			case roles[i] == batching.Table:
				w.WriteByte('*')
				dims = dims[1:]
			case roles[i] == batching.Kept:
				dims = nil
			}
			fmt.Fprint(&w, dims)
		}
		w.WriteByte(';')
	}
	return w.String()
}

// form returns the programs for arguments of these shapes and with these invariants, and the call as
// a function. The former is nil for a caller that has to run alone.
func (k *calls) form(step *kernel.Step, in []tensor.Value) (*callForm, kernel.Function, error) {
	k.mu.Lock()
	f, known := k.forms[k.key(in, k.roles)]
	whole, full := k.whole, len(k.forms) >= mostShapes
	k.mu.Unlock()
	switch {
	case known && (f == nil || f.bound(in)):
		return f, whole, nil
	case known:
		if n := f.ran.Add(1); f.tries > 16 || n < worthBinding<<f.tries {
			return nil, whole, nil
		}
		select {
		case <-k.turn:
		default:
			return nil, whole, nil // somebody compiles
		}
	case full:
		return nil, whole, nil
	default:
		select {
		case <-k.turn:
		case <-step.Context.Done():
			return nil, nil, status.FromContext(step.Context)
		}
	}
	defer func() { k.turn <- struct{}{} }()
	return k.compile(step, in)
}

// bound reports whether the programs have these invariants as constants.
func (f *callForm) bound(in []tensor.Value) bool {
	for i := range in {
		if f.to[i] != (tensor.Value{}) && !same(&f.to[i], &in[i]) {
			return false
		}
	}
	return true
}

// compile makes a form; its caller has the turn.
func (k *calls) compile(step *kernel.Step, in []tensor.Value) (*callForm, kernel.Function, error) {
	k.mu.Lock()
	old, known := k.forms[k.key(in, k.roles)]
	whole := k.whole
	k.mu.Unlock()
	if known && (old == nil || old.bound(in)) {
		return old, whole, nil
	}
	functions, ok := step.Functions.(*compile.Functions)
	if !ok {
		return nil, nil, status.Errorf(status.Unimplemented, "calls are batched in a step outside a session")
	}
	ctx := step.Context
	args, to := make([]batching.Arg, len(in)), make([]tensor.Value, len(in))
	for i := range in {
		args[i] = batching.ArgOf(&in[i], k.invariant[i], k.handleTypes[i], k.handleShapes[i])
		if k.invariant[i] && k.types[i] != tensor.Resource && k.types[i] != tensor.Variant {
			to[i] = in[i].Share()
			args[i].Value = to[i].Tensor()
		}
	}
	if k.recursion == nil {
		r, err := batching.NewRecursion(ctx, functions.Library(), k.node, k.types, k.f)
		if err != nil {
			return nil, nil, err
		}
		p, err := r.Whole(ctx, functions.Library(), k.f, args)
		if err != nil {
			return nil, nil, err
		}
		if whole, _, err = functions.Callable(ctx, k.node, p.Graph, p.Feeds, p.Fetches); err != nil {
			return nil, nil, err
		}
		k.mu.Lock()
		k.recursion, k.whole = r, whole
		k.mu.Unlock()
	}
	batch, err := k.recursion.Build(args)
	for i := range to {
		if err == nil && batch.Roles[i] != batching.Invariant {
			to[i] = tensor.Value{}
		}
	}
	f := &callForm{batch: batch, to: to, place: place{mu: &k.mu, full: 1}, tries: 1}
	if old != nil {
		f.tries = old.tries + 1
	}
	if err == nil {
		err = f.compile(ctx, functions, k.node)
	}
	if ended := status.FromContext(ctx); ended != nil {
		return nil, nil, ended
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil {
		f = nil
	} else if k.roles == nil {
		k.roles = batch.Roles
	}
	if old != nil {
		old.drop()
	}
	if len(k.forms) < mostShapes || known {
		k.forms[k.key(in, k.roles)] = f
	}
	return f, whole, nil
}

// compile compiles the stages. If it fails they are on no account.
func (f *callForm) compile(ctx context.Context, functions *compile.Functions, node string) (err error) {
	for i := range f.batch.Functions {
		of := &f.batch.Functions[i]
		f.first = append(f.first, len(f.groups))
		for s := range of.Stages {
			g := group{function: i, stage: s, of: &of.Stages[s]}
			if g.of.Graph != nil {
				var discard func()
				if g.run, discard, err = functions.Callable(ctx, fmt.Sprintf("%s/%s/%d", node, of.Name, s), g.of.Graph, g.of.Feeds, g.of.Fetches); err != nil {
					f.drop()
					return err
				}
				f.discard = append(f.discard, discard)
			}
			f.groups = append(f.groups, g)
		}
	}
	return nil
}

// drop takes the programs off the account.
func (f *callForm) drop() {
	for _, d := range f.discard {
		d()
	}
	f.discard = nil
}
