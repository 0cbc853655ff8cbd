package tensor

import "unsafe"

// A Cell is what a reference token points to: a variable.
type Cell interface {
	// Read is the current value; ok is false while there is none.
	Read() (v Value, ok bool)
}

// A Sharer is a [Cell] whose value can be shared: by a token that is read later, and
// shows what is there then.
type Sharer interface {
	Cell
	// Share is such a token, a reference token; ok is false while there is no value.
	Share() (ref Value, ok bool)
}

// RefTo returns a reference token to c, of dtype dt's reference type. Make it once
// and pass it on: it allocates.
func RefTo(dt DType, c Cell) Value {
	t := &Tensor{dtype: dt.Ref(), n: 1, data: unsafe.Pointer(&c)}
	t.setShape(nil)
	t.shared.Store(true)
	return Value{t: t}
}

// IsRef reports whether v is a reference token.
func (v Value) IsRef() bool { return v.t != nil && v.t.dtype.IsRef() }

// Cell returns what the reference token v points to.
func (v Value) Cell() Cell { return *(*Cell)(v.t.data) }
