package main

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
)

// fewCollections makes a server collect garbage less often until what it returns is called.
// The collector runs when the heap has doubled: that of a server of small graphs is a few
// megabytes, and would be collected with every few requests. Memory that is never written
// counts, and costs nothing. A limit of memory and GOGC are left to the user.
func fewCollections() func() {
	if os.Getenv("GOGC") != "" || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	ballast := make([]byte, 64<<20)
	return func() { runtime.KeepAlive(ballast) }
}
