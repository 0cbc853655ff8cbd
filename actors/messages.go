package actors

import (
	"context"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/nodes"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Messages is the engine in which every node is a spawned actor with the
// library's own mailbox and dispatcher, and every token an ordinary message:
// what actors cost without a scheduler of their own, and another witness for
// the rules. A node's actor is spawned when its first token comes and stopped
// with the step.
type Messages struct {
	cfg Config
}

// NewMessages makes the engine.
func NewMessages(cfg Config) *Messages { return &Messages{cfg} }

// Name is "messages".
func (*Messages) Name() string { return "messages" }

// Close does nothing: actors live no longer than their step.
func (*Messages) Close() error { return nil }

// A stage is one step played by actors. Rules and bookkeeping are the step
// machine's, so each actor takes the lock while it plays; kernels run outside.
type stage struct {
	engine *Messages
	root   *actor.RootContext
	cancel context.CancelFunc // of the step's kernels
	mu     sync.Mutex
	step   *nodes.Step
	pids   []*actor.PID // by node
	due    int          // messages that were sent and not yet handled
	done   chan struct{}
}

// performance is the message that a node's kernel is to run.
type performance struct {
	a *nodes.Activation
}

// completed is the message that a node's asynchronous kernel is done.
type completed struct {
	a   *nodes.Activation
	err error
}

// Run drives one step. See [nodes.Engine].
func (e *Messages) Run(shared *kernel.Step, p *nodes.Program, feeds, fetched []tensor.Value) error {
	outer := shared.Context
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	shared.Context = ctx
	defer func() { shared.Context = outer }()

	s := &stage{engine: e, root: System().Root, cancel: cancel, pids: make([]*actor.PID, p.NumNodes()), done: make(chan struct{}, 1)}
	s.mu.Lock()
	s.step = p.Begin(shared, feeds, nodes.Options{Budget: e.cfg.Budget, Transport: s})
	s.due++
	s.pump()
	s.settle()
	s.mu.Unlock()

	select {
	case <-s.done:
	case <-outer.Done():
		s.mu.Lock()
		s.step.Abort(status.FromContext(outer))
		s.mu.Unlock()
		cancel()
		<-s.done
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, pid := range s.pids {
		if pid != nil {
			s.root.Stop(pid)
		}
	}
	return s.step.End(fetched)
}

// actorOf is the address of a node's actor, spawned when first asked for. The
// stage is locked.
func (s *stage) actorOf(node int) *actor.PID {
	if s.pids[node] == nil {
		s.pids[node] = s.root.Spawn(actor.PropsFromFunc(s.receive))
	}
	return s.pids[node]
}

// tell sends a message to a node's actor. The stage is locked.
func (s *stage) tell(node int, message any) {
	s.due++
	s.root.Send(s.actorOf(node), message)
}

// Send carries a token to its node as a message. The step calls it while the
// stage is locked.
func (s *stage) Send(t nodes.Token) { s.tell(t.To(), t) }

// receive is every node's behaviour.
func (s *stage) receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case nodes.Token:
		s.mu.Lock()
		s.step.Accept(m)
		s.pump()
		s.settle()
		s.mu.Unlock()
	case performance:
		if m.a.Async() {
			node := m.a.Number()
			done := func(err error) {
				s.mu.Lock()
				s.tell(node, completed{m.a, err})
				s.settle()
				s.mu.Unlock()
			}
			if m.a.Calls() {
				go func() { done(m.a.Play(s.engine)) }()
			} else {
				m.a.Start(done)
			}
			return
		}
		s.complete(m.a, m.a.Run())
	case completed:
		s.complete(m.a, m.err)
	}
}

// complete hands a kernel's outputs to the rules.
func (s *stage) complete(a *nodes.Activation, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.step.Complete(a, err)
	s.pump()
	s.settle()
}

// pump lets the nodes act that became ready, and sends each that has a kernel
// to its actor.
func (s *stage) pump() {
	for a := s.step.Next(); a != nil; a = s.step.Next() {
		s.tell(a.Number(), performance{a})
	}
}

// settle ends the handling of one message; with the last one the step is over.
func (s *stage) settle() {
	if s.step.Err() != nil {
		s.cancel() // kernels that wait give up
	}
	if s.due--; s.due == 0 {
		s.done <- struct{}{}
	}
}
