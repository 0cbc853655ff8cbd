package all_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
)

// others are recordings in forms of their own.
var others = []string{"../linalg/testdata/answers.jsonl.gz", "../functional/testdata/calls"}

// Memory runs out at every allocation of every recorded kernel and script.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of runs")
	}
	ops, total := map[string]int{}, 0
	paths, err := filepath.Glob("../*/testdata/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() || slices.Contains(others, path) || filepath.Ext(path) != "" && !strings.Contains(path, ".jsonl") {
			continue
		}
		t.Run(path, func(t *testing.T) { kerneltest.Faults(t, path, 3, ops) })
	}
	for _, n := range ops {
		total += n
	}
	if t.Logf("%d operations, %d allocations", len(ops), total); len(ops) < 300 {
		t.Error("too few")
	}
}
