package cluster

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/cluster/protocol"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Keys of what a partial run and the nodes of its step exchange; the number of the feed or fetch
// follows.
const (
	fedKey     = "feed;"
	fetchedKey = "fetch;"
	settledKey = "settled;"
)

// An exchange is the session's end of a partial run.
type exchange struct {
	program *program
	side    session.PartialSide
	ctx     context.Context // ends with the step
	cancel  context.CancelFunc
	feeding sync.WaitGroup
	taking  sync.WaitGroup

	mu      sync.Mutex
	parcels []*parcel    // that were fed
	taken   map[int]bool // fetches that have come
	failed  error        // why the step cannot go on, the first reason
}

// RunPartial runs the step of a partial run. See [session.AwayProgram].
func (p *program) RunPartial(ctx context.Context, side session.PartialSide) error {
	x := &exchange{program: p, side: side, taken: map[int]bool{}}
	x.ctx, x.cancel = context.WithCancel(ctx)
	feeds := make([]any, len(p.feedAt))
	for i := range feeds {
		parcel, _, err := pack(protocol.StepID{}, nil)
		if err != nil {
			x.cancel()
			return err
		}
		parcel.span, feeds[i] = spanOf(ctx), parcel
	}
	_, err := p.client.run(x.ctx, p.number, p.graph, feeds, x)
	if err == nil {
		x.taking.Wait() // large values are fetched from their workers
	}
	x.cancel()
	x.taking.Wait()
	x.feeding.Wait()
	for _, parcel := range x.parcels {
		p.client.office.drop(parcel)
	}
	if x.failed != nil {
		err = x.failed
	}
	return p.explain(err)
}

// feed sends what is fed to the workers that wait for it.
func (x *exchange) feed(request uint64) {
	for i, worker := range x.program.partial {
		x.feeding.Go(func() {
			v, err := x.side.Await(x.ctx, i)
			if err != nil {
				return // the step has ended
			}
			p, _, err := pack(protocol.StepID{}, []item{{value: v.Share()}})
			if err != nil {
				x.fail(err)
				return
			}
			x.mu.Lock()
			x.parcels = append(x.parcels, p)
			x.mu.Unlock()
			c := x.program.client
			c.do(func(out *protocol.Outbox) { c.core.Feed(request, worker, fedKey+strconv.Itoa(i), p, out) })
		})
	}
}

// came takes what a part has produced. It does not block.
func (x *exchange) came(key string, value any) {
	if i, ok := number(key, settledKey); ok {
		x.mu.Lock()
		defer x.mu.Unlock()
		if !x.taken[i] { // otherwise it is settled when it has been delivered
			x.side.Settle(i)
		}
		return
	}
	i, ok := number(key, fetchedKey)
	a, is := value.(*arrival)
	if !ok || !is {
		return
	}
	x.mu.Lock()
	x.taken[i] = true
	x.mu.Unlock()
	x.taking.Go(func() {
		if err := x.take(i, a); err != nil {
			x.fail(err)
		}
	})
}

// take takes the value of a fetch.
func (x *exchange) take(i int, a *arrival) error {
	t := x.program.target
	items, err := unpack(x.ctx, t.client.endpoint, t.budget, a)
	if err != nil {
		return err
	}
	if len(items) != 1 || items[0].value.IsZero() {
		return status.Errorf(status.DataLoss, "a message with %d tensors", len(items))
	}
	if err := x.side.Deliver(i, items[0].value); err != nil {
		return err
	}
	return x.side.Settle(i)
}

// fail ends the step.
func (x *exchange) fail(err error) {
	x.mu.Lock()
	if x.failed == nil && x.ctx.Err() == nil {
		x.failed = err
	}
	x.mu.Unlock()
	x.cancel()
}

// number returns the number in a key of one kind.
func number(key, kind string) (int, bool) {
	text, ok := strings.CutPrefix(key, kind)
	i, err := strconv.Atoi(text)
	return i, ok && err == nil
}

// An owner is the end of a partial run that a part's nodes see: what leads to the session's
// process.
type owner struct{ *running }

// Await asks for a feed. See [session.PartialSide].
func (r owner) Await(ctx context.Context, feed int) (v tensor.Value, err error) {
	come := make(chan struct{})
	r.want(ctx, protocol.Owner, fedKey+strconv.Itoa(feed), func(t resource.Token, failed error) {
		v, err = t.Value, failed
		close(come)
	})
	<-come // at the latest when the step ends
	return v, err
}

// Deliver sends a fetch. See [session.PartialSide].
func (r owner) Deliver(fetch int, v tensor.Value) error {
	return r.give(protocol.Owner, fetchedKey+strconv.Itoa(fetch), item{value: v.Compact().Share()})
}

// Settle says that a fetch has come, or has come dead. See [session.PartialSide].
func (r owner) Settle(fetch int) (err error) {
	r.w.do(func(out *protocol.Outbox) {
		err = r.w.core.Produced(r.id, protocol.Owner, settledKey+strconv.Itoa(fetch), nil, 0, out)
	})
	return err
}
