package conformance

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// Load finds the cases under a path: a case folder, a group (a folder of case
// folders, a zip archive of them, a folder with shapes.json, nodes.json or ops.pb) or a
// folder of groups. A path may lead into an archive, as in
// "control.zip/while_counter". Cases come in alphabetical order of groups and
// names, rows of a table in the table's order. Graphs and tensors are read when
// a case runs.
func Load(name string) ([]*Case, error) {
	name, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	files, group, err := open(name)
	if err != nil {
		return nil, err
	}
	var cases []*Case
	if exists(files, "case.json") {
		cases = []*Case{newCase(files, groupOf(filepath.Dir(name)), filepath.Base(name))}
	} else if cases, err = loadGroup(files, group); err == nil && len(cases) == 0 {
		cases, err = loadGroups(name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: it has no cases", name)
	}
	for i, c := range cases {
		c.path, c.index = name, i
	}
	return cases, nil
}

// LoadScript reads the script of one case, which path must lead to.
func LoadScript(name string) (*Script, error) {
	files, _, err := open(name)
	if err != nil {
		return nil, err
	}
	s, err := readScript(files)
	if err != nil {
		return nil, fmt.Errorf("%s is not a case: %w", name, err)
	}
	return s, nil
}

// open opens a folder, an archive or a folder in an archive, and says what a
// group that it holds is called.
func open(name string) (files fs.FS, group string, err error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return os.DirFS(name), groupOf(name), nil
	case err == nil:
		files, err = openZip(name)
		return files, groupOf(name), err
	}
	// Perhaps a folder above it is an archive.
	for archive := filepath.Dir(name); archive != filepath.Dir(archive); archive = filepath.Dir(archive) {
		if info, statErr := os.Stat(archive); statErr != nil {
			continue
		} else if info.IsDir() {
			break
		}
		z, err := openZip(archive)
		if err != nil {
			return nil, "", err
		}
		inside, err := filepath.Rel(archive, name)
		if err != nil {
			return nil, "", err
		}
		if inside = filepath.ToSlash(inside); !exists(z, inside) {
			return nil, "", fmt.Errorf("%s holds no %s", archive, inside)
		}
		files, err = fs.Sub(z, inside)
		return files, path.Base(inside), err
	}
	return nil, "", err
}

// openZip reads an archive into memory, where its files are unpacked as they
// are asked for. One of many small files may be compressed as a whole, by gzip.
func openZip(name string) (fs.FS, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(name, ".gz") {
		if data, err = gunzip(data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return bounded{z}, nil
}

// maxFile bounds a file of an archive.
const maxFile = 1 << 27

// bounded is an archive whose files are not longer than maxFile. Package zip reads no
// more of a file than it says that it has.
type bounded struct{ archive fs.FS }

// Open opens a file or a folder.
func (b bounded) Open(name string) (fs.File, error) {
	f, err := b.archive.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxFile {
		err = fmt.Errorf("%s unpacks to %d bytes; a file of an archive may have %d", name, info.Size(), maxFile)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// maxUnpacked bounds an archive that is compressed as a whole.
const maxUnpacked = 1 << 28

func gunzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	if err == nil && len(all) > maxUnpacked {
		err = fmt.Errorf("it unpacks to more than %d bytes", maxUnpacked)
	}
	return all, err
}

func groupOf(name string) string {
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".gz"), ".zip")
}

// loadGroups loads the groups in a folder.
func loadGroups(dir string) ([]*Case, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, e := range entries {
		if !e.IsDir() && !strings.HasSuffix(e.Name(), ".zip") && !strings.HasSuffix(e.Name(), ".zip.gz") {
			continue
		}
		files, group, err := open(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		found, err := loadGroup(files, group)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		cases = append(cases, found...)
	}
	return cases, nil
}

// LoadFS loads one group from a file system, such as an embedded folder. A
// [Runner] with child processes cannot find such cases again.
func LoadFS(files fs.FS, group string) ([]*Case, error) { return loadGroup(files, group) }

func loadGroup(files fs.FS, group string) ([]*Case, error) {
	switch {
	case exists(files, "shapes.json"):
		return loadShapes(files, group)
	case exists(files, "nodes.json"):
		return loadNodes(files, group)
	case exists(files, "ops.pb"):
		return loadOpDefs(files, group)
	}
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return nil, err
	}
	var cases []*Case
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		folder, err := fs.Sub(files, e.Name())
		if err != nil {
			return nil, err
		}
		if exists(folder, "case.json") {
			cases = append(cases, newCase(folder, group, e.Name()))
		}
	}
	sort.Slice(cases, func(i, j int) bool { return cases[i].Name < cases[j].Name })
	return cases, nil
}

// newCase makes the case of a folder. A script that cannot be read is told
// when the case runs: it is a failure of that case, not of the group.
func newCase(folder fs.FS, group, name string) *Case {
	c := &Case{Name: group + "/" + name}
	s, err := readScript(folder)
	if err != nil {
		c.run = func(context.Context, Config) error { return err }
		return c
	}
	c.About, c.Tags, c.Ops, c.script = s.About, s.Tags, s.Ops, s
	c.steps, c.deadline, c.run = len(s.Steps), s.Deadline(), s.run
	return c
}

func exists(files fs.FS, name string) bool {
	_, err := fs.Stat(files, name)
	return !errors.Is(err, fs.ErrNotExist)
}
