package resource

// An advance is an account of many small charges: it charges its budget ahead, so that a
// queue that fills and empties asks the budget once for many elements. Who holds nothing has
// nothing ahead. The zero advance charges nobody.
type advance struct {
	account
	spare int64 // charged to the budget, and not in use
}

// ahead is how much is charged ahead at a time.
const ahead = 512

func (a *advance) charge(n int64) error {
	if a.budget == nil {
		return nil
	}
	if n > a.spare {
		more := int64(0)
		if a.bytes > 0 {
			more = ahead
		}
		got, err := a.budget.ChargeUpTo(n-a.spare, n-a.spare+more)
		if err != nil {
			return err
		}
		a.spare += got
	}
	a.spare -= n
	a.bytes += n
	return nil
}

func (a *advance) release(n int64) {
	if a.budget == nil {
		return
	}
	a.bytes -= n
	a.spare += n
	keep := int64(ahead)
	if a.bytes == 0 {
		keep = 0
	}
	if a.spare > 2*keep {
		a.budget.Release(a.spare - keep)
		a.spare = keep
	}
}

// add charges n bytes, also beyond the limit.
func (a *advance) add(n int64) {
	if a.budget != nil {
		a.budget.Release(-n)
		a.bytes += n
	}
}

func (a *advance) close() {
	a.release(a.bytes)
	a.budget = nil
}
