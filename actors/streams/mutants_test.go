package streams_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/emulated"
)

// A verb is what a queue is asked for.
type verb string

const (
	write  verb = "write"
	read   verb = "read"
	copied verb = "copy"
	launch verb = "launch"
	record verb = "record"
	wait   verb = "wait"
)

// A call is one call of a queue, which do carries out, on any queue.
type call struct {
	verb   verb
	on     *bentQueue
	from   string // wait: the queue of the event
	event  *bentEvent
	launch *devices.Launch
	to     devices.Buffer
	source devices.Buffer // copied: of another device; nil: of this one
	do     func(*bentQueue) error
}

// abroad reports whether it is a wait for another device's queue, or a copy from there.
func (c call) abroad() bool { return c.source != nil || c.event != nil && c.event.b != c.on.b }

// bent is a driver between the streams and the emulated device that does not do as
// it is told.
type bent struct {
	devices.Accelerator
	queues map[string]*bentQueue
	bend   func(b *bent, c call) error // carries out a call, or something else
	notify func(e *bentEvent) bool     // whether to tell at once
	host   func(b *bent, bytes int64) devices.HostBuffer
	memory func(b *bent, bytes int64) devices.Buffer
	last   devices.Buffer
	staged devices.HostBuffer
	events map[string][]*bentEvent
	owned  map[devices.Buffer]bool
	late   func() error
	count  int
}

func newBent(d devices.Accelerator, bend func(*bent)) *bent {
	b := &bent{Accelerator: d, queues: map[string]*bentQueue{}, events: map[string][]*bentEvent{}, owned: map[devices.Buffer]bool{}}
	bend(b)
	return b
}

func (b *bent) Reaches(other devices.Accelerator) bool {
	if o, ok := other.(*bent); ok {
		other = o.Accelerator
	}
	return b.Accelerator.Reaches(other)
}

type bentQueue struct {
	devices.Queue
	name string
	b    *bent
}

type bentEvent struct {
	devices.Event
	from string
	b    *bent
}

func (b *bent) NewQueue(name string) (devices.Queue, error) {
	q, err := b.Accelerator.NewQueue(name)
	if err != nil {
		return nil, err
	}
	b.queues[name] = &bentQueue{q, name, b}
	return b.queues[name], nil
}

func (b *bent) Alloc(bytes int64) (devices.Buffer, error) {
	if b.memory != nil {
		if m := b.memory(b, bytes); m != nil {
			return m, nil
		}
	}
	m, err := b.Accelerator.Alloc(bytes)
	b.last, b.owned[m] = m, true
	return m, err
}

func (b *bent) AllocHost(bytes int64) (devices.HostBuffer, error) {
	if b.host != nil {
		if m := b.host(b, bytes); m != nil {
			return m, nil
		}
	}
	m, err := b.Accelerator.AllocHost(bytes)
	b.staged = m
	return m, err
}

func (q *bentQueue) act(c call) error {
	c.on = q
	if q.b.bend == nil {
		return c.do(q)
	}
	return q.b.bend(q.b, c)
}

func (q *bentQueue) Write(dst devices.Buffer, src devices.HostBuffer, n int64) error {
	return q.act(call{verb: write, to: dst, do: func(q *bentQueue) error { return q.Queue.Write(dst, src, n) }})
}

func (q *bentQueue) Read(dst devices.HostBuffer, src devices.Buffer, n int64) error {
	return q.act(call{verb: read, to: src, do: func(q *bentQueue) error { return q.Queue.Read(dst, src, n) }})
}

func (q *bentQueue) Copy(dst, src devices.Buffer, n int64) error {
	c := call{verb: copied, to: dst, do: func(q *bentQueue) error { return q.Queue.Copy(dst, src, n) }}
	if !q.b.owned[src] {
		c.source = src
	}
	return q.act(c)
}

