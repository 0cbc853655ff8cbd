package status_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe/status"
)

func TestFromFile(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none")
	_, err := os.Open(missing)
	got := status.FromFile(err)
	if status.CodeOf(got) != status.NotFound || !errors.Is(got, fs.ErrNotExist) ||
		status.From(got).Message != missing+"; No such file or directory" {
		t.Errorf("a missing file: %v", got)
	}
	_, err = os.ReadFile(dir)
	if got := status.FromFile(err); status.CodeOf(got) != status.FailedPrecondition {
		t.Errorf("a directory: %v", got)
	}
	if got := status.FromFile(os.Mkdir(dir, 0o777)); status.CodeOf(got) != status.AlreadyExists {
		t.Errorf("a directory that is there: %v", got)
	}
	own := status.Invalid("mine")
	if got := status.FromFile(own); got != error(own) {
		t.Errorf("an error with a code: %v", got)
	}
	if got := status.FromFile(errors.New("odd")); status.CodeOf(got) != status.Unknown {
		t.Errorf("any other error: %v", got)
	}
	if got := status.FromFile(nil); got != nil {
		t.Errorf("nil: %v", got)
	}
}
