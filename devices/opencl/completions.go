package opencl

import (
	"sync"

	"github.com/troupe-go/troupe/devices/dynamic"
)

// Completions come from threads of the driver, which must not be kept: they leave a
// note, and a goroutine of the device's passes it on. A note is found by a number,
// as a library may not keep pointers to Go's memory.
type completions struct {
	mu    sync.Mutex
	ready sync.Cond
	notes []note
	due   int  // expected and not passed on
	ended bool // no more are expected
	done  chan struct{}
}

type note struct {
	tell   func(error)
	result int32
}

// expectation is who a callback is for.
type expectation struct {
	of   *completions
	tell func(error)
}

var expected struct {
	sync.Mutex
	last  uintptr
	by    map[uintptr]expectation
	entry uintptr // the one callback of the process
}

func newCompletions() *completions {
	c := &completions{done: make(chan struct{})}
	c.ready.L = &c.mu
	go c.pass()
	return c
}

// completed returns what the driver calls.
func completed(_ uintptr, result int32, number uintptr) uintptr {
	expected.Lock()
	e := expected.by[number]
	delete(expected.by, number)
	expected.Unlock()
	e.of.mu.Lock()
	e.of.notes = append(e.of.notes, note{e.tell, result})
	e.of.mu.Unlock()
	e.of.ready.Signal()
	return 0
}

// expect has tell called when an event is done.
func (c *completions) expect(event uintptr, tell func(error)) error {
	expected.Lock()
	if expected.entry == 0 {
		expected.entry, expected.by = dynamic.Callback(completed), map[uintptr]expectation{}
	}
	expected.last++
	number, entry := expected.last, expected.entry
	expected.by[number] = expectation{c, tell}
	expected.Unlock()
	c.mu.Lock()
	c.due++
	c.mu.Unlock()
	r := int32(api.setEventCallback.Call(event, complete, entry, number))
	if err := failure("clSetEventCallback", r); err != nil {
		expected.Lock()
		delete(expected.by, number)
		expected.Unlock()
		c.mu.Lock()
		c.due--
		c.mu.Unlock()
		c.ready.Signal()
		return err
	}
	return nil
}

// pass passes notes on, until none is due and none more expected.
func (c *completions) pass() {
	defer close(c.done)
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for len(c.notes) == 0 {
			if c.ended && c.due == 0 {
				return
			}
			c.ready.Wait()
		}
		notes := c.notes
		c.notes = nil
		c.mu.Unlock()
		for _, n := range notes {
			n.tell(failure("a work", n.result))
		}
		c.mu.Lock()
		c.due -= len(notes)
	}
}

// close waits until all notes are passed on: the queues are empty.
func (c *completions) close() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.ready.Signal()
	<-c.done
}
