package outline_test

import (
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/graph/outline"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/wire"
)

// An outline of a recorded graph says what its messages say.
func TestReadGraphDef(t *testing.T) {
	b, err := os.ReadFile("../../benchmarks/graphs/while_counter_p10.pb")
	if err != nil {
		t.Fatal(err)
	}
	var def wire.GraphDef
	if err := proto.Unmarshal(b, &def); err != nil {
		t.Fatal(err)
	}
	o, err := outline.ReadGraphDef(b)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Nodes) != len(def.GetNode()) || len(o.Nodes) == 0 {
		t.Fatalf("%d nodes of %d", len(o.Nodes), len(def.GetNode()))
	}
	bytes := 0
	for i, want := range def.GetNode() {
		n := &o.Nodes[i]
		var inputs []string
		for _, in := range o.Inputs[n.Input : n.Input+n.NumInputs] {
			inputs = append(inputs, o.Text(in.Text))
		}
		if o.Text(n.Name) != want.GetName() || o.Text(n.Op) != want.GetOp() || o.Text(n.Device) != want.GetDevice() ||
			strings.Join(inputs, " ") != strings.Join(want.GetInput(), " ") {
			t.Errorf("node %d is %s = %s(%v) on %s, want %v", i, o.Text(n.Name), o.Text(n.Op), inputs, o.Text(n.Device), want)
		}
		entries, err := o.Entries(n)
		if err != nil {
			t.Fatal(err)
		}
		attrs, err := o.Decode(new(registry.AttrDecoder), entries)
		if err != nil || len(attrs) != len(want.GetAttr()) {
			t.Errorf("node %s has %d attributes, want %d, %v", want.GetName(), len(attrs), len(want.GetAttr()), err)
		}
		bytes += len(want.GetName())
	}
	if o.NameBytes != bytes {
		t.Errorf("names have %d bytes, want %d", o.NameBytes, bytes)
	}
}
