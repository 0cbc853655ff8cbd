package serve

import (
	"slices"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/serve/datatype"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
)

// V2ModelVersion reads the version of a request, which is "" for the greatest.
func V2ModelVersion(text string) (version int64, given bool, err error) {
	if text == "" {
		return 0, false, nil
	}
	if version, err = strconv.ParseInt(text, 10, 64); err != nil || version < 0 {
		return 0, false, status.Invalid("the model's version '%.40s' is not a number", text)
	}
	return version, true, nil
}

// V2Metadata is a model as the Open Inference Protocol describes it: by the signature
// serving_default or, if it has none, the first by name.
type V2Metadata struct {
	Name     string     `json:"name"`
	Versions []string   `json:"versions"`
	Platform string     `json:"platform"`
	Inputs   []V2Tensor `json:"inputs"`
	Outputs  []V2Tensor `json:"outputs"`
}

// A V2Tensor is an input or output in [V2Metadata]. Its shape has -1 for what is unknown.
type V2Tensor struct {
	Name     string  `json:"name"`
	Datatype string  `json:"datatype"`
	Shape    []int64 `json:"shape"`
}

// V2Metadata describes a model. It fails as [Manager.Use] does.
func (m *Manager) V2Metadata(s Spec) (V2Metadata, error) {
	u, err := m.Use(s)
	if err != nil {
		return V2Metadata{}, err
	}
	defer u.Close()
	meta := V2Metadata{Name: s.Model, Platform: V2Platform, Versions: []string{}}
	list, err := m.Status(Spec{Model: s.Model})
	if err != nil {
		return meta, err
	}
	for _, v := range slices.Backward(list) {
		if v.State == Available {
			meta.Versions = append(meta.Versions, strconv.FormatInt(v.Version, 10))
		}
	}
	sig, ok := u.Model().Signatures[V2Signature(u.Model(), s.Signature)]
	if !ok {
		return meta, status.Invalid("the model has no signature '%s'", s.Signature)
	}
	meta.Inputs, meta.Outputs = v2Tensors(sig.Inputs), v2Tensors(sig.Outputs)
	return meta, nil
}

// V2Signature returns the signature that requests of the protocol run, which does not name
// them, unless a parameter does: serving_default or, if there is none, the first by name.
func V2Signature(m *model.SavedModel, asked string) string {
	if asked != "" {
		return asked
	}
	if _, ok := m.Signatures["serving_default"]; ok {
		return "serving_default"
	}
	for _, name := range sorted.Keys(m.Signatures) {
		if !strings.HasPrefix(name, "__") { // as __saved_model_init_op
			return name
		}
	}
	return "serving_default"
}

// v2Tensors describes the inputs or outputs of a signature.
func v2Tensors(infos map[string]model.TensorInfo) []V2Tensor {
	tensors := []V2Tensor{}
	for _, name := range sorted.Keys(infos) {
		info := infos[name]
		dims, err := info.Shape.ToSlice()
		if err != nil {
			dims = []int64{-1} // of unknown rank
		}
		tensors = append(tensors, V2Tensor{name, datatype.Name(info.DType), dims})
	}
	return tensors
}
