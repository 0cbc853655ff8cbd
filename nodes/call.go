package nodes

import (
	"context"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/lower"
	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// maxDepth bounds the calls that may be open at once, one within the other.
const maxDepth = 4096

// A recursion holds the programs of the functions that call themselves, which
// cannot be laid out as nodes: each is compiled when it is first called.
type recursion struct {
	library *graph.Graph // where to find functions
	device  string

	mu       sync.Mutex
	programs map[string]*Program // by function and attributes
}

// A recursiveCall is the kernel of a node that calls a function which the node
// is within. It plays the function's program as a step within the step. It is
// asynchronous, as anything may wait in there.
type recursiveCall struct {
	of *recursion
	f  *registry.Func
}

// program is the function's.
func (r *recursion) program(f *registry.Func) (*Program, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := f.String()
	if p := r.programs[key]; p != nil {
		return p, nil
	}
	body, err := r.library.Instantiate(f)
	if err != nil {
		return nil, err
	}
	spec := Spec{Device: r.device, Targets: lower.Effects(body)}
	for _, a := range body.Args {
		spec.Feeds = append(spec.Feeds, a.Output(0))
	}
	for _, res := range body.Results {
		spec.Fetches = append(spec.Fetches, res.Inputs()[0])
	}
	p, err := compile(body.Graph, spec, r)
	if err == nil {
		r.programs[key] = p
	}
	return p, err
}

// Run waits for the call.
func (k *recursiveCall) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	if err := ctx.Err(); err != nil { // before a function is compiled for nobody
		return err
	}
	p, err := k.of.program(k.f)
	if err != nil {
		return err
	}
	step := *ctx.Step
	if step.Depth++; step.Depth > maxDepth {
		return status.Errorf(status.ResourceExhausted, "function '%s' calls itself more than %d deep", k.f.Name, maxDepth)
	}
	feeds := slices.Clone(in)
	for i := range feeds {
		feeds[i] = feeds[i].Share()
	}
	return p.play(&step, feeds, out, Options{Budget: ctx.Arena.Budget})
}

// Start runs the call on a goroutine of its own.
func (k *recursiveCall) Start(ctx *kernel.Context, in, out []tensor.Value, done func(error)) {
	go func() {
		var err error
		defer func() { done(err) }()
		defer func() {
			if r := recover(); r != nil {
				err = panicked(r)
			}
		}()
		err = k.Run(ctx, in, out)
	}()
}

// play drives a step of the program to its end, one kernel after another.
func (p *Program) play(shared *kernel.Step, feeds, fetched []tensor.Value, o Options) error {
	ctx, cancel := context.WithCancel(shared.Context)
	defer cancel()
	outer := shared.Context
	shared.Context = ctx
	s := p.Begin(shared, feeds, o)
	var inbox Inbox
	var got []Completion
	waiting := 0
	for {
		if err := status.FromContext(outer); err != nil && s.Err() == nil {
			s.Abort(err)
		}
		if s.Err() != nil {
			cancel() // asynchronous kernels give up
		} else if s.Ready() > 0 {
			switch a := s.Next(); {
			case a == nil:
			case a.Async():
				waiting++
				a.Start(func(err error) { inbox.Put(a, err) })
			default:
				s.Complete(a, a.Run())
			}
			continue
		}
		if waiting == 0 {
			return s.End(fetched)
		}
		<-inbox.Bell()
		got = inbox.Take(got[:0])
		for _, c := range got {
			waiting--
			s.Complete(c.Activation, c.Err)
		}
	}
}
