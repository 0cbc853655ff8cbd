// Package planted is a mutation test: it changes the sources, and the tests must fail.
// Tests of other packages list mistakes in files, and use it.
package planted

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A Mutant is a mistake, as a change of the sources. In a file it is a line "=== name" and,
// for each place that it changes, a line "--- file", the old text, a line "+++" and the new
// text. The old text is in the file once. Both texts end before the blank line that is before
// the next mark.
type Mutant struct {
	Name    string
	changes []change
}

type change struct{ file, old, new string }

// Read reads a file of mutants.
func Read(file string) (list []Mutant, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	into := new(string) // what comes before the first mutant
	for _, line := range strings.SplitAfter(string(data), "\n") {
		mark, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch mark {
		case "===":
			list, into = append(list, Mutant{Name: rest}), new(string)
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
	return list, nil
}

// Each holds the mutants of a file, of which there must be at least so many, against the
// sources: what each changes must be there. For those whose names match the pattern, none if
// it is "", it calls run with the module's folder and the file for go's -overlay.
func Each(t testing.TB, file, pattern string, least int, run func(m Mutant, root, overlay string)) {
	t.Helper()
	list, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := regexp.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < least {
		t.Errorf("%s has only %d mistakes", file, len(list))
	}
	for _, m := range list {
		overlay, err := m.Overlay(root, t.TempDir())
		if err != nil {
			t.Error(err)
		} else if pattern != "" && wanted.MatchString(m.Name) {
			run(m, root, overlay)
		}
	}
}

// Root returns the module's folder.
func Root() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}

// Overlay writes the changed sources of a mutant of the module at root into a folder, and a
// file for go's -overlay, which it returns. It fails if what the mutant changes is not in the
// sources once.
func (m Mutant) Overlay(root, dir string) (string, error) {
	overlay := map[string]string{}
	for _, c := range m.changes {
		path := filepath.Join(root, filepath.FromSlash(c.file))
		from := path
		if patched := overlay[path]; patched != "" {
			from = patched
		}
		source, err := os.ReadFile(from)
		if err != nil {
			return "", err
		}
		if n := strings.Count(string(source), c.old); n != 1 {
			return "", fmt.Errorf("%s: what it changes is %d times in %s", m.Name, n, c.file)
		}
		overlay[path] = filepath.Join(dir, strings.ReplaceAll(c.file, "/", "_"))
		if err := os.WriteFile(overlay[path], []byte(strings.Replace(string(source), c.old, c.new, 1)), 0o644); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, text, 0o644)
}

// Test runs tests of the module with an overlay: go test with the arguments. It returns what
// they print, and whether they failed; a build that fails is an error.
func Test(root, overlay string, args ...string) (out string, failed bool, err error) {
	cmd := exec.Command("go", append([]string{"test", "-vet=off", "-overlay", overlay, "-failfast"}, args...)...)
	cmd.Dir = root
	said, err := cmd.CombinedOutput()
	out = string(said)
	if err != nil && (strings.Contains(out, "[build failed]") || !strings.Contains(out, "FAIL")) {
		return out, false, err
	}
	return out, err != nil, nil
}

// Find runs tests of the module with a mutant planted: go test with the arguments. They must
// fail. It logs the time that they took and the first line they print with a seed, a panic or
// the place of a test.
func (m Mutant) Find(t testing.TB, root, overlay string, args ...string) {
	t.Helper()
	start := time.Now()
	out, failed, err := Test(root, overlay, args...)
	switch {
	case err != nil:
		t.Errorf("%s: %v\n%s", m.Name, err, out)
	case !failed:
		t.Errorf("%s: is not found", m.Name)
	default:
		t.Logf("%s (%v): %.150s", m.Name, time.Since(start).Round(time.Second), strings.TrimSpace(symptom.FindString(out)))
	}
}

var symptom = regexp.MustCompile(`.*(seed|panic:|rapid\] |_test\.go).*`)
