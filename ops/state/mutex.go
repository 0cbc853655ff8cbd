package state

import "github.com/troupe-go/troupe/registry"

func init() {
	registry.Define("MutexV2").
		Output("resource: resource").
		Attr("container: string = ''").
		Attr("shared_name: string = ''").
		Stateful().
		Doc("Makes a lock.")
	registry.Define("MutexLock").
		Input("mutex: resource").Output("mutex_lock: variant").
		Stateful().
		Doc("Takes a lock, waiting while it is taken; it is free again when the output is no longer held.")
	registry.Define("ConsumeMutexLock").
		Input("mutex_lock: variant").
		Stateful().
		Doc("Keeps a lock until here, and lets it go.")
}
