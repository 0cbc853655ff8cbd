package streams

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/profile"
)

// A Watch records when works of a device begin and end, as the host is told: by an
// event before and one after each, which streams record only while somebody watches.
type Watch struct {
	device *Device
	clock  func() int64

	mu    sync.Mutex
	works []*watched
	due   int           // events of which the host has not been told
	idle  chan struct{} // closed when none is due any more; nil: nobody waits for that
}

// A watched work has begun or ended at -1 while that is not known.
type watched struct {
	kind   stream.Kind
	work   profile.Work
	failed bool
}

// watching are the watches of a device in all its lives.
type watching struct{ list atomic.Pointer[[]*Watch] }

// change replaces the list.
func (l *watching) change(edit func([]*Watch) []*Watch) {
	for {
		old := l.list.Load()
		var list []*Watch
		if old != nil {
			list = slices.Clone(*old)
		}
		fresh := &list
		if list = edit(list); len(list) == 0 {
			fresh = nil
		}
		if l.list.CompareAndSwap(old, fresh) {
			return
		}
	}
}

// Watch begins to take works down: all that the device does, whoever handed it over.
// clock says what time it is, in nanoseconds.
func (d *Device) Watch(clock func() int64) *Watch {
	w := &Watch{device: d, clock: clock}
	d.watching.change(func(l []*Watch) []*Watch { return append(l, w) })
	return w
}

// Stop waits for what was handed over so far, or until ctx has ended or the device is
// lost, and answers the commands that have ended: each stream's one after another.
func (w *Watch) Stop(ctx context.Context) []profile.Work {
	err := w.device.Wait(ctx)
	w.device.watching.change(func(l []*Watch) []*Watch { return slices.DeleteFunc(l, func(o *Watch) bool { return o == w }) })
	w.mu.Lock()
	if err == nil && w.due > 0 {
		idle := make(chan struct{})
		w.idle = idle
		w.mu.Unlock()
		select {
		case <-idle:
		case <-ctx.Done():
		}
		w.mu.Lock()
	}
	defer w.mu.Unlock()
	var ends [stream.Kinds]int64
	var all []profile.Work
	for _, x := range w.works {
		if x.failed || x.work.Begin < 0 || x.work.End < 0 {
			continue
		}
		// A stream does one work at a time; the host may hear of an end late.
		x.work.Begin = max(x.work.Begin, ends[x.kind])
		x.work.End = max(x.work.End, x.work.Begin)
		ends[x.kind] = x.work.End
		all = append(all, x.work)
	}
	slices.SortStableFunc(all, func(a, b profile.Work) int {
		return cmp.Or(cmp.Compare(a.Stream, b.Stream), cmp.Compare(a.Begin, b.Begin))
	})
	return all
}

// watched executes a command of the stream, between two events if the device is watched.
func (s *queueing) watched(name string, bytes int64, do func()) {
	list := s.of.owner.watching.list.Load()
	if list == nil {
		do()
		return
	}
	var each []*watched
	for _, w := range *list {
		each = append(each, &watched{kind: s.kind, work: profile.Work{
			Device: s.of.attributes.Name, Stream: s.kind.String(), Name: name, Bytes: bytes, Begin: -1, End: -1,
		}})
		w.mu.Lock()
		w.works = append(w.works, each[len(each)-1])
		w.mu.Unlock()
	}
	s.tell(*list, each, func(x *watched) *int64 { return &x.work.Begin })
	do()
	s.tell(*list, each, func(x *watched) *int64 { return &x.work.End })
}

// tell has the time recorded when the stream has come to here.
func (s *queueing) tell(list []*Watch, each []*watched, at func(*watched) *int64) {
	recorded, err := s.queue.Record()
	if err != nil {
		s.of.lose(err)
		return
	}
	for _, w := range list {
		w.mu.Lock()
		w.due++
		w.mu.Unlock()
	}
	recorded.Notify(func(err error) {
		for i, w := range list {
			w.mu.Lock()
			*at(each[i]) = w.clock()
			each[i].failed = each[i].failed || err != nil
			if w.due--; w.due == 0 && w.idle != nil {
				close(w.idle)
				w.idle = nil
			}
			w.mu.Unlock()
		}
	})
	recorded.Release()
}
