package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/troupe-go/troupe"
	"github.com/troupe-go/troupe/conformance"
	"github.com/troupe-go/troupe/graph"
)

// modelHelp is what the commands say of their MODEL.
const modelHelp = `MODEL is a serialized GraphDef (any file; .pbtxt is read as text) or a recorded
case: a folder with case.json and graph.pb, or such a folder inside a group's
archive, as in control.zip/while_counter.`

// A model is what MODEL names.
type model struct {
	graph  *troupe.Graph
	script *conformance.Script // nil unless it is a case
}

// loadModel loads a GraphDef or a case.
func loadModel(path string) (*model, error) {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		script, caseErr := conformance.LoadScript(path)
		if caseErr != nil {
			return nil, caseErr
		}
		g, err := script.Graph()
		return &model{g, script}, err
	}
	def, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(filepath.Ext(path), ".pbtxt") {
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
