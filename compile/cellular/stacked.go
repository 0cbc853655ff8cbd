package cellular

import (
	"slices"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// stacked is what the members of a lane of a loop do: iterations on the rows of all.
type stacked struct {
	*lane
	form       *form
	invariants []tensor.Value

	stack   []tensor.Value // of each of the batch's Rows those of all members
	held    kernel.Results // the account of what the last iteration has returned
	charged int64          // of the stack, beside that
}

// enter runs a member's loop in the lane of its invariants, until it has left it.
func (f *form) enter(m *member) outcome {
	return f.place.enter(m, func(l *lane) player {
		return &stacked{lane: l, form: f, invariants: pick(m.begun, f.batch.Invariants)}
	})
}

func (l *stacked) fits(m *member) bool {
	for k, i := range l.form.batch.Invariants {
		if !same(&l.invariants[k], &m.begun[i]) {
			return false
		}
	}
	return true
}

func (l *stacked) forget(m *member) { m.log.drop(l.budget) }

func (l *stacked) keep(stay []source, tell func(*member, outcome)) {
	if err := l.restack(stay); err != nil {
		l.dissolve(stay, tell)
	}
}

// iterate lets callers in and runs one iteration of all members.
func (l *stacked) iterate(step *kernel.Step, joining []*member, tell func(*member, outcome)) {
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
func (l *stacked) check(values []tensor.Value) error {
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
func (l *stacked) admitted(step *kernel.Step, joining []*member, tell func(*member, outcome)) {
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
func (l *stacked) restack(stay []source) error {
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
func (l *stacked) drop() {
	l.held.Release()
	l.held = kernel.Results{}
	l.budget.Release(l.charged)
	l.charged, l.stack = 0, nil
	clear(l.members)
	l.members = l.members[:0]
}

// dissolve ends the batch: the members go on alone, each with its rows.
func (l *stacked) dissolve(members []source, tell func(*member, outcome)) {
	for _, s := range members {
		s.of.rows = l.rowsOf(s.row)
		tell(s.of, outcome{solo, nil})
	}
	l.drop()
}

// rowsOf returns the rows of the member at a place in the stack.
func (l *stacked) rowsOf(i int) []tensor.Value {
	rows := make([]tensor.Value, len(l.stack))
	for k, v := range l.stack {
		rows[k] = v.OwnRow(i)
	}
	return rows
}
