package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
)

// sentences are the comments of what a part of Go's library exports.
func sentences(topic string) ([]string, error) {
	var texts []string
	goroot, err := exec.Command("go", "env", "GOROOT").Output() // a binary does not know it if built with -trimpath
	if err != nil {
		return nil, fmt.Errorf("the sources of Go's library are needed: go env GOROOT: %w", err)
	}
	root := filepath.Join(strings.TrimSpace(string(goroot)), "src", topic)
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "internal" || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Doc != nil && f.Name.IsExported() {
				texts = append(texts, f.Doc.Text())
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("the sources of Go's library are needed: %w", err)
	}
	return texts, nil
}
