package main

import (
	"fmt"
	"io"
	"slices"

	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/sequential/explore"
)

// mostDrawn is how many operations of a schedule are drawn; of longer ones those around the
// two that are exchanged.
const mostDrawn = 40

// writeDOT draws the two operations that are exchanged, and two schedules in which they
// are, from top to bottom, with what comes of each.
func writeDOT(w io.Writer, r *explore.Result, schedules [2][]string) {
	fmt.Fprintln(w, "digraph exchanged {\n  node [fontname=\"sans-serif\", fontsize=11]; edge [fontname=\"sans-serif\", fontsize=10]")
	defer fmt.Fprintln(w, "}")
	if len(r.Answers) < 2 {
		return
	}
	a, b := r.Pair[0], r.Pair[1]
	if x := r.Race; x != nil {
		fmt.Fprintf(w, "  object [shape=cylinder, label=%q]\n", x.Object.Name)
		for _, end := range []race.Access{x.A, x.B} {
			fmt.Fprintf(w, "  %q [shape=box, label=%q]\n  %q -> object [label=%q]\n", end.Node.Name(), end.Node.Name()+"\n"+end.Node.Type(), end.Node.Name(), end.Mode)
		}
		fmt.Fprintf(w, "  %q -> %q [dir=both, style=dashed, constraint=false, label=\"either order\"]\n", x.A.Node.Name(), x.B.Node.Name())
	} else {
		fmt.Fprintf(w, "  %q -> %q [dir=both, style=dashed, constraint=false, label=\"either order\"]\n", a, b)
	}
	for i, x := range r.Answers[:2] {
		title := "first come, first served"
		if len(x.Order) > 0 {
			title = x.Order.String()
		}
		fmt.Fprintf(w, "  subgraph cluster_%d {\n    label=%q; fontname=\"sans-serif\"; fontsize=12; style=rounded; color=\"#c3cfe2\"\n", i, title)
		events, before, behind := middle(schedules[i], a, b)
		at := func(k int) string { return fmt.Sprintf("schedule%d_%d", i, k) }
		count := 0
		add := func(label, style string) {
			fmt.Fprintf(w, "    %s [label=%q%s]\n", at(count), label, style)
			if count > 0 {
				fmt.Fprintf(w, "    %s -> %s [arrowsize=0.5, color=\"#7f8790\"]\n", at(count-1), at(count))
			}
			count++
		}
		if before > 0 {
			add(fmt.Sprintf("%d before", before), ", shape=plaintext")
		}
		for _, e := range events {
			style := ", shape=box, style=rounded, color=\"#9aa0a6\""
			if e == a || e == b {
				style = ", shape=box, style=\"rounded,filled\", color=\"#d9730d\", fillcolor=\"#ffe3c2\""
			}
			add(e, style)
		}
		if behind > 0 {
			add(fmt.Sprintf("%d after", behind), ", shape=plaintext")
		}
		add(x.Text, ", shape=note")
		fmt.Fprintln(w, "  }")
	}
}

// middle returns the part of a schedule that is drawn, around a and b, and how many operations
// come before and after it.
func middle(events []string, a, b string) (part []string, before, behind int) {
	if len(events) <= mostDrawn {
		return events, 0, 0
	}
	first := slices.IndexFunc(events, func(e string) bool { return e == a || e == b })
	from := max(0, min(first-mostDrawn/4, len(events)-mostDrawn))
	return events[from : from+mostDrawn], from, len(events) - from - mostDrawn
}
