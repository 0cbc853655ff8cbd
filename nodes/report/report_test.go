package report_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/nodes/report"
	"github.com/troupe-go/troupe/status"
)

type name string

func (n name) String() string { return string(n) }

func waiting(n int) func(int) []report.Waiting {
	return func(limit int) []report.Waiting {
		var list []report.Waiting
		for i := range min(n, limit) {
			list = append(list, report.Waiting{Node: fmt.Sprint("n", i), Op: "AddV2", Tag: "loop[3]", Missing: []string{"x:0", "^init"}})
		}
		return list
	}
}

func TestHung(t *testing.T) {
	err := report.Hung(1, name("y:0"), waiting(1))
	want := "Retval[1] does not have value: the step can make no progress and the tensor y:0 never came. Waiting:\n\t" + `"n0" (AddV2) at loop[3] waits for x:0, ^init`
	if err.Code != status.Internal || err.Message != want {
		t.Errorf("got %q, want %q", err.Message, want)
	}
	if err := report.Hung(0, name("y:0"), waiting(100)); strings.Count(err.Message, "\n") != report.Limit+1 || !strings.HasSuffix(err.Message, "\n\t…") {
		t.Errorf("the list of 100 nodes is not cut at %d: %s", report.Limit, err.Message)
	}
}

func TestWait(t *testing.T) {
	for _, c := range []struct {
		nodes, listed int
		more          bool
	}{{2, 2, false}, {3, 3, false}, {4, 3, true}} {
		var r status.Report
		report.Wait(&r, 3, waiting(c.nodes))
		if len(r.Waiting) != c.listed || r.More != c.more {
			t.Errorf("of %d waiting nodes %d are listed, more: %v", c.nodes, len(r.Waiting), r.More)
		}
	}
}

func TestInterrupted(t *testing.T) {
	r := &status.Report{At: "x"}
	make := func(int) *status.Report { return r }
	for code := status.Canceled; code <= status.Unauthenticated; code++ {
		outside := code == status.Canceled || code == status.DeadlineExceeded || code == status.Aborted
		err := status.Errorf(code, "ended")
		got := report.Interrupted(err, make)
		if err.Report != nil || (got.Report == r) != outside {
			t.Errorf("%v: report %v", code, got.Report)
		}
	}
	had := &status.Error{Code: status.Canceled, Report: &status.Report{At: "y"}}
	if report.Interrupted(had, make) != had {
		t.Error("an error that has a report got another")
	}
}

func TestNest(t *testing.T) {
	outer := &status.Error{Code: status.Canceled, Report: &status.Report{}}
	report.Nest(outer, errors.New("no report"))
	for range 2 * report.Limit {
		report.Nest(outer, &status.Error{Report: &status.Report{}})
	}
	if n := len(outer.Report.Within); n != report.Limit {
		t.Errorf("%d reports within, want %d", n, report.Limit)
	}
	report.Nest(&status.Error{}, &status.Error{Report: &status.Report{}}) // which has nowhere to put it
}
