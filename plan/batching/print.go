package batching

import (
	"fmt"
	"strings"

	"github.com/troupe-go/troupe/tensor"
)

// String returns the finding as `troupe show --batching` prints it: the loop, and of each variable
// its role and the shape of one caller's row, or the reason why the loop is not batched.
func (f Finding) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "loop %s: ", f.Loop)
	switch {
	case f.Batch != nil:
		fmt.Fprintf(&w, "batched along a new dimension 0, %d products\n", f.Batch.Products)
		for i, v := range f.Batch.Variables {
			fmt.Fprintf(&w, "  variable %d: %v", i, v.Role)
			if v.Role == Row {
				fmt.Fprintf(&w, " %s", tensor.FormatDims(v.Shape))
			}
			if v.Passed && v.Role != Invariant {
				w.WriteString(", not changed by the loop")
			}
			if v.Reason != "" {
				fmt.Fprintf(&w, ": %s", v.Reason)
			}
			w.WriteByte('\n')
		}
	case f.Open:
		fmt.Fprintf(&w, "decided when it runs; by what is known before: %s\n", f.Reason)
	default:
		fmt.Fprintf(&w, "not batched: %s\n", f.Reason)
	}
	return w.String()
}
