package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/wire"
)

const counter = "../../benchmarks/graphs/while_counter_p10.pb"

func TestProfileCommand(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	out := command(t, "profile", counter, "--feed", "limit=100", "--fetch", "while/Exit", "--runs", "2",
		"--trace", at("trace.json"), "--page", at("page.html"), "--metadata", at("metadata.pb"), "--cost-graph", at("cost.pb"))
	for _, want := range []string{"2 runs (1 recorded) of ", "100", "while/add", "critical path"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	var trace struct{ TraceEvents []any }
	if b, err := os.ReadFile(at("trace.json")); err != nil || json.Unmarshal(b, &trace) != nil || len(trace.TraceEvents) == 0 {
		t.Errorf("the trace: %v, %d events", err, len(trace.TraceEvents))
	}
	var m wire.RunMetadata
	if b, err := os.ReadFile(at("metadata.pb")); err != nil || proto.Unmarshal(b, &m) != nil {
		t.Errorf("the metadata: %v", err)
	}
	for name, want := range map[string]string{"page.html": "while/add", "cost.pb": "while/add"} {
		if b, err := os.ReadFile(at(name)); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %v, or without %s", name, err, want)
		}
	}
}

// TestProfileChoice profiles what the flags do not name: a case's step, and the
// outputs of a graph that nobody uses.
func TestProfileChoice(t *testing.T) {
	if out := command(t, "profile", "../../conformance/testdata/control.zip/program_collatz", "--runs", "1"); !strings.Contains(out, "1 run of ") {
		t.Error(out)
	}
	if out := command(t, "profile", counter, "--runs", "1"); !strings.Contains(out, "! limit:0 is not fed: using a ramp, int32 []") {
		t.Error(out)
	}
}

func TestRunTrace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	if out := command(t, "run", counter, "--feed", "limit=3", "--fetch", "while/Exit", "--trace", path); out != "while/Exit = 3\n" {
		t.Error(out)
	}
	b, err := os.ReadFile(path)
	if err != nil || !json.Valid(b) || !strings.Contains(string(b), "program as one unit") {
		t.Errorf("%v: %s", err, b)
	}
}

// Inputs of a signature are found in an archive by the signature's names, wherever
// feeds go by those of tensors.
func TestProfileArchive(t *testing.T) {
	const digits = "../../examples/serve/digits"
	image, err := os.ReadFile("../../examples/serve/two.npy")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"other.npy", "image.npy"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(image); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(t.TempDir(), "two.npz")
	if err := os.WriteFile(archive, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"profile", digits, "--runs", "1", "--feed", "image=@" + archive},
		{"profile", digits, "--runs", "1", "--feed", "image=@" + archive + "/other"},
		{"explore", digits, "--max-schedules", "1", "--random", "0", "--feed", "image=@" + archive},
	} {
		if out := command(t, args...); strings.Contains(out, "! troupe: --feed") {
			t.Errorf("%v: %s", args, out)
		}
	}
}
