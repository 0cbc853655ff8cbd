package files_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/files/faults"
	"github.com/troupe-go/troupe/status"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// holds fails the test unless the directory has just these files, "name=contents".
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Name()+"="+string(b))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the directory has %q, want %q", got, want)
	}
}

// A replaced file keeps its permissions, a link stays a link, and what cannot be
// written is refused before anything changes.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("a"), []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", at("link")); err != nil {
		t.Skip(err)
	}
	if err := files.WriteFile(at("link"), text("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a=new", "link=new")
	if info, err := os.Lstat(at("link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(at("a")); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the permissions are %v, %v", info.Mode(), err)
	}
	mistake := errors.New("the writer's own")
	err := files.WriteFile(at("link"), func(w io.Writer) error {
		if _, err := io.WriteString(w, strings.Repeat("half", 1<<16)); err != nil {
			t.Error(err)
		}
		return mistake
	})
	if !errors.Is(err, mistake) {
		t.Error(err)
	}
	holds(t, dir, "a=new", "link=new")
	if err := os.Symlink("loop", at("loop")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".", "loop", "none/x"} {
		if err := files.WriteFile(at(name), text("x")); err == nil {
			t.Errorf("%s was written", name)
		}
	}
	if err := files.WriteFile(os.DevNull, text("x")); err != nil {
		t.Error(err)
	}
	if err := (*files.Policy)(nil).WriteFile(os.DevNull, text("x")); status.CodeOf(err) != status.PermissionDenied {
		t.Errorf("a graph wrote to a device: %v", err)
	}
	long := strings.Repeat("n", 250)
	if err := files.WriteFile(at(long), text("x")); err != nil {
		t.Error(err)
	}
}

// A link must not lead out of what a policy permits.
func TestWriteFileFollowsWithin(t *testing.T) {
	dir := tree(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	p := &files.Policy{Write: []string{at("in")}}
	if err := p.WriteFile(at("in/link"), text("x")); status.CodeOf(err) != status.PermissionDenied {
		t.Error(err)
	}
	if err := os.Symlink("a.txt", at("in/own")); err != nil {
		t.Fatal(err)
	}
	if err := p.WriteFile(at("in/own"), text("x")); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(at("in/a.txt")); err != nil || string(b) != "x" {
		t.Errorf("%q, %v", b, err)
	}
}

// Whatever fails, wherever the process is killed or the machine loses power, the file
// is the old one or the new one, and the next write leaves nothing else behind.
func TestWriteFileFaults(t *testing.T) {
	for _, fault := range []error{syscall.ENOSPC, syscall.EIO, syscall.EACCES, faults.ErrStopped} {
		for _, old := range []string{"", "old"} {
			for n, done := 0, false; !done; n++ {
				dir := t.TempDir()
				name := filepath.Join(dir, "a")
				if old != "" {
					if err := os.WriteFile(name, []byte(old), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				disk := faults.New(dir)
				if fault == faults.ErrStopped {
					disk.Stop(n)
				} else {
					disk.Fail(n, fault)
				}
				err := disk.Policy().WriteFile(name, text("new"))
				done = disk.Changes() <= n
				if done != (err == nil) {
					t.Errorf("change %d failed with %v, the write with %v", n, fault, err)
				}
				if err := disk.PowerLoss(rand.New(rand.NewPCG(uint64(n), 1))); err != nil {
					t.Fatal(err)
				}
				b, _ := os.ReadFile(name)
				if got := string(b); got != old && got != "new" || done && got != "new" {
					t.Errorf("%v at change %d: the file is %q", fault, n, got)
				}
				if err := files.WriteFile(name, text("next")); err != nil {
					t.Fatal(err)
				}
				holds(t, dir, "a=next")
			}
		}
	}
}

// Writers of one file do not disturb each other: each has a temporary file of its own,
// and the last to finish decides.
func TestReplaceAtOnce(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	var p *files.Policy
	var all []*files.Replacement
	for i := range 5 {
		r, err := p.Replace(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(r, i)
		all = append(all, r)
	}
	for _, i := range []int{3, 0, 4} {
		if err := all[i].Commit(); err != nil {
			t.Fatal(err)
		}
	}
	all[1].Discard()
	if err := files.WriteFile(name, text("x")); err != nil {
		t.Fatal(err)
	}
	if err := all[2].Commit(); err != nil {
		t.Fatal(err)
	}
	holds(t, dir, "a=2")
}

// A folder has its name when it is whole.
func TestFolderFaults(t *testing.T) {
	for _, fault := range []error{syscall.EIO, faults.ErrStopped} {
		for n, done := 0, false; !done; n++ {
			dir := t.TempDir()
			name := filepath.Join(dir, "model")
			disk := faults.New(dir)
			if fault == faults.ErrStopped {
				disk.Stop(n)
			} else {
				disk.Fail(n, fault)
			}
			make := func(p *files.Policy) error {
				f, err := p.NewFolder(name)
				if err != nil {
					return err
				}
				inner := filepath.Join(f.Path(), "inner")
				err = p.Mkdir(inner)
				for _, name := range []string{filepath.Join(f.Path(), "a"), filepath.Join(inner, "b")} {
					if err == nil {
						err = p.WriteFile(name, text("x"))
					}
				}
				if err != nil {
					f.Discard()
					return err
				}
				return f.Commit()
			}
			err := make(disk.Policy())
			done = disk.Changes() <= n
			if done != (err == nil) {
				t.Errorf("change %d failed with %v, the folder with %v", n, fault, err)
			}
			if err := disk.PowerLoss(rand.New(rand.NewPCG(uint64(n), 2))); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(name); err != nil {
				if err := make(nil); err != nil {
					t.Fatal(err)
				}
			}
			holds(t, filepath.Join(name, "inner"), "b=x")
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("%v at change %d left %v, %v", fault, n, entries, err)
			}
			if err := make(nil); status.CodeOf(err) != status.AlreadyExists {
				t.Error(err)
			}
		}
	}
}
