//go:build unix

package files_test

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
)

func TestSpecialFiles(t *testing.T) {
	dir := tree(t)
	pipe := filepath.Join(dir, "in", "pipe")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*files.Policy{nil, {Read: []string{dir}}} {
		for _, name := range []string{pipe, "/dev/zero"} { // opening the pipe would wait for a writer
			if _, err := p.Open(name); status.CodeOf(err) != status.PermissionDenied {
				t.Errorf("%+v: %s: %v", p, name, err)
			}
		}
		if _, err := p.Create(pipe); status.CodeOf(err) != status.PermissionDenied {
			t.Errorf("%+v: creating the pipe: %v", p, err)
		}
	}
	p := &files.Policy{Read: []string{"/dev"}, Special: []string{"/dev/zero"}}
	f, err := p.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// Files of /dev/shm are replaced like any: a shorter one has nothing of the longer one before.
func TestSharedMemory(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "troupe")
	if err != nil {
		t.Skip(err)
	}
	defer os.RemoveAll(dir)
	name, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"longer", "short"} {
		if err := files.WriteFile(link, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); string(got) != text || err != nil {
			t.Errorf("wrote %q and read %q, %v", text, got, err)
		}
	}
}
