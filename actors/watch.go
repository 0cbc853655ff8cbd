package actors

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"
)

// A watcher is an actor that wants to be told when a step ends.
type watcher struct {
	who *actor.PID // the step, or a node of it, as the watcher calls it
	pid *actor.PID
}

func (w watcher) equal(o watcher) bool { return w.who.Equal(o.who) && w.pid.Equal(o.pid) }

// tell sends the watcher that what it watches has ended.
func (w watcher) tell() {
	if p, ok := System().ProcessRegistry.Get(w.pid); ok {
		p.SendSystemMessage(w.pid, &actor.Terminated{Who: w.who})
	}
}

// watch notes that w watches the step; if that has ended it is told at once.
func (r *run) watch(step string, w watcher) {
	r.mu.Lock()
	known := slices.ContainsFunc(r.watchers, w.equal)
	if !known {
		r.watchers = append(r.watchers, w)
	}
	r.watched.Store(true)
	ended := r.engine.find(step) != r // asked last: see close
	if ended {
		ended = r.forgetWatcher(w) // else close has told it
	}
	r.mu.Unlock()
	if ended {
		w.tell()
	}
}

// unwatch forgets that w watches.
func (r *run) unwatch(w watcher) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetWatcher(w)
}

// forgetWatcher reports whether w was there. The run is locked.
func (r *run) forgetWatcher(w watcher) bool {
	n := len(r.watchers)
	r.watchers = slices.DeleteFunc(r.watchers, w.equal)
	return len(r.watchers) < n
}

// dismiss tells all watchers that the step has ended.
func (r *run) dismiss() {
	r.mu.Lock()
	all := r.watchers
	r.watchers = nil
	r.watched.Store(false)
	r.mu.Unlock()
	for _, w := range all {
		w.tell()
	}
}