func (q *bentQueue) Launch(l *devices.Launch) error {
	own := *l
	own.Args = append([]devices.Arg(nil), l.Args...)
	return q.act(call{verb: launch, launch: &own, do: func(q *bentQueue) error { return q.Queue.Launch(&own) }})
}

func (q *bentQueue) Record() (devices.Event, error) {
	e := &bentEvent{from: q.name, b: q.b}
	err := q.act(call{verb: record, event: e, do: func(q *bentQueue) (err error) {
		e.Event, err = q.Queue.Record()
		return err
	}})
	q.b.events[q.name] = append(q.b.events[q.name], e)
	return e, err
}

func (q *bentQueue) Wait(ev devices.Event) error {
	e, ok := ev.(*bentEvent)
	if !ok { // of a device that came back
		return q.Queue.Wait(ev)
	}
	return q.act(call{verb: wait, from: e.from, event: e, do: func(q *bentQueue) error { return q.Queue.Wait(e.Event) }})
}

func (e *bentEvent) Notify(done func(error)) {
	if e.b.notify != nil && e.b.notify(e) {
		done(nil)
		return
	}
	e.Event.Notify(done)
}

const compute, in, out, within, lent = "compute", "host-to-device", "device-to-host", "device-to-device", "lent"

// noWait leaves waits of one queue for another out.
func noWait(queue, from string) func(*bent) {
	return func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == wait && c.on.name == queue && c.from == from {
				return nil
			}
			return c.do(c.on)
		}
	}
}

// elsewhere moves works to another queue.
func elsewhere(v verb, from, to string) func(*bent) {
	return func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == v && c.on.name == from && b.queues[to] != nil {
				return c.do(b.queues[to])
			}
			return c.do(c.on)
		}
	}
}

// early records events of a queue before the work that they stand for.
func early(queue string) func(*bent) {
	return func(b *bent) {
		var held func() error
		b.bend = func(b *bent, c call) error {
			if c.on.name != queue {
				return c.do(c.on)
			}
			err := error(nil)
			if held != nil && c.verb != record {
				err = held()
				held = nil
			}
			if c.verb == record {
				if err = c.do(c.on); err == nil && held != nil {
					err = held()
					held = nil
				}
				return err
			}
			held = func() error { return c.do(c.on) }
			return err
		}
	}
}

// hasty tells at once that a queue has passed an event.
func hasty(queue string) func(*bent) {
	return func(b *bent) { b.notify = func(e *bentEvent) bool { return e.from == queue } }
}

