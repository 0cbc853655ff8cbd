package status

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/plain"
)

// A Code is one of the canonical status codes shared with TensorFlow and gRPC.
type Code uint8

// The canonical codes, with the numbers that TensorFlow and gRPC give them.
const (
	OK                 Code = 0
	Canceled           Code = 1
	Unknown            Code = 2
	InvalidArgument    Code = 3
	DeadlineExceeded   Code = 4
	NotFound           Code = 5
	AlreadyExists      Code = 6
	PermissionDenied   Code = 7
	ResourceExhausted  Code = 8
	FailedPrecondition Code = 9
	Aborted            Code = 10
	OutOfRange         Code = 11
	Unimplemented      Code = 12
	Internal           Code = 13
	Unavailable        Code = 14
	DataLoss           Code = 15
	Unauthenticated    Code = 16
)

var names = [...]string{
	"OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
	"ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
	"ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
	"UNAUTHENTICATED",
}

// String returns the canonical name, such as "INVALID_ARGUMENT".
func (c Code) String() string {
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("CODE_%d", uint8(c))
}

// ParseCode returns the inverse of [Code.String]; ok is false for an unknown name.
func ParseCode(name string) (c Code, ok bool) {
	for i, n := range names {
		if n == name {
			return Code(i), true
		}
	}
	return 0, false
}

// An Error is what every exported function of Troupe fails with.
type Error struct {
	Code    Code
	Message string

	// Where a step failed; empty outside a step.
	Node   string // name of the graph node
	Op     string // its operation
	Tag    string // frame and iteration, such as "outer[2]/inner[0]"; empty in the root frame
	Device string

	// Report is what a step was doing that was cancelled, passed its deadline or was
	// aborted; nil for other errors, and where the step had not begun.
	Report *Report

	Cause error // what this error wraps, or nil
}

// Error returns the message followed by where it happened, or by what the step was doing,
// in short. Names and strings of a model may be part of it, so what a terminal would
// obey is escaped, as by [plain.Text]; Message and the other fields are unchanged.
func (e *Error) Error() string { return e.Code.String() + ": " + e.text() }

// text is Error without the code.
func (e *Error) text() string {
	var b strings.Builder
	b.WriteString(e.Message)
	if e.Node != "" {
		fmt.Fprintf(&b, " [node %q", e.Node)
		if e.Op != "" {
			fmt.Fprintf(&b, " (%s)", e.Op)
		}
		if e.Tag != "" {
			b.WriteString(" at ")
			b.WriteString(e.Tag)
		}
		if e.Device != "" {
			b.WriteString(" on ")
			b.WriteString(e.Device)
		}
		b.WriteString("]")
	}
	if e.Report != nil {
		if doing := e.Report.brief(); doing != "" {
			b.WriteString(": " + doing)
		}
	}
	return plain.Text(b.String())
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is makes errors.Is work against the context errors and against another
// *Error that has nothing but a code.
func (e *Error) Is(target error) bool {
	switch target {
	case context.Canceled:
		return e.Code == Canceled
	case context.DeadlineExceeded:
		return e.Code == DeadlineExceeded
	}
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Message == "" && t.Node == ""
}

// Errorf makes an error with a code. A %w verb sets the cause. Of an [*Error] among
// the arguments that has the same code, the code is not said again.
func Errorf(code Code, format string, args ...any) *Error {
	var own []any // args, where one had to be replaced
	for i, arg := range args {
		if e, ok := arg.(*Error); ok && e != nil && e.Code == code {
			if own == nil {
				own = append(own, args...)
			}
			own[i] = uncoded{e}
		}
	}
	if own == nil {
		own = args
	}
	err := fmt.Errorf(format, own...)
	cause := errors.Unwrap(err)
	if u, ok := cause.(uncoded); ok {
		cause = u.Unwrap()
	}
	return &Error{Code: code, Message: err.Error(), Cause: cause}
}

// uncoded is an error whose text begins with its message.
type uncoded struct{ error }

func (u uncoded) Error() string { return u.error.(*Error).text() }
func (u uncoded) Unwrap() error { return u.error }

// Count is "1 output" or "2 outputs".
func Count(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "ch") || strings.HasSuffix(what, "x") || strings.HasSuffix(what, "s"):
		what += "es"
	default:
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Invalid is Errorf(InvalidArgument, …), the most frequent kind.
func Invalid(format string, args ...any) *Error { return Errorf(InvalidArgument, format, args...) }

// CodeOf returns the code an error carries: OK for nil, the code of the first
// *Error in its chain, the code that matches a context error, else Unknown.
func CodeOf(err error) Code {
	if err == nil {
		return OK // before there is anything to allocate
	}
	var e *Error
	switch {
	case errors.As(err, &e):
		return e.Code
	case errors.Is(err, context.Canceled):
		return Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return DeadlineExceeded
	}
	return Unknown
}

// From makes any error an *Error, keeping one that already is.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: CodeOf(err), Message: err.Error(), Cause: err}
}

// Within is err as a *Error whose message begins with what it happened in.
func Within(err error, format string, args ...any) error {
	e := *From(err)
	e.Message = fmt.Sprintf(format, args...) + ": " + e.Message
	return &e
}

// FromContext turns the reason a context ended into an error; nil if it has not.
func FromContext(ctx context.Context) *Error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil && cause != err {
		return &Error{Code: CodeOf(err), Message: cause.Error(), Cause: cause}
	}
	code := CodeOf(err)
	msg := "the step was cancelled"
	if code == DeadlineExceeded {
		msg = "the step passed its deadline"
	}
	return &Error{Code: code, Message: msg, Cause: err}
}
