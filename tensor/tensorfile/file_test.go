package tensorfile

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensortest"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	x := tensortest.Some(t, tensor.Float, []int64{2, 3})
	for _, name := range []string{"x.npy", "x.tensor"} {
		name = filepath.Join(dir, name)
		if err := Write(name, x); err != nil {
			t.Fatal(err)
		}
		y, err := Read(name, 0)
		if err == nil {
			err = tensor.Compare(y, x, tensor.Tolerance{Exact: true})
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Read(name, 23); status.CodeOf(err) != status.ResourceExhausted || !strings.Contains(err.Error(), name) {
			t.Errorf("%s with 23 bytes: %v", name, err)
		}
	}
	if _, err := Read(filepath.Join(dir, "none"), 0); status.CodeOf(err) != status.NotFound {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := Write(filepath.Join(dir, "no", "such.npy"), x); status.CodeOf(err) != status.NotFound {
		t.Errorf("a folder that is not there: %v", err)
	}
	if err := Write(filepath.Join(dir, "s.npy"), tensortest.Some(t, tensor.String, nil)); status.CodeOf(err) != status.Unimplemented {
		t.Errorf("strings: %v", err)
	}
}
