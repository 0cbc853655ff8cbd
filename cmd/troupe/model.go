package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/wire"
)

// modelHelp is what the commands say of their MODEL.
const modelHelp = `MODEL is a GraphDef, serialized or as text; "-", one from the standard input; a
SavedModel's folder, whose first graph it is, run with the variables' values; or
a recorded case: a folder with case.json and graph.pb, or such a folder inside a
group's archive, as in control.zip/while_counter.`

// A model is what MODEL names.
type model struct {
	graph  *troupe.Graph
	script *conformance.Script // nil unless it is a case
	folder string              // of a SavedModel; else ""
	dir    string              // where the model's file is; "" for the standard input
	tags   []string            // of the SavedModel's graph
	saved  []troupe.SavedGraph // what the SavedModel has
}

// open opens a session on the model. That of a SavedModel is in the state that
// was saved, over a graph of its own, which becomes the model's.
func (m *model) open(options *troupe.SessionOptions) (*troupe.Session, error) {
	if m.folder == "" {
		return troupe.NewSession(m.graph, options)
	}
	loaded, err := troupe.LoadSavedModel(m.folder, m.tags, options)
	if err != nil {
		return nil, failure{err}
	}
	m.graph = loaded.Graph
	return loaded.Session, nil
}

// loadModel loads a GraphDef, a case, or a SavedModel's graph. "-" is stdin.
func loadModel(path string, stdin io.Reader) (*model, error) {
	if path == "-" {
		def, err := io.ReadAll(stdin)
		if err != nil {
			return nil, err
		}
		return newModel(def)
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		name := filepath.Join(path, savedModelFile)
		if _, err := os.Stat(name); err == nil {
			return loadSavedModel(name)
		}
	}
	if err != nil || info.IsDir() {
		script, caseErr := conformance.LoadScript(path)
		if caseErr != nil && err == nil {
			return nil, fmt.Errorf("no %s, and %w", savedModelFile, caseErr)
		}
		if caseErr != nil {
			return nil, caseErr
		}
		g, err := script.Graph()
		return &model{graph: g, script: script}, err
	}
	if filepath.Base(path) == savedModelFile {
		return loadSavedModel(path)
	}
	def, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := newModel(def)
	if err != nil {
		return nil, err
	}
	m.dir = filepath.Dir(path)
	return m, nil
}

// newModel makes a model of a GraphDef in either form.
func newModel(def []byte) (*model, error) {
	if isText(def) {
		var err error
		if def, err = graph.ParseGraphDef(def); err != nil {
			return nil, err
		}
	}
	g := troupe.NewGraph()
	if err := g.Import(def, ""); err != nil {
		return nil, err
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

// loadSavedModel loads the first graph of a serialized SavedModel.
func loadSavedModel(name string) (*model, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	def, tags, err := savedGraph(b)
	if err != nil {
		return nil, err
	}
	m, err := newModel(def)
	if err != nil {
		return nil, err
	}
	m.folder, m.dir, m.tags = filepath.Dir(name), filepath.Dir(name), tags
	m.saved, err = troupe.SavedModelGraphs(b)
	return m, err
}

// savedGraph is the first GraphDef of a serialized SavedModel and its tags.
func savedGraph(b []byte) (def []byte, tags []string, err error) {
	const metaGraphs, info, graphDef = 2, 1, 2 // of SavedModel, of MetaGraphDef
	meta, err := firstMessage(b, metaGraphs)
	if err != nil {
		return nil, nil, err
	}
	if def, err = firstMessage(meta, graphDef); err != nil {
		return nil, nil, err
	}
	var w wire.MetaGraphDef_MetaInfoDef
	if b, err := firstMessage(meta, info); err == nil {
		if err := proto.Unmarshal(b, &w); err != nil {
			return nil, nil, status.Invalid("the SavedModel is malformed: its tags cannot be read")
		}
	}
	return def, w.GetTags(), nil
}

// firstMessage is the first message in a field of a serialized message.
func firstMessage(b []byte, field protowire.Number) ([]byte, error) {
	c := wire.NewCursor("SavedModel", b)
	for c.Next() {
		if c.IsBytes(field) {
			return c.Body(), nil
		}
	}
	return nil, status.Invalid("the SavedModel is malformed: it holds no graph")
}
