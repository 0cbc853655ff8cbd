package cluster

import (
	"encoding/json"

	"github.com/troupe-go/troupe/profile"
	"github.com/troupe-go/troupe/status"
)

// appendStats adds what the nodes of a part cost to what it fetches.
func appendStats(items []item, r *profile.Recorder) ([]item, error) {
	b, err := json.Marshal(r.Stats())
	if err != nil {
		return nil, status.Errorf(status.Internal, "step stats: %v", err)
	}
	return append(items, item{stats: b}), nil
}

// mergeStats takes what a worker sent, of a run between two times of the recorder's clock.
func mergeStats(r *profile.Recorder, b []byte, from, to int64) error {
	var s profile.Stats
	if err := json.Unmarshal(b, &s); err != nil || !s.Valid() {
		return status.Errorf(status.DataLoss, "a worker sent step stats that are none: %v", err)
	}
	r.Merge(&s, from, to)
	return nil
}
