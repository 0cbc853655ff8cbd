package batching

import (
	"fmt"
	"slices"
	"strings"

	"github.com/troupe-go/troupe/tensor"
)

// String returns the finding as `troupe show --batching` prints it: the loop, and of each variable
// its role and the shape of one caller's row, or the reason why the loop is not batched. Of calls
// it is the roles of the arguments, and the stages of each function.
func (f Finding) String() string {
	var w strings.Builder
	if f.Callee != "" {
		fmt.Fprintf(&w, "calls of %s in %s: ", f.Callee, f.Loop)
	} else {
		fmt.Fprintf(&w, "loop %s: ", f.Loop)
	}
	switch {
	case f.Calls != nil:
		fmt.Fprintf(&w, "batched along a new dimension 0, %d products", f.Calls.Products)
		if !f.Calls.Worthwhile() {
			fmt.Fprintf(&w, "; but run one by one, as their weights, %d KiB, stay in a core's cache", (f.Calls.Weights+1023)>>10)
		}
		w.WriteByte('\n')
		f.Calls.print(&w)
	case f.Batch != nil:
		fmt.Fprintf(&w, "batched along a new dimension 0, %d products\n", f.Batch.Products)
		for i, v := range f.Batch.Variables {
			fmt.Fprintf(&w, "  variable %d", i)
			if f.Variables != nil {
				fmt.Fprintf(&w, ", %s", f.Variables[i])
			}
			fmt.Fprintf(&w, ": %v", v.Role)
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

// print writes the roles of the arguments, and the functions.
func (c *Calls) print(w *strings.Builder) {
	for i, r := range c.Roles {
		fmt.Fprintf(w, "  argument %d: ", i)
		switch r {
		case Row:
			at := slices.Index(c.Functions[0].Args, i)
			fmt.Fprintf(w, "row %s\n", tensor.FormatDims(c.Functions[0].Slots[at].Shape))
		case Kept:
			w.WriteString("not used\n")
		default:
			fmt.Fprintln(w, r)
		}
	}
	for _, f := range c.Functions {
		fmt.Fprintf(w, "  function %s:\n", f.Name)
		for k, s := range f.Stages {
			fmt.Fprintf(w, "    stage %d: ", k)
			if s.Graph == nil {
				w.WriteString("nothing to compute")
			} else {
				fmt.Fprintf(w, "%d products, returns", s.Products)
				for _, at := range s.Gives {
					fmt.Fprintf(w, " %v%s", f.Slots[at].Type, tensor.FormatDims(f.Slots[at].Shape))
				}
			}
			for _, site := range s.Sites {
				if len(site.Callees) == 0 {
					fmt.Fprintf(w, "; reads argument %d", site.Table)
					continue
				}
				w.WriteString("; calls ")
				for i, at := range site.Callees {
					if i > 0 {
						w.WriteString(" or ")
					}
					w.WriteString(c.Functions[at].Name)
				}
			}
			w.WriteByte('\n')
		}
	}
}
