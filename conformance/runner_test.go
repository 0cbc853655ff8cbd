package conformance_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/graph"
)

// misbehaving writes a group of cases, one for each operation, and loads it.
func misbehaving(t *testing.T, tags string, extra string, ops ...string) []*conformance.Case {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bad")
	for i, op := range ops {
		g := graph.New()
		if _, err := g.AddOperation(graph.OpSpec{Type: op, Name: "op"}); err != nil {
			t.Fatal(err)
		}
		var def bytes.Buffer
		if _, err := g.WriteTo(&def); err != nil {
			t.Fatal(err)
		}
		script := fmt.Sprintf(`{"tags": [%s], %s "steps": [{"fetches": ["op:0"], "any_outcome": true}]}`, tags, extra)
		folder := filepath.Join(dir, fmt.Sprintf("%d_%s", i, op))
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{"case.json": []byte(script), "graph.pb": def.Bytes()} {
			if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	cases, err := conformance.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

func runChildren(t *testing.T, jobs int, timeout time.Duration, cases []*conformance.Case) []conformance.Result {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := conformance.Runner{
		Config:  conformance.Config{Engine: "sequential", Timeout: timeout},
		Jobs:    jobs,
		Command: []string{self, childArgument},
	}
	var results []conformance.Result
	r.Run(t.Context(), cases, func(c *conformance.Case, r conformance.Result) {
		if r.Case != c.Name {
			t.Errorf("the result of %s came for %s", r.Case, c.Name)
		}
		results = append(results, r)
	})
	return results
}

func TestACrashIsOneCasesFailure(t *testing.T) {
	cases := misbehaving(t, `"hostile"`, "", "TestOne", "TestExit", "TestOne", "TestPanic", "TestOne", "TestExit", "TestOne")
	for _, jobs := range []int{1, 3} {
		results := runChildren(t, jobs, 0, cases)
		for i, r := range results {
			want, detail := conformance.Passed, ""
			switch {
			case strings.HasSuffix(r.Case, "Exit"):
				want, detail = conformance.Failed, "last words"
			case strings.HasSuffix(r.Case, "Panic"):
				want, detail = conformance.Failed, "oh no"
			}
			if r.Verdict != want || !strings.Contains(r.Detail, detail) {
				t.Errorf("%d jobs: case %d: %s %s: %s, want %s with %q", jobs, i, r.Case, r.Verdict, r.Detail, want, detail)
			}
		}
	}
}

// What a graph prints to its standard output does not get between results.
func TestCasesThatPrint(t *testing.T) {
	for _, r := range runChildren(t, 1, 0, misbehaving(t, `"hostile"`, "", "TestPrint", "TestOne")) {
		if r.Verdict != conformance.Passed {
			t.Errorf("%s %s: %s", r.Case, r.Verdict, r.Detail)
		}
	}
}

func TestLimitsOfHostileCases(t *testing.T) {
	for _, r := range runChildren(t, 1, 0, misbehaving(t, `"hostile"`, "", "TestHoard", "TestOne")) {
		switch {
		case strings.HasSuffix(r.Case, "TestHoard"):
			if r.Verdict != conformance.Failed || !strings.Contains(r.Detail, "of memory") {
				t.Errorf("%s %s: %s", r.Case, r.Verdict, r.Detail)
			}
		case r.Verdict != conformance.Passed:
			t.Errorf("%s %s: %s", r.Case, r.Verdict, r.Detail)
		}
	}
}

func TestAHangIsKilled(t *testing.T) {
	cases := misbehaving(t, `"hostile"`, `"deadline_ms": 100,`, "TestHang", "TestOne")
	results := runChildren(t, 1, 100*time.Millisecond, cases)
	if r := results[0]; r.Verdict != conformance.Failed || !strings.Contains(r.Detail, "killed") {
		t.Errorf("%s %s: %s", r.Case, r.Verdict, r.Detail)
	}
	if r := results[1]; r.Verdict != conformance.Passed {
		t.Errorf("%s %s: %s", r.Case, r.Verdict, r.Detail)
	}
}

func TestRunInThisProcess(t *testing.T) {
	cases := misbehaving(t, ``, "", "TestOne", "TestPanic")
	r := conformance.Runner{Config: conformance.Config{Engine: "sequential"}, Jobs: 2}
	var sum conformance.Summary
	r.Run(t.Context(), cases, func(_ *conformance.Case, r conformance.Result) { sum.Add(r) })
	if got := sum.String(); got != "1 passed, 1 failed, 0 unimplemented" {
		t.Error(got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	sum = conformance.Summary{}
	r.Run(ctx, cases, func(_ *conformance.Case, r conformance.Result) { sum.Add(r) })
	if sum.Failed != 2 {
		t.Errorf("after cancellation: %v", sum)
	}
}