// mutants are mistakes in the discipline of streams. docs/design/2026-11-23-streams.md
// has the table.
var mutants = []struct {
	name string
	bend func(*bent)
}{
	{"compute does not wait for what was written", noWait(compute, in)},
	{"compute does not wait for copies", noWait(compute, within)},
	{"compute overwrites what is being read", noWait(compute, out)},
	{"a write does not wait for the launches that read or wrote what it overwrites", noWait(in, compute)},
	{"a write overwrites what is being read", noWait(in, out)},
	{"a write does not wait for copies", noWait(in, within)},
	{"a read does not wait for compute", noWait(out, compute)},
	{"a read does not wait for writes", noWait(out, in)},
	{"a read does not wait for copies", noWait(out, within)},
	{"a copy does not wait for compute", noWait(within, compute)},
	{"a copy does not wait for writes", noWait(within, in)},
	{"a copy overwrites what is being read", noWait(within, out)},
	{"the event of a write is recorded before it", early(in)},
	{"the event of a launch is recorded before it", early(compute)},
	{"the event of a copy is recorded before it", early(within)},
	{"the event of a read is recorded before it", early(out)},
	{"the host is told too early that a read is done", hasty(out)},
	{"the host is told too early that a write is done, and reuses its buffer", hasty(in)},
	{"writes go by the stream of reads", elsewhere(write, in, out)},
	{"writes go by the stream of compute", elsewhere(write, in, compute)},
	{"reads go by the stream of writes", elsewhere(read, out, in)},
	{"copies go by the stream of compute", elsewhere(copied, within, compute)},
	{"launches go by the stream of copies", elsewhere(launch, compute, within)},
	{"events of writes are recorded in the stream of compute", elsewhere(record, in, compute)},
	{"events of compute are recorded in the stream of reads", elsewhere(record, compute, out)},
	{"waits of compute go to the stream of reads", elsewhere(wait, compute, out)},
	{"a wait comes after the work that needs it", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == wait && c.on.name == compute {
				b.late = func() error { return c.do(c.on) }
				return nil
			}
			err := c.do(c.on)
			if b.late != nil && c.on.name == compute && err == nil {
				err = b.late()
				b.late = nil
			}
			return err
		}
	}},
	{"a wait is for the event before", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == wait {
				all := b.events[c.from]
				for i, e := range all {
					if e == c.event && i > 0 {
						return c.on.Queue.Wait(all[i-1].Event)
					}
				}
				return nil
			}
			return c.do(c.on)
		}
	}},
	{"one wait in eight is lost", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == wait {
				if b.count++; b.count%8 == 0 {
					return nil
				}
			}
			return c.do(c.on)
		}
	}},
	{"memory is released as soon as a launch that reads it was handed over", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			err := c.do(c.on)
			if c.verb == launch && err == nil {
				if b.count++; b.count == 5 {
					c.launch.Args[0].Buffer.Release()
				}
			}
			return err
		}
	}},
	{"memory is released when an earlier launch is done", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == launch {
				if b.count++; b.count == 5 {
					if err := b.queues[compute].Queue.Flush(); err != nil {
						return err
					}
					e, err := b.queues[compute].Queue.Record()
					if err != nil {
						return err
					}
					launch := c.launch
					e.Notify(func(error) { launch.Args[2].Buffer.Release() })
				}
			}
			return c.do(c.on)
		}
	}},
	{"two owners get one block", func(b *bent) {
		b.memory = func(b *bent, bytes int64) devices.Buffer {
			if b.count++; b.count == 4 {
				return b.last
			}
			return nil
		}
	}},
	{"all copies of the host's go by one buffer", func(b *bent) {
		b.host = func(b *bent, bytes int64) devices.HostBuffer { return b.staged }
	}},
	{"a write is left out", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == write {
				if b.count++; b.count == 3 {
					return nil
				}
			}
			return c.do(c.on)
		}
	}},
	{"a launch says that it only reads what it writes", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == launch {
				c.launch.Args[2].Access = devices.Reads
			}
			return c.do(c.on)
		}
	}},
}

// dropped leaves out waits for queues of another device.
func dropped(queue, from string) func(*bent) {
	return func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == wait && c.abroad() && c.on.name == queue && (from == "" || c.from == from) {
				return nil
			}
			return c.do(c.on)
		}
	}
}

