package cpu

import (
	"fmt"
	"runtime/debug"
)

// A PanicError is a panic on a worker, carried to the goroutine that it
// concerns.
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // of the goroutine that panicked
}

// Error returns the value and the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n\n%s", e.Value, e.Stack) }

// Unwrap returns the value, if that is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// newPanicError wraps what recover answered, nil after runtime.Goexit. It is
// called by the deferred function, while the stack is still there.
func newPanicError(value any) *PanicError {
	switch v := value.(type) {
	case *PanicError: // of a Parallel further in
		return v
	case nil:
		value = "runtime.Goexit was called"
	}
	return &PanicError{Value: value, Stack: debug.Stack()}
}
