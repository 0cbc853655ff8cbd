package lookup

import (
	"encoding/binary"
	"iter"
	"slices"
	"strconv"
	"sync"

	"github.com/troupe-go/troupe/kernel/strided"
	"github.com/troupe-go/troupe/resource"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A kind is how a table may change.
type kind uint8

const (
	fixed   kind = iota // filled once
	mutable             // changed at any time
	dense               // likewise, with keys that must not occur
)

// A Table maps keys to values, all of one type and shape each. It is a resource
// of the session, and what a reference to a table of the first version points
// to. It is safe for concurrent use.
type Table struct {
	container, name string
	kind            kind
	key, value      tensor.DType
	keyDims         []int64 // of one key: of rank 0 unless dense
	valueDims       []int64 // of one value
	reserved        []reserved

	mu     sync.RWMutex
	filled bool // a fixed table has its content
	content
}

// A reserved key must not occur.
type reserved struct {
	name string
	key  tensor.Value
}

// Read returns the table's container and name: what a reference to it reads as.
func (t *Table) Read() (tensor.Value, bool) {
	s, err := tensor.FromSlice([]string{t.container, t.name}, 2)
	if err != nil {
		return tensor.Value{}, false
	}
	return tensor.ValueOf(s), true
}

// Close gives back what the table has charged.
func (t *Table) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.budget.Release(t.charged)
	t.charged, t.budget = 0, nil
}

// A content is keys and values in slots 0 to n-1.
type content struct {
	n            int
	ints         map[int64]int  // the slots of scalar integers,
	texts        map[string]int // and of all other keys, written as text
	keys, values tensor.Value   // with room for further slots
	charged      int64
	budget       *tensor.Budget
}

// size returns the number of elements of a tensor of those dimensions, which exists.
func size(dims []int64) int {
	n := 1
	for _, d := range dims {
		n *= int(d)
	}
	return n
}

// code returns the key that is elements i·n to i·n+n-1 of v: a number, or else a text.
func code(v *tensor.Value, i, n int, buf []byte) (number int64, text []byte) {
	switch {
	case v.DType() == tensor.String && n == 1:
		return 0, append(buf[:0], tensor.Of[string](v)[i]...)
	case v.DType() == tensor.String:
		buf = buf[:0]
		for _, s := range tensor.Of[string](v)[i*n : i*n+n] {
			buf = append(binary.AppendUvarint(buf, uint64(len(s))), s...)
		}
		return 0, buf
	case n == 1:
		return integer(v, i), nil
	}
	buf = buf[:0]
	for k := range n {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(integer(v, i*n+k)))
	}
	return 0, buf
}

func integer(v *tensor.Value, i int) int64 {
	if v.DType() == tensor.Int32 {
		return int64(tensor.Of[int32](v)[i])
	}
	return tensor.Of[int64](v)[i]
}

// asText reports whether keys are found as texts.
func (t *Table) asText() bool { return t.key == tensor.String || size(t.keyDims) != 1 }

// slot finds key i of v.
func (t *Table) slot(v *tensor.Value, i int, buf *[]byte) (int, bool) {
	number, text := code(v, i, size(t.keyDims), *buf)
	if t.asText() {
		*buf = text
		s, ok := t.texts[string(text)]
		return s, ok
	}
	s, ok := t.ints[number]
	return s, ok
}

// put sets the value of key i of keys to value i of values.
func (t *Table) put(keys, values *tensor.Value, i int, buf *[]byte) error {
	n, m := size(t.keyDims), size(t.valueDims)
	s, ok := t.slot(keys, i, buf)
	more := texts(values, i*m, m)
	if ok {
		more -= texts(&t.values, s*m, m)
	} else {
		more += 2 * texts(keys, i*n, n) // as elements and as a text
	}
	if ok {
		if t.kind == fixed && !equal(&t.values, s, values, i) {
			return status.Errorf(status.FailedPrecondition, "HashTable has different value for same key. Key %s has %s and trying to add value %s",
				text(keys, i), text(&t.values, s), text(values, i))
		}
		if err := t.charge(more); err != nil {
			return err
		}
		strided.Move(&t.values, s*m, values, i*m, m)
		return nil
	}
	if err := t.grow(); err != nil {
		return err
	}
	if err := t.charge(more); err != nil {
		return err
	}
	s = t.n
	t.n++
	strided.Move(&t.keys, s*n, keys, i*n, n)
	strided.Move(&t.values, s*m, values, i*m, m)
	number, text := code(keys, i, n, *buf)
	if t.asText() {
		t.texts[string(text)] = s
	} else {
		t.ints[number] = s
	}
	return nil
}

