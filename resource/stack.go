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
	values  []stacked
	pile    tensor.Stack
	dims    *[]int64 // the shape of an element pushed lately, to share
	closed  bool
	account account
}

// A stacked is an element of a stack, or the shape of one whose elements are on the
// stack's pile.
type stacked struct {
	value tensor.Value
	dims  *[]int64
}

// stackedSize is what a stack charges for an element's place, in a list that grows.
const stackedSize = 56

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
	case s.Max >= 0 && len(s.values) >= s.Max:
		return s.invalid("overflowed its max_size (%d)", s.Max)
	}
	if s.Copies(&v) {
		if err := s.account.charge(stackedSize + int64(s.pile.Needs(v.SizeBytes()))); err != nil {
			return err
		}
		s.pile.Push(&v)
		if s.dims == nil || !slices.Equal(*s.dims, v.Dims()) {
			own := slices.Clone(v.Dims())
			s.dims = &own
		}
		s.values = append(s.values, stacked{dims: s.dims})
		return nil
	}
	if err := s.account.charge(stackedSize + sizeOf(v)); err != nil {
		return err
	}
	s.values = append(s.values, stacked{value: v})
	return nil
}

// Pop takes the top, which the caller owns if the stack has copied it: a makes its
// memory. It fails when there is none or the stack is closed.
func (s *Stack) Pop(a Allocator) (tensor.Value, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.values) - 1
	switch {
	case s.closed:
		return tensor.Value{}, s.invalid("has already been closed.")
	case last < 0:
		return tensor.Value{}, s.invalid("is empty when calling Pop().")
	}
	top := &s.values[last]
	v := top.value
	if top.dims == nil {
		s.account.release(stackedSize + sizeOf(v))
	} else {
		var err error
		if v, err = a.Alloc(s.Type, *top.dims); err != nil {
			return v, err
		}
		before := s.pile.Bytes()
		s.pile.Pop(&v)
		s.account.release(stackedSize + int64(before-s.pile.Bytes()))
	}
	*top = stacked{}
	s.values = s.values[:last]
	return v, nil
}

// Close drops what is on the stack.
func (s *Stack) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.values = true, nil
	s.pile.Clear()
	s.account.close()
}

// End is Close when the step has ended.
func (s *Stack) End() { s.Close() }

func (s *Stack) invalid(format string, args ...any) error {
	return status.Invalid("Stack[%s] "+format, append([]any{s.Name}, args...)...)
}
