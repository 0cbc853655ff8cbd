package model

import (
	"os"
	"testing"
)

// Whatever graphs of objects hold, walking them side by side ends.
func FuzzObjects(f *testing.F) {
	b, err := os.ReadFile("testdata/trackable/objects/saved_model.pb")
	if err != nil {
		f.Fatal(err)
	}
	m, err := findMetaGraph(b, []string{"serve"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(m.objects, m.objects)
	f.Fuzz(func(t *testing.T, a, b []byte) {
		saved, err := parseObjects(a, false)
		if err != nil {
			return
		}
		checkpoint, err := parseObjects(b, true)
		if err != nil {
			return
		}
		if keys := saved.keys(checkpoint); len(keys) > len(saved.objects) {
			t.Error("more keys than objects")
		}
	})
}
