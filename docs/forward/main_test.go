package main

import (
	"bytes"
	"os"
	"testing"
)

// TestGenerated holds the root package against packages session and model.
func TestGenerated(t *testing.T) {
	want, err := generate("../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../session_generated.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("session_generated.go is not what packages session and model are: run go generate in the module's root")
	}
}
