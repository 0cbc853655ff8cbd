package serve

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/troupe-go/troupe/status"
)

// TestDisk: a version that was written by half, as on a full disk, or that a disk cannot
// read, leaves the old one serving; status and log name the file. It is loaded when it is whole.
func TestDisk(t *testing.T) {
	const data, index = "variables/variables.data-00000-of-00001", "variables/variables.index"
	half := func(t *testing.T, file string) {
		info, err := os.Stat(file)
		if err == nil {
			err = os.Truncate(file, info.Size()/2)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	gone := func(t *testing.T, file string) {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	broken := func(t *testing.T, file string) { // whose first byte is an error of input and output
		if runtime.GOOS != "linux" {
			t.Skip("there is no file that cannot be read")
		}
		gone(t, file)
		if err := os.Symlink("/proc/self/mem", file); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, file string
		damage     func(t *testing.T, file string)
		text       string // of the error
	}{
		{"graph by half", "saved_model.pb", half, "the SavedModel cannot be parsed"}, {"no graph", "saved_model.pb", gone, "Could not find SavedModel"}, {"graph that cannot be read", "saved_model.pb", broken, "Input/output error"},
		{"values by half", data, half, "variables.data-00000-of-00001"}, {"no values", data, gone, "variables.data-00000-of-00001"}, {"values that cannot be read", data, broken, "variables.data-00000-of-00001"},
		{"index by half", index, half, "variables"}, {"no index", index, gone, "variables"}, {"index that cannot be read", index, broken, "variables.index"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			heavy(t, filepath.Join(dir, "1"), 1000, 1)
			heavy(t, filepath.Join(dir, "2"), 1000, 2)
			whole := filepath.Join(t.TempDir(), "2")
			if err := os.CopyFS(whole, os.DirFS(filepath.Join(dir, "2"))); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir, "2"), filepath.Join(dir, "new")); err != nil {
				t.Fatal(err)
			}
			c.damage(t, filepath.Join(dir, "new", c.file))
			var text bytes.Buffer
			log := zerolog.New(&text)
			loads := &observed{}
			m := manager(t, Options{Logger: &log, Observer: loads, RetryEvery: 1})
			if err := m.Add(t.Context(), Config{Name: "a", Path: dir}); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "2")); err != nil {
				t.Fatal(err)
			}
			if err := m.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), c.text) {
				t.Errorf("%v", err)
			}
			list, _ := m.Status(Spec{Model: "a"})
			if len(list) != 2 || list[0].State != End || list[0].Err == nil || list[1].State != Available {
				t.Errorf("%+v", list)
			}
			if s := text.String(); !strings.Contains(s, "not loaded") || !strings.Contains(s, c.text) {
				t.Error(s)
			}
			if got := answers(t, m, Spec{Model: "a"}); got != "5 by 1" || !m.Ready() {
				t.Error(got)
			}
			// It is tried again if it could not be read.
			again := strings.Contains(c.text, "error")
			if err := m.Refresh(t.Context()); again != (err != nil) || again != (loads.loads == 3) {
				t.Errorf("%d loads: %v", loads.loads, err)
			}
			os.RemoveAll(filepath.Join(dir, "2"))
			if err := os.Rename(whole, filepath.Join(dir, "2")); err != nil {
				t.Fatal(err)
			}
			if err := m.Refresh(t.Context()); err != nil {
				t.Error(err)
			}
			if got := answers(t, m, Spec{Model: "a"}); got != "6 by 2" {
				t.Error(got)
			}
		})
	}
}

// TestVanishesWhileLoading: the folder of a new version vanishes before it is read, or when
// it has been read. The old version serves, or else the new one, which needs it no more.
func TestVanishesWhileLoading(t *testing.T) {
	dir := t.TempDir()
	heavy(t, filepath.Join(dir, "1"), 1000, 1)
	m := manager(t, Options{})
	if err := m.Add(t.Context(), Config{Name: "a", Path: dir}); err != nil {
		t.Fatal(err)
	}
	heavy(t, filepath.Join(dir, "2"), 1000, 2)
	m.loading <- struct{}{} // another is loaded
	refreshed := make(chan error)
	go func() { refreshed <- m.Refresh(t.Context()) }()
	for found := false; !found; runtime.Gosched() {
		list, err := m.Status(Spec{Model: "a"})
		found = err == nil && len(list) == 2
	}
	os.RemoveAll(filepath.Join(dir, "2"))
	<-m.loading
	if err := <-refreshed; status.CodeOf(err) != status.NotFound {
		t.Error(err)
	}
	if got := answers(t, m, Spec{Model: "a"}); got != "5 by 1" {
		t.Error(got)
	}
	if err := m.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	if list, err := m.Status(Spec{Model: "a"}); err != nil || len(list) != 1 {
		t.Errorf("%+v, %v", list, err)
	}

	heavy(t, filepath.Join(dir, "3"), 1000, 3)
	os.RemoveAll(filepath.Join(dir, "1")) // while it is served
	if err := m.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	os.RemoveAll(filepath.Join(dir, "3"))
	if err := m.Refresh(t.Context()); err != nil {
		t.Error(err)
	}
	if got := answers(t, m, Spec{Model: "a"}); got != "7 by 3" || !m.Ready() {
		t.Error(got)
	}
}
