package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRunSequence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.html")
	page := func() string {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	seeded := func() string {
		if out := command(t, "run", counter, "--feed", "limit=3", "--fetch", "while/Exit", "--engine", "messages:5", "--sequence", path); out != "while/Exit = 3\n" {
			t.Error(out)
		}
		return page()
	}
	first := seeded()
	if first != seeded() {
		t.Error("the same seed has another sequence")
	}
	for _, want := range []string{"while/NextIteration", `while_context[3]"`, "messages:5"} {
		if !strings.Contains(first, want) {
			t.Errorf("the page is without %s", want)
		}
	}
	if out := command(t, "run", "../../conformance/testdata/control.zip/program_collatz", "--sequence", path); !strings.Contains(out, "matches TensorFlow") || !strings.Contains(page(), "engine messages<") {
		t.Error(out)
	}
	if out := command(t, "run", counter, "--feed", "limit=3", "--fetch", "while/Exit", "--engine", "tokens", "--sequence", path); !strings.Contains(out, "--sequence needs --engine messages") {
		t.Error(out)
	}
}
