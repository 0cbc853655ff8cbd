package batch

import (
	"math"
	"time"
)

// A returns expects callers that have just had an answer to come back, as clients do that
// send one request after another: a step that starts in between would leave them to the
// next. It measures which share of the answers is followed by a request soon, and how long
// it takes until all callers of a step are back. A step is delayed only while requests are
// due, and if joining them saves more time than waiting takes. Arrivals at random look like
// returns that take as long as a step, which is not worth waiting for.
type returns struct {
	owed []owed // steps whose answers no request has followed yet, oldest first
	due  int    // the answers of these
	away int    // the answers of the last step that was dropped, less the requests since

	gather     float64 // seconds from the end of a step until its callers are back
	kept, lost float64 // decaying numbers of answers with and without a request after them
	ends       int
}

// An owed is what a step has answered.
type owed struct {
	at    time.Duration
	until time.Duration // callers are not expected any longer
	n     int
}

const (
	longestWait  = 5 * time.Millisecond
	firstGather  = 20 * time.Microsecond
	slack        = 20 * time.Microsecond
	ofGather     = 3    // times as long as callers take, they are expected
	ofStep       = 2    // times as long as a step of one row takes, at most
	likely       = 0.5  // the least share of answers at which callers are expected
	learning     = 8    // steps, in which all are
	forgetting   = 0.99 // for each answer
	overdueLater = 1.25 // times as long, callers are expected after some that did not come
)

// share returns which share of answers is followed by a request of the same caller soon.
func (r *returns) share() float64 {
	if r.ends < learning || r.kept+r.lost == 0 {
		return 1
	}
	return r.kept / (r.kept + r.lost)
}

// ended notes the end of a step.
func (r *returns) ended(now time.Duration, b *batch) {
	r.expire(now)
	if r.ends++; r.ends == 1 {
		r.gather = firstGather.Seconds()
	}
	most := min(longestWait, ofStep*b.class.cost.predict(1, b.shared, 1))
	r.owed = append(r.owed, owed{now, now + min(most, r.patience()), len(b.requests)})
	r.due += len(b.requests)
}

// patience returns how long callers are expected.
func (r *returns) patience() time.Duration {
	return time.Duration(ofGather*r.gather*float64(time.Second)) + slack
}

// expire drops callers that did not come in time.
func (r *returns) expire(now time.Duration) {
	for len(r.owed) > 0 && now > r.owed[0].until {
		r.drop()
	}
}

// drop drops the callers of the oldest step. They may take longer than expected.
func (r *returns) drop() {
	o := r.owed[0]
	r.owed = r.owed[1:]
	r.due -= o.n
	r.away = o.n
	f := math.Pow(forgetting, float64(o.n))
	r.kept, r.lost = r.kept*f, r.lost*f+float64(o.n)
	r.gather = min(overdueLater*r.gather, (longestWait / ofGather).Seconds())
}

// arrived notes a request.
func (r *returns) arrived(now time.Duration) {
	r.expire(now)
	r.away = max(0, r.away-1)
	if len(r.owed) == 0 {
		return
	}
	r.kept, r.lost = r.kept*forgetting+1, r.lost*forgetting
	r.due--
	o := &r.owed[0]
	if o.n--; o.n == 0 {
		r.gather += (min((now-o.at).Seconds(), 2*r.gather+slack.Seconds()) - r.gather) / 8
		r.owed = r.owed[1:]
	}
}

// wait returns how long a class should wait for requests that are due, if a step may have
// most rows; 0: not at all.
func (r *returns) wait(now time.Duration, c *class, most int, shared bool) time.Duration {
	r.expire(now)
	if r.due == 0 || c.rows >= most || r.share() < likely {
		return 0
	}
	const hope = 0.5 // of sizes that were not measured, so that they are
	more := min(r.due, most-c.rows)
	one := c.cost.predict(c.rows, shared, hope)
	saved := one + c.cost.predict(more, shared, hope) - c.cost.predict(c.rows+more, shared, hope)
	if v := c.cost.view(shared); v.doubtful(rangeOf(c.rows + more)) {
		saved = max(saved, time.Duration(hope*float64(one))) // so that it is known
	}
	if saved <= time.Duration(r.gather*float64(time.Second)) {
		return 0
	}
	return r.owed[0].until - now + 1
}
