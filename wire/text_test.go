package wire_test

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	"github.com/troupe-go/troupe/wire"
)

func TestTextNestedDeep(t *testing.T) {
	unknown := func(n int) string {
		return "meta_graphs{object_graph_def{" + strings.Repeat("a{", n) + strings.Repeat("}", n) + "}}"
	}
	for _, c := range []struct {
		name, text string
		ok         bool
	}{
		{"shallow", unknown(10), true},
		{"as deep as may be", unknown(wire.MaxTextNesting - 2), true},
		{"too deep", unknown(wire.MaxTextNesting - 1), false},
		{"a million, never closed", "meta_graphs{" + strings.Repeat("a{", 1e6), false},
		{"angles", "meta_graphs<" + strings.Repeat("a<", 1e6), false},
		{"lists", "meta_graphs{a:" + strings.Repeat("[", 1e6), false},
		{"closed again and again", strings.Repeat("meta_graphs{a{}}", 20_000), true},
		{"in a string", `meta_graphs{a: "` + strings.Repeat("{", 20_000) + `" b: 'x\'` + strings.Repeat("<", 20_000) + `'}`, true},
		{"in a comment", "# " + strings.Repeat("{", 20_000) + "\nmeta_graphs{}", true},
		{"brackets that hide behind quotes", "# '\nmeta_graphs{" + strings.Repeat("a{", 1e6), false},
		{"known messages", "meta_graphs{graph_def{node{attr{value{func{" + strings.Repeat("attr{value{func{", 1e6), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var m wire.SavedModel
			err := wire.UnmarshalText(prototext.UnmarshalOptions{DiscardUnknown: true}, []byte(c.text), &m)
			if (err == nil) != c.ok {
				t.Error(err)
			}
		})
	}
}
