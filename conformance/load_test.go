package conformance

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const emptyCase = `{"steps": []}`

func archive(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(emptyCase)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLoadTakesEveryShape(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"groups/a/second/case.json": emptyCase,
		"groups/a/first/case.json":  emptyCase,
		"groups/a/notes/readme":     "",
		"groups/a.md":               "",
		"groups/b.zip":              archive(t, "x/case.json", "y/case.json", "z/note"),
		"groups/shapes/shapes.json": `[{"op": "Abs"}, {"op": "Neg"}]`,
		"groups/nodes/nodes.json":   `[{"op": "Abs"}]`,
		"group.zip":                 archive(t, "only/case.json"),
	})
	for path, want := range map[string][]string{
		"groups":                 {"a/first", "a/second", "b/x", "b/y", "nodes/0", "shapes/0", "shapes/1"},
		"groups/a":               {"a/first", "a/second"},
		"groups/a/first":         {"a/first"},
		"groups/b.zip":           {"b/x", "b/y"},
		"groups/b.zip/y":         {"b/y"},
		"groups/shapes":          {"shapes/0", "shapes/1"},
		"group.zip":              {"group/only"},
		"groups/../group.zip":    {"group/only"},
		"group.zip/only/../only": {"group/only"},
	} {
		cases, err := Load(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		var got []string
		for i, c := range cases {
			got = append(got, c.Name)
			if c.index != i {
				t.Errorf("%s: case %s has index %d, want %d", path, c.Name, c.index, i)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", path, diff)
		}
	}
	for _, path := range []string{"nowhere", "groups/a/notes", "group.zip/none", "groups/a.md", "groups/a.md/x"} {
		if cases, err := Load(filepath.Join(dir, filepath.FromSlash(path))); err == nil {
			t.Errorf("%s: %d cases, want an error", path, len(cases))
		}
	}
}

func TestLoadFS(t *testing.T) {
	dir := writeFiles(t, map[string]string{"one/case.json": emptyCase})
	cases, err := LoadFS(os.DirFS(dir), "g")
	if err != nil || len(cases) != 1 || cases[0].Name != "g/one" || cases[0].Group() != "g" {
		t.Fatal(cases, err)
	}
}

// A file of an archive that is longer than it may be, or than it says, is refused before
// memory is made for it.
func TestLoadRefusesBombs(t *testing.T) {
	// A MiB of zeros, compressed up to a byte's edge, can be repeated as it is.
	var part, b bytes.Buffer
	c, err := flate.NewWriter(&part, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	const parts = maxFile>>20 + 1
	data := bytes.Repeat(part.Bytes(), parts)
	part.Reset()
	if err := c.Close(); err != nil { // the end of the stream
		t.Fatal(err)
	}
	data = append(data, part.Bytes()...)
	w := zip.NewWriter(&b)
	f, err := w.CreateRaw(&zip.FileHeader{Name: "nodes.json", Method: zip.Deflate, CompressedSize64: uint64(len(data)), UncompressedSize64: parts << 20})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	honest := b.String()
	// The directory at the end says that the file has 100 bytes.
	at := strings.LastIndex(honest, "PK\x01\x02")
	dishonest := honest[:at+24] + "\x64\x00\x00\x00" + honest[at+28:]
	dir := writeFiles(t, map[string]string{"honest.zip": honest, "dishonest.zip": dishonest})
	for name, want := range map[string]string{"honest.zip": "may have", "dishonest.zip": "not a valid zip file"} {
		if _, err := Load(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
