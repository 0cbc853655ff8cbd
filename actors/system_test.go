package actors

import (
	"fmt"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
)

// A registry with fewer buckets has the processes that it had, and finds those that come.
func TestFoldedRegistryFindsProcesses(t *testing.T) {
	s := actor.NewActorSystem()
	r := s.ProcessRegistry
	var pids []*actor.PID
	add := func() {
		for range 1000 {
			pid, ok := r.Add(s.DeadLetter, fmt.Sprintf("p%d", len(pids)))
			if !ok {
				t.Fatalf("%v is not added", pid)
			}
			pids = append(pids, pid)
		}
	}
	add()
	foldBuckets(r.LocalPIDs, 16)
	if n := len(r.LocalPIDs.LocalPIDs); n != 16 {
		t.Errorf("%d buckets are left", n)
	}
	add()
	for _, pid := range pids {
		if _, ok := r.Get(pid); !ok {
			t.Fatalf("%v is not found", pid)
		}
		r.Remove(pid)
		if _, ok := r.Get(pid); ok {
			t.Fatalf("%v is found after it was removed", pid)
		}
	}
}
