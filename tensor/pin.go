package tensor

// A pin is what an arena has charged for a tensor that others made.
type pin struct {
	times int
	bytes int64
}

// ChargedByStep marks an [Object]'s value that stays charged to the step that made it
// until the step ends, even if it is kept elsewhere. It is not pinned.
type ChargedByStep interface{ ChargedByStep() }

// Pin charges the memory of v, which is shared and is kept in the step until Unpin, even
// if other holders release it. A tensor that is pinned several times is charged once. It
// is charged even beyond the limit, as it is in memory already: the next request fails.
func (a *Arena) Pin(v Value) {
	if v.Plain() || a.Budget == nil {
		return
	}
	t := v.t.root()
	if t.dtype == Variant && t.n == 1 {
		if o := elems[*Object](t)[0]; o != nil {
			if _, charged := o.Value.(ChargedByStep); charged {
				return
			}
		}
	}
	p := a.pins[t]
	if p.times == 0 {
		p.bytes = Value{t: t}.TotalBytes()
		a.note(p.bytes)
	}
	p.times++
	if a.pins == nil {
		a.pins = map[*Tensor]pin{}
	}
	a.pins[t] = p
}

// Unpin gives back what the first of as many Pins charged.
func (a *Arena) Unpin(v Value) {
	if v.Plain() || a.Budget == nil {
		return
	}
	t := v.t.root()
	p, ok := a.pins[t]
	switch p.times--; {
	case !ok:
	case p.times > 0:
		a.pins[t] = p
	default:
		delete(a.pins, t)
		a.release(p.bytes)
	}
}
