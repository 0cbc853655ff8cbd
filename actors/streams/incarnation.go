package streams

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/status"
)

// An incarnation is one life of a device: a driver, its streams' actors, and what
// they are told in which order.
type incarnation struct {
	owner      *Device
	number     uint64 // of all in the process: who locks two locks the lower one first
	driver     devices.Accelerator
	attributes devices.Attributes
	device     *actor.PID
	lends      string                       // what a copy to another device is called there
	end        atomic.Pointer[status.Error] // why it ended

	lending sync.RWMutex  // held by others while they tell their drivers of something of this one's, and while the host fills its memory
	closed  bool          // its driver is closed, or about to be: nobody is lent anything any more
	loans   atomic.Int64  // copies from its memory in queues of other devices, not known to have ended
	repaid  chan struct{} // gets one when there are none any more

	account account
	staging staging
	memory  sync.Mutex // held while the driver is asked for memory, or is given some back: it may wait for the device

	patience time.Duration               // 0: without end
	turns    [stream.Kinds]atomic.Uint64 // odd while the stream's actor handles a message
	succeed  atomic.Pointer[time.Timer]  // abandons it

	mu       sync.Mutex
	streams  [stream.Kinds]*actor.PID
	order    stream.Order
	pool     *stream.Pool
	passed   [stream.Kinds]uint64 // how far the host knows that streams have come
	latest   [stream.Kinds]*event
	due      map[*After]struct{}
	promised map[*event]struct{} // to other devices, and not settled
	finally  []func()            // to be called when the driver is closed; see closed
	uses     []stream.Use        // scratch
	waits    []stream.Place
	looking  bool // look is going to call lookAfter
	look     *time.Timer
	seen     [stream.Kinds]uint64 // turns, at the last look
}

var incarnations atomic.Uint64

func newIncarnation(driver devices.Accelerator, owner *Device) *incarnation {
	_, short, _ := strings.Cut(driver.Attributes().Name, "device:")
	return &incarnation{
		owner: owner, number: incarnations.Add(1), driver: driver, attributes: driver.Attributes(), pool: stream.NewPool(driver.Attributes()), lends: "copy from " + short,
		due: map[*After]struct{}{}, promised: map[*event]struct{}{}, repaid: make(chan struct{}, 1),
		account: account{budget: owner.options.Budget}, staging: staging{rest: map[int64][]devices.HostBuffer{}}, patience: owner.patience(),
	}
}

// ended is why the incarnation has ended; nil while it lives.
func (g *incarnation) ended() error {
	if err := g.end.Load(); err != nil {
		return err
	}
	return nil
}

// lose ends the incarnation: what is due fails, and the device's actor is told.
func (g *incarnation) lose(cause error) {
	if !g.finishAll(status.Errorf(status.Unavailable, "device %s (incarnation %d) failed: %v", g.attributes.Name, g.attributes.Incarnation, cause)) {
		return
	}
	if g.patience > 0 {
		g.succeed.Store(time.AfterFunc(g.patience, func() { g.owner.abandon(g) }))
	}
	g.owner.root.Send(g.device, &Failed{g, cause})
}

// doubt ends the incarnation if its driver failed with UNAVAILABLE, and returns why it has
// ended then. It is not locked.
func (g *incarnation) doubt(err error) error {
	if status.CodeOf(err) != status.Unavailable {
		return err
	}
	g.lose(err)
	return g.ended()
}

// finishAll ends the incarnation, and reports whether it lived till then.
func (g *incarnation) finishAll(err *status.Error) bool {
	g.mu.Lock()
	first := g.end.CompareAndSwap(nil, err)
	due := g.due
	g.due = nil
	g.mu.Unlock()
	for a := range due {
		a.do(err)
	}
	return first
}

// finish tells whoever waits that a stream has come to a place.
func (g *incarnation) finish(a *After) {
	g.mu.Lock()
	_, due := g.due[a]
	delete(g.due, a)
	g.passed[a.place.Stream] = max(g.passed[a.place.Stream], a.place.N)
	for s, n := range a.known {
		g.passed[s] = max(g.passed[s], n)
	}
	g.mu.Unlock()
	if due {
		err := error(nil)
		if a.read != nil {
			err = a.read.Fault()
		}
		a.do(err)
	}
}

// send orders a command, which uses g.uses, and hands it to its stream's actor after
// what it must wait for. It is locked.
func (g *incarnation) send(s stream.Kind, work any) stream.Place {
	place := g.join(s)
	g.owner.root.Send(g.streams[s], work)
	if s != stream.Compute { // others wait for this copy, not for later ones
		g.record(s)
	}
	return place
}

