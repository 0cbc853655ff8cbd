package resource

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Variable holds one tensor, and is what a reference edge points to. A
// reader keeps what it read: a tensor that a reader may still have is replaced, never
// written. The zero Variable of a dtype is uninitialized.
type Variable struct {
	Name string       // the node's or the resource's, for messages
	Type tensor.DType // element type, never a reference type
	// Shape is that of a reference variable that has no value yet.
	Shape []int64
	// Temporary variables belong to one execution of a node; no manager knows
	// them.
	Temporary bool

	mu      sync.RWMutex
	value   tensor.Value
	seen    atomic.Bool                  // others than the variable and holders of a lease may hold value
	lease   *tensor.Lease                // of value, for readers in a step; nil: they are not counted
	fetch   *fetch                       // of remote; nil: it was not requested
	remote  Remote                       // of the same value, or of the value itself if value is zero; nil: none
	why     atomic.Pointer[status.Error] // why there is no value though there was one; see remote.go
	share   *share                       // of its memory; nil if it was not requested
	account account
	number  atomic.Uint64 // of RewriteAll
}

// NewVariable returns a variable that charges the manager's budget.
func NewVariable(m *Manager, name string, dt tensor.DType) *Variable {
	return &Variable{Name: name, Type: dt, account: account{budget: m.Budget}}
}

// CellName returns the variable's name, for messages.
func (v *Variable) CellName() string { return v.Name }

// Read returns the current value; ok is false if there is none yet. If only a device has it, Read
// waits until the device has copied it to host memory.
func (v *Variable) Read() (val tensor.Value, ok bool) {
	alone, _ := v.rlock(context.Background())
	defer v.runlock(alone)
	if !v.value.Plain() && !v.seen.Load() {
		v.seen.Store(true)
	}
	return v.value, !v.value.IsZero()
}

// Acquire is Read for a step. Of a variable that is updated again and again the value is
// leased: the caller makes a view of it at once, see [tensor.Arena.Borrow]. Once all views
// are gone the next update writes it in place. If only a device has the value, Acquire, View
// and what changes it wait for that, until ctx has ended.
func (v *Variable) Acquire(ctx context.Context) (val tensor.Value, lease *tensor.Lease, err error) {
	alone, err := v.rlock(ctx)
	if err != nil {
		return val, nil, err
	}
	defer v.runlock(alone)
	switch {
	case v.value.IsZero():
		return val, nil, v.Uninitialized()
	case v.value.Plain():
	case v.lease != nil:
		lease = v.lease
		lease.Hold()
	case !v.seen.Load():
		v.seen.Store(true)
	}
	return v.value, lease, nil
}

// alone reports whether only the variable, which is locked, has its value.
func (v *Variable) alone() bool {
	return v.value.Plain() || !v.seen.Load() && (v.lease == nil || v.lease.Idle())
}

// renew makes val, which only the variable has, its value. An array of numbers is to be
// leased, as one that others had seen was to be updated.
func (v *Variable) renew(val tensor.Value) {
	v.value, v.lease = val, nil
	if val.Rank() > 0 && !val.DType().HasPointers() {
		v.lease = new(tensor.Lease)
	}
	v.seen.Store(false)
}

// Initialized reports whether the variable has a value.
func (v *Variable) Initialized() bool {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return !v.value.IsZero() || v.remote != nil && v.remote.Lost() == nil
}

// View calls f with the current value, the zero Value if there is none. f must
// not retain it, so that the variable may still be written in place.
func (v *Variable) View(ctx context.Context, f func(val tensor.Value) error) error {
	alone, err := v.rlock(ctx)
	if err != nil {
		return err
	}
	defer v.runlock(alone)
	return f(v.value)
}

// Assign replaces the value; the zero Value makes the variable uninitialized.
// At the session's memory limit it fails, and the value is unchanged.
func (v *Variable) Assign(val tensor.Value) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.set(val, true)
}

// Update replaces the value by the result of f on the current one (zero if there
// is none), atomically. On an error the value is unchanged.
func (v *Variable) Update(ctx context.Context, f func(old tensor.Value) (tensor.Value, error)) error {
	if err := v.lock(ctx); err != nil {
		return err
	}
	defer v.mu.Unlock()
	if !v.value.Plain() {
		v.seen.Store(true) // f may retain the old value
	}
	val, err := f(v.value)
	if err != nil {
		return err
	}
	return v.set(val, true)
}

// Rewrite replaces the value by one of the same type and shape, atomically: f
// gets the current value and memory for the next one, which is the current
// value's own if no reader has it. f writes next and returns it; what
// it returns becomes the value, even with an error. The zero Value leaves the
// variable as it is, but for what f has written into its memory. f must not
// retain either value.
//
// Without a value f is not called: that is FAILED_PRECONDITION.
func (v *Variable) Rewrite(ctx context.Context, f func(now, next tensor.Value) (tensor.Value, error)) error {
	if err := v.lock(ctx); err != nil {
		return err
	}
	defer v.mu.Unlock()
	now := v.value
	if now.IsZero() {
		return v.Uninitialized()
	}
	if v.alone() {
		next, err := f(now, now)
		if !next.IsZero() {
			v.value = next
		}
		v.weigh()
		return err
	}
	if err := v.account.charge(sizeOf(now)); err != nil {
		return err
	}
	defer v.weigh() // of the new value, or of the old one, also if f panics
	t, err := tensor.New(now.DType(), now.Dims()...)
	if err != nil {
		return err
	}
	next, err := f(now, tensor.ValueOf(t))
	if next.IsZero() {
		return err
	}
	v.renew(next)
	return err
}

// weigh makes the account that of the value alone.
func (v *Variable) weigh() { v.account.correct(sizeOf(v.value)) }

// Close releases what the variable has charged, and the memory of a device. It keeps its
// value if that is in the host's memory.
func (v *Variable) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.account.close()
	v.leave()
}

// set replaces the value; seen says that others may hold it.
func (v *Variable) set(val tensor.Value, seen bool) error {
	if err := v.account.charge(sizeOf(val)); err != nil {
		return err
	}
	v.leave()
	v.part(val)
	v.value, v.lease = val.Share(), nil
	v.seen.Store(seen)
	v.weigh()
	return nil
}

// Uninitialized returns the error of using a variable that has no value.
func (v *Variable) Uninitialized() error {
	if why := v.why.Load(); why != nil {
		return why
	}
	return status.Errorf(status.FailedPrecondition, "Attempting to use uninitialized value %s", v.Name)
}

// sizeOf returns what a resource is charged for holding v, which does not change.
func sizeOf(v tensor.Value) int64 {
	if v.Plain() {
		return 0
	}
	return v.TotalBytes()
}
