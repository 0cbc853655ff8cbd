package actors

import (
	"io"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"
)

// A trap is a log whose lines can make the actor panic that writes them.
type trap struct {
	line string
	left int // panics still to come
	seen chan string
}

func (h *trap) Run(_ *zerolog.Event, _ zerolog.Level, message string) {
	h.seen <- message
	if message == h.line && h.left > 0 {
		h.left--
		panic("trapped at " + message)
	}
}

// next returns the next line that the engine's actors log.
func (h *trap) next(t *testing.T) string {
	t.Helper()
	select {
	case line := <-h.seen:
		return line
	case <-time.After(20 * time.Second):
		t.Fatal("no line")
		return ""
	}
}

// TestSupervision: a device actor that fails is started again by its session
// actor, and a session actor by the system, under the address it had.
func TestSupervision(t *testing.T) {
	for _, c := range []struct {
		line string
		want []string
	}{
		{"device started", []string{"session started", "device started", "device started"}},
		{"session started", []string{"session started", "device started", "device stopped", "session started", "device started"}},
	} {
		h := &trap{line: c.line, left: 1, seen: make(chan string, 16)}
		log := zerolog.New(io.Discard).Hook(h)
		e := New(Config{Log: &log})
		lines := map[string]int{}
		for range c.want {
			lines[h.next(t)]++
		}
		for _, line := range c.want {
			lines[line]--
		}
		answer, err := System().Root.RequestFuture(e.PID(), &Steps{}, 20*time.Second).Result()
		if r, ok := answer.(*Running); err != nil || !ok || len(r.Steps) != 0 {
			t.Errorf("after %q failed: %v, %v", c.line, answer, err)
		}
		pid := e.PID()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		if _, err := System().Root.RequestFuture(actor.NewPID(pid.Address, pid.Id), &Steps{}, 20*time.Second).Result(); err != actor.ErrDeadLetter {
			t.Errorf("after Close: %v", err)
		}
		for line, n := range lines {
			if n != 0 {
				t.Errorf("%q failed: %q was logged %+d times too often", c.line, line, n)
			}
		}
	}
}
