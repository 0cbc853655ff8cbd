package resource

import (
	"context"
	"fmt"
	"sync"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Rendezvous is where the steps that play the pieces of one program hand each other
// tokens. A key names one token: it is sent once and received once, in either order. It
// is safe for concurrent use.
type Rendezvous interface {
	// Send leaves a token. It does not wait for whoever receives it. It fails if the key
	// has been used, and with the error of Abort.
	Send(key string, t Token) error
	// Recv asks for a token. done is called once, perhaps before Recv returns, perhaps
	// on the goroutine that sends: with the token, or with the error of Abort, or, soon
	// after ctx has ended, with its error.
	Recv(ctx context.Context, key string, done func(Token, error))
	// Abort ends it: who waits, and who comes later, gets err. Only the first call counts.
	Abort(err error)
}

// A Token is what goes along an edge: a value, or the news that there is none.
type Token struct {
	Value tensor.Value // shared; the zero Value if Dead
	Dead  bool
	// Foreign says that the value has been made outside of the step, which is to charge it.
	Foreign bool
}

// RootTag is what stands in a key for the iteration of the root frame.
const RootTag = "0:0"

// RendezvousKey begins a key: of what sendDevice, in that incarnation, sends to
// recvDevice under a name. [Tagged] ends it.
func RendezvousKey(sendDevice string, incarnation uint64, recvDevice, name string) string {
	return fmt.Sprintf("%s;%016x;%s;%s;", sendDevice, incarnation, recvDevice, name)
}

// Tagged returns a key of [RendezvousKey] for one iteration.
func Tagged(key, tag string) string {
	if tag == "" {
		tag = RootTag
	}
	return key + tag
}

// A LocalRendezvous is one within a process. The zero LocalRendezvous is ready for use.
type LocalRendezvous struct {
	mu      sync.Mutex
	arrived map[string]Token
	waiting map[string]*receiver
	ended   error // of Abort
}

var _ Rendezvous = (*LocalRendezvous)(nil)

// A receiver waits for a token.
type receiver struct {
	done    func(Token, error)
	unwatch func() bool // ends watching the context
}

// Send leaves a token. See [Rendezvous].
func (r *LocalRendezvous) Send(key string, t Token) error {
	r.mu.Lock()
	if err := r.ended; err != nil {
		r.mu.Unlock()
		return err
	}
	w := r.waiting[key]
	if w == nil {
		defer r.mu.Unlock()
		if _, twice := r.arrived[key]; twice {
			return status.Errorf(status.Aborted, "Duplicated send: %s", key)
		}
		if r.arrived == nil {
			r.arrived = map[string]Token{}
		}
		r.arrived[key] = t
		return nil
	}
	delete(r.waiting, key)
	r.mu.Unlock()
	w.unwatch()
	w.done(t, nil)
	return nil
}

// Recv asks for a token. See [Rendezvous].
func (r *LocalRendezvous) Recv(ctx context.Context, key string, done func(Token, error)) {
	r.mu.Lock()
	t, come := r.arrived[key]
	err := r.ended
	switch {
	case err != nil:
	case come:
		delete(r.arrived, key)
	case r.waiting[key] != nil:
		err = status.Errorf(status.Aborted, "Duplicated recv: %s", key)
	default:
		if r.waiting == nil {
			r.waiting = map[string]*receiver{}
		}
		w := &receiver{done: done}
		r.waiting[key] = w
		w.unwatch = context.AfterFunc(ctx, func() { r.giveUp(ctx, key, w) })
		r.mu.Unlock()
		return
	}
	r.mu.Unlock()
	if err != nil {
		t = Token{}
	}
	done(t, err)
}

// giveUp ends a wait whose context has ended.
func (r *LocalRendezvous) giveUp(ctx context.Context, key string, w *receiver) {
	r.mu.Lock()
	waits := r.waiting[key] == w
	if waits {
		delete(r.waiting, key)
	}
	r.mu.Unlock()
	if waits {
		w.done(Token{}, status.FromContext(ctx))
	}
}

// Abort ends the rendezvous. See [Rendezvous].
func (r *LocalRendezvous) Abort(err error) {
	r.mu.Lock()
	if r.ended != nil {
		r.mu.Unlock()
		return
	}
	r.ended = err
	waiting := r.waiting
	r.waiting, r.arrived = nil, nil
	r.mu.Unlock()
	for _, w := range waiting {
		w.unwatch()
		w.done(Token{}, err)
	}
}
