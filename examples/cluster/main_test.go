package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cluster"
)

// testBound is long enough for a busy machine.
const testBound = 4 * time.Second

// onTasks is a setup on a parameter server and two workers, which end with the test.
func onTasks(t *testing.T) (setup, tasks) {
	t.Helper()
	all, err := startTasks(testBound)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close() })
	return setup{
		ps: all[0].Address(), workers: []string{all[1].Address(), all[2].Address()},
		rounds: 4, updates: 50, batch: 32, rate: 0.5, bound: testBound,
	}, all
}

// Training in which each update waits for both workers ends where training in one process does.
func TestSync(t *testing.T) {
	c, _ := onTasks(t)
	c.sync = true
	var told, local strings.Builder
	if _, err := run(t.Context(), &told, c); err != nil {
		t.Fatal(err)
	}
	c.ps = ""
	accuracy, err := run(t.Context(), &local, c)
	if err != nil {
		t.Fatal(err)
	}
	if accuracy < 0.9 || told.String() != local.String() {
		t.Errorf("over processes:\n%s\nin one:\n%s", &told, &local)
	}
}

// Training goes on after a worker and after the parameter server are lost, from the last
// checkpoint; and it is not begun again when it is complete.
func TestLost(t *testing.T) {
	c, all := onTasks(t)
	c.rounds, c.checkpoints = 5, filepath.Join(t.TempDir(), "checkpoints")
	c.rate = 0.2 // updates of two workers that do not wait for each other meet anyhow
	restart := func(i int, o cluster.WorkerOptions) {
		o.Listen, o.Bound = all[i].Address(), testBound
		all[i].Close()
		w, err := cluster.NewWorker(o)
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { w.Close() })
	}
	c.after = func(round int) {
		switch round {
		case 2:
			restart(0, cluster.WorkerOptions{Job: "ps"})
		case 3:
			restart(2, cluster.WorkerOptions{Job: "worker", Task: 1})
		}
	}
	var told strings.Builder
	accuracy, err := run(t.Context(), &told, c)
	if err != nil {
		t.Fatalf("%v\n%s", err, &told)
	}
	if accuracy < 0.7 || !strings.Contains(told.String(), "round 5:") || !strings.Contains(told.String(), "/job:ps/task:0") {
		t.Errorf("%.1f%%\n%s", 100*accuracy, &told)
	}
	if strings.Count(told.String(), "round 1:") != 1 {
		t.Errorf("training has begun anew:\n%s", &told)
	}
	c.after = nil
	var again strings.Builder
	if got, err := run(t.Context(), &again, c); err != nil || got != accuracy || again.String() != "" {
		t.Errorf("%v, %v, %s", got, err, &again)
	}
}
