package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/graph/prototext"
	savedmodel "github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/serve/client"
	"github.com/troupe-go/troupe/status"
)

// modelHelp is what the commands say of their MODEL.
const modelHelp = `MODEL is one of
  - the folder of a SavedModel: its graph tagged "serve", or else its first, with its
    variables restored;
  - a GraphDef, binary or text, gzipped or not; "-" reads one from standard input;
  - a recorded case: a folder with case.json and graph.pb, or such a folder in a zip
    archive, as in control.zip/while_counter.`

// addressHelp is what commands whose MODEL may be at an address say in addition.
const addressHelp = `
  - a model that a server has: http://HOST:PORT/v1/models/NAME (TensorFlow Serving),
    http://HOST:PORT/v2/models/NAME (Open Inference Protocol, for example Triton) or
    grpc://HOST:PORT/NAME (TensorFlow Serving), with /versions/N or, but for v2,
    /labels/LABEL at the end; https and grpcs use TLS.`

// atLeastOne returns the rule of commands that are given a MODEL, or several, and perhaps more.
func atLeastOne(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("missing argument: %s", cmd.UseLine())
	}
	return nil
}

// oneModel returns the rule of commands that are given a MODEL and nothing else but flags.
func oneModel(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		for i, arg := range args {
			if name, value, ok := strings.Cut(arg, "="); i > 0 && ok && name != "" && cmd.Flags().Lookup("feed") != nil {
				return fmt.Errorf("%s takes one MODEL; unexpected argument %s (did you mean --feed %s=%s?)", cmd.CommandPath(), arg, name, value)
			}
		}
		return fmt.Errorf("%s takes one MODEL, got %s; quote a value that contains spaces", cmd.CommandPath(), strings.Join(args, " and "))
	}
	return atLeastOne(cmd, args)
}

// A model is what MODEL names.
type model struct {
	graph  *troupe.Graph
	script *conformance.Script // nil unless it is a case
	folder string              // of a SavedModel; else ""
	dir    string              // where the model's file is; "" for the standard input
	tags   []string            // of the SavedModel's graph
	saved  []troupe.SavedGraph // what the SavedModel has
	bytes  []byte              // of the SavedModel, until it is loaded
}

// open opens a session on the model. That of a SavedModel is in the state that
// was saved, over a graph of its own, which becomes the model's.
func (m *model) open(cmd *cobra.Command, options *troupe.SessionOptions) (*troupe.Session, error) {
	if m.folder == "" {
		return troupe.NewSession(m.graph, options)
	}
	loaded, err := m.load(cmd, options)
	if err != nil {
		return nil, err
	}
	m.graph = loaded.Graph
	return loaded.Session, nil
}

// load loads the SavedModel with its values.
func (m *model) load(cmd *cobra.Command, options *troupe.SessionOptions) (model *troupe.SavedModel, err error) {
	m.bytes = nil // which loading reads, too, and may be large
	err = loading(cmd, m.folder, func() error {
		if model, err = troupe.LoadSavedModel(m.folder, m.tags, options); err != nil {
			return failure{err}
		}
		paceCollector(model.Session.MemoryInUse())
		return nil
	})
	return model, err
}

// An unimported is the error of a model that was read and cannot be imported.
type unimported struct {
	error
	def   []byte // its GraphDef
	saved []troupe.SavedGraph
}

func (u unimported) Unwrap() error { return u.error }

// loadModel loads a GraphDef, a case, or a SavedModel's graph. "-" is stdin.
func loadModel(cmd *cobra.Command, path string) (m *model, err error) {
	err = loading(cmd, path, func() error {
		if m, err = readModel(path, cmd.InOrStdin()); err != nil {
			return unreadable{err}
		}
		return m.importGraph()
	})
	return m, err
}

// findModel is loadModel for those who open the model: the graph of a SavedModel, which
// is then loaded with its values, is not imported yet.
func findModel(cmd *cobra.Command, path string) (m *model, err error) {
	err = loading(cmd, path, func() error {
		if m, err = readModel(path, cmd.InOrStdin()); err != nil {
			return unreadable{err}
		}
		return nil
	})
	return m, err
}

// findTagged is findModel for commands with --signature and --tags, nil if there are none.
func findTagged(cmd *cobra.Command, path, signature string, tags []string) (*model, error) {
	m, err := findModel(cmd, path)
	switch {
	case err != nil:
		return nil, failure{err}
	case m.folder == "" && (signature != "" || tags != nil):
		return nil, fmt.Errorf("--signature and --tags need a SavedModel")
	case tags != nil:
		m.tags = tags
	}
	return m, nil
}

