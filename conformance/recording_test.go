package conformance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/profile/recording"
)

// What acts in a run, in which iteration, dead or with which values, does not depend on the
// engine. The engine of messages shares no rule with the others.
func TestRecorded(t *testing.T) {
	cases, err := conformance.Load("testdata/control.zip")
	if err != nil {
		t.Fatal(err)
	}
	compared, events := 0, 0
	for _, c := range cases {
		var want []string
		for _, engine := range []string{"sequential", "actors", "messages:1", "seeded:1"} {
			r := recording.New()
			if v := c.Run(recording.With(t.Context(), r), conformance.Config{Engine: engine}); v.Verdict != conformance.Passed {
				t.Errorf("%s, recorded on %s: %s: %s", c.Name, engine, v.Verdict, v.Detail)
			}
			got, incomparable := executions(t, r, !strings.Contains(c.Name, "random"))
			if incomparable {
				break
			}
			if want == nil {
				want = got
				events += len(got)
			} else if !slices.Equal(got, want) {
				t.Errorf("%s: on %s %d executions differ from those of the engine sequential, %d", c.Name, engine, len(got), len(want))
				for _, e := range got {
					if !slices.Contains(want, e) {
						t.Logf("more: %s", e)
					}
				}
				for _, e := range want {
					if !slices.Contains(got, e) {
						t.Logf("fewer: %s", e)
					}
				}
			}
			compared++
		}
	}
	t.Logf("%d runs were compared, of %d executions", compared, events)
	if compared < 250 || events < 10_000 {
		t.Errorf("only %d runs were compared, of %d executions", compared, events)
	}
}

// executions returns what acted, sorted. Incomparable are runs that failed, as what else
// acts then depends on the schedule, and those of which not all was kept.
func executions(t *testing.T, r *recording.Recording, values bool) (all []string, incomparable bool) {
	t.Helper()
	runs, _ := r.Runs()
	for k, run := range runs {
		incomparable = incomparable || run.Left > 0
		var tag func(int32) string
		tag = func(i int32) string {
			if i == 0 {
				return ""
			}
			return fmt.Sprintf("%s/%s[%d]", tag(run.Tags[i].Parent), run.Tags[i].Frame, run.Tags[i].Index)
		}
		for _, s := range run.Steps {
			incomparable = incomparable || s.Error != ""
		}
		for _, e := range run.Events {
			if e.Done < 0 && !incomparable {
				t.Errorf("%s has not ended", run.Steps[e.Step].Program.Describe()[e.Node].Name)
			}
			in := []string{}
			for _, i := range e.In {
				if values {
					in = append(in, run.Texts[i])
				}
			}
			all = append(all, fmt.Sprintf("run %d %s %s dead %v output %d of %q", k, run.Steps[e.Step].Program.Describe()[e.Node].Name, tag(e.Tag), e.Dead, e.Port, in))
		}
	}
	slices.Sort(all)
	return all, incomparable
}
