package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/literal"
)

// Results that the format cannot hold leave the file that was there, also behind a
// link, and nothing else.
func TestOutputFails(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a.npz"), filepath.Join(dir, "link.npz")
	if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.npz", link); err != nil {
		t.Skip(err)
	}
	good, err := literal.Parse("[1, 2]", tensor.Float)
	if err != nil {
		t.Fatal(err)
	}
	bad, err := tensor.New(tensor.Bfloat16, 2) // no type of NumPy
	if err != nil {
		t.Fatal(err)
	}
	f := outputFlags{file: link, format: "npz"}
	var stdout bytes.Buffer
	if err := f.write(&stdout, []string{"x", "y"}, []*troupe.Tensor{good, bad}); err == nil {
		t.Error("bfloat16 was written")
	}
	if b, err := os.ReadFile(name); err != nil || string(b) != "old" {
		t.Errorf("the file is %q, %v", b, err)
	}
	if err := f.write(&stdout, []string{"x"}, []*troupe.Tensor{good}); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(name); err != nil || !bytes.HasPrefix(b, []byte("PK")) {
		t.Errorf("the file is %q, %v", b, err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 || stdout.Len() > 0 {
		t.Errorf("%v, %v, %q", entries, err, &stdout)
	}
}
