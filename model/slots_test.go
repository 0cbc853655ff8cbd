package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/wire"
)

// What an optimizer keeps for variables is found by the variable and the name, whatever
// numbers the objects have in the model and in the checkpoint.
func TestSlotsOfObjects(t *testing.T) {
	number := func(b []byte, field protowire.Number, n int) []byte {
		return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(n))
	}
	child := func(name string, to int) []byte {
		return wire.AppendField(nil, 1, wire.AppendField(number(nil, 1, to), 2, name))
	}
	slot := func(variable int, name string, value int) []byte {
		return wire.AppendField(nil, 3, number(wire.AppendField(number(nil, 1, variable), 2, name), 3, value))
	}
	value := func(key string) []byte {
		return wire.AppendField(nil, 2, wire.AppendField(wire.AppendField(nil, 1, attribute), 3, key))
	}
	graph := func(trackable bool, objects ...[][]byte) *objectGraph {
		var b []byte
		for _, parts := range objects {
			var o []byte
			for _, p := range parts {
				o = append(o, p...)
			}
			b = wire.AppendField(b, 1, o)
		}
		g, err := parseObjects(b, trackable)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	type object = [][]byte
	model := graph(false,
		object{child("layer", 1), child("optimizer", 2)},
		object{child("kernel", 3), child("bias", 4)},
		object{slot(4, "momentum", 5), slot(3, "momentum", 6), slot(3, "other", 7), slot(9, "lost", 3)},
		object{}, object{}, object{}, object{}, object{},
	)
	checkpoint := graph(true,
		object{child("optimizer", 7), child("layer", 1)},
		object{child("bias", 2), child("kernel", 3)},
		object{value("bias")}, object{value("kernel")},
		object{value("kernel's momentum")}, object{value("bias's momentum")}, object{value("no one's")},
		object{slot(3, "momentum", 4), slot(2, "momentum", 5), slot(2, "other", 6)},
	)
	want := map[int]string{3: "kernel", 4: "bias", 5: "bias's momentum", 6: "kernel's momentum"}
	if diff := cmp.Diff(want, model.keys(checkpoint)); diff != "" {
		t.Error(diff)
	}
}