// texts returns what the bytes of n elements of v, from element i on, are charged with.
func texts(v *tensor.Value, i, n int) (bytes int64) {
	if v.DType() == tensor.String {
		for _, s := range tensor.Of[string](v)[i : i+n] {
			bytes += int64(len(s))
		}
	}
	return bytes
}

// charge takes n bytes, or gives them back if n is negative.
func (t *Table) charge(n int64) error {
	if err := t.budget.Charge(n); err != nil {
		return err
	}
	t.charged += n
	return nil
}

// grow makes room for another slot.
func (t *Table) grow() error {
	if !t.keys.IsZero() && t.n < t.keys.Dim(0) {
		return nil
	}
	room := int64(max(8, 2*t.n))
	if t.ints == nil {
		t.ints, t.texts = map[int64]int{}, map[string]int{}
	}
	for _, part := range []struct {
		v    *tensor.Value
		dt   tensor.DType
		dims []int64
	}{{&t.keys, t.key, t.keyDims}, {&t.values, t.value, t.valueDims}} {
		dims := append([]int64{room}, part.dims...)
		if _, err := tensor.NumElements(part.dt, dims); err != nil {
			return err
		}
		bytes := room * int64(size(part.dims)) * int64(max(part.dt.Size(), 16))
		if err := t.budget.Charge(bytes); err != nil {
			return err
		}
		t.charged += bytes
		next, err := tensor.New(part.dt, dims...)
		if err != nil {
			return err
		}
		v := tensor.ValueOf(next)
		if !part.v.IsZero() {
			strided.Move(&v, 0, part.v, 0, t.n*size(part.dims))
			old := int64(part.v.Dim(0)) * int64(size(part.dims)) * int64(max(part.dt.Size(), 16))
			t.budget.Release(old)
			t.charged -= old
		}
		*part.v = v
	}
	return nil
}

// drop forgets key i of keys. The last slot takes its place.
func (t *Table) drop(keys *tensor.Value, i int, buf *[]byte) {
	s, ok := t.slot(keys, i, buf)
	if !ok {
		return
	}
	n, m, last := size(t.keyDims), size(t.valueDims), t.n-1
	gone := 2*texts(keys, i*n, n) + texts(&t.values, s*m, m)
	t.budget.Release(gone)
	t.charged -= gone
	t.forget(keys, i, n, *buf)
	if s != last {
		number, text := code(&t.keys, last, n, *buf)
		if t.asText() {
			t.texts[string(text)] = s
		} else {
			t.ints[number] = s
		}
		strided.Move(&t.keys, s*n, &t.keys, last*n, n)
		strided.Move(&t.values, s*m, &t.values, last*m, m)
	}
	t.n = last
}

func (t *Table) forget(keys *tensor.Value, i, n int, buf []byte) {
	number, text := code(keys, i, n, buf)
	if t.asText() {
		delete(t.texts, string(text))
	} else {
		delete(t.ints, number)
	}
}

// clear forgets all keys.
func (t *Table) clear() {
	t.budget.Release(t.charged)
	t.content = content{budget: t.budget}
}

// refuse reports whether keys has a reserved key.
func (t *Table) refuse(keys *tensor.Value) error {
	for _, name := range t.reservedIn(keys) {
		return status.Invalid("Using the %s as a table key is not allowed", name)
	}
	return nil
}

// reservedIn goes through the keys that are reserved: their indices, and what they are
// reserved for.
func (t *Table) reservedIn(keys *tensor.Value) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := size(t.keyDims)
		for _, r := range t.reserved {
			number, text := code(&r.key, 0, n, nil)
			var buf []byte
			for i := range keys.NumElements() / max(n, 1) {
				k, s := code(keys, i, n, buf)
				if k == number && string(s) == string(text) && !yield(i, r.name) {
					return
				}
				buf = s
			}
		}
	}
}

// batch returns the shape of the keys in v, which each have the table's key shape.
func (t *Table) batch(v *tensor.Value) ([]int64, error) {
	x := v.Dims()
	n := len(x) - len(t.keyDims)
	if n < 0 || !slices.Equal(x[n:], t.keyDims) || len(t.keyDims) > 0 && n != 1 {
		return nil, status.Invalid("Expected key shape %s got %s", resource.FormatShape(rowsOf(t.keyDims)), tensor.FormatDims(x))
	}
	return x[:n], nil
}

func equal(x *tensor.Value, i int, y *tensor.Value, j int) bool {
	return text(x, i) == text(y, j)
}

// text is element i as messages show it.
func text(v *tensor.Value, i int) string {
	if v.DType() == tensor.String {
		return tensor.Of[string](v)[i]
	}
	if v.DType() == tensor.Int64 || v.DType() == tensor.Int32 {
		return strconv.FormatInt(integer(v, i), 10)
	}
	return v.Peek().ElementText(i)
}
