package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// After three epochs names look like names: an upper-case letter, then mostly others.
func TestNames(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "names.svg")
	var told bytes.Buffer
	written, err := run(t.Context(), &told, picture, 3, 20)
	if err != nil {
		t.Fatal(err)
	}
	upper := 0
	for _, name := range written {
		if name != "" && strings.ToUpper(name[:1]) == name[:1] && len(name) > 1 {
			upper++
		}
	}
	if upper < 18 {
		t.Errorf("%d of 20 names begin with an upper-case letter:\n%s", upper, &told)
	}
	if b, err := os.ReadFile(picture); err != nil || !bytes.Contains(b, []byte("held out")) {
		t.Errorf("the picture: %v", err)
	}
}
