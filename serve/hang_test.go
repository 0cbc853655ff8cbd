package serve

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
)

// TestHangingDisk: while the disk of one model hangs, that of others is read: their
// versions come and go, and they serve. The model can be removed and the manager closed.
func TestHangingDisk(t *testing.T) {
	for _, stage := range []string{"folder", "files", "examples"} {
		t.Run(stage, func(t *testing.T) {
			dir := t.TempDir()
			a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
			for _, path := range []string{a, b} {
				heavy(t, filepath.Join(path, "1"), 1000, 1)
				heavy(t, filepath.Join(path, "2"), 1000, 2)
			}
			synctest.Test(t, func(t *testing.T) {
				hangs := make(chan struct{})
				new := false // there is a version 2, and a's disk hangs
				hang := func(at string, of bool) {
					if new && of && at == stage {
						<-hangs
					}
				}
				m := New(Options{Session: session.SessionOptions{Threads: 1}, WarmUp: func(_ context.Context, u Use) error {
					hang("examples", u.v.name == "a")
					return nil
				}})
				m.see = func(path string, known func(int64) bool) sight {
					hang("folder", path == a)
					s := see(path, known)
					if !new {
						delete(s.folders, 2)
					}
					return s
				}
				m.read = func(ctx context.Context, v *version, c Config) loaded {
					hang("files", v.name == "a")
					return m.open(ctx, v, c)
				}
				for name, path := range map[string]string{"a": a, "b": b} {
					if err := m.Add(t.Context(), Config{Name: name, Path: path}); err != nil {
						t.Fatal(err)
					}
				}
				new = true
				ctx, cancel := context.WithCancel(t.Context())
				ticker := time.NewTicker(2 * time.Second)
				defer ticker.Stop()
				watched := make(chan struct{})
				go func() {
					defer close(watched)
					m.Watch(ctx, ticker.C)
				}()
				time.Sleep(time.Minute)
				for model, want := range map[string]string{"a": "5 by 1", "b": "6 by 2"} {
					if got := answers(t, m, Spec{Model: model}); got != want {
						t.Errorf("%s: %s, not %s", model, got, want)
					}
				}
				if err := m.Reconfigure(t.Context(), []Config{{Name: "b", Path: b}}); err != nil {
					t.Error(err)
				}
				if list, err := m.Status(Spec{Model: "a"}); err == nil {
					t.Errorf("a is removed, and has %+v", list)
				}
				if err := m.Close(t.Context()); err != nil {
					t.Error(err)
				}
				cancel()
				<-watched
				close(hangs)
				synctest.Wait()
				if m.memory != 0 || len(m.living) != 0 {
					t.Errorf("%d bytes and %d versions are left", m.memory, len(m.living))
				}
			})
		})
	}
}

