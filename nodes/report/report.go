// Package report builds the errors and reports of steps that hang or are ended from
// outside, for all engines: the text of what waits for what is the same whoever drives
// the step. It holds no rule of execution.
package report

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/status"
)

// Limit is how many nodes an error or its report lists.
const Limit = 16

// A Waiting node has received some of its inputs, not all.
type Waiting struct {
	Node, Op string
	Tag      string   // frame and iteration; "" in the root frame
	Missing  []string // inputs that have not arrived: "x:0", "^init"
}

// String is `"join" (AddV2) at loop[3] waits for x:0, ^init`.
func (w Waiting) String() string {
	return fmt.Sprintf("%s waits for %s", Node(w.Node, w.Op, w.Tag), strings.Join(w.Missing, ", "))
}

// Node is `"take" (QueueDequeueV2) at loop[3]`.
func Node(name, op, tag string) string { return At(fmt.Sprintf("%q (%s)", name, op), tag) }

// At is text with the frame and iteration of a node, if tag is not "".
func At(text, tag string) string {
	if tag != "" {
		text += " at " + tag
	}
	return text
}

// Hung returns the error of a step that can make no progress although fetch i has not arrived.
// waiting lists nodes up to a limit.
func Hung(i int, fetch fmt.Stringer, waiting func(limit int) []Waiting) *status.Error {
	list := waiting(Limit)
	var b strings.Builder
	for _, w := range list {
		b.WriteString("\n\t")
		b.WriteString(w.String())
	}
	if len(list) == Limit {
		b.WriteString("\n\t…")
	}
	return status.Errorf(status.Internal, "Retval[%d] does not have value: the step can make no progress and the tensor %s never came. Waiting:%s",
		i, fetch, b.String())
}

// Wait adds to r the waiting nodes, at most limit of them.
func Wait(r *status.Report, limit int, waiting func(limit int) []Waiting) {
	list := waiting(limit + 1)
	if r.More = len(list) > limit; r.More {
		list = list[:limit]
	}
	for _, w := range list {
		r.Waiting = append(r.Waiting, w.String())
	}
}

// Interrupted adds the report of a step to the error that ended it, if it was ended from
// outside and the error has none.
func Interrupted(err *status.Error, report func(limit int) *status.Report) *status.Error {
	switch err.Code {
	case status.Canceled, status.DeadlineExceeded, status.Aborted:
		if err.Report == nil {
			e := *err
			e.Report = report(Limit)
			return &e
		}
	}
	return err
}

// Nest adds to the report of a step that was ended with outer what a function was doing
// that one of its kernels had called, and that failed with inner.
func Nest(outer *status.Error, inner error) {
	if in, ok := inner.(*status.Error); ok && in.Report != nil && outer.Report != nil && len(outer.Report.Within) < Limit {
		outer.Report.Within = append(outer.Report.Within, in.Report)
	}
}
