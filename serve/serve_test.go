package serve

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/model"
	_ "github.com/troupe-go/troupe/ops/all"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// write writes a model with these operations into a folder; a signature is
// "name: inputs -> outputs", of operations whose names they have.
func write(t testing.TB, dir, text string, signatures ...string) {
	t.Helper()
	g := graph.New()
	if err := notation.Add(g, text); err != nil {
		t.Fatal(err)
	}
	sigs := map[string]model.ExportSignature{}
	for _, s := range signatures {
		name, rest, _ := strings.Cut(s, ": ")
		in, out, _ := strings.Cut(rest, " -> ")
		sig := model.ExportSignature{Inputs: map[string]graph.Output{}, Outputs: map[string]graph.Output{}}
		for _, x := range strings.Fields(in) {
			sig.Inputs[x] = g.Operation(x).Output(0)
		}
		for _, x := range strings.Fields(out) {
			sig.Outputs[x] = g.Operation(x).Output(0)
		}
		sigs[name] = sig
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := model.Write(dir, model.Export{Graph: g, Signatures: sigs}); err != nil {
		t.Fatal(err)
	}
}

// half is x/2+by.
func half(t testing.TB, dir, by string) {
	write(t, dir, `
x = Placeholder() {dtype=DT_FLOAT, shape=shape [?]}
two = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 2>}
by = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: `+by+`>}
div = RealDiv(x, two)
y = AddV2(div, by)
`, "serving_default: x -> y")
}

func manager(t testing.TB, o Options) *Manager {
	m := New(o)
	t.Cleanup(func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return m
}

func floats(t testing.TB, x ...float32) map[string]*tensor.Tensor {
	v, err := tensor.FromSlice(x, int64(len(x)))
	if err != nil {
		t.Fatal(err)
	}
	return map[string]*tensor.Tensor{"x": v}
}

// TestVersions: a new version takes over, a broken one leaves the old one serving, and
// what is not wanted any more ends with its last request.
func TestVersions(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "1"), "0")
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "half", Path: dir, Labels: map[string]int64{"stable": 1}}); err != nil {
		t.Fatal(err)
	}
	predict := func(s Spec) (float32, int64) {
		t.Helper()
		out, n, err := m.Predict(t.Context(), s, floats(t, 4))
		if err != nil {
			t.Fatal(err)
		}
		return out["y"].Value().([]float32)[0], n
	}
	if y, n := predict(Spec{Model: "half"}); y != 2 || n != 1 {
		t.Errorf("%v by version %d", y, n)
	}
	old, err := m.Use(Spec{Model: "half", Label: "stable"})
	if err != nil {
		t.Fatal(err)
	}
	half(t, filepath.Join(dir, "2"), "1")
	if err := m.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if y, n := predict(Spec{Model: "half"}); y != 3 || n != 2 {
		t.Errorf("%v by version %d", y, n)
	}
	if out, err := old.Run(t.Context(), "serving_default", floats(t, 4)); err != nil || out["y"].Value().([]float32)[0] != 2 {
		t.Errorf("the old version in use: %v, %v", out, err)
	}
	if _, err := m.Use(Spec{Model: "half", Version: 1, HasVersion: true}); status.CodeOf(err) != status.NotFound {
		t.Errorf("a version that ends is used: %v", err)
	}
	old.Close()
	<-old.v.ended

	os.MkdirAll(filepath.Join(dir, "3"), 0o755)
	os.WriteFile(filepath.Join(dir, "3", "saved_model.pb"), []byte("no model"), 0o644)
	if err := m.Refresh(t.Context()); err == nil {
		t.Error("a broken version is loaded")
	}
	if _, n := predict(Spec{Model: "half"}); n != 2 {
		t.Errorf("version %d answers beside a broken one", n)
	}
	list, err := m.Status(Spec{Model: "half"})
	if err != nil || len(list) < 2 || list[0].Version != 3 || list[0].State != End || list[0].Err == nil || list[1].State != Available {
		t.Errorf("%v, %v", list, err)
	}
}

// TestTriedAgain: a version that was found half copied is loaded when the rest is there.
func TestTriedAgain(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "1"), "0")
	whole := filepath.Join(t.TempDir(), "2")
	half(t, whole, "1")
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "half", Path: dir}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(whole, "saved_model.pb"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "2", "saved_model.pb")
	os.Mkdir(filepath.Dir(file), 0o755)
	for i, part := range [][]byte{text[:len(text)/2], text[:len(text)/2], text} {
		if i != 1 {
			if err := os.WriteFile(file, part, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Refresh(t.Context()); (i == 0) != (err != nil) {
			t.Errorf("attempt %d: %v", i, err)
		}
	}
	if _, n, err := m.Predict(t.Context(), Spec{Model: "half"}, floats(t, 1)); n != 2 || err != nil {
		t.Errorf("version %d answers: %v", n, err)
	}
}

var reloads = flag.Int("reloads", 20, "how many versions TestReload loads")

// TestReload: while versions come and go under load no request fails.
func TestReload(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "1"), "1")
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "half", Path: dir}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var clients sync.WaitGroup
	for range 4 {
		clients.Go(func() {
			for last := int64(0); ctx.Err() == nil; {
				out, n, err := m.Predict(t.Context(), Spec{Model: "half"}, floats(t, 2))
				if err != nil || n < last {
					t.Errorf("version %d after %d: %v", n, last, err)
					return
				}
				if y := out["y"].Value().([]float32)[0]; y != 1+float32(n) {
					t.Errorf("version %d answers %v", n, y)
					return
				}
				last = n
			}
		})
	}
	for n := 2; n <= *reloads; n++ {
		half(t, filepath.Join(dir, strconv.Itoa(n)), strconv.Itoa(n))
		if err := m.Refresh(t.Context()); err != nil {
			t.Error(err)
		}
	}
	stop()
	clients.Wait()
}

