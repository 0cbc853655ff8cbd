package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/notation"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
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

// TestConformanceBisect: 1/(x+0) of minus zero is infinite, and another infinity with the pass
// algebra, which may change the sign of zero.
func TestConformanceBisect(t *testing.T) {
	g := graph.New()
	err := notation.Add(g, `x = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: -0.0>}
zero = Const() {dtype=DT_FLOAT, value=Tensor<type: float shape: [] values: 0>}
sum = AddV2(x, zero) {T=DT_FLOAT}
y = Reciprocal(sum) {T=DT_FLOAT}
`)

	if err != nil {
		t.Fatal(err)
	}
	var def bytes.Buffer
	if _, err := g.WriteTo(&def); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		answer  float32
		passes  string
		blame   string
		verdict string
	}{
		{"right", float32(math.Inf(1)), "common,algebra", "plus/zero fails by pass algebra\n", "0 passed, 1 failed"},
		{"right", float32(math.Inf(1)), "common", "", "1 passed, 0 failed"},
		{"wrong", 2, "default", "plus/zero fails by no pass: it fails without optional passes, too\n", "0 passed, 1 failed"},
	} {
		t.Run(c.name+" "+c.passes, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "plus")
			folder := filepath.Join(dir, "zero")
			if err := os.MkdirAll(folder, 0o777); err != nil {
				t.Fatal(err)
			}
			x, err := tensor.NewTensor(c.answer)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := tensorproto.Marshal(x)
			if err != nil {
				t.Fatal(err)
			}
			for name, data := range map[string][]byte{
				"case.json": []byte(`{"tolerance": {"exact": true}, "steps": [{"fetches": ["y:0"], "expect": ["y.tensor"]}]}`),
				"graph.pb":  def.Bytes(), "y.tensor": answer,
			} {
				if err := os.WriteFile(filepath.Join(folder, name), data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			got := command(t, "conformance", dir, "--bisect", "--rewrite", c.passes)
			if !strings.Contains(got, c.blame) || !strings.Contains(got, c.verdict) || c.blame == "" && strings.Contains(got, "fails by") {
				t.Errorf("got %s", got)
			}
		})
	}
}
