package status

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/plain"
)

// A Report describes what a step is doing: one that runs and was asked, or one that was
// ended from outside, whose [Error] carries it.
type Report struct {
	Step    string    // its address, "session1/0.17"; empty where the engine gives none
	At      string    // the node that acted last, with frame and iteration
	Running int       // kernels that run or wait for something outside the step
	Kernels []string  // the first of these: `"take" (QueueDequeueV2) at loop[3]`
	Ready   int       // nodes that may act
	Waiting []string  // what waits for which inputs: `"join" (AddV2) at loop[3] waits for x:0, ^init`
	More    bool      // there are more that wait than were asked for
	Within  []*Report // of functions that its kernels called and that were ended with it
}

// String returns the report as a few lines of text, escaped as by [plain.Text].
func (r Report) String() string {
	var b strings.Builder
	b.WriteString("step")
	if r.Step != "" {
		b.WriteString(" " + r.Step)
	}
	if r.At != "" {
		b.WriteString(" is at " + r.At)
	}
	for _, k := range r.Kernels {
		b.WriteString("\n  " + k + " runs")
	}
	if n := r.Running - len(r.Kernels); n > 0 {
		fmt.Fprintf(&b, "\n  and %d more", n)
	}
	for _, w := range r.Waiting {
		b.WriteString("\n  " + w)
	}
	if r.More {
		b.WriteString("\n  and more")
	}
	for _, in := range r.Within {
		b.WriteString("\n  within it: " + strings.ReplaceAll(in.String(), "\n", "\n  "))
	}
	return plain.Text(b.String())
}

// brief returns the report within a line: "" if there is nothing to tell.
func (r *Report) brief() string {
	var parts []string
	switch {
	case len(r.Kernels) == 1 && r.Running == 1:
		parts = append(parts, r.Kernels[0]+" runs")
	case len(r.Kernels) > 0:
		parts = append(parts, fmt.Sprintf("%s and %d more run", r.Kernels[0], r.Running-1))
	case r.At != "":
		parts = append(parts, "it was at "+r.At)
	}
	if len(r.Waiting) > 0 {
		w := r.Waiting[0]
		switch n := len(r.Waiting) - 1; {
		case r.More:
			w += " and others wait, too"
		case n == 1:
			w += " and 1 more waits"
		case n > 1:
			w += fmt.Sprintf(" and %d more wait", n)
		}
		parts = append(parts, w)
	}
	return strings.Join(parts, "; ")
}
