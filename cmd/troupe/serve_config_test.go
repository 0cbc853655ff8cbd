package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/serve"
	"github.com/troupe-go/troupe/session"
)

// TestServeConfigurations: a configuration takes effect while a model of the one before hangs
// in its load.
func TestServeConfigurations(t *testing.T) {
	dir := t.TempDir()
	digits, err := filepath.Abs("../../examples/serve/digits")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "hangs"} {
		if err := os.Symlink(digits, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	file := filepath.Join(dir, "models.yaml")
	configure := func(names ...string) {
		text := "models:\n"
		for _, name := range names {
			text += "  - {name: " + name + ", path: " + name + "}\n"
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	configure("hangs", "a")
	synctest.Test(t, func(t *testing.T) {
		hangs := make(chan struct{})
		models := serve.New(serve.Options{
			Session: session.SessionOptions{Threads: 1}, Patience: 3 * time.Second,
			WarmUp: func(_ context.Context, u serve.Use) error {
				if strings.HasSuffix(u.Folder(), "hangs") {
					<-hangs
				}
				return nil
			},
		})
		m := &modelServer{config: file, reread: time.Second}
		list, err := m.list(nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		wait, err := models.StartReconfigure(ctx, list)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			wait()
		}()
		watched := make(chan struct{})
		log := zerolog.Nop()
		go func() {
			defer close(watched)
			m.watchAll(ctx, models, nil, &log)
		}()
		available := func() (names []string) {
			for _, name := range models.Models() {
				if u, err := models.Use(serve.Spec{Model: name}); err == nil {
					names = append(names, name)
					u.Close()
				}
			}
			return names
		}
		time.Sleep(5 * time.Second)
		for _, c := range [][]string{{"a"}, {"a", "hangs", "b"}, {"b", "hangs"}, {"b"}} {
			configure(c...)
			time.Sleep(10 * time.Second)
			want := slices.DeleteFunc(slices.Clone(c), func(name string) bool { return name == "hangs" })
			if got := available(); !slices.Equal(got, want) {
				t.Errorf("configured %v: there are %v", c, got)
			}
		}
		stop()
		close(hangs)
		<-watched
		<-ended
		if err := models.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
