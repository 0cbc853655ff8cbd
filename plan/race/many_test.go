package race_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/status"
)

// assigns is n operations that assign one variable, each after the one before if
// ordered.
func assigns(t *testing.T, n int, ordered bool) race.Program {
	t.Helper()
	var b strings.Builder
	b.WriteString("v = VarHandleOp() {dtype=DT_FLOAT, shape=shape [], shared_name=\"v\"}\nx = Placeholder() {dtype=DT_FLOAT, shape=shape []}\n")
	for i := range n {
		after := ""
		if ordered && i > 0 {
			after = fmt.Sprintf(", ^a%d", i-1)
		}
		fmt.Fprintf(&b, "a%d = AssignVariableOp(v, x%s) {dtype=DT_FLOAT}\n", i, after)
	}
	g := graph.New()
	if err := notation.Add(g, b.String()); err != nil {
		t.Fatal(err)
	}
	p := race.Program{Graph: g}
	for i := range n {
		p.Targets = append(p.Targets, g.Operation(fmt.Sprintf("a%d", i)))
	}
	return p
}

// Of a program that is nothing but races some are told, in time linear in it.
func TestMostRaces(t *testing.T) {
	races, err := race.Find(t.Context(), assigns(t, 20_000, false))
	if err != nil || len(races) != race.Most {
		t.Errorf("%d races, %v", len(races), err)
	}
}

// One that is in order takes quadratic time to see, and ends with its context.
func TestFindEnds(t *testing.T) {
	p := assigns(t, 20_000, true)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	races, err := race.Find(ctx, p)
	if len(races) > 0 || err != nil && status.CodeOf(err) != status.DeadlineExceeded {
		t.Errorf("%d races, %v", len(races), err)
	}
}
