package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What the loaded network sees is worth more than what thirty images teach.
func TestTransfer(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "transfer.svg")
	var told bytes.Buffer
	loaded, anew, err := run(t.Context(), &told, picture)
	if err != nil {
		t.Fatal(err)
	}
	if loaded < 0.9 || loaded < anew+0.02 {
		t.Errorf("%v with the loaded network, %v without:\n%s", loaded, anew, &told)
	}
	if b, err := os.ReadFile(picture); err != nil || !bytes.Contains(b, []byte("held out")) {
		t.Errorf("the picture: %v", err)
	}
}
