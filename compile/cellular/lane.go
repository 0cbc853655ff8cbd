package cellular

import (
	"cmp"
	"context"
	"runtime"
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// mostMembers bounds the callers of one batch; further ones wait for a place.
const mostMembers = 256

// A lane is the callers that are in a loop with the same shapes and invariants. While it has
// members one of them drives it.
type lane struct {
	form       *form
	invariants []tensor.Value

	// Guarded by the loop's lock.
	waiting []*member // that have not been let in, first come first served
	live    int       // members and waiting ones that are not gone
	ctx     context.Context
	cancel  context.CancelFunc // once nobody is live

	// The driver's.
	members []*member
	stack   []tensor.Value // of each of the batch's Rows those of all members
	held    kernel.Results // the account of what the last iteration has returned
	charged int64          // of the stack, beside that
	budget  *tensor.Budget
}

// enter runs a member's loop in the lane of its invariants, until it has left it.
func (f *form) enter(m *member) outcome {
	k := f.loop
	k.mu.Lock()
	l := f.lane(m)
	first := l.cancel == nil // it is a new lane: any other has a driver
	if l.cancel == nil || l.ctx.Err() != nil {
		l.ctx, l.cancel = context.WithCancel(context.WithoutCancel(m.ctx))
	}
	l.live++
	l.waiting = append(l.waiting, m)
	k.mu.Unlock()
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
		if l.leave(m); !k.isGone(m) {
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

// fullLane is how many callers a lane has before another is opened.
const fullLane = 8

// lane returns a lane for a member with its invariants; the loop's lock is held. There are as many
// as there are cores while each has enough callers to be worth a product of its own: lanes on
// several cores wait for each other nowhere, where the parts of one iteration do.
func (f *form) lane(m *member) *lane {
	most := m.step.Pool.Workers()
	if w := WatchOf(m.ctx); w != nil {
		most = max(w.Lanes, 1)
	}
	total := 0
	var open []*lane
	for _, l := range f.lanes {
		fits := true
		for k, i := range f.batch.Invariants {
			fits = fits && same(&l.invariants[k], &m.begun[i])
		}
		if fits {
			open = append(open, l)
			total += l.live
		}
	}
	wanted := max(1, min(most, (total+1)/fullLane))
	if len(open) >= wanted {
		fewer := func(a, b *lane) int { return cmp.Compare(a.live, b.live) }
		if len(open) > wanted {
			return slices.MaxFunc(open, fewer) // so that the others end
		}
		return slices.MinFunc(open, fewer)
	}
	l := &lane{form: f, budget: m.step.Resources.Budget, invariants: pick(m.begun, f.batch.Invariants)}
	f.lanes = append(f.lanes, l)
	lanes.Add(1)
	return l
}

// leave notes that a member's context has ended.
func (l *lane) leave(m *member) {
	k := l.form.loop
	k.mu.Lock()
	defer k.mu.Unlock()
	if !m.gone && !m.ended {
		m.gone = true
		l.less()
	}
}

// less notes that a member is live no more; the loop's lock is held.
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
		k := l.form.loop
		k.mu.Lock()
		gone := m.gone
		if !gone && !m.ended {
			m.ended = true
			l.less()
		}
		k.mu.Unlock()
		if gone {
			m.log.drop(l.budget)
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
	for {
		if watch != nil {
			watch.Iterating()
		}
		joining := l.admit(tell)
		if result.what == nothing && l.form.loop.isGone(lead) {
			result = outcome{failed, status.FromContext(lead.ctx)}
		}
		if result.what != nothing && len(joining) == 0 {
			l.hand(lead)
			return result
		}
		k := l.form.loop
		k.mu.Lock()
		step.Context = l.ctx
		k.mu.Unlock()
		if step.Pool = lead.step.Pool; int(lanes.Load()) >= step.Pool.Workers() {
			step.Pool = serial{}
		}
		l.iterate(&step, joining, tell)
		if result.what != nothing {
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

// isGone reports whether a member's context has ended before it was told what has become of it.
func (k *loop) isGone(m *member) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return m.gone
}

// admit removes members that have gone, and returns callers that join.
func (l *lane) admit(tell func(*member, outcome)) (joining []*member) {
	k := l.form.loop
	k.mu.Lock()
	var stay []source
	for i, m := range l.members {
		if !m.gone {
			stay = append(stay, source{m, i})
		} else {
			m.log.drop(l.budget)
		}
	}
	l.waiting = slices.DeleteFunc(l.waiting, func(m *member) bool { return m.gone })
	n := min(len(l.waiting), mostMembers-len(stay))
	joining = slices.Clone(l.waiting[:n])
	l.waiting = slices.Delete(l.waiting, 0, n)
	k.mu.Unlock()
	if len(stay) < len(l.members) {
		if err := l.restack(stay); err != nil {
			l.dissolve(stay, tell)
		}
	}
	return joining
}

// iterate lets callers in and runs one iteration of all members.
func (l *lane) iterate(step *kernel.Step, joining []*member, tell func(*member, outcome)) {
	if len(joining) > 0 {
		l.admitted(step, joining, tell)
	}
	if len(l.members) == 0 {
		return
	}
	b := l.form.batch
	batches.Add(1)
	rows.Add(int64(len(l.members)))
	if len(l.members) > 1 {
		l.form.ran.Add(1)
	}
	r, err := l.form.next.Call(step, slices.Concat(l.stack, l.invariants))
	if err == nil {
		err = l.check(r.Values)
	}
	if err != nil {
		r.Release()
		var all []source
		for i, m := range l.members {
			all = append(all, source{m, i})
		}
		l.dissolve(all, tell)
		return
	}
	changing, alive, cuts := r.Values[:len(b.Changing)], r.Values[len(b.Changing)], r.Values[len(b.Changing)+1:][:len(b.Cuts)]
	for k, i := range b.Changing {
		l.stack[slices.Index(b.Rows, i)] = changing[k]
	}
	l.held.Release()
	l.held = r
	going := tensor.Of[bool](&alive)
	var stay, end []source
	for i, m := range l.members {
		m.runs++
		s := source{m, i}
		if len(cuts) > 0 {
			if m.failure = m.log.add(l.budget, cuts, i); m.failure != nil {
				end = append(end, s)
				continue
			}
		}
		if going[i] {
			stay = append(stay, s)
		} else {
			end = append(end, s)
		}
	}
	if len(end) == 0 {
		return
	}
	for _, s := range end {
		s.of.rows = l.rowsOf(s.row)
	}
	if err := l.restack(stay); err != nil {
		l.dissolve(stay, tell)
	}
	for _, s := range end {
		if s.of.failure != nil {
			tell(s.of, outcome{failed, s.of.failure})
		} else {
			tell(s.of, outcome{done, nil})
		}
	}
}

// check returns an error if an iteration has returned other shapes than those that all iterations
// have.
func (l *lane) check(values []tensor.Value) error {
	b := l.form.batch
	for k := range values {
		if values[k].Rank() == 0 || values[k].Dims()[0] != int64(len(l.members)) {
			return status.Errorf(status.Internal, "result %d of an iteration has shape %s for %d callers", k, tensor.FormatDims(values[k].Dims()), len(l.members))
		}
		if k < len(b.Changing) && !slices.Equal(values[k].Dims()[1:], b.Variables[b.Changing[k]].Shape) {
			return status.Errorf(status.Internal, "result %d of an iteration has shape %s", k, tensor.FormatDims(values[k].Dims()))
		}
	}
	return nil
}

// admitted adds the callers to the members that have an iteration before them.
func (l *lane) admitted(step *kernel.Step, joining []*member, tell func(*member, outcome)) {
	b := l.form.batch
	var all []source
	for _, m := range joining {
		all = append(all, source{m, -1})
	}
	leave := func() {
		for _, s := range all {
			tell(s.of, outcome{solo, nil})
		}
	}
	rows := make([]tensor.Value, len(b.Rows))
	for k, i := range b.Rows {
		var err error
		if rows[k], err = stack(l.form.loop.types[i], b.Variables[i].Shape, k, nil, all); err != nil {
			leave()
			return
		}
	}
	r, err := l.form.first.Call(step, slices.Concat(rows, l.invariants))
	defer r.Release()
	if err != nil || r.Values[0].NumElements() != len(joining) {
		leave()
		return
	}
	going := tensor.Of[bool](&r.Values[0])
	var stay []source
	for i, m := range l.members {
		stay = append(stay, source{m, i})
	}
	for i, s := range all {
		if going[i] {
			stay = append(stay, s)
		} else {
			tell(s.of, outcome{done, nil})
		}
	}
	if len(stay) == len(l.members) {
		return
	}
	if err := l.restack(stay); err != nil {
		for _, s := range stay[len(l.members):] {
			tell(s.of, outcome{solo, nil})
		}
	}
}

// restack makes these the members. It fails, and changes nothing, where there is no memory.
func (l *lane) restack(stay []source) error {
	if len(stay) == 0 {
		l.drop()
		return nil
	}
	b := l.form.batch
	next := make([]tensor.Value, len(b.Rows))
	bytes := int64(0)
	for k, i := range b.Rows {
		var from *tensor.Value
		if l.stack != nil {
			from = &l.stack[k]
		}
		v, err := stack(l.form.loop.types[i], b.Variables[i].Shape, k, from, stay)
		if err != nil {
			return err
		}
		next[k] = v
		bytes += v.TotalBytes()
	}
	if err := l.budget.Charge(bytes); err != nil {
		return err
	}
	l.held.Release()
	l.held = kernel.Results{}
	l.budget.Release(l.charged)
	l.charged, l.stack = bytes, next
	l.members = l.members[:0]
	for _, s := range stay {
		s.of.rows = nil
		l.members = append(l.members, s.of)
	}
	return nil
}

// drop empties the stack.
func (l *lane) drop() {
	l.held.Release()
	l.held = kernel.Results{}
	l.budget.Release(l.charged)
	l.charged, l.stack = 0, nil
	clear(l.members)
	l.members = l.members[:0]
}

// dissolve ends the batch: the members go on alone, each with its rows.
func (l *lane) dissolve(members []source, tell func(*member, outcome)) {
	for _, s := range members {
		s.of.rows = l.rowsOf(s.row)
		tell(s.of, outcome{solo, nil})
	}
	l.drop()
}

// rowsOf returns the rows of the member at a place in the stack.
func (l *lane) rowsOf(i int) []tensor.Value {
	rows := make([]tensor.Value, len(l.stack))
	for k, v := range l.stack {
		rows[k] = v.OwnRow(i)
	}
	return rows
}

// hand makes another caller drive the lane, or ends it if there is none.
func (l *lane) hand(lead *member) {
	k := l.form.loop
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, list := range [][]*member{l.members, l.waiting} {
		for _, m := range list {
			if m != lead && !m.gone {
				m.told <- outcome{what: drive}
				return
			}
		}
	}
	for _, m := range l.members { // who are all gone
		m.log.drop(l.budget)
	}
	l.waiting = nil
	l.drop()
	l.cancel()
	lanes.Add(-1)
	l.form.lanes = slices.DeleteFunc(l.form.lanes, func(o *lane) bool { return o == l })
}
