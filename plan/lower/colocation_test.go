package lower_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/troupe-go/troupe/graph"
	"github.com/troupe-go/troupe/graph/prototext"
	"github.com/troupe-go/troupe/plan/lower"
)

// colocated calls f twice. In its body b shares a device with a, which comes later, and
// c with a and with a node that nothing needs.
const colocated = `
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "a" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "one" op: "f" input: "a" }
node { name: "two" op: "f" input: "one" }
library {
	function {
		signature { name: "f" input_arg { name: "v" type: DT_FLOAT } output_arg { name: "w" type: DT_FLOAT } }
		node_def { name: "unused" op: "Neg" input: "v" attr { key: "T" value { type: DT_FLOAT } } }
		node_def { name: "b" op: "Neg" input: "v" attr { key: "T" value { type: DT_FLOAT } }
			attr { key: "_class" value { list { s: "loc:@a" } } } }
		node_def { name: "a" op: "Neg" input: "b:y:0" attr { key: "T" value { type: DT_FLOAT } } }
		node_def { name: "c" op: "Neg" input: "a:y:0" attr { key: "T" value { type: DT_FLOAT } }
			attr { key: "_class" value { list { s: "loc:@a" s: "loc:@unused" s: "other" } } } }
		ret { key: "w" value: "c:y:0" }
	}
}`

// Every copy of a body has groups of its own, and the graph can be written and read.
func TestColocation(t *testing.T) {
	def, err := prototext.Parse([]byte(colocated))
	if err != nil {
		t.Fatal(err)
	}
	g := graph.New()
	if err := g.Import(def, ""); err != nil {
		t.Fatal(err)
	}
	calls := []*graph.Node{g.Operation("one"), g.Operation("two")}
	if err := lower.InPlace(context.Background(), g, calls, func(*graph.Node) bool { return false }); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"a":     nil,
		"one/b": {"loc:@one/b"}, "one/a": {"loc:@one/b"}, "one/c": {"loc:@one/b", "loc:@one/c", "other"},
		"two/b": {"loc:@two/b"}, "two/a": {"loc:@two/b"}, "two/c": {"loc:@two/b", "loc:@two/c", "other"},
	} {
		n := g.Operation(name)
		if n == nil {
			t.Fatalf("there is no node %s", name)
		}
		var got []string
		if v := n.Attrs().Find("_class"); v != nil {
			for _, e := range v.List {
				got = append(got, e.S)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s is in the groups %q, want %q", name, got, want)
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s is in the groups %q, want %q", name, got, want)
			}
		}
	}
	var b bytes.Buffer
	if _, err := g.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if err := graph.New().Import(b.Bytes(), ""); err != nil {
		t.Errorf("the graph that was written: %v", err)
	}
}
