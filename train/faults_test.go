package train_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/troupe-go/troupe/files/faults"
	"github.com/troupe-go/troupe/op"
	"github.com/troupe-go/troupe/ops/io/bundle"
	tf "github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/train"
)

var allFaults = flag.Bool("faults", false, "TestCheckpointFaults tries all kinds of faults")

// counting returns a model with two variables that count the updates.
func counting() (*train.Model, *train.Goal, *train.Variable) {
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	a, b := m.Variable("a", train.Zeros, tf.Float), m.Variable("b", train.Zeros, tf.Float, 50)
	sum := op.Add(s, a.Value, op.Sum(s, b.Value, op.Const(s, int32(0))))
	return m, m.Minimize(op.Neg(s, sum), train.SGD{Rate: train.Fixed(1)}, train.Options{}), a
}

// update makes n updates.
func update(t *testing.T, tr *train.Trainer, g *train.Goal, n int) {
	t.Helper()
	for _, err := range tr.Steps(t.Context(), g, nothing(n)) {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// updates returns how many updates the trainer has made, which is what its variables hold.
func updates(t *testing.T, tr *train.Trainer, g *train.Goal) int64 {
	t.Helper()
	n, err := tr.Updates(t.Context(), g)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range g.Variables {
		for _, x := range read(t, tr, v) {
			if x != float32(n) {
				t.Fatalf("%s holds %v after %d updates", v.Name, x, n)
			}
		}
	}
	return n
}

// leftovers returns what a directory of checkpoints has besides those that its file names.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	data := map[string]int{}
	for _, e := range entries {
		name := e.Name()
		prefix, _, _ := strings.Cut(strings.TrimSuffix(name, ".index"), ".data-")
		switch {
		case name == "checkpoint" || e.IsDir():
		case !strings.Contains(string(text), fmt.Sprintf("%q", prefix)) || strings.Contains(name, ".temp"):
			left = append(left, name)
		case strings.Contains(name, ".data-"):
			if data[prefix]++; data[prefix] > 1 {
				left = append(left, name)
			}
		}
	}
	return left
}

// Wherever a change of the file system fails, the process is killed or the machine
// loses power while a checkpoint is saved: the one before or the new one is restored,
// and the next save leaves nothing else behind.
func TestCheckpointFaults(t *testing.T) {
	m, goal, _ := counting()
	tr := start(t, m)
	initial := filepath.Join(t.TempDir(), "initial")
	if err := tr.Save(t.Context(), initial); err != nil {
		t.Fatal(err)
	}
	kinds, most := []error{syscall.ENOSPC, faults.ErrStopped}, 1
	if *allFaults {
		kinds, most = append(kinds, syscall.EIO, syscall.EACCES), 2
	}
	for _, fault := range kinds {
		for keep := 1; keep <= most; keep++ {
			for _, again := range []bool{false, true} {
				for had := range most + 1 {
					for n, done := 0, false; !done; n++ {
						if err := tr.Restore(t.Context(), initial); err != nil {
							t.Fatal(err)
						}
						dir := t.TempDir()
						kept := &train.Checkpoints{Dir: dir, Keep: keep}
						for range had {
							update(t, tr, goal, 1)
							if err := kept.Save(t.Context(), tr, goal); err != nil {
								t.Fatal(err)
							}
						}
						if !again {
							update(t, tr, goal, 1)
						}
						before, after := int64(had), updates(t, tr, goal)
						disk := faults.New(dir)
						if fault == faults.ErrStopped {
							disk.Stop(n)
						} else {
							disk.Fail(n, fault)
						}
						kept.UseFiles(disk.Policy())
						err := kept.Save(t.Context(), tr, goal)
						done = disk.Changes() <= n
						if done && err != nil {
							t.Fatal(err)
						}
						kept.UseFiles(nil)
						if err := disk.PowerLoss(rand.New(rand.NewPCG(uint64(had), uint64(n)))); err != nil {
							t.Fatal(err)
						}
						where := fmt.Sprintf("%v at change %d of a save after %d, keeping %d, again %v", fault, n, had, keep, again)
						update(t, tr, goal, 5) // the values must come from the files
						found, problem := kept.Restore(t.Context(), tr)
						if problem != nil || !found && (had > 0 || err == nil) {
							t.Fatalf("%s: restored %v, %v", where, found, problem)
						}
						if found {
							if got := updates(t, tr, goal); got != after && (got != before || err == nil) {
								t.Errorf("%s: restored %d", where, got)
							}
						}
						update(t, tr, goal, 1)
						if err := kept.Save(t.Context(), tr, goal); err != nil {
							t.Fatal(where, err)
						}
						if left := leftovers(t, dir); left != nil {
							t.Errorf("%s left %v", where, left)
						}
					}
				}
			}
		}
	}
}

// Checkpoints that were lost are an error, not a reason to begin without one.
func TestCheckpointsLost(t *testing.T) {
	m, goal, _ := counting()
	tr := start(t, m)
	kept := &train.Checkpoints{Dir: t.TempDir()}
	if err := kept.Save(t.Context(), tr, goal); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(bundle.IndexName(filepath.Join(kept.Dir, "model-0"))); err != nil {
		t.Fatal(err)
	}
	found, err := kept.Restore(t.Context(), tr)
	if found || status.CodeOf(err) != status.DataLoss || !strings.Contains(err.Error(), "model-0.index") {
		t.Errorf("%v, %v", found, err)
	}
	if err := kept.Save(t.Context(), tr, goal); err != nil {
		t.Error(err)
	}
	if found, err := kept.Restore(t.Context(), tr); !found || err != nil {
		t.Errorf("%v, %v", found, err)
	}
}

// A restore that is refused leaves the trainer as it was.
func TestRestoreRefused(t *testing.T) {
	m, goal, _ := counting()
	tr := start(t, m)
	prefix := filepath.Join(t.TempDir(), "p")
	if err := tr.Save(t.Context(), prefix); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tr.Restore(ended, prefix); status.CodeOf(err) != status.Canceled {
		t.Error(err)
	}
	late := m.Variable("late", train.Zeros, tf.Float)
	if err := tr.Restore(t.Context(), prefix, late); status.CodeOf(err) != status.NotFound {
		t.Error(err)
	}
	if err := tr.Restore(t.Context(), prefix, append(goal.Variables, late)...); err == nil {
		t.Error("restored")
	}
	all := filepath.Join(t.TempDir(), "all")
	w, err := bundle.Create(nil, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range m.Variables() {
		x, err := tensor.New(v.DType, v.Shape...)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Add(v.Name, tensor.ValueOf(x)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := tr.Restore(t.Context(), all); status.CodeOf(err) != status.FailedPrecondition || !strings.Contains(err.Error(), "late") {
		t.Error(err)
	}
	update(t, tr, goal, 1)
	if n := updates(t, tr, goal); n != 1 {
		t.Error(n)
	}
}

// A swap whose context ends is made as a whole or not at all; one that is broken off
// after all is not saved.
func TestSwapAveragesCanceled(t *testing.T) {
	const n = 200
	m := train.NewModel(tf.NewGraph(), 1)
	s := m.Scope()
	var values, losses []tf.Output
	for i := range n {
		v := m.Variable(fmt.Sprintf("w%d", i), train.Zeros, tf.Float)
		values = append(values, v.Value)
		losses = append(losses, op.Square(s, op.Sub(s, v.Value, op.Const(s, float32(1)))))
	}
	goal := m.Minimize(op.AddN(s, losses), train.SGD{Rate: train.Fixed(0.25)}, train.Options{Average: 0.5})
	session, err := tf.NewSession(m.Graph(), &tf.SessionOptions{Engine: "messages"}) // slow enough to be met in its midst
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	tr, err := m.Start(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	update(t, tr, goal, 2)
	kinds := func() []float32 {
		out, err := tr.Session().Run(nil, values, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all []float32
		for _, x := range out {
			if x := x.Value().(float32); !slices.Contains(all, x) {
				all = append(all, x)
			}
		}
		return all
	}
	// swap cancels a swap as soon as a variable has changed, or a little later.
	swap := func(watched tf.Output) error {
		before := kinds()[0]
		ctx, cancel := context.WithCancel(t.Context())
		var watching sync.WaitGroup
		watching.Go(func() {
			for ctx.Err() == nil {
				out, err := tr.Session().RunContext(ctx, nil, []tf.Output{watched}, nil)
				if err == nil && out[0].Value() != before {
					cancel()
				}
			}
		})
		err := tr.SwapAverages(ctx)
		cancel()
		watching.Wait()
		return err
	}
	for i := range 20 {
		was := kinds()[0]
		err := swap(values[i*7%n])
		is := kinds()
		if len(is) != 1 || (err == nil) == (is[0] == was) {
			t.Fatalf("%v before, %v after %v", was, is, err)
		}
	}
	prefix := filepath.Join(t.TempDir(), "p")
	if err := tr.Save(t.Context(), prefix); err != nil {
		t.Fatal(err)
	}
	tr.Grace = time.Nanosecond
	for i := range 300 {
		if err := swap(values[i*7%n]); err == nil || len(kinds()) == 1 {
			continue
		}
		if err := tr.Save(t.Context(), prefix); status.CodeOf(err) != status.FailedPrecondition {
			t.Errorf("a mixture was saved: %v", err)
		}
		if err := tr.Restore(t.Context(), prefix); err != nil {
			t.Error(err)
		}
		if err := tr.Save(t.Context(), prefix); err != nil || len(kinds()) != 1 {
			t.Errorf("%v, %v", kinds(), err)
		}
		return
	}
	t.Log("no swap was broken off in its midst")
}
