package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Most sentences held out are known; there are eight topics.
func TestTopics(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "topics.svg")
	var told bytes.Buffer
	accuracy, err := run(t.Context(), &told, picture, "Sum returns the hash of the data.")
	if err != nil {
		t.Fatal(err)
	}
	if accuracy < 0.75 {
		t.Errorf("%v of the sentences are known:\n%s", accuracy, &told)
	}
	if !strings.Contains(told.String(), "crypto: ") {
		t.Errorf("a sentence about hashes is of another topic:\n%s", &told)
	}
	if b, err := os.ReadFile(picture); err != nil || !bytes.Contains(b, []byte("held out")) {
		t.Errorf("the picture: %v", err)
	}
}
