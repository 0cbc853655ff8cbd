package cellular

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// mostMembers bounds the callers of one batch; further ones wait for a place.
const mostMembers = 256

// A place is where callers of one form meet: each lane has some of them.
type place struct {
	mu    *sync.Mutex // guards the lanes, and what lanes and members have that is said to be guarded
	lanes []*lane
	full  int // how many callers a lane has before another is opened
}

// A lane is the callers that are in a loop, or in calls, with the same shapes and invariants. While
// it has members one of them drives it.
type lane struct {
	at   *place
	play player

	// Guarded.
	waiting []*member // that have not been let in, first come first served
	live    int       // members and waiting ones that are not gone
	ctx     context.Context
	cancel  context.CancelFunc // once nobody is live

	// The driver's.
	members []*member
	joining []*member // of the last iteration, members or not yet
	budget  *tensor.Budget
}

// A player is what the members of a lane do together. It changes the lane's members, and tells each
// that has left what has become of it.
type player interface {
	// fits reports whether a caller may join: it brings the same invariants.
	fits(m *member) bool
	// keep drops the members that are not among these.
	keep(stay []source, tell func(*member, outcome))
	// iterate lets callers in and runs one iteration, or one batch of calls.
	iterate(step *kernel.Step, joining []*member, tell func(*member, outcome))
	// forget drops what a member has that is gone.
	forget(m *member)
	// drop drops what is left, of members that are all gone.
	drop()
}

// enter has a member take part in a lane, which open makes if there is none for it, until it has
// left.
func (p *place) enter(m *member, open func(*lane) player) outcome {
	p.mu.Lock()
	l := p.lane(m, open)
	first := l.cancel == nil // it is a new lane: any other has a driver
	if l.cancel == nil || l.ctx.Err() != nil {
		l.ctx, l.cancel = context.WithCancel(context.WithoutCancel(m.ctx))
	}
	l.live++
	l.waiting = append(l.waiting, m)
	p.mu.Unlock()
	if watch := WatchOf(m.ctx); watch != nil {
		watch.Entered()
	}
	stop := context.AfterFunc(m.ctx, func() { l.leave(m) })
	defer stop()
	if first {
		return l.drive(m)
	}
	var o outcome
	select {
	case o = <-m.told:
	case <-m.ctx.Done():
		if l.leave(m); !p.isGone(m) {
			o = <-m.told // it has ended, and is about to be told
			break
		}
		select {
		case o = <-m.told:
		default:
			return outcome{failed, status.FromContext(m.ctx)}
		}
	}
	if o.what == drive {
		return l.drive(m)
	}
	return o
}

// fullLane is how many callers a lane of a loop has before another is opened.
const fullLane = 8

// lane returns a lane for a member with its invariants; the lock is held. There are as many
// as there are cores while each has enough callers to be worth a product of its own: lanes on
// several cores wait for each other nowhere, where the parts of one iteration do.
func (p *place) lane(m *member, player func(*lane) player) *lane {
	most := m.step.Pool.Workers()
	if w := WatchOf(m.ctx); w != nil {
		most = max(w.Lanes, 1)
	}
	total := 0
	var open []*lane
	for _, l := range p.lanes {
		if l.play.fits(m) {
			open = append(open, l)
			total += l.live
		}
	}
	wanted := max(1, min(most, (total+1)/p.full))
	if len(open) >= wanted {
		fewer := func(a, b *lane) int { return cmp.Compare(a.live, b.live) }
		if len(open) > wanted {
			return slices.MaxFunc(open, fewer) // so that the others end
		}
		return slices.MinFunc(open, fewer)
	}
	l := &lane{at: p, budget: m.step.Resources.Budget}
	l.play = player(l)
	p.lanes = append(p.lanes, l)
	lanes.Add(1)
	return l
}

// leave notes that a member's context has ended.
func (l *lane) leave(m *member) {
	l.at.mu.Lock()
	defer l.at.mu.Unlock()
	if !m.gone && !m.ended {
		m.gone = true
		l.less()
	}
}

