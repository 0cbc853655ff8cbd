package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// exported are the names of functions and types that Go's library exports, as far as they
// are long enough and not too long, in the order of the alphabet.
func exported() ([]string, error) {
	found := map[string]bool{}
	add := func(name string) {
		if ast.IsExported(name) && len(name) > 2 && len(name) < length && strings.Trim(name, letters) == "" {
			found[name] = true
		}
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output() // a binary does not know it if built with -trimpath
	if err != nil {
		return nil, fmt.Errorf("the sources of Go's library are needed: go env GOROOT: %w", err)
	}
	root := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"internal", "testdata", "vendor", "cmd", "syscall"}, d.Name()):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				add(d.Name.Name)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						add(s.Name.Name)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the sources of Go's library are needed: %w", err)
	}
	return slices.Sorted(maps.Keys(found)), nil
}
