package reduction

import (
	"runtime"
	"sync"
	"unsafe"
	"weak"

	"github.com/troupe-go/troupe/devices/cpu/vec"
	"github.com/troupe-go/troupe/tensor"
)

// An orderedRight is a constant in the order in which products read it. It keeps the
// constant, so that no other is at its address.
type orderedRight[T vec.Number] struct {
	right *vec.Right[T]
	of    tensor.Value
}

// An order says which constant is ordered, and how.
type order struct {
	at         uintptr // of the elements, which are immutable as long as the orderedRight is there
	rows       bool
	transposed bool
	n, k, ld   int
	single     bool // elements have four bytes
}

// orders are the constants that kernels hold in order: programs and sessions of one graph
// share its constants, and so what is made of them. The values are weak pointers.
var orders struct {
	sync.Mutex
	known map[order]any
}

// orderedOf returns y, the elements of v, in the order for products of m rows. One that may
// still be written, as its memory is a step's, is the caller's alone.
func orderedOf[T vec.Number](transposed bool, m, n, k int, v tensor.Value, y []T, ldy int) *orderedRight[T] {
	made := func() *orderedRight[T] { return &orderedRight[T]{vec.NewRight(transposed, m, n, k, y, ldy), v} }
	if !v.Shared() || len(y) == 0 {
		o := made()
		o.of = tensor.Value{}
		return o
	}
	key := order{uintptr(unsafe.Pointer(unsafe.SliceData(y))), m <= fewRows, transposed, n, k, ldy, unsafe.Sizeof(y[0]) == 4}
	orders.Lock()
	defer orders.Unlock()
	if w, ok := orders.known[key].(weak.Pointer[orderedRight[T]]); ok {
		if o := w.Value(); o != nil {
			return o
		}
	}
	o := made()
	w := weak.Make(o)
	if orders.known == nil {
		orders.known = map[order]any{}
	}
	orders.known[key] = w
	runtime.AddCleanup(o, func(key order) {
		orders.Lock()
		defer orders.Unlock()
		if orders.known[key] == any(w) {
			delete(orders.known, key)
		}
	}, key)
	return o
}
