package resource

import (
	"iter"
	"slices"
	"sync"

	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// TensorArrayOptions configure a TensorArray.
type TensorArrayOptions struct {
	Name string // for messages
	Type tensor.DType
	Size int // elements at first
	// Shape is what is known of every element's shape.
	Shape shape.Shape
	// Dynamic arrays grow when something is written past their end.
	Dynamic bool
	// ClearAfterRead releases an element when it is read.
	ClearAfterRead bool
	// Identical says that all elements have one shape: that of the first.
	Identical bool
	// Add makes acc the sum of acc and x, of one type and shape. It is for the
	// array's gradients, which sum what is written to one place; nil for types
	// without a sum.
	Add func(acc, x *tensor.Value)
}

// A TensorArray is an array of tensors, each of which is written once and, if
// the array clears after reading, read once. It allocates no memory for elements
// that are not written, whatever its size.
type TensorArray struct {
	opts TensorArrayOptions

	mu      sync.Mutex
	size    int
	pages   [][]cell // cells by index, pageSize to a page; pages are made as they are needed
	closed  bool
	sums    bool // a gradient array: writes to one place are summed
	order   int  // how often it is an array of gradients of gradients; 0 for one of values
	split   int  // elements that the latest [TensorArray.WritePieces] wrote, 0 without one; of a gradient, in the array it was made of
	grads   map[string]*TensorArray
	dims    *[]int64 // the shape of an element written lately, to share
	uniform bool     // all elements are numbers of one shape: see Copies
	room    room
	trial   *Trial   // what notes writes; nil: nothing does
	blocks  []*block // those that the array has made
	account account
	handle  tensor.Value // see Handle
}

// A cell is one element of a TensorArray. It has neither value nor block while
// there is none, or it is zeros.
type cell struct {
	value   tensor.Value // the element, if it has memory of its own
	block   *block       // where it lies if it has none, from element start on
	start   int
	dims    *[]int64 // shape of what is or was there; not to be written
	written bool
	read    bool
	cleared bool
	own     bool // value's memory is the array's alone: a sum
}

const (
	pageSize = 1 << 12
	cellSize = 48 // bytes of a cell
)

func (c *cell) empty() bool { return c.value.IsZero() && c.block == nil }

// An Element is what is read from a TensorArray: elements of In, from Start on,
// under the shape Dims, which is not to be written. Where In is zero the element was
// not written, and counts as zeros.
type Element struct {
	In    tensor.Value
	Start int
	Dims  []int64
	Whole bool // it is In itself
	Given bool // the array has released it, and charges it no more
	block *block
}

// NewTensorArray returns an array that charges the manager's budget. Size is not
// negative.
func NewTensorArray(m *Manager, o TensorArrayOptions) *TensorArray {
	return &TensorArray{opts: o, size: o.Size, account: account{budget: m.Budget},
		uniform: !o.Type.HasPointers() && (o.Identical || o.Shape.Full())}
}

// Name returns the array's name.
func (a *TensorArray) Name() string { return a.opts.Name }

// Handle returns the token that make made first: loops request it
// again and again.
func (a *TensorArray) Handle(make func(a *TensorArray) tensor.Value) tensor.Value {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.handle.IsZero() {
		a.handle = make(a)
	}
	return a.handle
}

// Type returns the type of the elements.
func (a *TensorArray) Type() tensor.DType { return a.opts.Type }

// Dynamic reports whether the array may grow at present: not once it has
// gradients.
func (a *TensorArray) Dynamic() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.opts.Dynamic
}

// Shape returns what is known of the shape of every element.
func (a *TensorArray) Shape() shape.Shape {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.opts.Shape
}

// Len returns the number of elements, written or not.
func (a *TensorArray) Len() (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.size, a.open()
}

// Write makes v element i; it must be shared unless a [TensorArray.Copies] it. It
// fails past the end of an array that is not dynamic, for a v of another type or
// shape, and for an element that was written or read before. In a gradient array
// what is written to one place is summed.
func (a *TensorArray) Write(i int, v tensor.Value) error {
	a.mu.Lock()
	err := a.write(i, v)
	a.mu.Unlock()
	return err
}

