package serve

import (
	"github.com/troupe-go/troupe/model"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// The methods of signatures.
const (
	MethodPredict  = "tensorflow/serving/predict"
	MethodClassify = "tensorflow/serving/classify"
	MethodRegress  = "tensorflow/serving/regress"
)

// A Class is one that a model gives an example, and how likely it is.
type Class struct {
	Label string // "" if the model has no labels
	Score float32
}

// Examples makes the inputs of a signature that takes serialized Examples. It fails with
// INVALID_ARGUMENT where the model has no such signature, or where its method is another.
func Examples(m *model.SavedModel, signature, method string, examples []string) (map[string]*tensor.Tensor, error) {
	sig, ok := m.Signatures[signature]
	switch {
	case !ok:
		return nil, status.Invalid("No signature was found with the name: %s", signature)
	case sig.MethodName != method:
		return nil, status.Invalid("Expected signature method_name to be %s. Was: %s", method, sig.MethodName)
	case len(examples) == 0:
		return nil, status.Invalid("Input is empty.")
	}
	in, err := tensor.FromSlice(examples, int64(len(examples)))
	return map[string]*tensor.Tensor{"inputs": in}, err
}

// Regressions reads the output of a regression: a number for each of n examples.
func Regressions(outputs map[string]*tensor.Tensor, n int) ([]float32, error) {
	t := outputs["outputs"]
	if t == nil || t.DType() != tensor.Float || t.NumElements() != n {
		return nil, status.Invalid("Expected a regression output 'outputs' of one float for each of %d examples", n)
	}
	v := tensor.ValueOf(t)
	return tensor.Of[float32](&v), nil
}

// Classes reads the outputs of a classification: labels, scores or both for each of n
// examples.
func Classes(outputs map[string]*tensor.Tensor, n int) ([][]Class, error) {
	labels, scores := outputs["classes"], outputs["scores"]
	if labels == nil && scores == nil {
		return nil, status.Invalid("Expected classification signature outputs to contain at least one of 'classes' and 'scores'")
	}
	k := -1
	for _, c := range []struct {
		name string
		t    *tensor.Tensor
		dt   tensor.DType
	}{{"classes", labels, tensor.String}, {"scores", scores, tensor.Float}} {
		if c.t == nil {
			continue
		}
		if s := c.t.Shape(); c.t.DType() != c.dt || len(s) != 2 || s[0] != int64(n) || k >= 0 && s[1] != int64(k) {
			return nil, status.Invalid("Expected a classification output '%s' of %v with the shape [%d, classes], got %v %v", c.name, c.dt, n, c.t.DType(), s)
		}
		k = int(c.t.Shape()[1])
	}
	list := make([][]Class, n)
	for i := range list {
		list[i] = make([]Class, k)
	}
	if labels != nil {
		v := tensor.ValueOf(labels)
		for i, x := range tensor.Of[string](&v) {
			list[i/k][i%k].Label = x
		}
	}
	if scores != nil {
		v := tensor.ValueOf(scores)
		for i, x := range tensor.Of[float32](&v) {
			list[i/k][i%k].Score = x
		}
	}
	return list, nil
}
