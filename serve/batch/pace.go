package batch

import "time"

// A pace finds how many steps should run at a time: as many as there are CPUs, or fewer
// with more rows each, because the kernels of one step may use all CPUs. It compares the
// time that requests take, waiting included, under one limit with that under a neighboring
// one, in alternating epochs of some steps, and keeps the better. Of clients that send one
// request after another the faster limit is also that of more requests a second (Little's
// law). Only epochs in which steps had to wait are compared: elsewhere the limit does not
// matter.
type pace struct {
	most    int
	current int  // the limit in use
	trying  int  // the one that is compared with it; 0: none
	fewer   bool // the direction to try next
	pause   int  // epochs to the next trial
	gap     int  // epochs between trials, which grows while they fail
	turn    int  // of the trial: odd epochs have the limit that is tried
	sums    [2]latencies

	began time.Duration // of this epoch
	latencies
}

// latencies are of an epoch, or of several.
type latencies struct {
	steps    int
	requests int
	rows     int
	took     time.Duration // of all requests
	time     time.Duration // that passed
	limited  int           // steps that started when no other could have
}

func (l *latencies) add(o latencies) {
	l.steps += o.steps
	l.requests += o.requests
	l.rows += o.rows
	l.took += o.took
	l.time += o.time
	l.limited += o.limited
}

func (l *latencies) mean() float64 { return l.took.Seconds() / float64(max(1, l.requests)) }

func (l *latencies) rate() float64 { return float64(l.requests) / max(l.time, 1).Seconds() }

func (l *latencies) crowded() bool { return 2*l.limited > l.steps }

// An epoch has at least so many steps and takes at least so long, or has fewer that take
// longer: their times vary less, and a trial of steps of ten milliseconds would take seconds,
// half of them under the worse limit. A trial has so many epochs of each limit.
const (
	epochSteps  = 24
	epochTime   = 10 * time.Millisecond
	fewSteps    = 12
	longTime    = 60 * time.Millisecond
	trialEpochs = 3
	firstGap    = 1
	longestGap  = 128
)

func newPace(threads int) pace {
	return pace{most: threads, current: threads, fewer: true, pause: firstGap, gap: firstGap}
}

func (p *pace) limit() int {
	if p.turn%2 == 1 {
		return p.trying
	}
	return p.current
}

// started notes the start of a step, with which running run.
func (p *pace) started(running int) {
	if running >= p.limit() {
		p.limited++
	}
}

// ended notes the end of a step. One that was not measured, as its requests ran one by one
// to be compared, would make the limit look bad under which it happened to run: the epoch
// begins again.
func (p *pace) ended(now time.Duration, b *batch, measured bool) {
	if !measured {
		p.latencies, p.began = latencies{}, now
		return
	}
	p.steps++
	p.requests += len(b.requests)
	p.rows += b.rows
	for _, r := range b.requests {
		p.took += now - r.arrived
	}
	if p.most == 1 {
		return
	}
	const hopeless, enough, soon = 1.3, 4, epochTime / 4
	if p.turn%2 == 1 && p.steps >= enough && now-p.began >= soon && p.trying < p.current && p.mean() > hopeless*p.sums[0].mean() {
		p.fail(now)
		return
	}
	const slow = 4 // a trial takes no longer, in epochs
	if p.steps >= epochSteps && now-p.began >= epochTime || p.steps >= fewSteps && now-p.began >= longTime || p.turn%2 == 1 && now-p.began > slow*max(p.sums[0].time, epochTime) {
		p.epoch(now, &b.class.cost)
	}
}

// epoch ends one, and decides about the limit of the next.
func (p *pace) epoch(now time.Duration, c *costs) {
	e := p.latencies
	e.time = now - p.began
	p.latencies, p.began = latencies{}, now
	if p.trying == 0 {
		switch {
		case p.pause > 1:
			p.pause--
		case e.crowded():
			p.begin(e)
			if p.trying == 1 && c.together(e.rows/max(1, e.steps)) {
				p.fail(now)
			}
		}
		return
	}
	p.sums[p.turn%2].add(e)
	if p.turn++; p.turn < 2*trialEpochs {
		return
	}
	if p.better(&p.sums[0], &p.sums[1]) {
		p.current, p.trying, p.turn = p.trying, 0, 0
		p.gap, p.pause = firstGap, firstGap
		return
	}
	p.fail(now)
}

// better compares the epochs of a trial. Where more requests arrive than can be answered,
// latencies grow with time, and rates decide.
func (p *pace) better(of, tried *latencies) bool {
	const much, some = 1.15, 1.05
	switch {
	case tried.rate() > much*of.rate():
		return true
	case tried.rate() < of.rate()/much:
		return false
	case tried.crowded():
		return tried.mean() < of.mean()/some
	}
	return p.trying > p.current && tried.mean() < of.mean()*some // nothing waits under the higher limit
}

// begin begins a trial, to which the epoch that has ended belongs.
func (p *pace) begin(e latencies) {
	if p.current == 1 {
		p.fewer = false
	} else if p.current == p.most {
		p.fewer = true
	}
	if p.trying = min(p.most, 2*p.current); p.fewer {
		p.trying = p.current / 2
	}
	p.turn, p.sums = 1, [2]latencies{e, {}}
}

// fail ends a trial without a change.
func (p *pace) fail(now time.Duration) {
	p.latencies, p.began = latencies{}, now
	p.trying, p.turn = 0, 0
	p.gap = min(2*p.gap, longestGap)
	p.pause = p.gap
	p.fewer = !p.fewer
}