// TestHangingFolder: a folder that cannot be listed holds up those alone who wait for it,
// as long as their contexts last.
func TestHangingFolder(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	half(t, filepath.Join(a, "1"), "1")
	half(t, filepath.Join(b, "1"), "1")
	synctest.Test(t, func(t *testing.T) {
		m := New(Options{Session: session.SessionOptions{Threads: 1}})
		hangs := make(chan struct{})
		m.see = func(path string, known func(int64) bool) sight {
			if path == a {
				<-hangs
			}
			return see(path, known)
		}
		list := []Config{{Name: "a", Path: a}, {Name: "b", Path: b}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		configured := make(chan error, 1)
		go func() { configured <- m.Reconfigure(ctx, list) }()
		time.Sleep(time.Minute)
		if got := answers(t, m, Spec{Model: "b"}); got != "3 by 1" {
			t.Error(got)
		}
		if m.Ready() {
			t.Error("it is ready, without a")
		}
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := m.Refresh(short); status.CodeOf(err) != status.DeadlineExceeded {
			t.Error(err)
		}
		if err := m.Reconfigure(t.Context(), list[1:]); err != nil { // while the other waits
			t.Error(err)
		}
		if err := <-configured; status.CodeOf(err) != status.DeadlineExceeded {
			t.Error(err)
		}
		if err := m.Close(t.Context()); err != nil {
			t.Error(err)
		}
		close(hangs)
		synctest.Wait()
	})
}

// TestHangingLoad: a version whose disk hangs gives way to others when their patience has
// ended, and to those behind it in a configuration.
func TestHangingLoad(t *testing.T) {
	dir := t.TempDir()
	half(t, filepath.Join(dir, "a", "1"), "1")
	half(t, filepath.Join(dir, "b", "1"), "1")
	synctest.Test(t, func(t *testing.T) {
		hangs := make(chan struct{})
		m := New(Options{Session: session.SessionOptions{Threads: 1}, WarmUp: func(_ context.Context, u Use) error {
			if u.v.name == "a" {
				<-hangs
			}
			return nil
		}})
		defer m.Close(context.Background())
		done := make(chan error, 1)
		go func() {
			done <- m.Reconfigure(t.Context(), []Config{{Name: "a", Path: filepath.Join(dir, "a")}, {Name: "b", Path: filepath.Join(dir, "b")}})
		}()
		time.Sleep(29 * time.Second)
		if _, err := m.Use(Spec{Model: "b"}); err == nil {
			t.Error("b is loaded beside a, which might use the machine")
		}
		time.Sleep(2 * time.Second)
		if got := answers(t, m, Spec{Model: "b"}); got != "3 by 1" {
			t.Error(got)
		}
		close(hangs)
		if err := <-done; err != nil {
			t.Error(err)
		}
		if got := answers(t, m, Spec{Model: "a"}); got != "3 by 1" {
			t.Error(got)
		}
	})
}

// TestHangingConfiguration: the next configuration does not wait for models of the one before
// that hang. They take effect in order.
func TestHangingConfiguration(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"a", "b", "c"} {
		half(t, filepath.Join(path(name), "1"), "1")
		half(t, filepath.Join(path(name), "2"), "2")
	}
	for _, stage := range []string{"folder", "load"} {
		t.Run(stage, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hangs := make(chan struct{})
				m := New(Options{Session: session.SessionOptions{Threads: 1}, WarmUp: func(_ context.Context, u Use) error {
					if stage == "load" && u.v.name == "a" {
						<-hangs
					}
					return nil
				}})
				m.see = func(at string, known func(int64) bool) sight {
					if stage == "folder" && at == path("a") {
						<-hangs
					}
					return see(at, known)
				}
				one := Policy{Specific: []int64{1}}
				if err := m.Reconfigure(t.Context(), []Config{{Name: "b", Path: path("b")}, {Name: "c", Path: path("c")}}); err != nil {
					t.Fatal(err)
				}
				first := make(chan error, 1)
				go func() {
					first <- m.Reconfigure(t.Context(), []Config{{Name: "a", Path: path("a")}, {Name: "b", Path: path("b"), Policy: one}})
				}()
				time.Sleep(2 * grace)
				if got := answers(t, m, Spec{Model: "b"}); stage == "folder" && got != "3 by 1" {
					t.Errorf("behind a model that hangs: %s", got)
				}
				if got := answers(t, m, Spec{Model: "c"}); got != "4 by 2" {
					t.Errorf("a model that goes, before the others are loaded: %s", got)
				}
				// c is in the next configuration again, and must not go in between.
				list := []Config{{Name: "a", Path: path("a")}, {Name: "b", Path: path("b")}, {Name: "c", Path: path("c"), Policy: one}}
				if stage == "load" { // only one version is loaded at a time: nothing that is not there
					list[2].Policy = Policy{}
				}
				began := time.Now()
				waits, err := m.StartReconfigure(t.Context(), list)
				if err != nil {
					t.Fatal(err)
				}
				second := make(chan error, 1)
				go func() { second <- waits() }()
				if took := time.Since(began); took > 2*grace {
					t.Errorf("the second configuration started after %v", took)
				}
				synctest.Wait()
				if got, want := answers(t, m, Spec{Model: "c"}), map[string]string{"folder": "3 by 1", "load": "4 by 2"}[stage]; got != want {
					t.Errorf("c: %s, not %s", got, want)
				}
				began = time.Now()
				third, err := m.StartReconfigure(t.Context(), list[1:2])
				if err != nil {
					t.Fatal(err)
				}
				if err := third(); err != nil {
					t.Error(err)
				}
				if took := time.Since(began); took > 2*grace {
					t.Errorf("the third configuration took %v", took)
				}
				if names := m.Models(); len(names) != 1 || names[0] != "b" {
					t.Errorf("models: %v", names)
				}
				close(hangs)
				<-first
				<-second
				if names := m.Models(); len(names) != 1 || names[0] != "b" {
					t.Errorf("in the end: %v", names)
				}
				if got := answers(t, m, Spec{Model: "b"}); got != "4 by 2" {
					t.Errorf("b in the end: %s", got)
				}
				if err := m.Close(t.Context()); err != nil {
					t.Error(err)
				}
				synctest.Wait()
			})
		})
	}
}
