package actors_test

import (
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/troupe-go/troupe/actors"
)

// onlooker spawns an actor that watches who, or stops to, and says what it is told.
func onlooker(t *testing.T) (pid *actor.PID, told <-chan *actor.PID) {
	ended := make(chan *actor.PID, 8)
	pid = actors.System().Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		switch m := c.Message().(type) {
		case watch:
			c.Watch(m.who)
			c.Respond(true)
		case unwatch:
			c.Unwatch(m.who)
			c.Respond(true)
		case *actor.Terminated:
			ended <- m.Who
		}
	}))
	t.Cleanup(func() { actors.System().Root.StopFuture(pid).Wait() })
	return pid, ended
}

type watch struct{ who *actor.PID }

type unwatch struct{ who *actor.PID }

// TestWatch: who watches a running step, or a node of it, is told when the step
// ends, not before, and not if it has stopped to watch; who watches an ended step
// is told at once.
func TestWatch(t *testing.T) {
	e := open(t)
	p := gated(t)
	for _, node := range []string{"", "/gate"} {
		ended := start(t, e, p)
		step := actor.NewPID(actors.Address, running(t, e).Id+node)
		watcher, told := onlooker(t)
		other, otherTold := onlooker(t)
		ask(t, watcher, watch{step})
		ask(t, watcher, watch{step}) // twice is once
		ask(t, other, watch{step})
		ask(t, other, unwatch{step})
		ask(t, step, &actors.Inspect{}) // a round through the step's mail
		ask(t, watcher, watch{watcher}) // and through the watcher's
		select {
		case <-told:
			t.Error("told while the step runs")
		default:
		}
		theGate.pass <- struct{}{}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if who := <-told; who.Id != step.Id {
			t.Errorf("told of %v, want %v", who, step)
		}
		late, lateTold := onlooker(t)
		ask(t, late, watch{step})
		if who := <-lateTold; who.Id != step.Id {
			t.Errorf("told of %v, want %v", who, step)
		}
		ask(t, other, watch{other})
		select {
		case <-otherTold:
			t.Error("told though it had stopped to watch")
		case <-told:
			t.Error("told twice")
		default:
		}
	}
}
