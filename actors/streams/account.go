package streams

import (
	"sync"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// An account is what one incarnation has charged to the budget of the device's options: the
// host's memory that copies go through and, if the device has no other, the device's. The
// zero account charges nothing.
type account struct {
	budget *tensor.Budget

	mu      sync.Mutex
	charged int64
	ended   bool // all was given back
}

// charge takes n bytes, or fails with RESOURCE_EXHAUSTED.
func (a *account) charge(n int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return status.Errorf(status.Unavailable, "the driver is closed")
	}
	if err := a.budget.Charge(n); err != nil {
		return err
	}
	a.charged += n
	return nil
}

// release gives n bytes back.
func (a *account) release(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		a.budget.Release(n)
		a.charged -= n
	}
}

// used returns what is charged.
func (a *account) used() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.charged
}

// end gives everything back: the driver is closed.
func (a *account) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.budget.Release(a.charged)
	a.charged, a.ended = 0, true
}
