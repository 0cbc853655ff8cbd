package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/conformance"
)

const control = "../../conformance/testdata/control.zip"

func TestConformance(t *testing.T) {
	if got, want := command(t, "conformance", control, "--run", "^control/cond_", "-j", "2"), "7 passed, 0 failed, 0 unimplemented\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := command(t, "conformance", control, "--run", "no such case"); !strings.HasSuffix(got, "exit 2\n") {
		t.Errorf("a pattern that matches nothing: %s", got)
	}
	if got := command(t, "conformance", control, "--run", "("); !strings.HasSuffix(got, "exit 2\n") {
		t.Errorf("a bad pattern: %s", got)
	}
}

func TestConformanceTellsWhatDiffers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "wrong")
	for _, name := range []string{"a", "b"} {
		folder := filepath.Join(dir, name)
		if err := os.MkdirAll(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		script := `{"steps": [{"fetches": ["y:0"], "expect": ["y.tensor"]}]}`
		if err := os.WriteFile(filepath.Join(folder, "case.json"), []byte(script), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got := command(t, "conformance", dir, "--json")
	if !strings.HasSuffix(got, "0 passed, 2 failed, 0 unimplemented\nexit 1\n") {
		t.Errorf("got %s", got)
	}
	lines := bufio.NewScanner(strings.NewReader(got))
	for _, want := range []string{"wrong/a", "wrong/b"} {
		var r conformance.Result
		if lines.Scan(); json.Unmarshal(lines.Bytes(), &r) != nil || r.Case != want || r.Verdict != conformance.Failed || !strings.Contains(r.Detail, "graph.pb") {
			t.Errorf("%s: %s", want, lines.Text())
		}
	}
}
