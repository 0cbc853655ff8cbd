package session

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// A SavedModel is a loaded model: a session over its graph, and its signatures.
type SavedModel struct {
	Session    *Session
	Graph      *Graph
	Signatures map[string]Signature
	// Starts are the steps that initialized the session, for callers that run the graph
	// without it.
	Starts []Start

	calls sync.Map // of *SignatureCall, by key
}

// A Start is one of these steps: it restores variables, or initializes tables.
type Start struct {
	Feeds  map[Output]*Tensor
	Target *Operation
}

// A Signature names the inputs and outputs of one use of a model.
type Signature struct {
	Inputs, Outputs map[string]TensorInfo
	MethodName      string
}

// TensorInfo is a tensor of a signature.
type TensorInfo struct {
	Name  string // such as "x:0"; empty for one that is made of several
	DType DataType
	Shape Shape
}

// LoadSavedModel loads the graph with exactly the given tags from a directory in the
// SavedModel format, opens a session with the options, restores the variables (with the
// model's restore operation, or else from its object graph) and runs the initialization
// operation, which fills tables for example. The graph may read the directory in
// addition to what the options' Files permit.
//
// It fails with NOT_FOUND if there is no model, no graph with these tags, or no value in
// the checkpoint for a variable that a signature needs, with DATA_LOSS for damaged
// files, and as [Graph.Import], NewSession and [Session.Run] do.
func LoadSavedModel(exportDir string, tags []string, options *SessionOptions) (*SavedModel, error) {
	meta, err := readMetaGraph(exportDir, tags)
	if err != nil {
		return nil, err
	}
	g := NewGraph()
	if err := g.Import(meta.graph, ""); err != nil {
		return nil, err
	}
	meta.graph = nil // may be large
	s, err := NewSession(g, options.reading(exportDir))
	if err != nil {
		return nil, err
	}
	m := &SavedModel{Session: s, Graph: g, Signatures: signatures(meta.def)}
	if err := m.start(exportDir, meta); err != nil {
		s.Close()
		return nil, err
	}
	return m, nil
}

// start brings the session into the state that was saved.
func (m *SavedModel) start(dir string, meta *metaGraph) error {
	assets, err := meta.assets()
	if err != nil {
		return err
	}
	feeds := map[Output]*Tensor{}
	for _, a := range assets {
		if err := m.feedText(feeds, a.GetTensorInfo().GetName(), filepath.Join(dir, "assets", a.GetFilename())); err != nil {
			return err
		}
	}
	if err := m.restore(dir, meta.def.GetSaverDef(), feeds); err != nil {
		return err
	}
	prefix := filepath.Join(dir, "variables", "variables")
	if err := m.restoreObjects(prefix, meta.objects); err != nil {
		return err
	}
	meta.objects = nil // may be large
	name, err := meta.initOp(dir)
	if err == nil && name != "" {
		err = m.runOp(feeds, name)
	}
	if err != nil {
		return err
	}
	return m.checkVariables(prefix)
}

// restore restores the variables from the checkpoint, if there is one.
func (m *SavedModel) restore(dir string, saver *wire.SaverDef, feeds map[Output]*Tensor) error {
	prefix := filepath.Join(dir, "variables", "variables")
	if saver == nil {
		return nil
	}
	if _, err := os.Stat(prefix + ".index"); err != nil {
		return nil // a model without variables
	}
	withName := map[Output]*Tensor{}
	for o, t := range feeds {
		withName[o] = t
	}
	if err := m.feedText(withName, saver.GetFilenameTensorName(), prefix); err != nil {
		return err
	}
	return m.runOp(withName, saver.GetRestoreOpName())
}

func (m *SavedModel) feedText(feeds map[Output]*Tensor, name, text string) error {
	o, err := m.Graph.Find(name)
	if err != nil {
		return err
	}
	feeds[o] = tensor.FromScalar(text)
	return nil
}

// runOp runs the operation that name, or an output of it, names.
func (m *SavedModel) runOp(feeds map[Output]*Tensor, name string) error {
	id := graph.ParseTensorID(name)
	id.Index = graph.Control
	o, err := m.Graph.FindID(id)
	if err != nil {
		return err
	}
	m.Starts = append(m.Starts, Start{feeds, o.Op})
	_, err = m.Session.Run(feeds, nil, []*Operation{o.Op})
	return err
}

func signatures(def *wire.MetaGraphDef) map[string]Signature {
	all := map[string]Signature{}
	for key, s := range def.GetSignatureDef() {
		all[key] = Signature{
			Inputs:     tensorInfos(s.GetInputs()),
			Outputs:    tensorInfos(s.GetOutputs()),
			MethodName: s.GetMethodName(),
		}
	}
	return all
}

func tensorInfos(infos map[string]*wire.TensorInfo) map[string]TensorInfo {
	all := map[string]TensorInfo{}
	for key, t := range infos {
		all[key] = TensorInfo{Name: t.GetName(), DType: dtypeOf(t.GetDtype()), Shape: shapeOf(t.GetTensorShape())}
	}
	return all
}

// dtypeOf is [tensor.Invalid] for a type that is not known.
func dtypeOf(dt wire.DataType) DataType {
	if dt >= 0 && dt <= 255 && tensor.DType(dt).Valid() {
		return tensor.DType(dt)
	}
	return tensor.Invalid
}

// shapeOf is the unknown shape for one of unknown rank, or none.
func shapeOf(p *wire.TensorShapeProto) Shape {
	if p == nil || p.GetUnknownRank() || len(p.GetDim()) > tensor.MaxRank {
		return Shape{}
	}
	dims := make([]int64, len(p.GetDim()))
	for i, d := range p.GetDim() {
		dims[i] = max(d.GetSize(), -1)
	}
	return MakeShape(dims...)
}
