package serve

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/status"
)

func answers(t *testing.T, m *Manager, s Spec) string {
	t.Helper()
	out, n, err := m.Predict(t.Context(), s, floats(t, 4))
	if err != nil {
		return status.CodeOf(err).String()
	}
	return fmt.Sprintf("%v by %d", out["y"].Value().([]float32)[0], n)
}

func TestReconfigure(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	half(t, filepath.Join(a, "1"), "1")
	half(t, filepath.Join(a, "2"), "2")
	half(t, filepath.Join(b, "1"), "5")
	m := manager(t, Options{})
	for _, c := range []struct {
		name string
		list []Config
		fail status.Code
		want string
	}{
		{"add", []Config{{Name: "a", Path: a}, {Name: "b", Path: b}}, status.OK, "4 by 2, 7 by 1"},
		{"policy", []Config{{Name: "a", Path: a, Policy: Policy{Specific: []int64{1}}}, {Name: "b", Path: b}}, status.OK, "3 by 1, 7 by 1"},
		{"label of a version that is not there", []Config{{Name: "a", Path: a, Labels: map[string]int64{"stable": 1}}, {Name: "b", Path: b}}, status.FailedPrecondition, "4 by 2, 7 by 1"},
		{"two names", []Config{{Name: "a", Path: b}, {Name: "a", Path: b}}, status.InvalidArgument, "4 by 2, 7 by 1"},
		{"other folder", []Config{{Name: "a", Path: b}, {Name: "b", Path: b}}, status.OK, "7 by 1, 7 by 1"},
		{"folder without a model", []Config{{Name: "a", Path: b + "/none"}, {Name: "b", Path: b}}, status.NotFound, "7 by 1, 7 by 1"},
		{"remove", []Config{{Name: "a", Path: a}}, status.OK, "4 by 2, NOT_FOUND"},
		{"nothing", nil, status.OK, "NOT_FOUND, NOT_FOUND"},
	} {
		err := m.Reconfigure(t.Context(), c.list)
		if status.CodeOf(err) != c.fail {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := answers(t, m, Spec{Model: "a"}) + ", " + answers(t, m, Spec{Model: "b"}); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

func TestLabelMoves(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "1"), "1")
	half(t, filepath.Join(dir, "2"), "2")
	m := manager(t, Options{})
	c := Config{Name: "a", Path: dir, Policy: Policy{All: true}}
	for _, n := range []int64{1, 2} {
		c.Labels = map[string]int64{"stable": n}
		if err := m.Reconfigure(t.Context(), []Config{c}); err != nil {
			t.Fatal(err)
		}
		if got, want := answers(t, m, Spec{Model: "a", Label: "stable"}), fmt.Sprintf("%d by %d", 2+n, n); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

func TestCanary(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "1"), "1")
	half(t, filepath.Join(dir, "2"), "2")
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "a", Path: dir, Policy: Policy{Latest: 2}, Canary: Canary{Share: .25}}); err != nil {
		t.Fatal(err)
	}
	count := map[int64]int{}
	for i := range 4000 {
		key := fmt.Sprint("user ", i)
		u, err := m.Use(Spec{Model: "a", Key: key})
		if err != nil {
			t.Fatal(err)
		}
		count[u.Version()]++
		again, _ := m.Use(Spec{Model: "a", Key: key})
		if again.Version() != u.Version() {
			t.Errorf("%s gets versions %d and %d", key, u.Version(), again.Version())
		}
		u.Close()
		again.Close()
	}
	if n := count[2]; n < 900 || n > 1100 {
		t.Errorf("the canary gets %d of 4000 requests, not a quarter", n)
	}
	if got := answers(t, m, Spec{Model: "a", Version: 1, HasVersion: true}); got != "3 by 1" {
		t.Error(got)
	}
	if err := m.Add(t.Context(), Config{Name: "b", Path: dir, Canary: Canary{Share: 2}}); status.CodeOf(err) != status.InvalidArgument {
		t.Error(err)
	}
}

