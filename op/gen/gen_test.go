package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/registry"
)

// The files under testdata hold definitions and the functions they become:
//
//	wrap NAME
//	Input x: T
//	Output y: T
//	Attr T: type
//	Doc
//	Does something.
func TestWrappers(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, td *datadriven.TestData) string {
			if td.Cmd != "wrap" || len(td.CmdArgs) != 1 {
				td.Fatalf(t, "want the command \"wrap NAME\"")
			}
			def, err := define(td.CmdArgs[0].Key, td.Input)
			if err != nil {
				return fmt.Sprintln("error:", err)
			}
			if !wanted(def) {
				return "no function\n"
			}
			text, err := source([]*wrapper{newWrapper(def)})
			if err != nil {
				return fmt.Sprintln("error:", err)
			}
			_, functions, _ := strings.Cut(string(text), "troupe/session\"\n\n")
			return functions
		})
	})
}

// define reads lines such as "Input x: T" and, at the end, "Doc" with the rest of
// the text. The definition becomes known under a name that no operation has.
func define(name, text string) (*registry.OpDef, error) {
	b := registry.Define("Golden" + name)
	spec, doc, _ := strings.Cut(text, "Doc\n")
	for line := range strings.Lines(spec) {
		part, arg, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch part {
		case "Input":
			b.Input(arg)
		case "Output":
			b.Output(arg)
		case "Reads":
			b.Reads(arg)
		case "Attr":
			b.Attr(arg)
		case "Deprecated":
			b.Deprecated(7, arg)
		default:
			return nil, fmt.Errorf("what is %q?", line)
		}
	}
	def, err := b.Doc(doc).Build()
	if err != nil {
		return nil, err
	}
	def.Name = name
	return def, nil
}

// The files of package op are what the generator writes.
func TestUpToDate(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir, registered); err != nil {
		t.Fatal(err)
	}
	want, got := read(t, dir), read(t, "..")
	if len(want) == 0 {
		t.Fatal("nothing was generated")
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is not up to date: run go generate ./op\n%s", name, cmp.Diff(got[name], want[name]))
		}
	}
	for name := range got {
		if want[name] == "" {
			t.Errorf("%s is not generated any more: run go generate ./op", name)
		}
	}
}

// registered is the operations without those that tests define.
var registered = registry.Global.Defs(false)

func read(t *testing.T, dir string) map[string]string {
	names, err := filepath.Glob(filepath.Join(dir, "wrappers_*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(name)] = string(text)
	}
	return files
}

// Two operations may not declare one name.
func TestNamesTwice(t *testing.T) {
	err := run(t.TempDir(), []*registry.OpDef{
		{Name: "Sum", Attrs: []registry.AttrDef{{Name: "axis", Kind: registry.KindInt, Default: &registry.AttrValue{Kind: registry.KindInt}}}},
		{Name: "SumAttr"},
	})
	if err == nil || !strings.Contains(err.Error(), "both Sum and SumAttr declare SumAttr") {
		t.Errorf("got error %v", err)
	}
}
