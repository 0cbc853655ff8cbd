package cellular

import (
	"context"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/plan/batching"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A member is one caller in a lane.
type member struct {
	form  *form
	ctx   context.Context
	step  *kernel.Step
	whole kernel.Function
	begun []tensor.Value // the variables as they were before the loop

	told chan outcome // holds at most one: a member that was told to drive is told nothing else

	// The rest is the driver's until the member is told what has become of it.
	rows []tensor.Value // its rows, while it is not in the stack
	log  cuts           // of each iteration what its kept values take
	runs int            // iterations that it has taken part in

	failure error // of its log, in this iteration

	tree tree // its calls, of a recursion

	// Guarded by the lock of its place.
	gone  bool // its context has ended before it was told
	ended bool // it was told, or is about to be, that it has left
}

// An outcome is what a member is told.
type outcome struct {
	what what
	err  error
}

type what uint8

const (
	nothing what = iota
	drive        // it drives the lane from now on
	done         // its condition has failed
	solo         // it goes on alone
	again        // it begins again, alone
	failed       // with err
)

// join runs the member's loop in a lane.
func (m *member) join(out []tensor.Value) error {
	m.told = make(chan outcome, 1)
	for _, i := range m.form.batch.Rows {
		m.rows = append(m.rows, m.begun[i])
	}
	o := m.form.enter(m)
	if m.form.isGone(m) {
		return o.err // its log is the driver's
	}
	defer m.log.drop(m.step.Resources.Budget)
	switch o.what {
	case failed:
		return o.err
	case again:
		return m.alone(m.begun, out)
	}
	writes, ok := m.form.try(m.begun)
	if !ok { // an array that another loop of the step writes to at the same time, or that sums
		return m.alone(m.begun, out)
	}
	values, err := m.variables()
	if err == nil && o.what == solo {
		err = m.alone(values, out)
	} else if err == nil {
		copy(out, values)
	}
	if err != nil && m.ctx.Err() == nil && m.runs > 0 {
		// The error names the iteration as it is counted from where the loop began.
		writes.undo()
		return m.alone(m.begun, out)
	}
	writes.keep()
	return err
}

// variables returns the loop's variables after the member has left the batch: it computes the
// kept ones.
func (m *member) variables() ([]tensor.Value, error) {
	b := m.form.batch
	values := append([]tensor.Value(nil), m.begun...)
	for k, i := range b.Rows {
		values[i] = m.rows[k]
	}
	if m.form.kept == nil {
		return values, nil
	}
	logs, err := m.log.take(m.step.Resources.Budget, b.Cuts)
	if err != nil {
		return nil, err
	}
	args := append([]tensor.Value{tensor.ScalarOf(tensor.Int32, uint32(m.runs))}, pick(values, b.Held)...)
	args = append(append(args, logs...), pick(values, b.Invariants)...)
	for i, v := range b.Variables {
		if v.Passed && v.Role == batching.Kept {
			args = append(args, values[i])
		}
	}
	r, err := m.form.kept.Call(m.step, args)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	for _, ok := range r.Values[len(b.Held):] {
		if !tensor.Of[bool](&ok)[0] {
			return nil, errInvalid
		}
	}
	for k, i := range b.Held {
		values[i] = r.Values[k]
	}
	return values, nil
}

// errInvalid is for kept values that only the loop itself can compute, or fail to.
var errInvalid = status.Errorf(status.Internal, "a list was written out of bounds")

func pick(values []tensor.Value, at []int) (list []tensor.Value) {
	for _, i := range at {
		list = append(list, values[i])
	}
	return list
}

// alone runs the loop for one caller.
func (m *member) alone(values, out []tensor.Value) error {
	if w := WatchOf(m.ctx); w != nil && w.Alone != nil {
		w.Alone()
	}
	if err := status.FromContext(m.ctx); err != nil {
		return err
	}
	r, err := m.whole.Call(m.step, values)
	if err != nil {
		return err
	}
	copy(out, r.Values)
	r.Release()
	return nil
}
