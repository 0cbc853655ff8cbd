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
	place stream.Place
	known [stream.Kinds]uint64 // what the stream comes after, there
	refs  atomic.Int32         // messages under way, and the incarnation's latest

	mu       sync.Mutex
	recorded devices.Event
	waiting  []*actor.PID
}

// ask gives the driver's event; nil before it is recorded: who is then told by a
// Recorded.
func (e *event) ask(who *actor.PID) devices.Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.recorded == nil {
		e.waiting = append(e.waiting, who)
	}
	return e.recorded
}

// settle says what the driver recorded, and answers who asked.
func (e *event) settle(d devices.Event) []*actor.PID {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.recorded = d
	waiting := e.waiting
	e.waiting = nil
	return waiting
}

// release gives one reference up.
func (e *event) release() {
	if e.refs.Add(-1) == 0 && e.recorded != nil {
		e.recorded.Release()
	}
}
