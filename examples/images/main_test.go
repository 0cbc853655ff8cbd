package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// At least 97% of the digits held out are read right in the end, and the picture is drawn.
func TestImages(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "images.svg")
	args, out := os.Args, os.Stdout
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	os.Args, os.Stdout = []string{"images", "-picture", picture}, w
	main()
	os.Args, os.Stdout = args, out
	w.Close()
	told, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	_, last, ok := strings.Cut(string(told), "epoch 15: ")
	if _, accuracy, _ := strings.Cut(last, "val_accuracy "); !ok || accuracy < "0.97" {
		t.Errorf("%s", told)
	}
	if b, err := os.ReadFile(picture); err != nil || !strings.Contains(string(b), "held out") {
		t.Errorf("the picture: %v", err)
	}
}
