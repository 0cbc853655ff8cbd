package state

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("MutexV2").
		Output("resource: resource").
		Traits(registry.Synchronizes).
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc("Makes a lock, which one node can hold at a time.")
	registry.Define("MutexLock").
		Input("mutex: resource").Output("mutex_lock: variant").
		Leaves("mutex").Traits(registry.Synchronizes).
		Stateful().
		Doc(`Takes a lock, waiting while it is taken.

mutex_lock: What holds the lock: it is free again when nothing holds this.`)
	registry.Define("ConsumeMutexLock").
		Input("mutex_lock: variant").
		Stateful().
		Doc(`Holds a lock until the node runs, and lets it go then.

mutex_lock: The output of MutexLock.`)
}
