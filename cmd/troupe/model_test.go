package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph/prototext"
)

// Each form of a graph is recognized by what it holds, also from the standard
// input.
func TestModelForms(t *testing.T) {
	text, err := os.ReadFile("testdata/affine.pbtxt")
	if err != nil {
		t.Fatal(err)
	}
	binary, err := prototext.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, stdin, want string
		code              int
	}{
		{"text", string(text), "6 nodes: it will run\nto be fed: x, b\n", exitOK},
		{"serialized", string(binary), "6 nodes: it will run\nto be fed: x, b\n", exitOK},
		{"nothing", "", "0 nodes: there is nothing to run\n", exitFailed},
		{"cut off", string(binary[:100]), "troupe: - cannot be loaded: INVALID_ARGUMENT: GraphDef is malformed at byte ", exitUsage},
		{"a page", "<html></html>\n", "troupe: - cannot be loaded: INVALID_ARGUMENT: the standard input is a page of the web", exitUsage},
		{"no graph", "no graph\n", "troupe: - cannot be loaded: INVALID_ARGUMENT: the standard input: GraphDef text: ", exitUsage},
	} {
		var stdout, stderr bytes.Buffer
		code := execute(t.Context(), []string{"check", "-"}, strings.NewReader(c.stdin), &stdout, &stderr)
		if got := stdout.String() + stderr.String(); !strings.HasPrefix(got, c.want) || code != c.code {
			t.Errorf("%s: exit %d, %s\nwant exit %d, %s", c.name, code, got, c.code, c.want)
		}
	}
}

// A SavedModel runs with the values that its variables were saved with, and a
// table that was filled from a file beside it. TensorFlow gave the same.
func TestRunSavedModel(t *testing.T) {
	var stdout, stderr bytes.Buffer
	args := []string{"run", "../../model/testdata/vocabulary", "--feed", `text=["cat", "zzz"]`,
		"--fetch", "hash_table_Lookup/SelectV2", "--fetch", "hash_table_Size/add"}
	if code := execute(t.Context(), args, nil, &stdout, &stderr); code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr.String())
	}
	if got := stdout.String(); !strings.Contains(got, "[1 5]") || !strings.Contains(got, "7") {
		t.Error(got)
	}
}
