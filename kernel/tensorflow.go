package kernel

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/tensor"
)

// tensorFlowText lists the types that TensorFlow's CPU kernels support, where its
// definitions allow more: it distinguishes nodes that TensorFlow refuses from those
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

// TensorFlowTypes returns the values of a type attribute that some CPU kernel of
// TensorFlow takes, where they are not all that the definition allows; limited
// is false where they are. The slice is not to be written.
func TensorFlowTypes(op, attr string) (types []tensor.DType, limited bool) {
	types, limited = tensorFlowTypes()[op][attr]
	return types, limited
}

// Missing is, by attribute, the types that TensorFlow's CPU kernels take and
// none of Troupe's does. It is empty for an operation without kernels.
func Missing(def *registry.OpDef) map[string][]tensor.DType {
	missing := map[string][]tensor.DType{}
	e := global.entry(def.Name)
	if e == nil {
		return missing
	}
	for i := range def.Attrs {
		attr := &def.Attrs[i]
		if attr.Kind != registry.KindType {
			continue
		}
		have := e.takes(attr.Name)
		for _, t := range tensorFlowTakes(def.Name, attr) {
			if !have.has(t) {
				missing[attr.Name] = append(missing[attr.Name], t)
			}
		}
	}
	return missing
}

// takes returns the values of a type attribute that some CPU kernel without a label
// takes.
func (e *entry) takes(attr string) typeSet {
	var have typeSet
	for i := range e.kernels {
		k := &e.kernels[i]
		if k.Device != "CPU" || k.Label != "" {
			continue
		}
		at := slices.IndexFunc(k.constraints, func(c constraint) bool { return c.attr == attr })
		if at < 0 {
			return ^typeSet(0)
		}
		have |= k.constraints[at].types
	}
	return have
}

// tensorFlowTakes returns the values of a type attribute that TensorFlow takes.
func tensorFlowTakes(op string, attr *registry.AttrDef) []tensor.DType {
	if types, limited := TensorFlowTypes(op, attr.Name); limited {
		return types
	}
	if len(attr.AllowedTypes) > 0 {
		return attr.AllowedTypes
	}
	var all []tensor.DType
	for t := tensor.Float; t.Valid(); t++ {
		all = append(all, t)
	}
	return all
}
