package resource

import (
	"slices"
	"sync"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Stack gives back the tensors it was given, the last one first. Small tensors of
// numbers it copies, so that who made them has their buffers again
// ([tensor.Stack]).
type Stack struct {
	Name string // for messages
	Type tensor.DType
	Max  int // elements; negative: no bound

	mu      sync.Mutex
	blocks  [][]stacked // the last of them may be empty; only the first one grows
	n       int         // elements
	pile    tensor.Stack
	closed  bool
	account account
}

// A stacked is an element of a stack, or the shape of some, one behind the other, that are
// on the stack's pile.
type stacked struct {
	value tensor.Value
	dims  []int64
	count int // of elements on the pile; 0: value is the element
}

// What a stack charges for a stacked, and for the shape in it.
const (
	stackedSize  = 56
	stackedShape = 64
)

// stackBlock is how many places a block has.
const stackBlock = 256

// An Allocator makes tensors, as a kernel's context does.
type Allocator interface {
	Alloc(dt tensor.DType, dims []int64) (tensor.Value, error)
}

// NewStack makes a stack that charges the manager's budget.
func NewStack(m *Manager, name string, dt tensor.DType, max int) *Stack {
	return &Stack{Name: name, Type: dt, Max: max, account: account{budget: m.Budget}}
}

// Copies reports whether Push copies v.
func (s *Stack) Copies(v *tensor.Value) bool { return v.Stackable() }

// Push puts v, which must be shared unless the stack [Stack.Copies] it, on top. It
// fails when the stack is full or closed.
func (s *Stack) Push(v tensor.Value) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return s.invalid("has already been closed.")
	case s.Max >= 0 && s.n >= s.Max:
		return s.invalid("overflowed its max_size (%d)", s.Max)
	}
	if s.Copies(&v) {
		needs := int64(s.pile.Needs(v.SizeBytes()))
		top := s.top()
		alike := top != nil && top.count > 0 && slices.Equal(top.dims, v.Dims())
		if !alike {
			needs += stackedSize + stackedShape
		}
		if err := s.account.charge(needs); err != nil {
			return err
		}
		s.pile.Push(&v)
		s.n++
		if alike {
			top.count++
		} else {
			s.put(stacked{dims: slices.Clone(v.Dims()), count: 1})
		}
		return nil
	}
	if err := s.account.charge(stackedSize + sizeOf(v)); err != nil {
		return err
	}
	s.put(stacked{value: v})
	s.n++
	return nil
}

// Pop takes the top, which the caller owns if the stack has copied it: a makes its
// memory. It fails when there is none or the stack is closed.
func (s *Stack) Pop(a Allocator) (tensor.Value, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	top := s.top()
	switch {
	case s.closed:
		return tensor.Value{}, s.invalid("has already been closed.")
	case top == nil:
		return tensor.Value{}, s.invalid("is empty when calling Pop().")
	}
	v := top.value
	freed := int64(stackedSize)
	switch {
	case top.count == 0:
		freed += sizeOf(v)
	default:
		var err error
		if v, err = a.Alloc(s.Type, top.dims); err != nil {
			return v, err
		}
		before := s.pile.Bytes()
		s.pile.Pop(&v)
		if top.count--; top.count > 0 {
			freed = 0
		} else {
			freed += stackedShape
		}
		freed += int64(before - s.pile.Bytes())
	}
	s.n--
	s.account.release(freed)
	if top.count == 0 {
		*top = stacked{}
		last := len(s.blocks) - 1
		if len(s.blocks[last]) == 0 { // kept while the one below it is full
			s.blocks = s.blocks[:last]
			last--
		}
		s.blocks[last] = s.blocks[last][:len(s.blocks[last])-1]
	}
	return v, nil
}

// top is the last of what is stacked; nil if there is nothing.
func (s *Stack) top() *stacked {
	for i := len(s.blocks) - 1; i >= 0; i-- { // at most one of them is empty
		if n := len(s.blocks[i]); n > 0 {
			return &s.blocks[i][n-1]
		}
	}
	return nil
}

// put adds a place.
func (s *Stack) put(x stacked) {
	last := len(s.blocks) - 1
	switch {
	case last < 0:
		s.blocks = [][]stacked{{x}}
		return
	case len(s.blocks[last]) == stackBlock:
		s.blocks = append(s.blocks, make([]stacked, 0, stackBlock))
		last++
	}
	s.blocks[last] = append(s.blocks[last], x)
}

// Close drops what is on the stack.
func (s *Stack) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.blocks, s.n = true, nil, 0
	s.pile.Clear()
	s.account.close()
}

// End is Close when the step has ended.
func (s *Stack) End() { s.Close() }

func (s *Stack) invalid(format string, args ...any) error {
	return status.Invalid("Stack[%s] "+format, append([]any{s.Name}, args...)...)
}
