package model

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// A saved is a model as it is written.
type saved struct {
	graph  *graph.Graph // what signatures need, and what restores it
	vars   []variable   // by name
	assets []asset
	meta   *wire.MetaGraphDef // without the graph

	tracked bool // it has an object graph
	objects *objects
}

type variable struct {
	name, key string // key is its name in the checkpoint
	value     *tensor.Tensor
}

type asset struct {
	def  *wire.AssetFileDef
	from string
}

// save makes the graph, signatures and what else there is.
func (m *Export) save() (*saved, error) {
	s := &saved{meta: &wire.MetaGraphDef{
		MetaInfoDef: &wire.MetaGraphDef_MetaInfoDef{Tags: m.Tags},
	}}
	if m.Tags == nil {
		s.meta.MetaInfoDef.Tags = []string{"serve"}
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	var err error
	if s.graph, err = m.part(); err != nil {
		return nil, err
	}
	s.tracked = m.isTracked(s.graph)
	if err := s.addVariables(m.Variables); err != nil {
		return nil, err
	}
	s.meta.SignatureDef = map[string]*wire.SignatureDef{}
	for key, sig := range m.Signatures {
		method := sig.Method
		if method == "" {
			method = "tensorflow/serving/predict"
		}
		s.meta.SignatureDef[key] = &wire.SignatureDef{Inputs: infos(sig.Inputs), Outputs: infos(sig.Outputs), MethodName: method}
	}
	m.addInit(s)
	m.addAssets(s)
	return s, m.addObjects(s)
}

// check reports what of the model is not of its graph.
func (m *Export) check() error {
	if m.Graph == nil {
		return status.Invalid("the model has no graph")
	}
	if len(m.Signatures) == 0 {
		return status.Invalid("the model has no signatures")
	}
	var mistakes []string
	check := func(what string, o graph.Output) {
		if o.Op == nil || o.Op.Graph() != m.Graph || !o.Exists() {
			mistakes = append(mistakes, what+" is not an output of the model's graph")
		}
	}
	for _, key := range sorted.Keys(m.Signatures) {
		sig := m.Signatures[key]
		if len(sig.Outputs) == 0 {
			mistakes = append(mistakes, fmt.Sprintf("signature %q has no outputs", key))
		}
		for _, name := range sorted.Keys(sig.Inputs) {
			check(fmt.Sprintf("input %q of signature %q", name, key), sig.Inputs[name])
		}
		for _, name := range sorted.Keys(sig.Outputs) {
			check(fmt.Sprintf("output %q of signature %q", name, key), sig.Outputs[name])
		}
	}
	for o, file := range m.Assets {
		check("what is fed with asset "+file, o)
	}
	if m.Init != nil && m.Init.Graph() != m.Graph {
		mistakes = append(mistakes, "what initializes the model is not of its graph")
	}
	return invalid(mistakes)
}

// part returns a copy of what signatures and the rest need of the graph.
func (m *Export) part() (*graph.Graph, error) {
	var roots []*graph.Node
	for _, sig := range m.Signatures {
		for o := range maps.Values(sig.Outputs) {
			roots = append(roots, o.Op)
		}
		for o := range maps.Values(sig.Inputs) {
			roots = append(roots, o.Op)
		}
	}
	for o := range m.Assets {
		roots = append(roots, o.Op)
	}
	if m.Init != nil {
		roots = append(roots, m.Init)
	}
	nodes, err := m.Graph.Subgraph(nil, nil, roots)
	if err != nil {
		return nil, err
	}
	def, err := m.Graph.GraphDef(graph.ExportOptions{Nodes: nodes})
	if err != nil {
		return nil, err
	}
	part := graph.New()
	_, err = part.ImportGraphDef(def, graph.ImportOptions{InternalNames: true})
	return part, err
}

func infos(outputs map[string]graph.Output) map[string]*wire.TensorInfo {
	all := map[string]*wire.TensorInfo{}
	for name, o := range outputs {
		all[name] = &wire.TensorInfo{
			Encoding:    &wire.TensorInfo_Name{Name: o.String()},
			Dtype:       wire.DataType(o.DataType().Base()),
			TensorShape: shapeProto(o.Shape()),
		}
	}
	return all
}

func shapeProto(s graph.Shape) *wire.TensorShapeProto {
	if s.NumDimensions() < 0 {
		return &wire.TensorShapeProto{UnknownRank: true}
	}
	p := &wire.TensorShapeProto{}
	for i := range s.NumDimensions() {
		p.Dim = append(p.Dim, &wire.TensorShapeProto_Dim{Size: s.Size(i)})
	}
	return p
}

// addInit says what to run when the model has been restored.
func (m *Export) addInit(s *saved) {
	if m.Init == nil {
		return
	}
	s.collect("saved_model_main_op", &wire.CollectionDef{Kind: &wire.CollectionDef_NodeList_{
		NodeList: &wire.CollectionDef_NodeList{Value: []string{m.Init.Name()}}}})
}

// addAssets names the files of the model, each by its own name, or another one if
// two have the same.
func (m *Export) addAssets(s *saved) {
	taken := map[string]bool{}
	outputs := make([]graph.Output, 0, len(m.Assets))
	for o := range m.Assets {
		outputs = append(outputs, o)
	}
	sorted.By(outputs, func(a, b graph.Output) int { return strings.Compare(a.String(), b.String()) })
	for _, o := range outputs {
		from := m.Assets[o]
		name := filepath.Base(from)
		for i := 1; taken[name]; i++ {
			name = fmt.Sprintf("%s_%d", filepath.Base(from), i)
		}
		taken[name] = true
		s.assets = append(s.assets, asset{from: from, def: &wire.AssetFileDef{
			TensorInfo: &wire.TensorInfo{Encoding: &wire.TensorInfo_Name{Name: o.String()}}, Filename: name}})
		s.meta.AssetFileDef = append(s.meta.AssetFileDef, s.assets[len(s.assets)-1].def)
	}
}

func (s *saved) collect(name string, c *wire.CollectionDef) {
	if s.meta.CollectionDef == nil {
		s.meta.CollectionDef = map[string]*wire.CollectionDef{}
	}
	s.meta.CollectionDef[name] = c
}
