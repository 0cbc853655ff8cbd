package session

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/plain"
)

var unnamed atomic.Int64

// logger returns the options' Logger, whose lines then name the session.
func (o *SessionOptions) logger() zerolog.Logger {
	name := o.Name
	if name == "" {
		name = fmt.Sprintf("session%d", unnamed.Add(1))
	}
	return o.Logger.With().Str("session", plain.Line(name)).Logger()
}

// unusedIDs counts the step numbers that calls have reserved and no step has. Calls are
// dropped by the collector, so each registers what it has reserved apart from itself.
type unusedIDs struct {
	mu    sync.Mutex
	calls map[*reserved]struct{}
	gone  int64 // of calls that were dropped
}

// reserved is how many step numbers a call has left of its block.
type reserved struct{ left int64 }

func newUnusedIDs() *unusedIDs { return &unusedIDs{calls: map[*reserved]struct{}{}} }

// register gives a call its reserved.
func (u *unusedIDs) register(c *call) {
	r := &reserved{}
	c.ids = r
	u.mu.Lock()
	u.calls[r] = struct{}{}
	u.mu.Unlock()
	runtime.AddCleanup(c, u.drop, r)
}

func (u *unusedIDs) drop(r *reserved) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.gone += r.left
	delete(u.calls, r)
}

// sum is exact when no step runs.
func (u *unusedIDs) sum() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	n := u.gone
	for r := range u.calls {
		n += r.left
	}
	return n
}
