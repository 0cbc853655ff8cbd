//go:build unix

package files_test

import (
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
