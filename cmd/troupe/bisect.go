package main

import (
	"fmt"
	"io"
	"math"
	"math/cmplx"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/compile"
	"github.com/troupe-go/troupe/nodes/unit/form"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/plan/rewrite"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A manner is how a model is run.
type manner struct{ engine, rewrite, units string }

// asWritten runs a graph as it says: the judge of the others.
var asWritten = manner{"sequential", "none", "none"}

// bisect runs a model as its graph says and in the manner of the flags, and prints which
// pass makes the results differ.
func (f *runFlags) bisect(cmd *cobra.Command, path string) error {
	if f.stats || f.output.given() || f.trace.asked() || f.record.path != "" || f.sequence.path != "" || f.live != "" {
		return fmt.Errorf("--bisect prints nothing but the pass: it goes without --output, --format, --stats, --trace, --record, --sequence and --live")
	}
	run := func(how manner) (names []string, values []*troupe.Tensor, err error) {
		with := *f
		with.engine, with.rewrite, with.units = how.engine, how.rewrite, how.units
		with.taken = func(n []string, v []*troupe.Tensor) { names, values = n, v }
		err = with.run(cmd, path)
		if err == nil && values == nil {
			err = fmt.Errorf("--bisect compares results: give --fetch or a signature")
		}
		return names, values, err
	}
	return blame(cmd.OutOrStdout(), manner{f.engine, f.rewrite, f.units}, f.tolerance, run)
}

// blame finds the pass that makes results differ from those of the graph as written by more
// than a share of the largest number.
func blame(w io.Writer, usual manner, share float64, run func(manner) ([]string, []*troupe.Tensor, error)) error {
	passes, err := rewrite.Parse(usual.rewrite)
	if err != nil {
		return err
	}
	units, err := form.ParsePasses(usual.units)
	if err != nil {
		return err
	}
	names, want, err := run(asWritten)
	if err != nil {
		return err
	}
	different := func(how manner) (list []string, err error) {
		_, got, err := run(how)
		if err != nil {
			return nil, err
		}
		for i := range want {
			if err := tensor.Compare(got[i], want[i], within(share, want[i])); err != nil {
				list = append(list, plain.Line(names[i])+": "+status.From(err).Message)
			}
		}
		return list, nil
	}
	if list, err := different(asWritten); err != nil {
		return err
	} else if list != nil {
		return failure{fmt.Errorf("two runs of the graph as it is written differ, as if it drew random numbers: %s", list[0])}
	}
	list, err := different(usual)
	if err != nil {
		return err
	}
	if list == nil {
		fmt.Fprintf(w, "no result differs from that of the graph as it is written by more than %g of its largest number\n", share)
		return nil
	}
	for _, line := range list {
		fmt.Fprintln(w, line)
	}
	pass, found, err := compile.Bisect(passes, units, func(on rewrite.Passes, units form.Passes) (bool, error) {
		list, err := different(manner{usual.engine, on.String(), units.String()})
		return list != nil, err
	})
	switch {
	case err != nil:
		return err
	case !found:
		fmt.Fprintln(w, "no pass: it does not differ each time")
	case pass == "":
		fmt.Fprintf(w, "no pass: engine %s differs without optional passes, too\n", usual.engine)
	default:
		fmt.Fprintf(w, "pass %s makes it differ\n", pass)
	}
	return failure{}
}

// within allows floats to differ by a share of the largest finite one of want.
func within(share float64, want *troupe.Tensor) tensor.Tolerance {
	size := want.FloatAt
	switch want.DataType() {
	case troupe.Complex64, troupe.Complex128:
		size = func(i int) float64 { return cmplx.Abs(want.ComplexAt(i)) }
	case troupe.Half, troupe.Bfloat16, troupe.Float, troupe.Double:
	default:
		return tensor.Tolerance{}
	}
	most := 0.0
	for i := range want.NumElements() {
		if x := math.Abs(size(i)); x > most && !math.IsInf(x, 0) {
			most = x
		}
	}
	return tensor.Tolerance{ATol: share * most}
}
