//go:build unix

package cluster_test

import (
	"flag"
	"fmt"
	"syscall"
	"testing"
	"time"
)

var (
	stops   = flag.Int("stops", 2, "TestWorkersStopped stops `N` workers")
	stopped = flag.Duration("stopped", 0, "TestWorkersStopped continues a worker not before this `TIME`")
)

// TestWorkersStopped stops workers while steps run: a stopped process keeps its connections,
// and says nothing on them.
func TestWorkersStopped(t *testing.T) {
	t.Parallel() // it mostly waits
	f := newFailing(t)
	f.recovers(f.assign)
	for i := range *stops {
		failed := f.forever(t.Context())
		victim := f.workers[1-i%2].Process
		began := time.Now()
		if err := victim.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		f.ends(failed, fmt.Sprintf("stop %d", i+1), began)
		<-time.After(*stopped - time.Since(began))
		if err := victim.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		f.recovers(func() error { return f.loop(t.Context(), 10) })
		f.recovers(f.read) // the process has lived on
		if i == 4 || i == *stops-1 {
			f.held()
		}
	}
}
