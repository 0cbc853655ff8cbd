package serve

import (
	"math/rand/v2"

	"github.com/troupe-go/troupe/kernel/hash"
	"github.com/troupe-go/troupe/status"
)

// A Canary sends a share of the requests that name neither version nor label to one
// version, and the others to the greatest other one.
type Canary struct {
	Share   float64 // 0 to 1
	Version int64   // 0: the greatest that is available
}

func (c Canary) check(name string) error {
	if !(c.Share >= 0 && c.Share <= 1) {
		return status.Invalid("model '%s': the canary's share is %v, not between 0 and 1", name, c.Share)
	}
	if c.Version < 0 {
		return status.Invalid("model '%s': the canary's version is %d", name, c.Version)
	}
	return nil
}

// pick returns the version for a request that names none. Requests of the same key get
// the same one, as long as the share stays. Manager.mu is held.
func (s *served) pick(key string) *version {
	c := s.config.Canary
	best := s.newest()
	if c.Share <= 0 || best == nil {
		return best
	}
	canary := best
	if c.Version != 0 {
		if canary = s.versions[c.Version]; canary == nil || canary.state != Available {
			return best
		}
	}
	var other *version
	for _, v := range s.versions {
		if v != canary && v.state == Available && (other == nil || v.number > other.number) {
			other = v
		}
	}
	if other == nil || draw(key) < c.Share {
		return canary
	}
	return other
}

// draw returns a number in [0, 1): of a key always the same.
func draw(key string) float64 {
	if key == "" {
		return rand.Float64()
	}
	h := hash.Fingerprint64(key) // the same in every process
	return float64(h>>11) / (1 << 53)
}
