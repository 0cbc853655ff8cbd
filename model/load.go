package model

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/plain"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/tensor/tensorproto"
	"github.com/troupe-go/troupe/wire"
)

// A SavedModel is a loaded model: a session over its graph, and its signatures.
type SavedModel struct {
	Session    *session.Session
	Graph      *session.Graph
	Signatures map[string]Signature
	// Starts are the steps that initialized the session, for callers that run the graph
	// without it.
	Starts []Start

	calls atomic.Pointer[map[string]*SignatureCall] // by key; never changed, but replaced
}

// A Start is one of these steps: it restores variables, or initializes tables.
type Start struct {
	Feeds  map[session.Output]*session.Tensor
	Target *session.Operation
}

// A Signature names the inputs and outputs of one use of a model.
type Signature struct {
	Inputs, Outputs map[string]TensorInfo
	MethodName      string
	// Defaults are the values of inputs that a run may leave out.
	Defaults map[string]*session.Tensor
}

// TensorInfo is a tensor of a signature.
type TensorInfo struct {
	Name  string // such as "x:0"; empty for one that is made of several
	DType session.DataType
	Shape session.Shape
}

// Load is [LoadContext] with a context that does not end.
func Load(exportDir string, tags []string, options *session.SessionOptions) (*SavedModel, error) {
	return LoadContext(context.Background(), exportDir, tags, options)
}

// LoadContext loads the graph with exactly the given tags from a directory in the
// SavedModel format, opens a session with the options, restores the variables (with the
// model's restore operation, or else from its object graph) and runs the initialization
// operation, which fills tables for example. The graph may read the directory in
// addition to what the options' Files permit.
//
// The end of ctx stops reading, importing, restoring and initializing with CANCELLED or
// DEADLINE_EXCEEDED; the model's later runs have contexts of their own. Otherwise it
// fails with NOT_FOUND if there is no model, no graph with these tags, or no value in
// the checkpoint for a variable that a signature needs, with DATA_LOSS for damaged
// files, and as [session.Graph.Import], [session.NewSession] and [session.Session.Run]
// do.
func LoadContext(ctx context.Context, exportDir string, tags []string, options *session.SessionOptions) (*SavedModel, error) {
	meta, err := readMetaGraph(ctx, exportDir, tags)
	if err != nil {
		return nil, err
	}
	g := session.NewGraph()
	if _, err := g.ImportGraphDefContext(ctx, meta.graph, graph.ImportOptions{}); err != nil {
		return nil, err
	}
	meta.release()
	own := reading(options, exportDir)
	s, err := session.NewSession(g, own)
	if err != nil {
		return nil, err
	}
	all, err := signatures(meta.def)
	if err != nil {
		s.Close()
		return nil, err
	}
	l := loader{ctx: ctx, SavedModel: &SavedModel{Session: s, Graph: g, Signatures: all}, options: own}
	if err := l.start(exportDir, meta); err != nil {
		s.Close()
		return nil, err
	}
	return l.SavedModel, nil
}

// A loader brings a model into the state that was saved.
type loader struct {
	ctx context.Context
	*SavedModel
	options *session.SessionOptions
	asks    map[*session.Operation]session.Output // whether a variable has a value; see assigned
}

// reading is o with a directory that may be read in addition.
func reading(o *session.SessionOptions, dir string) *session.SessionOptions {
	var r session.SessionOptions
	if o != nil {
		r = *o
	}
	if r.Logger != nil {
		log := r.Logger.With().Str("model", plain.Line(dir)).Logger()
		r.Logger = &log
	}
	if r.Files == nil {
		return &r
	}
	policy := *r.Files
	policy.Read = append([]string{dir}, policy.Read...)
	r.Files = &policy
	return &r
}

// start brings the session into the state that was saved.
func (m *loader) start(dir string, meta *metaGraph) error {
	assets, err := meta.assets()
	if err != nil {
		return err
	}
	feeds := map[session.Output]*session.Tensor{}
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
func (m *loader) restore(dir string, saver *wire.SaverDef, feeds map[session.Output]*session.Tensor) error {
	prefix := filepath.Join(dir, "variables", "variables")
	if saver == nil {
		return nil
	}
	if _, err := os.Stat(prefix + ".index"); err != nil {
		return nil // a model without variables
	}
	withName := map[session.Output]*session.Tensor{}
	for o, t := range feeds {
		withName[o] = t
	}
	if err := m.feedText(withName, saver.GetFilenameTensorName(), prefix); err != nil {
		return err
	}
	return m.runOp(withName, saver.GetRestoreOpName())
}

func (m *loader) feedText(feeds map[session.Output]*session.Tensor, name, text string) error {
	o, err := m.Graph.Find(name)
	if err != nil {
		return err
	}
	feeds[o] = tensor.FromScalar(text)
	return nil
}

// runOp runs the operation that name, or an output of it, names.
func (m *loader) runOp(feeds map[session.Output]*session.Tensor, name string) error {
	id := graph.ParseTensorID(name)
	id.Index = graph.Control
	o, err := m.Graph.FindID(id)
	if err != nil {
		return err
	}
	m.Starts = append(m.Starts, Start{feeds, o.Op})
	_, err = m.Session.RunWithOptions(m.ctx, session.RunOptions{Once: true}, feeds, nil, []*session.Operation{o.Op})
	return err
}

// mostDefault bounds the memory of a default, which a few bytes can declare.
const mostDefault = 256 << 20

func signatures(def *wire.MetaGraphDef) (map[string]Signature, error) {
	all := map[string]Signature{}
	for key, s := range def.GetSignatureDef() {
		sig := Signature{
			Inputs:     tensorInfos(s.GetInputs()),
			Outputs:    tensorInfos(s.GetOutputs()),
			MethodName: s.GetMethodName(),
		}
		for name, p := range s.GetDefaults() {
			t, err := tensorproto.From(p, mostDefault)
			if err != nil {
				return nil, status.Within(err, "the default of input '%s' of signature '%s'", name, key)
			}
			if sig.Defaults == nil {
				sig.Defaults = map[string]*session.Tensor{}
			}
			sig.Defaults[name] = t
		}
		all[key] = sig
	}
	return all, nil
}

func tensorInfos(infos map[string]*wire.TensorInfo) map[string]TensorInfo {
	all := map[string]TensorInfo{}
	for key, t := range infos {
		all[key] = TensorInfo{Name: t.GetName(), DType: dtypeOf(t.GetDtype()), Shape: shapeOf(t.GetTensorShape())}
	}
	return all
}

// dtypeOf is [tensor.Invalid] for a type that is not known.
func dtypeOf(dt wire.DataType) session.DataType {
	if dt >= 0 && dt <= 255 && tensor.DType(dt).Valid() {
		return tensor.DType(dt)
	}
	return tensor.Invalid
}

// shapeOf returns the unknown shape for one of unknown rank, or none.
func shapeOf(p *wire.TensorShapeProto) session.Shape {
	if p == nil || p.GetUnknownRank() || len(p.GetDim()) > tensor.MaxRank {
		return session.Shape{}
	}
	dims := make([]int64, len(p.GetDim()))
	for i, d := range p.GetDim() {
		dims[i] = max(d.GetSize(), -1)
	}
	return session.MakeShape(dims...)
}