func TestPolicies(t *testing.T) {
	for _, c := range []struct {
		p    Policy
		want string
	}{
		{Policy{}, "[9]"}, {Policy{Latest: 2}, "[3 9]"}, {Policy{Latest: 7}, "[1 3 9]"}, {Policy{All: true}, "[1 3 9]"},
		{Policy{Specific: []int64{3, 4}}, "[3]"},
	} {
		if got := c.p.choose([]int64{3, 9, 1}); strings.TrimSpace(sprint(got)) != c.want {
			t.Errorf("%+v: %v", c.p, got)
		}
	}
}

func sprint(v []int64) string {
	words := make([]string, len(v))
	for i, x := range v {
		words[i] = string(rune('0' + x))
	}
	return "[" + strings.Join(words, " ") + "]"
}

// TestOverload: what neither runs nor may wait is refused at once, and what was taken is
// answered.
func TestOverload(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "half")
	half(t, dir, "0")
	m := manager(t, Options{Running: 1, Waiting: 2})
	if err := m.Add(t.Context(), Config{Name: "half", Path: dir}); err != nil {
		t.Fatal(err)
	}
	u, err := m.Use(Spec{Model: "half"})
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	var others []func() // that run or wait
	for range 3 {
		var p place
		if err := u.v.line.admit(&p); err != nil {
			t.Fatal(err)
		}
		others = append(others, func() { p.leave(0, nil) })
	}
	w, err := u.v.line.turn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Predict(t.Context(), Spec{Model: "half"}, floats(t, 1)); status.CodeOf(err) != status.ResourceExhausted {
		t.Errorf("one too many: %v", err)
	}
	if a := m.Activity(2)[0]; a.Running != 1 || len(a.Requests) != 2 || a.More != 1 || a.Refused != 1 || a.Ended != 0 {
		t.Errorf("activity: %+v", a)
	}
	others[0]()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("gone"))
	if _, _, err := m.Predict(ctx, Spec{Model: "half"}, floats(t, 1)); err == nil || !strings.Contains(err.Error(), "gone") {
		t.Errorf("one that waits when its context ends: %v", err)
	}
	answer := make(chan error)
	go func() {
		_, _, err := m.Predict(context.Background(), Spec{Model: "half"}, floats(t, 1))
		answer <- err
	}()
	u.v.line.end(w)
	if err := <-answer; err != nil {
		t.Errorf("one that waits for its turn: %v", err)
	}
	a := m.Activity(9)[0]
	if len(a.Requests) != 2 || a.Ended != 3 || a.Failed != 1 || a.Latencies.At(0.99) == 0 || len(a.Versions) != 1 {
		t.Errorf("activity: %+v", a)
	}
	if l := a.Latencies.Since(a.Latencies); l.At(0.5) != 0 {
		t.Errorf("no request took %v", l.At(0.5))
	}
}

// TestLatencies: a range's upper end is above the latencies in it, by at most a quarter.
func TestLatencies(t *testing.T) {
	last := -1
	for us := time.Duration(0); us < 100_000_000; us += 1 + us/97 {
		d := us * time.Microsecond
		r := latencyRange(d)
		if r < last || r > last+1 {
			t.Fatalf("%v is in range %d, behind %d", d, r, last)
		}
		last = r
		if up := latencyOf(r); up <= d || us >= 4 && up > d+d/4+time.Microsecond {
			t.Fatalf("%v is in range %d, up to %v", d, r, up)
		}
	}
	if latencyRange(time.Hour) != latencyRanges-1 {
		t.Error(latencyRange(time.Hour))
	}
}

// TestNoModel: errors of models that are not there.
func TestNoModel(t *testing.T) {
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "x", Path: filepath.Join(t.TempDir(), "none")}); status.CodeOf(err) != status.NotFound {
		t.Error(err)
	}
	if err := m.Add(t.Context(), Config{Name: "x", Path: t.TempDir()}); status.CodeOf(err) != status.NotFound {
		t.Error(err)
	}
	dir := filepath.Join(t.TempDir(), "half")
	half(t, dir, "0")
	if err := m.Add(t.Context(), Config{Name: "x", Path: dir, Labels: map[string]int64{"stable": 2}}); status.CodeOf(err) != status.FailedPrecondition {
		t.Error(err)
	}
	if len(m.Models()) != 0 {
		t.Error(m.Models())
	}
	if _, err := m.Use(Spec{Model: "x", Version: 3, HasVersion: true}); err == nil || !strings.Contains(err.Error(), "Servable not found for request: Specific(x, 3)") {
		t.Error(err)
	}
}

// ask sends a request to a handler.
func ask(h http.Handler, method, path, body string) (int, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, strings.NewReader(body)))
	text, _ := io.ReadAll(w.Result().Body)
	return w.Code, string(bytes.TrimSpace(text))
}