// readModel finds out what a path is. What is no model is told, with what is there
// instead.
func readModel(path string, stdin io.Reader) (*model, error) {
	if path == "-" {
		b, err := io.ReadAll(underCeiling{stdin})
		if err != nil {
			return nil, err
		}
		return newModel("the standard input", b)
	}
	if client.IsAddress(path) {
		return nil, status.Invalid("%s is the address of a server: run, show and generate take one; other commands need the model's file or folder", path)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return loadCase(path, err)
	case info.IsDir():
		for _, name := range []string{savedModelFile, savedModelFile + "txt"} {
			if _, err := os.Stat(filepath.Join(path, name)); err == nil {
				return loadSavedModel(path)
			}
		}
		if _, err := os.Stat(filepath.Join(path, "case.json")); err == nil {
			return loadCase(path, nil)
		}
		return nil, notAModel(path)
	}
	if base := filepath.Base(path); base == savedModelFile || base == savedModelFile+"txt" {
		return loadSavedModel(filepath.Dir(path))
	}
	b, err := readFile(path)
	if err != nil {
		return nil, status.FromFile(err)
	}
	m, err := newModel(path, b)
	if err != nil {
		return nil, err
	}
	m.dir = filepath.Dir(path)
	return m, nil
}

// newModel makes a model of a GraphDef in any form.
func newModel(name string, def []byte) (*model, error) {
	def, err := inflate(def)
	if err != nil {
		return nil, status.Invalid("%s: %w", name, err)
	}
	if what := recognize(name, def); what != "" {
		return nil, status.Invalid("%s is %s", name, what)
	}
	if isText(def) {
		if def, err = prototext.Parse(def); err != nil {
			return nil, status.Invalid("%s: %w", name, err)
		}
	}
	g := troupe.NewGraph()
	if err := g.Import(def, ""); err != nil {
		return nil, unimported{err, def, nil}
	}
	return &model{graph: g}, nil
}

// isText tells the text form of a GraphDef from the serialized one, in which
// there are bytes that no text has: field 2 of every node, if not its length.
func isText(def []byte) bool {
	control := func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }
	return utf8.Valid(def) && bytes.IndexFunc(def, control) < 0
}

// savedModelFile is the file of a SavedModel's folder that holds its graphs.
const savedModelFile = "saved_model.pb"

// loadSavedModel finds the graph of a SavedModel that is for serving, or else the first.
func loadSavedModel(dir string) (*model, error) {
	b, err := savedmodel.Read(dir)
	if err != nil {
		return nil, err
	}
	m := &model{folder: dir, dir: dir, bytes: b}
	if m.saved, err = troupe.SavedModelGraphs(b); err != nil {
		return nil, status.Errorf(status.CodeOf(err), "%s: %w", dir, err)
	}
	if len(m.saved) == 0 {
		return nil, status.Invalid("SavedModel %s has no graph", dir)
	}
	at := max(0, slices.IndexFunc(m.saved, func(g troupe.SavedGraph) bool { return slices.Equal(g.Tags, []string{"serve"}) }))
	m.tags = m.saved[at].Tags
	return m, nil
}

// importGraph imports the graph with the model's tags, if that has not been done.
func (m *model) importGraph() error {
	if m.graph != nil {
		return nil
	}
	def, err := savedmodel.GraphDef(m.bytes, m.tags)
	if err != nil {
		return err
	}
	m.graph = troupe.NewGraph()
	if err := m.graph.Import(def, ""); err != nil {
		return unimported{err, def, m.saved}
	}
	return nil
}

// loadCase loads a recorded case. missing is why there is no such file; a case may be
// inside an archive all the same.
func loadCase(path string, missing error) (*model, error) {
	archive := archiveOf(path)
	if missing != nil && archive == "" {
		return nil, noSuchFile(path, missing)
	}
	script, err := conformance.LoadScript(path)
	if err != nil {
		if archive != "" {
			return nil, noSuchCase(archive, path, err)
		}
		return nil, err
	}
	g, err := script.Graph()
	return &model{graph: g, script: script}, err
}

// archiveOf returns the archive that a path leads into; "" if there is none.
func archiveOf(path string) string {
	for dir := filepath.Dir(path); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			if info.IsDir() {
				return ""
			}
			return dir
		}
	}
	return ""
}

// noSuchFile returns the error of a path that does not exist, with names that are near.
func noSuchFile(path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dir, base := filepath.Split(path)
	var names []string
	for _, e := range readDir(dir) {
		names = append(names, e.Name())
	}
	return status.Errorf(status.NotFound, "%s: no such file or directory%s", path, status.DidYouMean(base, slices.Values(names)))
}

// noSuchCase returns the error of a path into an archive that leads to no case.
func noSuchCase(archive, path string, err error) error {
	names, listErr := casesIn(archive)
	if errors.Is(listErr, zip.ErrFormat) {
		return status.Errorf(status.NotFound, "%s: %s is neither a folder nor an archive of cases", path, archive)
	}
	if listErr != nil || len(names) == 0 {
		return err
	}
	inside, relErr := filepath.Rel(archive, path)
	if relErr != nil {
		return err
	}
	hint := status.DidYouMean(filepath.ToSlash(inside), slices.Values(names))
	if hint == "" {
		hint = "; it holds " + some(names, "case")
	}
	return status.Errorf(status.NotFound, "%s has no case %s%s", archive, inside, hint)
}

// casesIn returns the names of the cases in an archive.
func casesIn(archive string) ([]string, error) {
	cases, err := conformance.Load(archive)
	var names []string
	for _, c := range cases {
		names = append(names, c.Name[strings.IndexByte(c.Name, '/')+1:])
	}
	return names, err
}

func readDir(dir string) []fs.DirEntry {
	if dir == "" {
		dir = "."
	}
	entries, _ := os.ReadDir(dir)
	return entries
}
