package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A program links the families that it imports and no other.
func TestSelectiveRegistration(t *testing.T) {
	for _, p := range programs {
		if p.Session == module {
			continue // links all
		}
		file, err := p.write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("go", "list", "-deps", file).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", p.Name, err, out)
		}
		var families []string
		for path := range strings.FieldsSeq(string(out)) {
			family, ok := strings.CutPrefix(path, module+"/ops/")
			if ok && family != "io/bundle" { // the format of checkpoints, which registers nothing
				family, _, _ = strings.Cut(family, "/") // of whose packages math has several
				families = append(families, family)
			}
		}
		want := slices.Sorted(slices.Values(p.Ops))
		if slices.Sort(families); !slices.Equal(slices.Compact(families), want) {
			t.Errorf("%s: links %v, want %v", p.Name, families, want)
		}
	}
}

func TestProgramsCompile(t *testing.T) {
	for _, p := range programs {
		file, err := p.write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("go", "vet", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", p.Name, err, out)
		}
	}
}