// less notes that a member is live no more; the lock is held.
func (l *lane) less() {
	if l.live--; l.live == 0 {
		l.cancel()
	}
}

// drive runs iterations until the member has its outcome, and then hands the lane to another.
func (l *lane) drive(lead *member) outcome {
	step := *lead.step
	step.Profile, step.Record, step.Spare, step.Works = nil, nil, nil, nil
	var result outcome
	told := false // others than the lead
	tell := func(m *member, o outcome) {
		l.at.mu.Lock()
		gone := m.gone
		if !gone && !m.ended {
			m.ended = true
			l.less()
		}
		l.at.mu.Unlock()
		if gone {
			l.play.forget(m)
			o = outcome{failed, status.FromContext(m.ctx)}
		}
		switch {
		case m == lead:
			result = o
		case !gone:
			m.told <- o
			told = true
		}
	}
	watch := WatchOf(lead.ctx)
	ended := false
	defer func() {
		if !ended {
			l.abandon(lead)
		}
	}()
	for {
		if watch != nil {
			watch.Iterating()
		}
		joining := l.admit(tell)
		if result.what == nothing && l.at.isGone(lead) {
			result = outcome{failed, status.FromContext(lead.ctx)}
		}
		if result.what != nothing && len(joining) == 0 {
			ended = true
			l.hand(lead)
			return result
		}
		l.at.mu.Lock()
		step.Context = l.ctx
		l.at.mu.Unlock()
		if step.Pool = lead.step.Pool; int(lanes.Load()) >= step.Pool.Workers() {
			step.Pool = serial{}
		}
		l.play.iterate(&step, joining, tell)
		if result.what != nothing {
			ended = true
			l.hand(lead)
			return result
		}
		if told {
			// They have the core now: what they do is short, and they come back.
			told = false
			runtime.Gosched()
		}
	}
}

// abandon ends a lane whose driver panics, which is the lead's error. The others begin again, by
// themselves.
func (l *lane) abandon(lead *member) {
	l.at.mu.Lock()
	l.at.lanes = slices.DeleteFunc(l.at.lanes, func(o *lane) bool { return o == l })
	for _, list := range [][]*member{l.members, l.joining, l.waiting} {
		for _, m := range list {
			if m != lead && !m.gone && !m.ended {
				m.ended = true
				m.told <- outcome{what: again}
			}
		}
	}
	l.waiting = nil
	l.cancel()
	l.at.mu.Unlock()
	lanes.Add(-1)
	l.play.forget(lead)
	for _, m := range l.members {
		if m.gone {
			l.play.forget(m)
		}
	}
	l.play.drop()
}

// isGone reports whether a member's context has ended before it was told what has become of it.
func (p *place) isGone(m *member) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return m.gone
}

// admit removes members that have gone, and returns callers that join.
func (l *lane) admit(tell func(*member, outcome)) (joining []*member) {
	l.at.mu.Lock()
	var stay []source
	for i, m := range l.members {
		if !m.gone {
			stay = append(stay, source{m, i})
		} else {
			l.play.forget(m)
		}
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(m *member) bool { return m.gone })
	n := min(len(l.waiting), mostMembers-len(stay))
	joining = slices.Clone(l.waiting[:n])
	l.joining = joining
	l.waiting = slices.Delete(l.waiting, 0, n)
	l.at.mu.Unlock()
	if len(stay) < len(l.members) {
		l.play.keep(stay, tell)
	}
	return joining
}

// hand makes another caller drive the lane, or ends it if there is none.
func (l *lane) hand(lead *member) {
	l.at.mu.Lock()
	defer l.at.mu.Unlock()
	for _, list := range [][]*member{l.members, l.waiting} {
		for _, m := range list {
			if m != lead && !m.gone {
				m.told <- outcome{what: drive}
				return
			}
		}
	}
	for _, m := range l.members { // who are all gone
		l.play.forget(m)
	}
	l.waiting = nil
	l.play.drop()
	l.cancel()
	lanes.Add(-1)
	l.at.lanes = slices.DeleteFunc(l.at.lanes, func(o *lane) bool { return o == l })
}
