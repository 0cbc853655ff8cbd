package cuda

import (
	"slices"
	"sync"
	"time"

	"github.com/troupe-go/troupe/devices/cuda/internal/api"
)

// A polling asks the driver which events are done: its callbacks may not call it, and
// may hold streams up.
type polling struct {
	device *Device
	mu     sync.Mutex
	wake   sync.Cond
	due    []expectation
	ended  bool
	done   chan struct{}
}

type expectation struct {
	event *event
	tell  func(error)
}

// between is how long it waits between two looks at what is due.
const between = 10 * time.Microsecond

func newPolling(d *Device) *polling {
	p := &polling{device: d, done: make(chan struct{})}
	p.wake.L = &p.mu
	go p.run()
	return p
}

// add has tell called when an event is done, or the device is closed.
func (p *polling) add(e *event, tell func(error)) {
	p.mu.Lock()
	ended := p.ended
	if !ended {
		p.due = append(p.due, expectation{e, tell})
	}
	p.mu.Unlock()
	if ended {
		tell(p.device.gone())
		e.Release()
		return
	}
	p.wake.Signal()
}

func (p *polling) run() {
	defer close(p.done)
	var due []expectation
	var results []int32
	for {
		p.mu.Lock()
		for len(due)+len(p.due) == 0 {
			if p.ended {
				p.mu.Unlock()
				return
			}
			p.wake.Wait()
		}
		due, p.due = append(due, p.due...), nil
		p.mu.Unlock()
		results = results[:0]
		for _, x := range slices.Backward(due) { // what comes later in a stream is never told first
			results = append(results, p.device.do(p.device.driver.EventQuery, x.event.handle))
		}
		left := due[:0]
		for i, x := range due {
			r := results[len(results)-1-i]
			if r == api.NotReady {
				left = append(left, x)
				continue
			}
			x.tell(p.device.failure("a work", r))
			x.event.Release()
		}
		clear(due[len(left):])
		if due = left; len(due) > 0 {
			pause(between)
		}
	}
}

// close waits until nothing is due: the streams are empty.
func (p *polling) close() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.wake.Signal()
	<-p.done
}
