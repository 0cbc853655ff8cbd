package messages

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/messages/protocol"
)

// A mailbox is an actor's of a stage. All actors of a stage are on one goroutine at
// a time, the one that drives the step, so what they send each other needs
// neither a lock nor a goroutine to be woken: it goes to one queue of the stage, in
// order. Whatever comes from elsewhere goes by the stage's post.
type mailbox struct {
	stage     *stage
	invoker   actor.MessageInvoker
	suspended bool
	runs      bool  // of a node with a kernel
	owner     int32 // the node's number, or the index of a seat as -1-i: of the step, whose frame is that outside, -1
	// Of a frame: notices, which wait until the nodes have nothing else to do, or
	// many have come.
	notices []protocol.Message
	noted   bool // it is in the stage's list of those with notices
}

// mostNotices is how many notices wait at most.
const mostNotices = 256

// An envelope is a message in a stage's queue.
type envelope struct {
	to *mailbox
	m  protocol.Message
}

// A letter is a message from another goroutine, or one of the library's own.
type letter struct {
	to      *mailbox
	message any
	system  bool
}

// A sent is a message that an actor of the stage sends to another, by the goroutine that
// drives the step. Its type says so: no other package can make one.
type sent protocol.Message

// A fault is a failure that an actor of the stage reports to the step.
type fault protocol.Failure

// PostUserMessage takes a message. One that an actor of the stage has sent is copied into
// the stage's queue. Any other comes from outside, perhaps from another goroutine, and is
// dropped, but for one that stops the actor.
func (b *mailbox) PostUserMessage(message any) {
	switch message := message.(type) {
	case *sent:
		b.take((*protocol.Message)(message))
	case *fault, *actor.PoisonPill:
		b.stage.post.put(letter{to: b, message: message})
	default:
		b.stage.engine.cfg.Log.Debug().Str("message", fmt.Sprintf("%T", message)).
			Msg("a message from outside to an actor of a step was dropped")
	}
}

// take puts a message into the stage's queue, or a notice with the frame's others.
func (b *mailbox) take(m *protocol.Message) {
	if b.stage.record != nil {
		b.stage.sends(b, m)
	}
	if m.Verb != protocol.Notice || b == &b.stage.step.box {
		b.stage.queue.push(envelope{b, *m})
		return
	}
	b.notices = append(b.notices, *m)
	switch {
	case !b.noted:
		b.noted = true
		b.stage.noted = append(b.stage.noted, b)
	case len(b.notices) == mostNotices:
		b.stage.queue.push(envelope{b, protocol.Message{Verb: protocol.Notice}})
	}
}

// PostSystemMessage takes a message of the library.
func (b *mailbox) PostSystemMessage(message any) {
	b.stage.post.put(letter{b, message, true})
}

// RegisterHandlers takes the actor that the mailbox is of. It needs no dispatcher.
func (b *mailbox) RegisterHandlers(invoker actor.MessageInvoker, _ actor.Dispatcher) {
	b.invoker = invoker
}

// Start says that the actor is ready.
func (*mailbox) Start() {}

// UserMessageCount is for the library's metrics.
func (b *mailbox) UserMessageCount() int { return len(b.notices) }

// system handles a message of the library.
func (b *mailbox) system(message any) {
	switch message.(type) {
	case *actor.SuspendMailbox:
		b.suspended = true
	case *actor.ResumeMailbox:
		b.suspended = false
	default:
		b.invoker.InvokeSystemMessage(message)
	}
}

// A queue is a ring of envelopes.
type queue struct {
	buf  []envelope // length a power of two
	head int
	n    int
}

func (q *queue) push(e envelope) {
	if q.n == len(q.buf) {
		buf := make([]envelope, max(16, 2*len(q.buf)))
		for i := range q.n {
			buf[i] = q.buf[(q.head+i)&(len(q.buf)-1)]
		}
		q.buf, q.head = buf, 0
	}
	q.buf[(q.head+q.n)&(len(q.buf)-1)] = e
	q.n++
}

// pop moves the oldest into e.
func (q *queue) pop(e *envelope) {
	at := &q.buf[q.head]
	*e, *at = *at, envelope{}
	q.head = (q.head + 1) & (len(q.buf) - 1)
	q.n--
}

// draw puts the i-th oldest in place of the oldest.
func (q *queue) draw(i int) {
	a, b := &q.buf[q.head], &q.buf[(q.head+i)&(len(q.buf)-1)]
	*a, *b = *b, *a
}

// apart keeps what one core writes from what another reads: the processor fetches
// two lines of its cache together.
type apart [128]byte

// A post brings letters from any goroutine to the one that drives the step. Those of
// kernels that are done, which come from a pool's workers thick and fast, take no lock.
type post struct {
	_       apart
	done    atomic.Pointer[performance] // the last to be done, linked to the one before
	waiting atomic.Bool                 // there are letters
	_       apart
	mu      sync.Mutex
	letters []letter
	bell    chan struct{}
}

func (p *post) put(l letter) {
	p.mu.Lock()
	p.letters = append(p.letters, l)
	p.waiting.Store(true)
	p.mu.Unlock()
	p.ring()
}

// finish brings the node of a kernel the message that it is done.
func (p *post) finish(of *performance) {
	for {
		of.before = p.done.Load()
		if p.done.CompareAndSwap(of.before, of) {
			break
		}
	}
	p.ring()
}

func (p *post) ring() {
	select {
	case p.bell <- struct{}{}:
	default:
	}
}

// any reports whether something has come.
func (p *post) any() bool { return p.done.Load() != nil || p.waiting.Load() }

// take moves all that has come to dst: the oldest of each kind first.
func (p *post) take(dst []letter) []letter {
	if p.done.Load() != nil {
		from := len(dst)
		for of := p.done.Swap(nil); of != nil; {
			dst = append(dst, letter{to: &of.node.box, message: of})
			of, of.before = of.before, nil
		}
		slices.Reverse(dst[from:])
	}
	if !p.waiting.Load() {
		return dst
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	dst = append(dst, p.letters...)
	clear(p.letters)
	p.letters = p.letters[:0]
	p.waiting.Store(false)
	return dst
}
