package conformance_test

import (
	"context"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/plan/race"
)

// TestNoCaseRaces looks for races in the recorded cases, whose answers are determined.
func TestNoCaseRaces(t *testing.T) {
	for _, archive := range []string{"control", "gradients"} {
		path := "testdata/" + archive + ".zip"
		cases, err := conformance.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		looked := 0
		for _, c := range cases {
			s, err := conformance.LoadScript(path + "/" + strings.TrimPrefix(c.Name, archive+"/"))
			if err != nil {
				t.Fatal(err)
			}
			// What cannot be loaded or has no meaning has no races.
			_ = s.Races(context.Background(), func(step int, races []race.Race, err error) {
				if err == nil {
					looked++
				}
				for _, r := range races {
					t.Errorf("%s, step %d: %v", c.Name, step, r)
				}
			})
		}
		t.Logf("%s: no race in %d steps of %d cases", archive, looked, len(cases))
		if looked < len(cases)/2 {
			t.Errorf("%s: %d steps of %d cases were looked at", archive, looked, len(cases))
		}
	}
}
