package actors

import (
	"slices"

	"github.com/asynkron/protoactor-go/actor"
)

// A watcher is an actor that is notified when a step ends.
type watcher struct {
	who *actor.PID // the step, or the node of it that the watcher watches
	pid *actor.PID
}

func (w watcher) equal(o watcher) bool { return w.who.Equal(o.who) && w.pid.Equal(o.pid) }

// tell notifies the watcher that what it watches has ended.
func (w watcher) tell() {
	if p, ok := System().ProcessRegistry.Get(w.pid); ok {
		p.SendSystemMessage(w.pid, &actor.Terminated{Who: w.who})
	}
}

// watch adds a watcher of the step; if the step has ended it is notified at once.
func (r *run) watch(step string, w watcher) {
	r.mu.Lock()
	known := slices.ContainsFunc(r.watchers, w.equal)
	if !known {
		r.watchers = append(r.watchers, w)
	}
	r.watched.Store(true)
	ended := r.engine.find(step) != r // checked last: see close
	if ended {
		ended = r.forgetWatcher(w) // else close has notified it
	}
	r.mu.Unlock()
	if ended {
		w.tell()
	}
}

// unwatch removes a watcher.
func (r *run) unwatch(w watcher) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forgetWatcher(w)
}

// forgetWatcher removes a watcher, and reports whether there was one. The run is locked.
func (r *run) forgetWatcher(w watcher) bool {
	n := len(r.watchers)
	r.watchers = slices.DeleteFunc(r.watchers, w.equal)
	return len(r.watchers) < n
}

// dismiss notifies all watchers that the step has ended.
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
