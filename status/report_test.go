package status

import (
	"context"
	"errors"
	"io/fs"
	"testing"
)

// An error that wraps another of its code says the code once, and still has it as cause.
func TestErrorfSaysTheCodeOnce(t *testing.T) {
	inner := Errorf(NotFound, "x.npy: %w", fs.ErrNotExist)
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{Errorf(NotFound, "--feed x: %w", inner), "NOT_FOUND: --feed x: x.npy: file does not exist"},
		{Errorf(NotFound, "of %d: %v", 2, inner), "NOT_FOUND: of 2: x.npy: file does not exist"},
		{Errorf(Internal, "odd: %w", inner), "INTERNAL: odd: NOT_FOUND: x.npy: file does not exist"},
		{Errorf(NotFound, "no file"), "NOT_FOUND: no file"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if err := Errorf(NotFound, "--feed x: %w", inner); !errors.Is(err, fs.ErrNotExist) || err.Cause != error(inner) {
		t.Error("the cause is lost")
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n          int
		what, want string
	}{{1, "output", "1 output"}, {0, "output", "0 outputs"}, {2, "fetch", "2 fetches"}} {
		if got := Count(c.n, c.what); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// The report of a step is in its error, in a line, and whole in lines of its own.
func TestReport(t *testing.T) {
	join := `"join" (AddV2) at loop[3] waits for x:0`
	for _, c := range []struct {
		report      Report
		line, lines string
	}{
		{Report{}, "", "step"},
		{Report{Step: "session1/0.17", At: "add at loop[3]"}, ": it was at add at loop[3]", "step session1/0.17 is at add at loop[3]"},
		{Report{Running: 1, Kernels: []string{`"take" (QueueDequeueV2)`}, Waiting: []string{join}},
			`: "take" (QueueDequeueV2) runs; ` + join,
			"step\n  \"take\" (QueueDequeueV2) runs\n  " + join},
		{Report{Running: 3, Kernels: []string{"a", "b"}, Waiting: []string{join, join}},
			": a and 2 more run; " + join + " and 1 more waits",
			"step\n  a runs\n  b runs\n  and 1 more\n  " + join + "\n  " + join},
		{Report{At: "a", Waiting: []string{join, join, join}, More: true, Within: []*Report{{At: "b", Kernels: []string{"c"}, Running: 1}}},
			": it was at a; " + join + " and others wait, too",
			"step is at a\n  " + join + "\n  " + join + "\n  " + join + "\n  and more\n  within it: step is at b\n    c runs"},
	} {
		if got := c.report.String(); got != c.lines {
			t.Errorf("%q, want %q", got, c.lines)
		}
		err := &Error{Code: DeadlineExceeded, Message: "late", Report: &c.report}
		if got, want := err.Error(), "DEADLINE_EXCEEDED: late"+c.line; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, &Error{Code: DeadlineExceeded}) {
			t.Errorf("%v is not found", err)
		}
	}
}
