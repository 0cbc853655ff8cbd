package files_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Kernels reach the file system through a Policy alone: of package os they use
// nothing that takes a name.
func TestKernelsUseThePolicy(t *testing.T) {
	byName := map[string]bool{}
	for _, f := range strings.Fields("Open OpenFile OpenRoot Create CreateTemp MkdirTemp ReadFile WriteFile ReadDir Stat Lstat Mkdir MkdirAll Rename Remove RemoveAll Link Symlink Truncate Chdir DirFS CopyFS Readlink Glob Walk WalkDir") {
		byName[f] = true
	}
	read := 0
	err := filepath.WalkDir("../ops", func(path string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		read++
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && byName[s.Sel.Name] {
				if p, ok := s.X.(*ast.Ident); ok && (p.Name == "os" || p.Name == "filepath" || p.Name == "ioutil") {
					t.Errorf("%v: %s.%s: use the step's Files", set.Position(n.Pos()), p.Name, s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || read < 100 {
		t.Errorf("%d files read, %v", read, err)
	}
}
