package streams

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

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

	mu       sync.Mutex
	streams  [stream.Kinds]*actor.PID
	order    stream.Order
	pool     *stream.Pool
	passed   [stream.Kinds]uint64 // how far the host knows that streams have come
	latest   [stream.Kinds]*event
	due      map[*After]struct{}
	promised map[*event]struct{}            // to other devices, and not settled
	staging  map[int64][]devices.HostBuffer // that nobody uses, by class
	uses     []stream.Use                   // scratch
	waits    []stream.Place
	trouble  error // the driver's, that it is lost: for leave
}

var incarnations atomic.Uint64

func newIncarnation(driver devices.Accelerator, owner *Device) *incarnation {
	_, short, _ := strings.Cut(driver.Attributes().Name, "device:")
	return &incarnation{
		owner: owner, number: incarnations.Add(1), driver: driver, attributes: driver.Attributes(), pool: stream.NewPool(driver), lends: "copy from " + short,
		due: map[*After]struct{}{}, promised: map[*event]struct{}{}, staging: map[int64][]devices.HostBuffer{},
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
	if g.finishAll(status.Errorf(status.Unavailable, "device %s (incarnation %d) failed: %v", g.attributes.Name, g.attributes.Incarnation, cause)) {
		g.owner.root.Send(g.device, &Failed{g, cause})
	}
}

// finishAll ends the incarnation, and says whether it lived till then.
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

// send orders a work, which uses g.uses, and hands it to its stream's actor after
// what it must wait for. It is locked.
func (g *incarnation) send(s stream.Kind, work any) stream.Place {
	place := g.join(s)
	g.owner.root.Send(g.streams[s], work)
	if s != stream.Compute { // others wait for this copy, not for later ones
		g.record(s)
	}
	return place
}

// join orders a work, which uses g.uses, and lets its stream wait for what it must come
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
	e := &event{place: g.order.Last(s), known: g.order.Known(s)}
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

// leave unlocks the incarnation, and ends it if the driver said that it is lost.
func (g *incarnation) leave() {
	trouble := g.trouble
	g.trouble = nil
	g.mu.Unlock()
	if trouble != nil {
		g.lose(trouble)
	}
}

// doubt takes down that the driver is lost, if that is what it failed with.
func (g *incarnation) doubt(err error) {
	if status.CodeOf(err) == status.Unavailable {
		g.trouble = err
	}
}

// alloc gives a block of memory. It is locked, till leave.
func (g *incarnation) alloc(bytes int64) (*stream.Block, error) {
	block, err := g.pool.Alloc(bytes, g.passed)
	g.doubt(err)
	return block, err
}

// stage gives a buffer of the host's that no work uses. It is locked, till leave.
func (g *incarnation) stage(bytes int64) (devices.HostBuffer, error) {
	class := stream.Class(bytes)
	if rest := g.staging[class]; len(rest) > 0 {
		b := rest[len(rest)-1]
		g.staging[class] = slices.Delete(rest, len(rest)-1, len(rest))
		return b, nil
	}
	b, err := g.driver.AllocHost(class)
	g.doubt(err)
	return b, err
}

// mostStaged is how many buffers of one class are kept.
const mostStaged = 8

// unstage takes a buffer back that no work uses any more.
func (g *incarnation) unstage(b devices.HostBuffer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended() != nil {
		return // the driver may still be at it, and takes it when it is closed
	}
	if class := b.Size(); len(g.staging[class]) < mostStaged {
		g.staging[class] = append(g.staging[class], b)
		return
	}
	b.Release()
}
