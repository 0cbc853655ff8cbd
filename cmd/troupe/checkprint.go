package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/troupe-go/troupe/plain"
)

func (v *verdict) write(w io.Writer, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	for _, g := range v.Graphs {
		g.write(w)
	}
	if len(v.Graphs) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w, v.summary())
	if v.Unknown {
		fmt.Fprintln(w, "the graph cannot be loaded, so types and shapes were not checked")
	}
	if v.Frames != "" {
		fmt.Fprintln(w, "frames cannot be determined:", v.Frames)
	}
	const few = 12
	switch n := len(v.Feeds); {
	case n > few:
		fmt.Fprintf(w, "to be fed, %d in all: %s\n", n, first(v.Feeds, few))
	case n > 0:
		fmt.Fprintln(w, "to be fed:", first(v.Feeds, few))
	}
	if len(v.Missing) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "OPERATION\tCOUNT\tREASON\tNODES")
	for _, m := range v.Missing {
		fmt.Fprintf(tw, "%s\t%d\t%s\t%s\n", plain.Line(m.Op), m.Count, plain.Line(m.short()), plain.Line(first(m.Nodes, 3)))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	v.writeKernels(w)
	return nil
}

// summary returns the verdict in a line.
func (v *verdict) summary() string {
	s := count(v.Nodes, "node")
	if v.Functions > 0 {
		s += ", " + count(v.Functions, "function")
	}
	switch total := v.total(); {
	case v.Runs:
		return s + ": it will run"
	case v.Nodes == 0:
		return s + ": there is nothing to run"
	case total == 0:
		return s + ": it will not run"
	default:
		return fmt.Sprintf("%s: it will not run, %s of %s missing", s, count(total, "node"), count(v.ops(), "operation"))
	}
}

// total returns the number of nodes that cannot run.
func (v *verdict) total() int {
	n := 0
	for _, m := range v.Missing {
		n += m.Count
	}
	return n
}

// ops returns the number of operations that are missing for some node.
func (v *verdict) ops() int {
	names := map[string]bool{}
	for _, m := range v.Missing {
		names[m.Op] = true
	}
	return len(names)
}

// short returns the reason for the table, beside which the operation stands.
func (m *missing) short() string {
	if _, attrs, ok := strings.Cut(m.Reason, " with these attrs: "); ok && m.Kernels != nil {
		return "no kernel for " + attrs
	}
	return m.Reason
}

// writeKernels lists once for each operation the kernels of which none fits.
func (v *verdict) writeKernels(w io.Writer) {
	listed := map[string]bool{}
	for _, m := range v.Missing {
		if m.Kernels == nil || listed[m.Op] {
			continue
		}
		listed[m.Op] = true
		fmt.Fprintf(w, "\n%s has kernels for\n", plain.Line(m.Op))
		for _, k := range m.Kernels {
			fmt.Fprintln(w, "  "+k.String())
		}
	}
}

// first returns the first few names.
func first(names []string, few int) string {
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:few], ", ") + ", ..."
}
