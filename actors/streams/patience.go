package streams

import (
	"fmt"
	"time"

	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/status"
)

// A call of a driver must return at once, and none can be ended from outside. The actor of a
// stream that stays in one call for longer than the device's patience ends the incarnation. Its
// own actor cannot stop before the call returns, so the device gets another keeper, which
// opens the driver again; the old one closes its driver if the call ever returns.

// Patience is how long a driver's call may take unless Options say otherwise. Some compile
// code.
const Patience = 2 * time.Minute

// mostKeepers bounds the keepers of a device: each but the last has a goroutine that may
// never return.
const mostKeepers = 4

// expect has somebody look after the streams as long as commands are due. It is locked.
func (g *incarnation) expect() {
	if g.patience <= 0 || g.looking {
		return
	}
	g.looking = true
	if g.look == nil {
		g.look = time.AfterFunc(g.patience, g.lookAfter)
		return
	}
	g.look.Reset(g.patience)
}

// lookAfter ends the incarnation if a stream's actor has been in one message since the look
// before.
func (g *incarnation) lookAfter() {
	g.mu.Lock()
	if g.ended() != nil {
		g.mu.Unlock()
		return
	}
	stuck, quiet := stream.Kinds, len(g.due) == 0
	for k := range g.turns {
		n := g.turns[k].Load()
		if n != g.seen[k] {
			quiet = false
		} else if n%2 == 1 {
			stuck = stream.Kind(k)
		}
		g.seen[k] = n
	}
	if g.looking = !quiet; g.looking {
		g.look.Reset(g.patience)
	}
	g.mu.Unlock()
	if stuck < stream.Kinds {
		g.lose(status.Errorf(status.Unavailable, "stream %s: a call of the driver has not returned for %v", stuck, g.patience))
	}
}

// abandon replaces the keeper of an incarnation that has ended, if it has not opened the
// device again in time.
func (d *Device) abandon(g *incarnation) {
	d.keeping.Lock()
	defer d.keeping.Unlock()
	if d.closing.Load() || d.gone.Load() || d.life.Load() != g || d.term.Load() == mostKeepers {
		return
	}
	old := d.pid.Load()
	d.spawn(d.root)
	d.root.Stop(old)
}

// guarded calls a driver. After a panic nothing is known of what it has done.
func guarded(call func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked(r)
		}
	}()
	return call()
}

// panicked returns a driver's panic as an error.
func panicked(reason any) error {
	return status.Errorf(status.Unavailable, "the driver panicked: %s", fmt.Sprint(reason))
}
