//go:build unix

package cluster_test

import (
	"syscall"
	"testing"
)

// A stopped process keeps its connections, and says nothing on them.
func TestWorkerStopped(t *testing.T) {
	f := newFailing(t)
	f.recovers(f.assign)
	failed := f.forever()
	f.running()
	if err := f.workers[1].Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	lostWorker(t, <-failed)
	if err := f.workers[1].Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	f.recovers(func() error { return f.loop(t.Context(), 10) })
	if err := f.read(); err != nil { // the process has lived on
		t.Error(err)
	}
}
