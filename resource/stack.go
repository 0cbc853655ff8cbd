package resource

import (
	"sync"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A Stack gives back the tensors it was given, the last one first.
type Stack struct {
	Name string // for messages
	Type tensor.DType
	Max  int // elements; negative: no bound

	mu      sync.Mutex
	values  []tensor.Value
	closed  bool
	account account
}

// NewStack makes a stack that charges the manager's budget.
func NewStack(m *Manager, name string, dt tensor.DType, max int) *Stack {
	return &Stack{Name: name, Type: dt, Max: max, account: account{budget: m.Budget}}
}

// Push puts v, which must be shared, on top. It fails when the stack is full
// or closed.
func (s *Stack) Push(v tensor.Value) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return s.invalid("has already been closed.")
	case s.Max >= 0 && len(s.values) >= s.Max:
		return s.invalid("overflowed its max_size (%d)", s.Max)
	}
	if err := s.account.charge(stackedSize(v)); err != nil {
		return err
	}
	s.values = append(s.values, v)
	return nil
}

// Pop takes the top. It fails when there is none or the stack is closed.
func (s *Stack) Pop() (tensor.Value, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := len(s.values) - 1
	switch {
	case s.closed:
		return tensor.Value{}, s.invalid("has already been closed.")
	case last < 0:
		return tensor.Value{}, s.invalid("is empty when calling Pop().")
	}
	v := s.values[last]
	s.values[last] = tensor.Value{}
	s.values = s.values[:last]
	s.account.release(stackedSize(v))
	return v, nil
}

// Close drops what is on the stack.
func (s *Stack) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.values = true, nil
	s.account.close()
}

func (s *Stack) invalid(format string, args ...any) error {
	return status.Invalid("Stack[%s] "+format, append([]any{s.Name}, args...)...)
}

// stackedSize is what a stack charges for v and its place.
func stackedSize(v tensor.Value) int64 { return 16 + sizeOf(v) }