// TestFallsBack: where the greatest version cannot be loaded, a server that starts serves
// the next one.
func TestFallsBack(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "1"), "1")
	half(t, filepath.Join(dir, "2"), "2")
	os.MkdirAll(filepath.Join(dir, "3"), 0o755)
	os.WriteFile(filepath.Join(dir, "3", "saved_model.pb"), []byte("no model"), 0o644)
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "a", Path: dir}); err != nil {
		t.Fatal(err)
	}
	if got := answers(t, m, Spec{Model: "a"}); got != "4 by 2" {
		t.Error(got)
	}
	if list, _ := m.Status(Spec{Model: "a"}); len(list) != 2 || list[0].Version != 3 || list[0].Err == nil {
		t.Errorf("%+v", list)
	}
}

// TestVanishes: the folder of a model may vanish and come back while it is served.
func TestVanishes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "models")
	half(t, filepath.Join(dir, "1"), "1")
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "a", Path: dir}); err != nil {
		t.Fatal(err)
	}
	os.Rename(dir, dir+".away")
	if err := m.Refresh(t.Context()); status.CodeOf(err) != status.NotFound {
		t.Error(err)
	}
	if got := answers(t, m, Spec{Model: "a"}); got != "3 by 1" || !m.Ready() {
		t.Error(got)
	}
	os.Mkdir(dir, 0o755) // mounted, and still empty
	if err := m.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	if got := answers(t, m, Spec{Model: "a"}); got != "3 by 1" {
		t.Error(got)
	}
	os.Remove(dir)
	os.Rename(dir+".away", dir)
	if err := m.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	if got := answers(t, m, Spec{Model: "a"}); got != "3 by 1" {
		t.Error(got)
	}
}

// TestStill: a folder that is watched is taken when it has not changed for a tick.
func TestStill(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "1"), "1")
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "a", Path: dir}); err != nil {
		t.Fatal(err)
	}
	half(t, filepath.Join(dir, "2"), "2")
	still := &stillness{}
	for i, want := range []string{"1", "1", "2"} {
		if i < 2 { // it is still being written
			os.WriteFile(filepath.Join(dir, "2", fmt.Sprint("vocabulary", i)), []byte("x"), 0o644)
		}
		if err := m.refresh(t.Context(), m.all()[0], still); err != nil {
			t.Error(err)
		}
		if got := answers(t, m, Spec{Model: "a"}); !strings.HasSuffix(got, " by "+want) {
			t.Errorf("after tick %d: %s, not by %s", i, got, want)
		}
	}
}

// TestMemory: what does not fit is not loaded, and the old version stays.
func TestMemory(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "1"), "1")
	m := manager(t, Options{Memory: stampOf(dir).bytes * 3 / 2})
	if err := m.Add(t.Context(), Config{Name: "a", Path: dir}); err != nil {
		t.Fatal(err)
	}
	half(t, filepath.Join(dir, "2"), "2")
	if err := m.Refresh(t.Context()); status.CodeOf(err) != status.ResourceExhausted {
		t.Error(err)
	}
	if got := answers(t, m, Spec{Model: "a"}); got != "3 by 1" {
		t.Error(got)
	}
	os.RemoveAll(filepath.Join(dir, "1")) // no version is left that could be loaded
	if err := m.Remove("a"); err != nil {
		t.Error(err)
	}
}

// TestWarmUp: example requests run before a version is available, and one that fails
// keeps it out.
func TestWarmUp(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "1"), "1")
	good, bad := filepath.Join(dir, "good.json"), filepath.Join(dir, "bad.json")
	os.WriteFile(good, []byte(`{"instances": [1, 2]}`), 0o644)
	os.WriteFile(bad, []byte(`{"instances": ["a"]}`), 0o644)
	runs := &observed{}
	m := manager(t, Options{Observer: runs})
	if err := m.Add(t.Context(), Config{Name: "a", Path: dir, WarmUp: []string{good, good}}); err != nil {
		t.Fatal(err)
	}
	if runs.runs != 2 || runs.loads != 1 {
		t.Errorf("%d runs in %d loads", runs.runs, runs.loads)
	}
	err := m.Add(t.Context(), Config{Name: "b", Path: dir, WarmUp: []string{bad}})
	if status.CodeOf(err) != status.InvalidArgument || !strings.Contains(err.Error(), "bad.json") {
		t.Error(err)
	}
}

type observed struct{ runs, loads, requests int }

func (o *observed) Request(*Record) { o.requests++ }
func (o *observed) Run(Run)         { o.runs++ }
func (o *observed) Batch(Batch)     {}
func (o *observed) Load(Load)       { o.loads++ }
func (o *observed) Unload(Load)     {}
