package serve

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/troupe-go/troupe/status"
)

// TestRemovedBeforeLoading: a model may be removed, and a manager closed, while versions
// still wait for their turn to be loaded.
func TestRemovedBeforeLoading(t *testing.T) {
	for name, end := range map[string]func(*Manager) error{
		"Remove": func(m *Manager) error { return m.Remove("half") },
		"Close":  func(m *Manager) error { return m.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			half(t, filepath.Join(dir, "1"), "0")
			half(t, filepath.Join(dir, "2"), "0")
			synctest.Test(t, func(t *testing.T) {
				m := New(Options{})
				m.loading <- struct{}{} // another model is being loaded
				added := make(chan error, 1)
				go func() {
					added <- m.Add(context.Background(), Config{Name: "half", Path: dir, Policy: Policy{All: true}})
				}()
				synctest.Wait()
				if err := end(m); err != nil {
					t.Error(err)
				}
				if err := <-added; err == nil {
					t.Error("a model that was removed is added")
				}
			})
		})
	}
}

// TestCloseAfterRemove: Close ends requests of models that were removed, too.
func TestCloseAfterRemove(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "half")
	half(t, dir, "0")
	m := New(Options{})
	if err := m.Add(t.Context(), Config{Name: "half", Path: dir}); err != nil {
		t.Fatal(err)
	}
	u, err := m.Use(Spec{Model: "half"})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Remove("half"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := m.Close(ctx); status.CodeOf(err) != status.Canceled {
		t.Errorf("Close while a request runs: %v", err)
	}
	select {
	case <-u.v.ended:
	default:
		t.Error("the version has not ended")
	}
	u.Close()
}