func (a *TensorArray) write(i int, v tensor.Value) error {
	c, err := a.place(i, v.DType(), v.Dims())
	switch {
	case err != nil:
		return err
	case !c.empty():
		return a.add(c, v)
	case a.Copies(&v):
		err = a.copyIn(c, &v)
	default:
		c.value, err = v, a.account.charge(sizeOf(v))
	}
	if err != nil {
		c.value = tensor.Value{}
		return err
	}
	a.written(c, v.Dims())
	if a.trial != nil {
		a.trial.written = append(a.trial.written, i)
	}
	return nil
}

// place returns where what has that type and shape is written as element i: an empty
// cell or, in a gradient array, one with that shape.
func (a *TensorArray) place(i int, dt tensor.DType, dims []int64) (*cell, error) {
	if err := a.open(); err != nil {
		return nil, err
	}
	if i < 0 || i >= a.size && !a.opts.Dynamic {
		return nil, a.invalid("Tried to write to index %d but array is not resizeable and size is: %d", i, a.size)
	}
	if dt != a.opts.Type {
		return nil, a.invalid("Could not write to TensorArray index %d because the value dtype is %v but TensorArray dtype is %v.", i, dt, a.opts.Type)
	}
	if known := a.dims != nil && slices.Equal(*a.dims, dims); !known && !shape.Compatible(a.opts.Shape, shape.Of(dims...)) {
		return nil, a.invalid("Could not write to TensorArray index %d because the value shape is %s which is incompatible with the TensorArray's inferred element shape: %s (consider setting infer_shape=False).",
			i, tensor.FormatDims(dims), FormatShape(a.opts.Shape))
	}
	c, err := a.cell(i)
	if err != nil {
		return nil, err
	}
	a.size = max(a.size, i+1)
	switch {
	case c.read:
		return nil, a.invalid("Could not write to TensorArray index %d because it has already been read.", i)
	case c.written && !a.sums:
		return nil, a.invalid("Could not write to TensorArray index %d because it has already been written to.", i)
	case c.written && !slices.Equal(dims, *c.dims):
		return nil, a.invalid("Could not aggregate to TensorArray index %d because the existing shape is %s but the new input shape is %s.",
			i, tensor.FormatDims(*c.dims), tensor.FormatDims(dims))
	}
	return c, nil
}

// written is for a cell that got an element of that shape.
func (a *TensorArray) written(c *cell, dims []int64) {
	c.dims, c.written = a.share(dims), true
	if a.opts.Identical && !a.opts.Shape.Full() {
		a.opts.Shape = shape.Of(*c.dims...)
	}
}

// Read is element i.
func (a *TensorArray) Read(i int) (Element, error) {
	a.mu.Lock()
	e, err := a.read(i)
	a.mu.Unlock()
	return e, err
}

