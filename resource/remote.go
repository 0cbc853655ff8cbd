package resource

import (
	"cmp"
	"slices"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Remote is a variable's value in the memory of an accelerator. It does not change; who
// knows that nobody else reads the memory may put another Remote of it in its place.
type Remote interface {
	// Host is a copy in the host's memory. It returns when the device has come to it, or
	// is lost.
	Host() (tensor.Value, error)
	// Lost is why the device has the value no more; nil: it has.
	Lost() error
	// Release gives the memory up. It is called once.
	Release()
}

// A Stored is where a variable's value is: in the host's memory, in that of a device, or the
// same in both; in neither if the variable has none.
type Stored struct {
	Host   tensor.Value
	Remote Remote
}

// Exchange calls f with where the values of variables are, which f may change: values come
// to be elsewhere, or are replaced. What f leaves in values counts also if it fails. A Remote
// that f takes out is released when f has returned. The variables must be distinct; they are
// locked as by [RewriteAll]. Host values have been seen by others, and stay as they are.
//
// A value that was lost with its device is gone from values, and [Variable.Uninitialized] says
// why.
func Exchange(vars []*Variable, f func(values []Stored) error) error {
	locked, err := lockAll(vars)
	if err != nil {
		return err
	}
	defer unlockAll(locked)
	values := make([]Stored, len(vars))
	for i, v := range vars {
		if v.remote != nil && v.value.IsZero() && v.remote.Lost() != nil {
			v.lose(v.remote.Lost())
		}
		values[i] = Stored{v.value, v.remote}
	}
	defer func() { // also if f panics
		for i, v := range vars {
			v.hold(values[i])
		}
	}()
	return f(values)
}

// lockAll locks variables in one order whatever theirs is, so that those who lock the same
// ones never wait for each other in a circle. One that is there twice is an error.
func lockAll(vars []*Variable) (locked []*Variable, err error) {
	locked = slices.Clone(vars)
	slices.SortFunc(locked, func(a, b *Variable) int { return cmp.Compare(a.order(), b.order()) })
	for i, v := range locked {
		if i > 0 && v == locked[i-1] {
			return nil, status.Errorf(status.Internal, "variable %s is rewritten twice at once", v.Name)
		}
	}
	for _, v := range locked {
		v.mu.Lock()
	}
	return locked, nil
}

func unlockAll(locked []*Variable) {
	for _, v := range locked {
		v.mu.Unlock()
	}
}

// hold makes h where the value is. The variable is locked.
func (v *Variable) hold(h Stored) {
	if v.remote != nil && v.remote != h.Remote {
		v.remote.Release()
	}
	v.remote = h.Remote
	if h.Remote != nil {
		v.why.Store(nil)
	}
	if h.Host != v.value { // as a rule there is none, and was none
		v.part(h.Host)
		v.value = h.Host.Share()
		v.weigh()
	}
	v.seen.Store(true)
}

// rlock locks the variable for reading, with its value in the host's memory if it can be
// brought there.
func (v *Variable) rlock() {
	v.mu.RLock()
	for v.value.IsZero() && v.remote != nil {
		v.mu.RUnlock()
		v.mu.Lock()
		v.bring()
		failed := v.why.Load() != nil
		v.mu.Unlock()
		v.mu.RLock()
		if failed {
			return
		}
	}
}

// lock locks the variable for a change of its value, which is in the host's memory alone if
// it can be brought there.
func (v *Variable) lock() {
	v.mu.Lock()
	v.home()
}

// home brings the value to the host's memory, and gives up the copy of a device. The
// variable is locked.
func (v *Variable) home() {
	v.bring()
	if !v.value.IsZero() {
		v.leave()
	}
}

// bring copies a value that only a device has to the host's memory; why says what is in the
// way. The variable is locked.
func (v *Variable) bring() {
	if v.remote == nil || !v.value.IsZero() {
		return
	}
	if err := v.remote.Lost(); err != nil {
		v.lose(err)
		return
	}
	val, err := v.remote.Host()
	if err == nil {
		err = v.account.charge(sizeOf(val))
	}
	if err != nil {
		v.why.Store(status.From(status.Within(err, "variable %s", v.Name)))
		return
	}
	v.value = val
	v.why.Store(nil)
	v.seen.Store(false)
	v.weigh()
}

// lose gives up a value that is lost. The variable is locked.
func (v *Variable) lose(err error) {
	v.why.Store(status.From(status.Errorf(status.FailedPrecondition,
		"variable %s has lost its value, and has none until it is assigned anew: %s", v.Name, status.From(err).Message)))
	v.remote.Release()
	v.remote = nil
}

// leave gives the copy of a device up, for a value that takes its place. The variable is
// locked.
func (v *Variable) leave() {
	if v.remote != nil {
		v.remote.Release()
		v.remote = nil
	}
	v.why.Store(nil)
}
