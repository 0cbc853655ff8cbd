// Command gen writes the functions of package op, one for every operation that a
// user's graph may hold and that Go arguments can describe, into files by the
// first letter of their names. It is run by go generate.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/troupe-go/troupe/registry"

	_ "github.com/troupe-go/troupe/ops/all"
)

func main() {
	dir := flag.String("dir", ".", "the directory of package op")
	flag.Parse()
	if err := run(*dir, registry.Global.Defs(false)); err != nil {
		log.Fatal(err)
	}
}

// run replaces the generated files in dir.
func run(dir string, defs []*registry.OpDef) error {
	old, err := filepath.Glob(filepath.Join(dir, "wrappers_*.go"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	files := map[string][]*wrapper{}
	declared := map[string]string{}
	for _, def := range defs {
		if !wanted(def) {
			continue
		}
		w := newWrapper(def)
		for _, name := range w.declares() {
			if by, ok := declared[name]; ok {
				return fmt.Errorf("both %s and %s declare %s", by, def.Name, name)
			}
			declared[name] = def.Name
		}
		file := "wrappers_" + strings.ToLower(def.Name[:1]) + ".go"
		files[file] = append(files[file], w)
	}
	for name, wrappers := range files {
		text, err := source(wrappers)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// wanted reports whether an operation gets a function: not Const, which is written
// by hand, and none with references or functions.
func wanted(def *registry.OpDef) bool {
	if def.Name == "Const" {
		return false
	}
	for _, args := range [][]registry.ArgDef{def.Inputs, def.Outputs} {
		for _, a := range args {
			if a.IsRef {
				return false
			}
		}
	}
	for _, a := range def.Attrs {
		if a.Kind.Elem() == registry.KindFunc {
			return false
		}
	}
	return true
}
