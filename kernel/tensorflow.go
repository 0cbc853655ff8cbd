package kernel

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/tensor"
)

// tensorFlowText tells which types TensorFlow's CPU kernels take, where its
// definitions allow more: what tells a node that TensorFlow refuses from one
// that Troupe cannot run yet. Each line is "ATTRIBUTE TYPES: OPERATIONS".
// testdata/tensorflow_types.py writes it.
//
//go:embed tensorflow.txt
var tensorFlowText string

// tensorFlowTypes is the table of tensorflow.txt by operation and attribute. It
// is read only when a node has no kernel.
var tensorFlowTypes = sync.OnceValue(func() map[string]map[string][]tensor.DType {
	table := map[string]map[string][]tensor.DType{}
	for line := range strings.Lines(tensorFlowText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		head, ops, _ := strings.Cut(line, ":")
		attr, names, _ := strings.Cut(head, " ")
		var types []tensor.DType
		for name := range strings.SplitSeq(names, ",") {
			t, _ := tensor.ParseDType(name)
			types = append(types, t)
		}
		for op := range strings.FieldsSeq(ops) {
			if table[op] == nil {
				table[op] = map[string][]tensor.DType{}
			}
			table[op][attr] = types
		}
	}
	return table
})

// TensorFlowTypes is the values of a type attribute that some CPU kernel of
// TensorFlow takes, where they are not all that the definition allows; limited
// is false where they are. The slice is not to be written.
func TensorFlowTypes(op, attr string) (types []tensor.DType, limited bool) {
	types, limited = tensorFlowTypes()[op][attr]
	return types, limited
}
