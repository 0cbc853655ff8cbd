package conformance

import (
	"context"
	"fmt"

	"github.com/troupe-go/troupe/plan/race"
	"github.com/troupe-go/troupe/sorted"
)

// Races calls tell with the races of each step of the case, or with the error that
// keeps them from being found. Of steps with the same feeds, fetches and targets it
// tells of the first. It fails if the case does not load.
func (s *Script) Races(ctx context.Context, tell func(step int, races []race.Race, err error)) error {
	o, err := s.open(Config{Rewrite: "none"})
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
		feeds, fetches, targets, err := o.find(st)
		var races []race.Race
		if err == nil {
			races, err = race.Find(ctx, race.Program{Graph: o.graph, Feeds: feeds, Fetches: fetches, Targets: targets})
		}
		tell(i, races, err)
	}
	return nil
}
