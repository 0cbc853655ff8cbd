package serve

import (
	"github.com/troupe-go/troupe/serve/datatype"
)

// V2Config is a model's configuration as Triton's extension of the Open Inference Protocol
// has it. Clients need not know how requests are batched: dimensions are complete, and
// max_batch_size is 0.
type V2Config struct {
	Name         string           `json:"name"`
	Platform     string           `json:"platform"`
	Backend      string           `json:"backend"`
	MaxBatchSize int32            `json:"max_batch_size"`
	Input        []V2ConfigTensor `json:"input"`
	Output       []V2ConfigTensor `json:"output"`
}

// A V2ConfigTensor is an input or output in [V2Config].
type V2ConfigTensor struct {
	Name     string  `json:"name"`
	DataType string  `json:"data_type"` // such as TYPE_FP32
	Dims     []int64 `json:"dims"`      // -1 is any number
}

// V2Config describes a model. It fails as [Manager.V2Metadata] does.
func (m *Manager) V2Config(s Spec) (V2Config, error) {
	meta, err := m.V2Metadata(s)
	if err != nil {
		return V2Config{}, err
	}
	tensors := func(list []V2Tensor) []V2ConfigTensor {
		all := []V2ConfigTensor{}
		for _, t := range list {
			all = append(all, V2ConfigTensor{t.Name, datatype.Config(t.Datatype), t.Shape})
		}
		return all
	}
	return V2Config{
		Name: meta.Name, Platform: meta.Platform, Backend: "tensorflow", Input: tensors(meta.Inputs), Output: tensors(meta.Outputs),
	}, nil
}