// mutantsAbroad are mistakes in what two devices have to do with each other.
var mutantsAbroad = []struct {
	name string
	bend func(*bent)
}{
	{"a copy does not wait for what the other device computes", dropped(within, compute)},
	{"a copy does not wait for what is written to the other device", dropped(within, in)},
	{"a copy does not wait for what the other device copies", dropped(within, within)},
	{"what is lent does not wait for the copy", dropped(lent, "")},
	{"compute overwrites what another device copies", noWait(compute, lent)},
	{"a write overwrites what another device copies", noWait(in, lent)},
	{"a copy overwrites what another device copies", noWait(within, lent)},
	{"compute does not wait for what comes from another device", noWait(compute, within)},
	{"a read does not wait for what comes from another device", noWait(out, within)},
	{"a copy overwrites what this device computes with", noWait(within, compute)},
	{"the event of a copy from another device is recorded before it", early(within)},
	{"what is lent is said to be free before the copy is waited for", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == wait && c.abroad() && c.on.name == lent {
				b.late = func() error { return c.do(c.on) }
				return nil
			}
			err := c.do(c.on)
			if b.late != nil && c.verb == record && c.on.name == lent && err == nil {
				err = b.late()
				b.late = nil
			}
			return err
		}
	}},
	{"a copy from another device goes by the stream of reads", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == copied && c.abroad() {
				return c.do(b.queues[out])
			}
			return c.do(c.on)
		}
	}},
	{"what a copy waits for on another device, compute waits for", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == wait && c.abroad() && c.on.name == within {
				return c.do(b.queues[compute])
			}
			return c.do(c.on)
		}
	}},
	{"a wait is for the other device's event before", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb != wait || !c.abroad() {
				return c.do(c.on)
			}
			all := c.event.b.events[c.from]
			if i := slices.Index(all, c.event); i > 0 {
				return c.on.Queue.Wait(all[i-1].Event)
			}
			return nil
		}
	}},
	{"one wait for another device in four is lost", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == wait && c.abroad() {
				if b.count++; b.count%4 == 0 {
					return nil
				}
			}
			return c.do(c.on)
		}
	}},
	{"memory is released as soon as a copy to another device was handed over", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			err := c.do(c.on)
			if c.verb == copied && c.abroad() && err == nil {
				if b.count++; b.count == 3 {
					c.source.Release()
				}
			}
			return err
		}
	}},
	{"a copy from another device is left out", func(b *bent) {
		b.bend = func(b *bent, c call) error {
			if c.verb == copied && c.abroad() {
				if b.count++; b.count == 3 {
					return nil
				}
			}
			return c.do(c.on)
		}
	}},
}

// mutantSeeds is how many schedules each mutant is played under.
const mutantSeeds = 25

// TestMutants: every mistake is reported by the checker, under some schedule.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine plays them, 25 times each")
	}
	var table strings.Builder
	for _, m := range mutants {
		caught(t, &table, m.name, func(seed uint64) ([]*emulated.Device, bool) {
			var driver *emulated.Device
			w := newWorld(t, seed, true, 0, func(d devices.Accelerator) devices.Accelerator {
				if driver != nil {
					return d // the device came back
				}
				driver = d.(*emulated.Device)
				return newBent(d, m.bend)
			})
			w.act(100)
			if !w.failed() {
				w.end()
			} else if err := w.device.Close(); err != nil {
				t.Error(err)
			}
			return []*emulated.Device{driver}, w.wrong.Load() > 0
		})
	}
	for _, m := range mutantsAbroad {
		caught(t, &table, m.name, func(seed uint64) ([]*emulated.Device, bool) {
			drivers := make([]*emulated.Device, 2)
			p := newPair(t, 2, seed, true, func(i int, d *emulated.Device) devices.Accelerator {
				drivers[i] = d
				return newBent(d, m.bend)
			})
			p.act(100)
			if p.failed() == nil {
				p.end()
			} else {
				p.close()
			}
			return drivers, p.wrong.Load() > 0
		})
	}
	if name := os.Getenv("MUTANTS"); name != "" {
		if err := os.WriteFile(name, []byte(table.String()), 0o666); err != nil {
			t.Error(err)
		}
	}
}

// caught plays a mutant, and writes its row.
func caught(t *testing.T, table *strings.Builder, name string, play func(seed uint64) (drivers []*emulated.Device, wrong bool)) {
	caught, wrong, example := 0, 0, ""
	for seed := range uint64(mutantSeeds) {
		drivers, bad := play(seed)
		reported := false
		for _, d := range drivers {
			if err := d.Err(); err != nil && report.MatchString(err.Error()) {
				reported = true
				if example == "" {
					example = err.Error()
				}
			}
		}
		if reported {
			caught++
		}
		if bad {
			wrong++
		}
	}
	if caught == 0 {
		t.Errorf("%s: not caught", name)
	}
	fmt.Fprintf(table, "| %s | %d | %d | %s |\n", name, caught, wrong, strings.TrimPrefix(example, "INTERNAL: "))
}

// report matches what the checker says.
var report = regexp.MustCompile(`^INTERNAL: (nothing orders|.* uses .* released|.* reads .* was never written|.* is released while)`)
