// Typecheck checks the types of all packages and their tests for other systems, from source
// and without compiling anything: of packages of other modules only the declarations.
//
//	go run ./.ci/typecheck linux/arm64 windows/amd64
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// A listed is what `go list` says of a package, or of one as its test sees it.
type listed struct {
	ImportPath, Dir string
	GoFiles, SFiles []string
	ImportMap       map[string]string
	DepOnly         bool
	Module          *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

func main() {
	var wait sync.WaitGroup
	failed := make([]bool, len(os.Args))
	for i, system := range os.Args[1:] {
		wait.Go(func() {
			if err := check(system); err != nil {
				fmt.Fprintf(os.Stderr, "%s: %v\n", system, err)
				failed[i] = true
			}
		})
	}
	wait.Wait()
	for _, f := range failed {
		if f {
			os.Exit(1)
		}
	}
}

// check checks the packages of ./... for a system.
func check(system string) error {
	goos, goarch, ok := strings.Cut(system, "/")
	if !ok {
		return fmt.Errorf("not a system such as linux/arm64")
	}
	list := exec.Command("go", "list", "-e", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,SFiles,ImportMap,DepOnly,Module,Error", "./...")
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return err
	}
	if err := list.Start(); err != nil {
		return err
	}
	c := checker{files: token.NewFileSet(), done: map[string]*types.Package{}, sizes: types.SizesFor("gc", goarch)}
	for d := json.NewDecoder(out); ; { // dependencies come first
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		c.check(&p)
	}
	if err := list.Wait(); err != nil {
		return err
	}
	if len(c.errs) > 0 {
		return fmt.Errorf("%d errors\n%s", len(c.errs), strings.Join(c.errs, "\n"))
	}
	return nil
}

type checker struct {
	files *token.FileSet
	sizes types.Sizes
	done  map[string]*types.Package // by path as listed
	errs  []string
}

func (c *checker) check(p *listed) {
	if p.Error != nil {
		c.errs = append(c.errs, p.ImportPath+": "+p.Error.Err)
		return
	}
	if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the main package of a test is generated
		return
	}
	own := p.Module != nil && p.Module.Main
	var files []*ast.File
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		f, err := parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			c.errs = append(c.errs, err.Error())
			return
		}
		files = append(files, f)
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && own && d.Body == nil && len(p.SFiles) == 0 {
				c.errs = append(c.errs, fmt.Sprintf("%v: %s has no body", c.files.Position(d.Pos()), d.Name.Name))
			}
		}
	}
	config := types.Config{
		Importer:         importer{c, p.ImportMap},
		IgnoreFuncBodies: !own,
		Sizes:            c.sizes,
		FakeImportC:      true,
		Error: func(err error) {
			if own {
				c.errs = append(c.errs, err.Error())
			}
		},
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		config.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ") // "p [p.test]"
	c.done[p.ImportPath], _ = config.Check(path, c.files, files, nil)
}

// An importer finds what a package imports among those that are checked.
type importer struct {
	*checker
	names map[string]string
}

func (i importer) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if name, ok := i.names[path]; ok {
		path = name
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("%s is not listed", path)
}
