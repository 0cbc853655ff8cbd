package resource

import (
	"cmp"
	"context"
	"slices"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Remote is a variable's value in the memory of an accelerator. It does not change; a
// caller that knows that the memory has no other reader may replace it by another Remote.
type Remote interface {
	// Host has done called, once, with a copy in the host's memory when the device has come
	// to it, or with why there is none. done does not wait.
	Host(done func(tensor.Value, error))
	// Lost is why the device has lost the value; nil: it has the value.
	Lost() error
	// Release releases the memory. It is called once.
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

// lockAll locks variables in one order whatever theirs is, so that callers that lock the same
// ones never deadlock. One that is there twice is an error.
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
	v.remote, v.fetch = h.Remote, nil // whose memory may have been written
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

// A fetch is a value on its way from a device to the host's memory. The variable
// can be used meanwhile; if its value changes, the fetched one is dropped.
type fetch struct {
	done chan struct{}
	val  tensor.Value
	err  error
}

// patience is how often the value may have changed when it comes, before others have to wait
// till it does.
const patience = 3

// Away returns the value on a device, if only that has it; else nil. It may be another, or
// elsewhere, at any time.
func (v *Variable) Away() Remote {
	v.mu.RLock()
	defer v.mu.RUnlock()
	if v.away() {
		return v.remote
	}
	return nil
}

// away reports whether only a device has the value. The variable is locked, perhaps for reading.
func (v *Variable) away() bool { return v.value.IsZero() && v.remote != nil }

// rlock locks the variable for reading, with its value in the host's memory if it can be
// brought there: then nobody else reads it meanwhile. It fails, and the variable is not
// locked, when ctx has ended.
func (v *Variable) rlock(ctx context.Context) (alone bool, err error) {
	v.mu.RLock()
	if !v.away() {
		return false, nil
	}
	v.mu.RUnlock()
	return true, v.lockHere(ctx)
}

// runlock ends what rlock began.
func (v *Variable) runlock(alone bool) {
	if alone {
		v.mu.Unlock()
	} else {
		v.mu.RUnlock()
	}
}

// lock locks the variable for a change of its value, which is in the host's memory alone if
// it can be brought there. It fails, and the variable is not locked, when ctx has ended.
func (v *Variable) lock(ctx context.Context) error {
	if err := v.lockHere(ctx); err != nil {
		return err
	}
	v.home()
	return nil
}

// home releases the copy of a device. The variable is locked, and has come.
func (v *Variable) home() {
	if !v.value.IsZero() {
		v.leave()
	}
}

// lockHere locks the variable, with its value in the host's memory if it can be brought there;
// why says what is in the way.
func (v *Variable) lockHere(ctx context.Context) error {
	v.mu.Lock()
	if !v.away() {
		return nil
	}
	v.mu.Unlock()
	_, err := lockAllHere(ctx, []*Variable{v})
	return err
}

// lockAllHere is lockHere for several, as lockAll locks them.
func lockAllHere(ctx context.Context, vars []*Variable) (locked []*Variable, err error) {
	for try := 0; ; try++ {
		if locked, err = lockAll(vars); err != nil {
			return nil, err
		}
		var late []*fetch
		for _, v := range locked {
			if f := v.fetching(); f != nil {
				late = append(late, f)
			}
		}
		if len(late) == 0 {
			return locked, nil
		}
		open := try < patience
		if open {
			unlockAll(locked)
		}
		for _, f := range late {
			select {
			case <-f.done:
			case <-ctx.Done():
				if !open {
					unlockAll(locked)
				}
				return nil, status.FromContext(ctx)
			}
		}
		if !open {
			for _, v := range locked {
				v.fetching() // which have come
			}
			return locked, nil
		}
	}
}

// fetching begins to bring a value that only a device has to the host's memory, unless
// it is being fetched; nil if the value has come, or does not. The variable is locked.
func (v *Variable) fetching() *fetch {
	if !v.away() {
		return nil
	}
	if err := v.remote.Lost(); err != nil {
		v.lose(err)
		return nil
	}
	f := v.fetch
	if f == nil {
		f = &fetch{done: make(chan struct{})}
		v.fetch = f
		v.remote.Host(func(val tensor.Value, err error) {
			f.val, f.err = val, err
			close(f.done)
		})
	}
	select {
	case <-f.done:
	default:
		return f
	}
	v.fetch = nil
	err := f.err
	if err == nil {
		err = v.account.charge(sizeOf(f.val))
	}
	if err != nil {
		v.why.Store(status.From(status.Within(err, "variable %s", v.Name)))
		return nil
	}
	v.value, v.lease = f.val, nil
	v.why.Store(nil)
	v.seen.Store(false)
	v.weigh()
	return nil
}

// lose drops a value that is lost. The variable is locked.
func (v *Variable) lose(err error) {
	v.why.Store(status.From(status.Errorf(status.FailedPrecondition,
		"variable %s has lost its value, and has none until it is assigned anew: %s", v.Name, status.From(err).Message)))
	v.remote.Release()
	v.remote, v.fetch = nil, nil
}

// leave releases the copy of a device, for a value that replaces it. The variable is
// locked.
func (v *Variable) leave() {
	if v.remote != nil {
		v.remote.Release()
		v.remote, v.fetch = nil, nil
	}
	v.why.Store(nil)
}
