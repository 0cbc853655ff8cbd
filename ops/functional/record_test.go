package functional_test

import (
	"archive/zip"
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/shape"
	"github.com/troupe-go/troupe/status"

	_ "github.com/troupe-go/troupe/ops/all"
)

// recorded returns the GraphDefs in testdata/functions.zip: the graphs of the
// conformance groups functional and models.
func recorded(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := zip.OpenReader("testdata/functions.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	defs := map[string][]byte{}
	for _, f := range files.File {
		if name, ok := strings.CutSuffix(f.Name, ".pb"); ok {
			if defs[name], err = fs.ReadFile(files, f.Name); err != nil {
				t.Fatal(err)
			}
		}
	}
	return defs
}

// answers reads what testdata/record.py wrote: by graph, lines.
func answers(t *testing.T, path string) map[string][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := map[string][]string{}
	name := ""
	for s := bufio.NewScanner(f); s.Scan(); {
		if next, ok := strings.CutPrefix(s.Text(), "# "); ok {
			name = next
			lines[name] = []string{}
			continue
		}
		lines[name] = append(lines[name], s.Text())
	}
	return lines
}

// inferred returns what Troupe knows of a graph, in the same form.
func inferred(def []byte) []string {
	g := graph.New()
	if err := g.Import(def, ""); err != nil {
		return []string{"error: " + status.From(err).Message}
	}
	var lines []string
	for _, n := range g.Nodes() {
		if n.NumOutputs() == 0 {
			continue
		}
		var outs []string
		for i, s := range n.OutputShapes() {
			outs = append(outs, s.String()+held(n.OutputHandles(), i))
		}
		lines = append(lines, n.Name()+": "+strings.Join(outs, "; "))
	}
	return lines
}

func held(handles [][]shape.HandleData, i int) string {
	if i >= len(handles) || len(handles[i]) == 0 {
		return ""
	}
	var list []string
	for _, h := range handles[i] {
		list = append(list, fmt.Sprintf("%s %v", h.Type.ProtoName(), h.Shape))
	}
	return " {" + strings.Join(list, ", ") + "}"
}

// TestRecordedShapes compares with what TensorFlow infers of the same graphs.
func TestRecordedShapes(t *testing.T) {
	want := answers(t, "testdata/functions.txt")
	defs := recorded(t)
	if len(defs) < 60 || len(want) != len(defs) {
		t.Fatalf("%d graphs, %d answers", len(defs), len(want))
	}
	for name, def := range defs {
		compare(t, name, want[name], inferred(def))
	}
}

// knowsMore is what Troupe says where TensorFlow says nothing: an element shape of
// a TensorArray holds for what is read even if it is known in part.
var knowsMore = map[string]bool{
	"TensorArrayStack/TensorArrayGatherV3: [?]":   true,
	"TensorArrayStack/TensorArrayGatherV3: [?,?]": true,
	"chars: [?]": true,
}

func compare(t *testing.T, name string, want, got []string) {
	t.Helper()
	if len(want) == 1 && strings.HasPrefix(want[0], "error: ") {
		message := strings.TrimPrefix(want[0], "error: ")
		for _, end := range []string{" for '{{node", ": {{node", " in binary"} { // what follows names the node, or the program
			message, _, _ = strings.Cut(message, end)
		}
		if len(got) != 1 || !strings.HasPrefix(got[0], "error: ") || !strings.Contains(got[0], message) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		return
	}
	want, got = slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(got))
	if len(got) != len(want) {
		t.Errorf("%s: %d lines, want %d: %.300q", name, len(got), len(want), got)
		return
	}
	for i, line := range got {
		if line != want[i] && !knowsMore[line] {
			t.Errorf("%s: %s\nTensorFlow: %s", name, line, want[i])
		}
	}
}
