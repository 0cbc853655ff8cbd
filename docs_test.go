package troupe_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// reference is a name in docs/tensorflow.md such as `graph.Node` or
// `kernel.Context.Alloc`.
var reference = regexp.MustCompile("`(\\w+)\\.([A-Z]\\w*)(?:\\.(\\w+))?`")

// What docs/tensorflow.md says to be Troupe's exists.
func TestTensorFlowMapNames(t *testing.T) {
	text, err := os.ReadFile("docs/tensorflow.md")
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]map[string]bool{}
	checked := 0
	for line := range strings.Lines(string(text)) {
		_, right, ok := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		if !ok {
			continue
		}
		for _, m := range reference.FindAllStringSubmatch(right, -1) {
			pkg, name := m[1], m[2]
			if _, err := os.Stat(pkg); err != nil {
				continue // of the standard library
			}
			if exported[pkg] == nil {
				exported[pkg] = names(t, pkg)
			}
			if m[3] != "" {
				name += "." + m[3]
			}
			if !exported[pkg][name] {
				t.Errorf("%s.%s does not exist", pkg, name)
			}
			checked++
		}
	}
	if checked < 100 {
		t.Errorf("only %d names are checked", checked)
	}
}

// names returns the exported names of a package: "Name", and "Type.Name" for
// methods and fields.
func names(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), dir+"/"+f.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			declared(d, found)
		}
	}
	return found
}

// declared adds the names that a declaration declares.
func declared(d ast.Decl, found map[string]bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			name = typeName(d.Recv.List[0].Type) + "." + name
		}
		found[name] = true
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					found[n.Name] = true
				}
			case *ast.TypeSpec:
				found[s.Name.Name] = true
				if str, ok := s.Type.(*ast.StructType); ok {
					for _, f := range str.Fields.List {
						for _, n := range f.Names {
							found[s.Name.Name+"."+n.Name] = true
						}
					}
				}
			}
		}
	}
}

// typeName returns a receiver's type.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}
