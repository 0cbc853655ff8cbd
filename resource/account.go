package resource

import "github.com/troupe-go/troupe/tensor"

// An account is the bytes that one resource has charged to its session's
// budget for what it holds. While a step runs, the tensors that it makes are
// charged by its arenas; a kernel that gives one to a resource takes it off
// their account (kernel.Context.UnchargeValue), and the resource charges it until it
// lets go. The resource's lock guards its account. The zero account charges
// nobody.
type account struct {
	budget *tensor.Budget // nil also once the account is closed
	bytes  int64
}

// charge takes n bytes more, or fails with RESOURCE_EXHAUSTED.
func (a *account) charge(n int64) error {
	if a.budget == nil {
		return nil
	}
	if err := a.budget.Charge(n); err != nil {
		return err
	}
	a.bytes += n
	return nil
}

// release gives n bytes back.
func (a *account) release(n int64) {
	if a.budget != nil {
		a.budget.Release(n)
		a.bytes -= n
	}
}

// correct makes n of what is charged, also beyond the limit.
func (a *account) correct(n int64) {
	if n != a.bytes {
		a.release(a.bytes - n)
	}
}

// close gives everything back; nothing is charged from then on.
func (a *account) close() {
	a.release(a.bytes)
	a.budget = nil
}
