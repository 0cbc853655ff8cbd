package serve

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/troupe-go/troupe/cluster"
	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/tensor"
)

// spread writes a model with a variable on a parameter server and a product on a worker: y = x*w.
func spread(t *testing.T, dir string, w float32) {
	t.Helper()
	g := graph.New()
	if err := notation.Add(g, `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [?]}
w = VarHandleOp() @/job:ps {dtype=DT_FLOAT, shape=shape [], shared_name="w"}
read = ReadVariableOp(w) @/job:ps {dtype=DT_FLOAT}
y = Mul(x, read) @/job:worker
`); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := model.Write(dir, model.Export{Graph: g, Variables: map[string]*tensor.Tensor{"w": tensor.FromScalar(w)}, Signatures: map[string]model.ExportSignature{
		"serving_default": {Inputs: map[string]graph.Output{"x": g.Operation("x").Output(0)}, Outputs: map[string]graph.Output{"y": g.Operation("y").Output(0)}},
	}}); err != nil {
		t.Fatal(err)
	}
}

// Versions of a model that run on the same workers keep their own values of variables, though
// these have the same names, and release them when they end; so do models.
func TestVersionsOnWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("Proto.Actor's remote sets gRPC's logger at each start: the race detector objects")
	}
	const bound = 20 * time.Second
	dir := t.TempDir()
	target := "troupe://"
	var tasks []*cluster.Worker
	for i, job := range []string{"ps", "worker"} {
		w, err := cluster.NewWorker(cluster.WorkerOptions{Job: job, Bound: bound, Files: &files.Policy{Read: []string{dir}}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		if i > 0 {
			target += ","
		}
		target += w.Address()
		tasks = append(tasks, w)
	}
	m := manager(t, Options{Loading: 3, Session: session.SessionOptions{Target: target, Cluster: session.ClusterOptions{Bound: bound}}})
	weights := map[string]map[int64]float32{"a": {1: 2, 2: 5, 3: 11}, "b": {1: 7}}
	var loads sync.WaitGroup
	for name, versions := range weights {
		folder := filepath.Join(dir, name)
		for v, w := range versions {
			if v < 3 { // the third comes later
				spread(t, filepath.Join(folder, strconv.FormatInt(v, 10)), w)
			}
		}
		loads.Go(func() {
			if err := m.Add(t.Context(), Config{Name: name, Path: folder, Policy: Policy{Latest: 2}}); err != nil {
				t.Error(err)
			}
		})
	}
	if loads.Wait(); t.Failed() {
		return
	}
	ask := func(name string, version int64) {
		out, n, err := m.Predict(t.Context(), Spec{Model: name, Version: version, HasVersion: true}, floats(t, 3))
		if err != nil {
			t.Errorf("%s %d: %v", name, version, err)
		} else if y := out["y"].Value().([]float32)[0]; y != 3*weights[name][version] || n != version {
			t.Errorf("%s %d: %v by version %d", name, version, y, n)
		}
	}
	askAll := func(those map[string][]int64) {
		var all sync.WaitGroup
		for name, versions := range those {
			for _, v := range versions {
				for range 4 {
					all.Go(func() {
						for range 10 {
							ask(name, v)
						}
					})
				}
			}
		}
		all.Wait()
	}
	askAll(map[string][]int64{"a": {1, 2}, "b": {1}})
	spread(t, filepath.Join(dir, "a", "3"), weights["a"][3])
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	askAll(map[string][]int64{"a": {2, 3}, "b": {1}})
	for _, w := range tasks {
		if w.Status().Finished == 0 {
			t.Errorf("no step has run on %s", w.Name())
		}
	}
}
