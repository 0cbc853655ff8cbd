package streams

import (
	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/devices"
	"github.com/troupe-go/troupe/devices/stream"
	"github.com/troupe-go/troupe/status"
)

// A queueing is the actor of a stream: it fills one of the driver's queues.
type queueing struct {
	of      *incarnation
	kind    stream.Kind
	queue   devices.Queue
	doing   string // for messages: the last call of the driver
	blocked *event // not recorded yet: what comes is kept
	kept    []any
}

// Receive handles one message. A panic ends the incarnation: what the queue has then is not
// known.
func (s *queueing) Receive(ctx actor.Context) {
	s.of.turns[s.kind].Add(1)
	defer s.caught()
	switch m := ctx.Message().(type) {
	case *actor.Started:
		s.doing = "NewQueue"
		queue, err := s.of.driver.NewQueue(s.kind.String())
		if err != nil {
			s.of.lose(err)
			return
		}
		s.queue = queue
	case *Launch, *Copy, *Record, *Wait, *After:
		if s.blocked != nil {
			s.kept = append(s.kept, m)
			return
		}
		s.do(ctx, m)
	case *Recorded:
		if m.event != s.blocked {
			return
		}
		s.blocked = nil
		s.do(ctx, &Wait{m.event})
		for len(s.kept) > 0 && s.blocked == nil {
			next := s.kept[0]
			s.kept[0] = nil
			s.kept = s.kept[1:]
			s.do(ctx, next)
		}
		if len(s.kept) == 0 {
			s.kept = nil
		}
	}
}

// caught ends a turn.
func (s *queueing) caught() {
	s.of.turns[s.kind].Add(1)
	if r := recover(); r != nil {
		s.of.lose(status.Within(panicked(r), "stream %s: %s", s.kind, s.doing))
	}
}

// do does one work. Once the incarnation has ended there is nothing left to do:
// whoever waits has been told.
func (s *queueing) do(ctx actor.Context, work any) {
	if s.queue == nil || s.of.ended() != nil {
		return
	}
	switch m := work.(type) {
	case *Launch:
		s.doing = m.launch.Code.Entry
		s.watched(m.launch.Code.Entry, 0, func() { s.launch(m) })
	case *Copy:
		s.doing = m.name()
		s.watched(m.name(), m.bytes, func() { s.copy(m) })
	case *Record:
		s.doing = "Record"
		recorded, err := s.queue.Record()
		if err != nil {
			s.of.lose(err)
			return
		}
		if m.event.settle(recorded) {
			s.of.kept(m.event)
		}
		m.event.release()
	case *Wait:
		recorded, settled := m.event.ask(asking{s.of, ctx.Self()})
		if !settled {
			s.blocked = m.event
			return
		}
		s.doing = "Wait"
		if err := s.wait(m.event, recorded); err != nil {
			s.of.lose(err)
		}
		m.event.release()
	case *After:
		s.doing = "Notify"
		s.after(m)
	}
}

// launch enqueues a launch, unless something that it reads has no contents.
func (s *queueing) launch(m *Launch) {
	defer m.free()
	for i, mem := range m.memory {
		if mem != nil && m.launch.Args[i].Access&devices.Reads != 0 {
			if err := mem.Fault(); err != nil {
				m.fail(err)
				return
			}
		}
	}
	if err := s.queue.Launch(&m.launch); err != nil {
		m.fail(err)
		s.of.doubt(err)
	}
}

// copy enqueues a copy, unless its source has no contents.
func (s *queueing) copy(m *Copy) {
	err := error(nil)
	if m.src != nil {
		if err = m.src.Fault(); err == nil && m.src.of != s.of {
			err = m.src.of.ended()
		}
		if err != nil {
			m.fail(err)
			return
		}
	}
	switch {
	case m.src == nil:
		err = s.queue.Write(m.to, m.from.(devices.HostBuffer), m.bytes)
	case m.dst == nil:
		err = s.queue.Read(m.to.(devices.HostBuffer), m.from, m.bytes)
	case m.src.of != s.of:
		lent := false
		if lent, err = m.src.of.lend(func() error { return s.borrow(m) }); !lent {
			m.fail(m.src.of.ended())
			return
		}
	default:
		err = s.queue.Copy(m.to, m.from, m.bytes)
	}
	if err != nil {
		m.fail(err)
		s.of.doubt(err)
	}
}

// borrow enqueues a copy from another device, which is not closed before the copy has ended,
// whatever becomes of the streams.
func (s *queueing) borrow(m *Copy) error {
	if err := s.queue.Copy(m.to, m.from, m.bytes); err != nil {
		return err
	}
	lender, asked := m.src.of, false
	lender.loans.Add(1)
	defer func() {
		if !asked { // when the copy ends is not to be known
			s.of.afterwards(lender.repay)
		}
	}()
	end, err := s.queue.Record()
	if err != nil {
		s.of.lose(err)
		return nil
	}
	end.Notify(func(error) { lender.repay() })
	asked = true
	end.Release()
	return s.queue.Flush()
}

// wait keeps what comes later back until an event is done. One of a device that has ended,
// which may never have been recorded, is of nothing that is under way.
func (s *queueing) wait(e *event, recorded devices.Event) (err error) {
	switch {
	case recorded == nil:
	case e.of == s.of:
		err = s.queue.Wait(recorded)
	default:
		_, err = e.of.lend(func() error { return s.queue.Wait(recorded) })
	}
	return err
}

// after asks for a completion.
func (s *queueing) after(m *After) {
	recorded, err := s.queue.Record()
	if err != nil {
		s.of.lose(err)
		return
	}
	recorded.Notify(func(err error) {
		if err != nil {
			s.of.lose(err)
			return
		}
		s.of.finish(m)
	})
	recorded.Release()
	if err := s.queue.Flush(); err != nil {
		s.of.lose(err)
	}
}
