package code

import (
	"github.com/troupe-go/troupe/nodes/unit/form"
)

// transfers is a move to be written.
type transfers struct {
	from, to int32
	op       opcode
}

// move returns how a value becomes another.
func (e *emitter) move(to int32, u form.Use) transfers {
	t := transfers{from: e.at(u.Value), to: e.at(to)}
	from := e.isScalar(u.Value)
	switch {
	case from && e.isScalar(to):
		t.op = OpMoveScalar
	case from:
		t.op = OpPlain
	case u.Mode == form.Move:
		t.op = OpMove
	default:
		t.op = OpCopy
	}
	return t
}

func (e *emitter) transfer(t transfers) {
	switch {
	case t.from == t.to:
	case t.op == OpMoveScalar:
		e.add(instr{Op: OpMoveScalar, D: uint8(t.to), A: uint8(t.from)})
	default:
		e.u.Moves = append(e.u.Moves, transfer{t.from, t.to})
		e.add(instr{Op: t.op, X: int32(len(e.u.Moves) - 1)})
	}
}

// crossed reports whether one of several moves reads what another reads or writes.
func crossed(list []transfers) bool {
	if few := 8; len(list) <= few {
		for i, t := range list {
			for k, other := range list {
				if i != k && (t.from == other.from || t.to == other.from) {
					return true
				}
			}
		}
		return false
	}
	sources := make(map[int32]bool, len(list))
	for _, t := range list {
		if sources[t.from] {
			return true
		}
		sources[t.from] = true
	}
	for _, t := range list {
		if sources[t.to] {
			return true
		}
	}
	return false
}

// parallel writes moves that happen at once: each reads what was there before
// any of them.
func (e *emitter) parallel(list []transfers) {
	pending := list[:0]
	for _, t := range list {
		if t.from != t.to {
			pending = append(pending, t)
		}
	}
	crossed := crossed(pending)
	if !crossed {
		for _, t := range pending {
			e.transfer(t)
		}
		return
	}
	for len(pending) > 0 {
		e.credit.Spend(len(pending))
		at := -1
		for i, t := range pending {
			free := true
			for k, other := range pending {
				if k != i && (other.from == t.to || t.op == OpMove && other.from == t.from) {
					free = false
					break
				}
			}
			if free {
				at = i
				break
			}
		}
		if at < 0 { // a cycle: what its first move overwrites is moved away
			t := pending[0]
			spare := transfers{from: t.to, op: t.op}
			switch t.op {
			case OpMoveScalar:
				if e.free++; e.free > Registers {
					return // the island is given up, with all that is written of it
				}
				spare.to = int32(e.free - 1)
				e.known = append(e.known, check{spare.to, e.descriptor(t.to)})
			default:
				spare.to, spare.op = e.fresh(1), OpMove
			}
			e.transfer(spare)
			for k := range pending {
				if pending[k].from == t.to {
					pending[k].from = spare.to
				}
			}
			continue
		}
		e.transfer(pending[at])
		pending = append(pending[:at], pending[at+1:]...)
	}
}
