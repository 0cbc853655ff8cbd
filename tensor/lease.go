package tensor

import "sync/atomic"

// A Lease counts the views that steps have of a tensor that is not theirs, such as a
// variable's value, so that its owner knows when it may be written again. A view that is
// shared is never given back, and its lease never idle again. It is safe for concurrent
// use.
type Lease struct{ views atomic.Int64 }

// Hold counts one view more, which [Arena.Borrow] is to make.
func (l *Lease) Hold() { l.views.Add(1) }

// Idle reports whether no view is left. The caller must prevent calls of Hold meanwhile.
func (l *Lease) Idle() bool { return l.views.Load() == 0 }

// Borrow returns a view of all of v, whose memory is under a lease that was held for the view:
// with its last token, and that of the last view of it, it releases the lease. It fails,
// and has given the lease up, where the budget is passed. Like other views it is not
// counted yet.
func (a *Arena) Borrow(v Value, l *Lease) (Value, error) {
	if err := a.charge(viewBytes); err != nil {
		l.views.Add(-1)
		return Value{}, err
	}
	w := a.show(v, v.t.dtype, 0, v.t.n, v.t.shape)
	w.t.asView().lease = l
	return w, nil
}
