package resource

// A line is attempts in the order in which they came. Any of them may leave it, at a
// cost that does not depend on how many there are.
type line struct {
	first, last *attempt
}

func (l *line) add(a *attempt) {
	if a.before = l.last; a.before != nil {
		a.before.next = a
	} else {
		l.first = a
	}
	l.last = a
}

func (l *line) remove(a *attempt) {
	if a.before != nil {
		a.before.next = a.next
	} else {
		l.first = a.next
	}
	if a.next != nil {
		a.next.before = a.before
	} else {
		l.last = a.before
	}
	a.before, a.next = nil, nil
}