// join orders a command, which uses g.uses, and lets its stream wait for what it must come
// after. It is locked.
func (g *incarnation) join(s stream.Kind) stream.Place {
	place, waits := g.order.Add(s, g.uses, g.waits[:0])
	g.waits = waits
	clear(g.uses)
	g.uses = g.uses[:0]
	for _, w := range waits {
		if g.order.Known(s)[w.Stream] >= w.N { // since the wait before
			continue
		}
		e := g.at(w)
		e.refs.Add(1)
		g.owner.root.Send(g.streams[s], &Wait{e})
		g.order.Waited(s, e.place, e.known)
	}
	return place
}

// record makes an event at the end of a stream. It is locked.
func (g *incarnation) record(s stream.Kind) *event {
	e := &event{of: g, place: g.order.Last(s), known: g.order.Known(s)}
	e.refs.Store(2) // the message and latest
	g.owner.root.Send(g.streams[s], &Record{e})
	if old := g.latest[s]; old != nil {
		old.release()
	}
	g.latest[s] = e
	return e
}

// after has do called when a stream has come to where it is now; m is what it then
// should have read. It is locked, and do is not called from within.
func (g *incarnation) after(s stream.Kind, m *Memory, do func(error)) {
	a := &After{place: g.order.Last(s), known: g.order.Known(s), read: m, do: do}
	g.due[a] = struct{}{}
	g.expect()
	g.owner.root.Send(g.streams[s], a)
}

// Passed waits until work n of the compute stream is done. Where that is known it does
// not ask the device.
func (g *incarnation) Passed(ctx context.Context, n uint64) error {
	g.mu.Lock()
	if g.passed[stream.Compute] >= n {
		g.mu.Unlock()
		return nil
	}
	if err := g.ended(); err != nil {
		g.mu.Unlock()
		return err
	}
	done := make(chan error, 1)
	g.after(stream.Compute, nil, func(err error) { done <- err })
	g.mu.Unlock()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return status.FromContext(ctx)
	}
}

// alloc returns a block of memory.
func (g *incarnation) alloc(bytes int64) (*stream.Block, error) {
	g.mu.Lock()
	block := g.pool.Reuse(bytes, g.passed)
	g.mu.Unlock()
	if block != nil {
		return block, nil
	}
	block, err := g.grow(bytes)
	return block, g.doubt(err)
}

// grow is alloc where no block rests that fits.
func (g *incarnation) grow(bytes int64) (*stream.Block, error) {
	g.memory.Lock()
	defer g.memory.Unlock()
	g.mu.Lock()
	var spare []devices.Buffer
	err := error(nil)
	block := g.pool.Reuse(bytes, g.passed) // what was released meanwhile
	if block == nil {
		block, spare, err = g.pool.Grow(bytes, g.passed)
	}
	g.mu.Unlock()
	if err := g.give(spare); err != nil { // the incarnation ends
		return nil, err
	}
	if err != nil || block.Buffer != nil {
		return block, err
	}
	block.Buffer, err = g.ask(block.Bytes())
	if status.CodeOf(err) == status.ResourceExhausted && g.resting() > 0 {
		g.mu.Lock()
		spare = g.pool.Trim(g.passed)
		g.mu.Unlock()
		if err := g.give(spare); err != nil {
			return nil, err
		}
		block.Buffer, err = g.ask(block.Bytes())
	}
	if err != nil {
		g.mu.Lock()
		g.pool.Abandon(block)
		g.mu.Unlock()
		return nil, err
	}
	return block, nil
}

// resting returns how many bytes of blocks nobody owns.
func (g *incarnation) resting() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.pool.Statistics().Resting
}

// busy reports whether works under way keep memory from others: blocks that nobody owns, or what
// copies go through, if that is charged like the device's memory.
func (g *incarnation) busy() bool {
	g.mu.Lock()
	s := g.pool.Statistics()
	g.mu.Unlock()
	return s.Resting > 0 || g.attributes.Unified && g.account.used() > s.InUse
}

// ask returns memory of the driver's. What is the host's is charged.
func (g *incarnation) ask(bytes int64) (b devices.Buffer, err error) {
	if g.attributes.Unified {
		if err = g.account.charge(bytes); status.CodeOf(err) == status.ResourceExhausted {
			g.reclaim()
			err = g.account.charge(bytes)
		}
		if err != nil {
			return nil, status.Within(err, "%d bytes of device %s", bytes, g.attributes.Name)
		}
	}
	err = guarded(func() (err error) { b, err = g.driver.Alloc(bytes); return err })
	if err != nil && g.attributes.Unified {
		g.account.release(bytes)
	}
	return b, err
}

// give returns memory to the driver.
func (g *incarnation) give(all []devices.Buffer) (err error) {
	for _, b := range all {
		n := b.Size()
		if failed := guarded(func() error { b.Release(); return nil }); failed != nil {
			err = failed
		}
		if g.attributes.Unified {
			g.account.release(n)
		}
	}
	return err
}
