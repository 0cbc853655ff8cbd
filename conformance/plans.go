package conformance

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
)

// Callables calls tell with each step of the case, prepared under these passes of
// rewriting and of units, or with the error that keeps it from being. Of steps with the same feeds,
// fetches and targets it tells of the first. It fails if the case does not load.
func (s *Script) Callables(rewrite, units string, tell func(step int, c *session.Callable, err error)) error {
	o, err := s.open(Config{Rewrite: rewrite, Units: units})
	if err != nil {
		return err
	}
	defer o.close()
	known := map[string]bool{}
	for i := range s.Steps {
		st := &s.Steps[i]
		key := fmt.Sprint(sorted.Keys(st.Feeds), st.Fetches, st.Targets)
		if known[key] {
			continue
		}
		known[key] = true
		c, err := o.prepare(st)
		tell(i, c, err)
	}
	return nil
}

func (o *opened) prepare(st *Step) (*session.Callable, error) {
	feeds, fetches, targets, err := o.find(st)
	if err != nil {
		return nil, err
	}
	return o.session.MakeCallable(feeds, fetches, targets)
}

// A UnitCount counts how programs of cases are played.
type UnitCount struct {
	Programs int // choices of feeds, fetches and targets
	Whole    int // those that are one unit
	Loops    int // each once in a case
	Units    int // those that are units, or parts of them, in all programs of their case

	Reasons map[string]int // why loops are none
}

// Count adds a case's programs. Cases that do not load or are hostile, and steps
// that cannot be prepared, have none.
func (u *UnitCount) Count(c *Case) {
	if c.script == nil || c.Hostile() {
		return
	}
	loops := map[string]string{} // frame → why it is no unit
	c.script.Callables("none", "", func(_ int, run *session.Callable, err error) {
		if err != nil {
			return
		}
		p, err := run.Plan(context.Background())
		if err != nil {
			return
		}
		u.Programs++
		if p.Form != "" {
			u.Whole++
		}
		for _, l := range p.Loops {
			if loops[l.Frame] == "" {
				loops[l.Frame] = l.Reason
			}
		}
	})
	for _, reason := range loops {
		u.Loops++
		if reason == "" {
			u.Units++
			continue
		}
		if at := strings.LastIndex(reason, " at "); at >= 0 { // a node
			reason = reason[:at]
		}
		if u.Reasons == nil {
			u.Reasons = map[string]int{}
		}
		u.Reasons[reason]++
	}
}

// String returns a line of counts, and one for each reason, the commonest first.
func (u *UnitCount) String() string {
	var w strings.Builder
	fmt.Fprintf(&w, "%d loops, %d of them units; %d programs, %d of them one unit\n", u.Loops, u.Units, u.Programs, u.Whole)
	reasons := sorted.Keys(u.Reasons)
	sort.SliceStable(reasons, func(i, k int) bool { return u.Reasons[reasons[i]] > u.Reasons[reasons[k]] })
	for _, r := range reasons {
		fmt.Fprintf(&w, "\t%d: %s\n", u.Reasons[r], r)
	}
	return w.String()
}
