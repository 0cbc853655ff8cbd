package nodes

import (
	"context"
	"sync/atomic"

	"github.com/troupe-go/troupe/status"
)

// An Alarm calls a busy step to what waits outside: a letter, or the end of its
// context. It is a flag that the step looks at before every kernel that runs; where
// it is rung the step asks [Options].Poll. The zero Alarm is silent. It
// serves one step at a time, and may be rung by any goroutine at any time, once
// too often too: an alarm with nothing behind it costs a question.
type Alarm struct {
	rung atomic.Bool
}

// Ring asks for the step's attention.
func (a *Alarm) Ring() { a.rung.Store(true) }

const (
	// looksFirst is how many kernels run before a step has its context watched.
	// To have it watched costs as much as to ask it about so many times, and
	// most steps end before.
	looksFirst = 32
	// attendEvery is how many nodes that the step plays itself act between two
	// looks at the alarm: about a microsecond.
	attendEvery = 64
)

// listen begins a step's attention to its alarm and its context, which is asked
// each time at first: the alarm stays rung until the context is watched. A
// context that cannot end is never asked.
func (s *Step) listen(a *Alarm) {
	if a == nil {
		a = &s.ownAlarm
	}
	s.alarm, s.looks = a, 0
	if s.ctx.Step.Context.Done() != nil {
		s.looks = looksFirst
		if !a.rung.Load() { // as deafen may have left it
			a.Ring()
		}
	}
}

// Attend looks at the alarm, and where it is rung asks what it is about. False:
// the step is over.
func (s *Step) Attend() bool { return !s.alarm.rung.Load() || s.answer() }

// answer asks what the alarm is about; false if that ends the step.
func (s *Step) answer() bool {
	switch s.looks {
	case 0:
		s.alarm.rung.Store(false) // first, so that whoever rings from now on is heard
	case 1:
		s.looks = 0
		s.alarm.rung.Store(false)
		s.unwatch = context.AfterFunc(s.ctx.Step.Context, s.alarm.Ring)
	default:
		s.looks--
	}
	return !s.cancelled()
}

// answerBefore is answer while a is about to act.
func (s *Step) answerBefore(a activation) bool {
	s.held = a
	ok := s.answer()
	s.held = activation{}
	return ok
}

// cancelled aborts the step if whoever drives it says so, or its context has
// ended.
func (s *Step) cancelled() bool {
	var err error
	if s.poll != nil {
		err = s.poll()
	} else if bad := status.FromContext(s.ctx.Step.Context); bad != nil {
		err = bad
	}
	if err != nil {
		s.Abort(err)
	}
	return err != nil
}

// deafen ends what listen began. An alarm that is rung for the first looks stays rung: the
// next step most likely rings it again, and an atomic store costs as much as all of this.
func (s *Step) deafen() {
	if s.unwatch != nil {
		s.unwatch()
		s.unwatch = nil
	}
	if s.looks == 0 && s.alarm.rung.Load() {
		s.alarm.rung.Store(false)
	}
	s.alarm = nil
}
