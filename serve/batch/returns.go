package batch

import "time"

// A returns expects callers that have just had an answer to come back, as clients do that
// send one request after another: a step that starts in between would leave them to the
// next. It measures which share of the requests comes soon after a step has ended, beyond
// those that would by chance, and how soon. A step is delayed only while requests are due,
// and if joining them saves more time than waiting takes.
type returns struct {
	last  time.Duration // the end of the last step
	any   bool
	until time.Duration // the end of the time in which callers are expected back
	due   float64       // requests that are expected until then
	lag   float64       // seconds from an answer to a request, on average

	// Decaying sums: requests and seconds, of all time and of the times in which callers
	// are expected back.
	requests, soon float64
	time, expected float64
	ends           int
}

// The longest time for which callers are expected back, and its share of a step's cost.
const (
	longestWait = 5 * time.Millisecond
	ofStep      = 0.25
)

// share returns which share of answers is followed by a request of the same caller soon.
func (r *returns) share() float64 {
	if r.ends < 8 { // to learn, all are expected
		return 1
	}
	if r.requests == 0 || r.time == 0 {
		return 0
	}
	chance, soon := r.expected/r.time, r.soon/r.requests
	const all = 0.95 // of the time, which says nothing
	if chance > all {
		return 0
	}
	return min(1, max(0, (soon-chance)/(1-chance)))
}

// ended notes the end of a step.
func (r *returns) ended(now time.Duration, b *batch) {
	if r.any {
		const decay = 0.99
		r.requests, r.soon = r.requests*decay, r.soon*decay
		r.time = r.time*decay + (now - r.last).Seconds()
		r.expected = r.expected*decay + (min(now, r.until) - r.last).Seconds()
	}
	if now > r.until {
		r.due = 0
	}
	if share := r.share(); share > likely {
		r.due += float64(len(b.requests)) * share
	}
	r.ends++
	window := min(longestWait, time.Duration(ofStep*float64(b.class.cost.predict(1, b.shared, 1))))
	r.last, r.any, r.until = now, true, now+window
}

// likely is the least share of answers at which callers are expected back.
const likely = 0.5

// arrived notes a request.
func (r *returns) arrived(now time.Duration) {
	if !r.any {
		return
	}
	r.requests++
	if now > r.until {
		return
	}
	r.soon++
	r.due = max(0, r.due-1)
	r.lag += ((now - r.last).Seconds() - r.lag) / 16
}

// wait returns how long a class should wait for requests that are due; 0: not at all.
func (r *returns) wait(now time.Duration, c *class, shared bool) time.Duration {
	if !r.any || now >= r.until || r.due < 0.5 || c.most == 0 || c.cost.size(c.most, shared) <= c.rows {
		return 0
	}
	const hope = 0.5 // of sizes that were not measured, so that they are
	more := int(r.due + 0.5)
	saved := c.cost.predict(c.rows, shared, hope) + c.cost.predict(more, shared, hope) - c.cost.predict(c.rows+more, shared, hope)
	lag := time.Duration(2 * r.lag * float64(time.Second))
	until := min(r.until, r.last+2*lag+20*time.Microsecond)
	if saved <= lag || now >= until {
		return 0
	}
	return until - now
}
