package main

import (
	"bytes"
	"os"
	"testing"
)

// What is checked in is what the modules are bundled to.
func TestCheckedIn(t *testing.T) {
	for _, f := range files {
		licence := f.licence
		if licence != "" {
			licence = "../" + licence
		}
		want, err := bundle("../"+f.source, licence)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile("../" + f.bundle)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what its modules are bundled to: run go generate ./view", f.bundle)
		}
	}
}