// ReadEach is Read of the elements with those indices, in that order, until f
// fails.
func (a *TensorArray) ReadEach(indices iter.Seq2[int, int32], f func(k int, e Element) error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for k, i := range indices {
		e, err := a.read(int(i))
		if err == nil {
			err = f(k, e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *TensorArray) read(i int) (e Element, err error) {
	if err := a.open(); err != nil {
		return e, err
	}
	if i < 0 || i >= a.size {
		return e, status.Invalid("Tried to read from index %d but array size is: %d", i, a.size)
	}
	c := a.peek(i)
	switch {
	case c != nil && c.cleared:
		return e, a.invalid("Could not read index %d twice because it was cleared after a previous read (perhaps try setting clear_after_read = false?).", i)
	case c != nil && c.written:
	case !a.opts.Shape.Full():
		return e, a.invalid("Could not read from TensorArray index %d.  Furthermore, the element shape is not fully defined: %s.  "+
			"It is possible you are working with a resizeable TensorArray and stop_gradients is not allowing the gradients to be written.  "+
			"If you set the full element_shape property on the forward TensorArray, the proper all-zeros tensor will be returned instead of incurring this error.",
			i, FormatShape(a.opts.Shape))
	default:
		if c, err = a.cell(i); err != nil {
			return e, err
		}
		c.dims = a.share(a.opts.Shape.Dims())
	}
	e.Dims = *c.dims
	if c.block != nil {
		e.In, e.Start, e.block = c.block.memory, c.start, c.block
	} else {
		e.In, e.Whole = c.value, true
	}
	c.read, c.own = true, false // the reader may keep it
	if a.opts.ClearAfterRead {
		a.release(c)
		c.cleared, e.Given = true, true
	}
	return e, nil
}

// release releases what is in a cell.
func (a *TensorArray) release(c *cell) {
	if c.block != nil {
		a.leave(c.block)
	} else {
		a.account.release(sizeOf(c.value))
	}
	c.value, c.block = tensor.Value{}, nil
}

// add adds v to what c has.
func (a *TensorArray) add(c *cell, v tensor.Value) error {
	if a.opts.Add == nil {
		return status.Invalid("TensorArray %s: tensors of type %v cannot be summed", a.opts.Name, a.opts.Type)
	}
	switch {
	case c.block != nil:
		if err := a.account.charge(int64(v.SizeBytes())); err != nil {
			return err
		}
		sum, err := copyOf(c.block.memory, c.start, &v)
		if err != nil {
			a.account.release(int64(v.SizeBytes()))
			return err
		}
		a.release(c)
		c.value, c.own = sum, true
	case !c.own && !c.value.Plain():
		sum, err := copyOf(c.value, 0, &v)
		if err != nil {
			return err
		}
		c.value, c.own = sum, true
	}
	a.opts.Add(&c.value, &v)
	return nil
}

// copyOf returns a copy of elements of x, from start on, as many as v has and of its
// shape.
func copyOf(x tensor.Value, start int, v *tensor.Value) (tensor.Value, error) {
	t, err := tensor.New(v.DType(), v.Dims()...)
	if err != nil {
		return tensor.Value{}, err
	}
	sum, size := tensor.ValueOf(t), v.DType().Size()
	copy(tensor.Bytes(&sum), tensor.Bytes(&x)[start*size:])
	return sum, nil
}

// Close releases the elements. Later uses of the array fail.
func (a *TensorArray) Close() {
	a.mu.Lock()
	grads := a.grads
	a.closed, a.pages, a.blocks, a.grads, a.room = true, nil, nil, nil, room{}
	a.account.close()
	a.mu.Unlock()
	for _, g := range grads {
		g.Close()
	}
}

// cell is element i, making memory for its page. On an error nothing changes.
func (a *TensorArray) cell(i int) (*cell, error) {
	p, k := i/pageSize, i%pageSize
	if p >= len(a.pages) {
		want := p + 1
		if want > 1 { // by doubling, but for the first
			want = max(want, 2*len(a.pages))
		}
		if err := a.account.charge(int64(want-len(a.pages)) * 24); err != nil {
			return nil, err
		}
		a.pages = append(a.pages, make([][]cell, want-len(a.pages))...)
	}
	if page := a.pages[p]; k >= len(page) {
		end := pageSize
		switch {
		case !a.opts.Dynamic:
			end = min(a.size-p*pageSize, pageSize)
		case p == 0:
			end = max(k+1, min(2*len(page), pageSize))
		}
		if err := a.account.charge(int64(end-len(page)) * cellSize); err != nil {
			return nil, err
		}
		grown := takePage(end)
		copy(grown, page)
		a.pages[p] = grown
	}
	return &a.pages[p][k], nil
}

// peek is element i if its page has been made, else nil.
func (a *TensorArray) peek(i int) *cell {
	if p, k := i/pageSize, i%pageSize; p < len(a.pages) && k < len(a.pages[p]) {
		return &a.pages[p][k]
	}
	return nil
}

// share is dims in memory that many cells share.
func (a *TensorArray) share(dims []int64) *[]int64 {
	if a.dims == nil || !slices.Equal(*a.dims, dims) {
		own := append(make([]int64, 0, len(dims)), dims...)
		a.dims = &own
	}
	return a.dims
}

func (a *TensorArray) open() error {
	if a.closed {
		return status.Invalid("TensorArray %s has already been closed.", a.opts.Name)
	}
	return nil
}

func (a *TensorArray) invalid(format string, args ...any) error {
	return status.Invalid("TensorArray %s: "+format, append([]any{a.opts.Name}, args...)...)
}

// FormatShape returns a partially known shape in the words of messages: "[2,?]",
// "<unknown>".
func FormatShape(s shape.Shape) string {
	if !s.Known() {
		return "<unknown>"
	}
	return s.String()
}
