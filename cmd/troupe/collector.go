package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/serve"
)

// Weights are live as long as their model and hold no pointers, so the collector does not
// look at them; but it lets garbage grow to the size of what is live, which would be another
// model's worth. The program allows as much garbage as there is live memory besides weights,
// as if these were not in the heap, or a third of that for large models. A library must leave
// that to its program.

const (
	// leastGarbage is how much garbage is allowed at least.
	leastGarbage = 8 << 20
	// percentAtFirst is how much garbage is allowed until a model has been loaded, in
	// percent of what is live: importing leaves as much garbage as it keeps.
	percentAtFirst = 50
	// muchWeight is the least weights of models, in the heap or mapped, for which it is worth
	// milliseconds to return to the system what loading has left, and to collect more often.
	muchWeight = 64 << 20
)

// ownPace reports whether the user leaves the pace of the collector to the program.
func ownPace() bool { return os.Getenv("GOGC") == "" }

// paceLoading sets how much garbage is allowed before a model has been loaded, and releases
// what the initialization of packages has left.
func paceLoading() {
	if ownPace() {
		debug.SetGCPercent(percentAtFirst)
		releaseCode()
	}
}

// paceCollector sets how much garbage is allowed by the bytes of the tensors that sessions
// hold, and, if these and mapped ones are many, releases what loading or compiling has left.
// It does nothing if the user has set GOGC.
func paceCollector(weights int64) {
	if !ownPace() {
		return
	}
	much := weights+files.Mapped() >= muchWeight
	if much {
		runtime.GC() // after two collections pools have released what loading used
		debug.FreeOSMemory()
		releaseCode()
	}
	debug.SetGCPercent(garbagePercent(heapBytes(), weights, much))
}

// garbagePercent returns what GOGC is to be for a heap of that many bytes, weights among
// them.
func garbagePercent(heap, weights int64, much bool) int {
	if heap <= 0 {
		return 100
	}
	garbage := max(heap-weights, 0)
	if much {
		garbage /= 3
	}
	return int(max(1, min(max(garbage, leastGarbage)*100/heap, 100)))
}

// sampleHeap sets whether the runtime samples allocations for heap profiles. What it notes
// takes 2 MB, so the program does so only where profiles are served.
func sampleHeap(on bool) {
	runtime.MemProfileRate = 0
	if on {
		runtime.MemProfileRate = 512 << 10
	}
}

func heapBytes() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

// A paced observer paces the collector as models come and go.
type paced struct {
	serve.Observer
	models *serve.Manager
}

func (p *paced) Load(l serve.Load) {
	p.Observer.Load(l)
	p.pace()
}

func (p *paced) Unload(l serve.Load) {
	p.Observer.Unload(l)
	p.pace()
}

func (p *paced) pace() {
	weights := int64(0)
	for _, s := range p.models.Sessions() {
		weights += s.Session.MemoryInUse()
	}
	paceCollector(weights)
}
