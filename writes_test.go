package troupe_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writers are the packages that change files by package os themselves: what writes files
// of this repository, measures, or attacks a process.
var writers = []string{"files", "files/...", "benchmarks/...", "conformance/hostile", "conformance/planted"}

// changes are the functions of package os that begin, or make, a change of a file that
// has a name.
var changes = []string{"Create", "OpenFile", "WriteFile", "Rename", "Truncate", "Link", "Symlink"}

// What a user keeps is written by package files, which replaces files as a whole.
func TestFilesAreWrittenByFiles(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Name,Dir,GoFiles", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p struct {
			ImportPath, Name, Dir string
			GoFiles               []string
		}
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		name := short(p.ImportPath)
		generator := p.Name == "main" && !strings.HasPrefix(name, "cmd/")
		if generator || matchAny(writers, name) {
			continue
		}
		for _, file := range p.GoFiles {
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(f, func(n ast.Node) bool {
				s, ok := n.(*ast.SelectorExpr)
				if !ok || !slices.Contains(changes, s.Sel.Name) {
					return true
				}
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "os" {
					t.Errorf("%v: os.%s: package files replaces a file as a whole", set.Position(s.Pos()), s.Sel.Name)
				}
				return true
			})
		}
	}
}
