package programs_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

var mutants = flag.String("mutants", "", "plant the mistakes of testdata/mutants.txt whose names match this `PATTERN`, one after another: all must be found")

// A mutant is a mistake that a program could show, as a change of the sources.
// In the file it is a line "=== name" and, for each place that it changes, a line
// "--- file", the old text, a line "+++" and the new text. The old text is in the
// file once. Both texts end before the blank line that is before the next mark.
type mutant struct {
	name    string
	changes []change
}

type change struct{ file, old, new string }

func readMutants(t *testing.T) (list []mutant) {
	data, err := os.ReadFile("testdata/mutants.txt")
	if err != nil {
		t.Fatal(err)
	}
	into := new(string) // what comes before the first mutant
	for _, line := range strings.SplitAfter(string(data), "\n") {
		mark, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch mark {
		case "===":
			list, into = append(list, mutant{name: rest}), new(string)
		case "---":
			m := &list[len(list)-1]
			m.changes = append(m.changes, change{file: rest})
			into = &m.changes[len(m.changes)-1].old
		case "+++":
			m := &list[len(list)-1]
			into = &m.changes[len(m.changes)-1].new
		default:
			*into += line
		}
	}
	for _, m := range list {
		for i := range m.changes {
			c := &m.changes[i]
			c.old, c.new = strings.Trim(c.old, "\n"), strings.Trim(c.new, "\n")
		}
	}
	return list
}

// module is the module's folder.
func module(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestMutants holds the list against the sources. With -mutants it plants each
// mistake and expects the tests to fail.
func TestMutants(t *testing.T) {
	list, root := readMutants(t), module(t)
	if len(list) < 20 {
		t.Errorf("only %d mutants", len(list))
	}
	pattern, err := regexp.Compile(*mutants)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		overlay, fits := map[string]string{}, true
		dir := t.TempDir()
		for _, c := range m.changes {
			path := filepath.Join(root, filepath.FromSlash(c.file))
			from := path
			if patched := overlay[path]; patched != "" {
				from = patched
			}
			source, err := os.ReadFile(from)
			if err != nil {
				t.Fatalf("%s: %v", m.name, err)
			}
			if n := strings.Count(string(source), c.old); n != 1 {
				t.Errorf("%s: what it changes is %d times in %s", m.name, n, c.file)
				fits = false
				continue
			}
			overlay[path] = filepath.Join(dir, strings.ReplaceAll(c.file, "/", "_"))
			if err := os.WriteFile(overlay[path], []byte(strings.Replace(string(source), c.old, c.new, 1)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if *mutants != "" && fits && pattern.MatchString(m.name) {
			plant(t, root, dir, m.name, overlay)
		}
	}
}

// plant runs the tests with sources in the place of others.
func plant(t *testing.T, root, dir, name string, overlay map[string]string) {
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	cmd := exec.Command("go", "test", "-vet=off", "-overlay", file, "-timeout=2m", "-failfast",
		"-run=TestSeeds|TestFoundSeeds|TestBands|TestLongLoops|TestPrograms|TestDuals|TestFans",
		"./conformance/programs", "-shrink=false")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		t.Errorf("%s: is not found", name)
	case strings.Contains(string(out), "[build failed]") || !strings.Contains(string(out), "FAIL"):
		t.Errorf("%s: %v\n%s", name, err, out)
	default:
		found := "found"
		for _, line := range strings.Split(string(out), "\n") {
			if strings.Contains(line, "seed") || strings.Contains(line, "panic:") || strings.Contains(line, "rapid] ") {
				found = strings.TrimSpace(line)
				break
			}
		}
		t.Logf("%s (%v): %.150s", name, time.Since(start).Round(time.Second), found)
	}
}
