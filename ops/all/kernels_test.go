package all

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
)

// Every kernel agrees with its operation's definition, and no two fit the same
// node.
func TestKernelsAgreeWithDefinitions(t *testing.T) {
	if err := kernel.Validate(registry.Global); err != nil {
		t.Error(err)
	}
}

// The table of what TensorFlow's kernels take speaks of types that definitions
// allow.
func TestTensorFlowTypesAreAllowed(t *testing.T) {
	limited := 0
	for _, d := range registry.Global.Defs(true) {
		for _, a := range d.Attrs {
			types, ok := kernel.TensorFlowTypes(d.Name, a.Name)
			if !ok {
				continue
			}
			limited++
			for _, dt := range types {
				if !dt.Valid() || len(a.AllowedTypes) > 0 && !slices.Contains(a.AllowedTypes, dt) {
					t.Errorf("%s: %s of %v", d.Name, a.Name, dt)
				}
			}
		}
	}
	if limited < 300 {
		t.Errorf("only %d attributes are limited", limited)
	}
}

// Where an operation has kernels, they take the types that TensorFlow's take,
// but for these.
func TestTypesEqualTensorFlow(t *testing.T) {
	want := map[string]string{
		// TensorFlow has no kernel of AccumulateNV2: it rewrites it.
		"AccumulateNV2": "map[T:[qint8 quint8 qint32 qint16 quint16]]",
		// Filters of qint8 are oneDNN's, which reads the ranges otherwise.
		"QuantizedConv2D": "map[Tfilter:[qint8]]",
		// Nor does Conv2D have kernels of these.
		"_FusedConv2D": "map[T:[int8 qint8]]",
	}
	// Quantized numbers have no products without the ranges that they stand for.
	for op, attr := range map[string]string{"XlaDot": "T", "XlaDotV2": "preferred_element_type", "XlaConv": "T", "XlaConvV2": "preferred_element_type"} {
		want[op] = "map[" + attr + ":[qint8 quint8 qint32 qint16 quint16]]"
	}
	got := map[string]string{}
	for _, d := range registry.Global.Defs(true) {
		if missing := kernel.Missing(d); len(missing) > 0 {
			got[d.Name] = fmt.Sprint(missing)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
