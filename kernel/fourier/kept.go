package fourier

import "sync"

// mostKept is how many bytes of plans the process keeps.
const mostKept = 32 << 20

// kept has plans that were used last, the newest at the end.
var kept struct {
	sync.Mutex
	plans []*Plan
	bytes int
}

// Kept returns the plan for n numbers if the process has kept one, else nil.
func Kept(n int) *Plan {
	kept.Lock()
	defer kept.Unlock()
	for i, p := range kept.plans {
		if p.n == n {
			copy(kept.plans[i:], kept.plans[i+1:])
			kept.plans[len(kept.plans)-1] = p
			return p
		}
	}
	return nil
}

// Keep keeps p for the next transform of as many numbers. The plans that have not been
// used for longest are forgotten for it; one that is too large is not kept.
func (p *Plan) Keep() {
	size := Bytes(p.n)
	if size > mostKept {
		return
	}
	kept.Lock()
	defer kept.Unlock()
	for kept.bytes+size > mostKept {
		kept.bytes -= Bytes(kept.plans[0].n)
		kept.plans[0] = nil
		kept.plans = kept.plans[1:]
	}
	kept.plans = append(kept.plans, p)
	kept.bytes += size
}
