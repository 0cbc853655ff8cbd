package conformance

import (
	"io/fs"
	"os"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/session"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// savedModel is the folder of a case that holds its SavedModel.
const savedModel = "saved_model"

// A SavedModel is the saved_model folder of a case, to be loaded with tags.
type SavedModel struct {
	Tags []string `json:"tags"`
}

// graph returns the model's graph alone.
func (m *SavedModel) graph(files fs.FS) (*session.Graph, error) {
	b, err := fs.ReadFile(files, savedModel+"/saved_model.pb")
	if err != nil {
		return nil, err
	}
	def, err := model.GraphDef(b, m.Tags)
	if err != nil {
		return nil, err
	}
	g := session.NewGraph()
	if err := g.Import(def, ""); err != nil {
		return nil, err
	}
	return g, nil
}

// openModel loads the case's model, and turns the steps' signatures into feeds
// and fetches.
func (s *Script) openModel(options *session.SessionOptions) (*opened, error) {
	folder, err := fs.Sub(s.files, savedModel)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "troupe-model")
	if err != nil {
		return nil, err
	}
	// All that is needed later is in memory when the model has been loaded.
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, folder); err != nil {
		return nil, err
	}
	m, err := model.Load(dir, s.SavedModel.Tags, options)
	if err != nil {
		return nil, err
	}
	for i := range s.Steps {
		if err := s.Steps[i].resolve(m.Signatures); err != nil {
			m.Session.Close()
			return nil, err
		}
	}
	return &opened{graph: m.Graph, session: m.Session}, nil
}

// resolve returns a step the feeds and fetches that its signature names.
func (st *Step) resolve(signatures map[string]model.Signature) error {
	if st.Signature == "" {
		return nil
	}
	sig, ok := signatures[st.Signature]
	if !ok {
		return status.Errorf(status.NotFound, "the model has no signature %q", st.Signature)
	}
	st.Feeds, st.Fetches, st.Expect = map[string]string{}, nil, nil
	for _, key := range sorted.Keys(st.Inputs) {
		name, err := tensorName(st.Signature, sig.Inputs, key)
		if err != nil {
			return err
		}
		st.Feeds[name] = st.Inputs[key]
	}
	for _, key := range sorted.Keys(st.Outputs) {
		name, err := tensorName(st.Signature, sig.Outputs, key)
		if err != nil {
			return err
		}
		st.Fetches = append(st.Fetches, name)
		st.Expect = append(st.Expect, st.Outputs[key])
	}
	return nil
}

func tensorName(signature string, infos map[string]model.TensorInfo, key string) (string, error) {
	info, ok := infos[key]
	if !ok || info.Name == "" {
		return "", status.Errorf(status.NotFound, "the signature %q has no tensor %q", signature, key)
	}
	return graph.ParseTensorID(info.Name).String(), nil
}
