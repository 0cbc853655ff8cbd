package streams

import (
	"sync"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/stream"
)

// An event is a place in a stream, before and after that stream's actor has recorded
// it with the driver.
type event struct {
	of    *incarnation
	place stream.Place
	known [stream.Kinds]uint64 // what the stream comes after, there
	refs  atomic.Int32         // messages under way, and the incarnation's latest

	mu       sync.Mutex
	settled  bool
	recorded devices.Event // nil if it is settled: the device has ended before
	promised bool          // to a stream of another device
	waiting  []asking
}

// An asking is a stream that waits for the event to be settled.
type asking struct {
	of     *incarnation
	stream *actor.PID
}

// ask returns the driver's event; false before it is settled: who is then told by a
// Recorded.
func (e *event) ask(who asking) (devices.Event, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.settled {
		e.waiting = append(e.waiting, who)
	}
	return e.recorded, e.settled
}

// promise notes that another device asks for the event, and reports whether it has yet to be
// settled.
func (e *event) promise() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.settled {
		e.promised = true
	}
	return !e.settled
}

// settle reports what the driver recorded, nil if it never will, and tells who asked. It answers
// whether the event was promised before.
func (e *event) settle(d devices.Event) (promised bool) {
	e.mu.Lock()
	e.settled, e.recorded = true, d
	waiting, promised := e.waiting, e.promised
	e.waiting = nil
	e.mu.Unlock()
	for _, who := range waiting {
		if who.of.ended() == nil { // else there may be nobody
			who.of.owner.root.Send(who.stream, &Recorded{e})
		}
	}
	return promised
}

// release gives one reference up.
func (e *event) release() {
	if e.refs.Add(-1) == 0 && e.recorded != nil {
		defer e.caught()
		e.recorded.Release()
	}
}

// caught ends the incarnation if its driver panicked. Who releases may hold its lock.
func (e *event) caught() {
	if r := recover(); r != nil {
		go e.of.lose(panicked(r))
	}
}
