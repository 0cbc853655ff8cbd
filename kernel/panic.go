package kernel

import (
	"errors"
	"runtime/debug"
	"strings"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
)

// panicMessage begins the error of a kernel that panicked.
const panicMessage = "the kernel panicked: "

// interrupted is what [Must] panics with, as [Context.Ask] and [Context.Parallel] do when the
// step has ended.
type interrupted struct{ error }

// Panicked returns the error of a kernel that panicked with r: INTERNAL, with the
// stack of the goroutine that asks; why the step has ended, if [Context.Parallel]
// or [Context.Ask] broke the kernel off for that; the error that [Must] broke it off for;
// DATA_LOSS if a mapped file could not be read.
func Panicked(r any) error {
	if err, ok := r.(error); ok {
		var ended interrupted
		if errors.As(err, &ended) {
			return ended.error
		}
	}
	if err := files.Fault(r); err != nil {
		return err
	}
	const most = 4096
	stack := debug.Stack()
	if len(stack) > most {
		stack = stack[:most]
	}
	return status.Errorf(status.Internal, panicMessage+"%v\n%s", r, stack)
}

// IsPanic reports whether an error is that a kernel panicked.
func IsPanic(err error) bool {
	if err == nil {
		return false
	}
	var e *status.Error
	return errors.As(err, &e) && e.Code == status.Internal && strings.HasPrefix(e.Message, panicMessage)
}
