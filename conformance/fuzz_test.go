package conformance

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

func FuzzScript(f *testing.F) {
	cases, err := Load("testdata/control.zip")
	if err != nil {
		f.Fatal(err)
	}
	files, _, err := open("testdata/control.zip")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range cases[:20] {
		data, err := fs.ReadFile(files, strings.TrimPrefix(c.Name, "control/")+"/case.json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"steps": [{"fetches": ["y:0"], "error": {"code": "INTERNAL", "contains": ""}}]}`))
	f.Add([]byte(`{"import": {"graph": "graph.pb"}, "steps": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := readScript(fstest.MapFS{"case.json": {Data: data}})
		if err != nil {
			return
		}
		// What has been accepted can be judged.
		for i := range s.Steps {
			s.Judge(i, Outcome{})
		}
	})
}

func FuzzShapes(f *testing.F) {
	f.Add([]byte(`[{"op": "Abs", "attrs": {"T": "DT_FLOAT"}, "inputs": [{"dtype": "DT_FLOAT", "shape": [2, -1]}], "outputs": [[2, -1]]}]`))
	f.Add([]byte(`[{"op": "Fill", "attrs": {}, "inputs": [{"dtype": "DT_INT32", "shape": [2], "value": [1, 2]}], "error": "x"}]`))
	f.Add([]byte(`[{"op": "Placeholder", "attrs": {"dtype": "DT_INT8", "shape": {"shape": null}}, "inputs": [], "outputs": [null]}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		cases, err := loadShapes(fstest.MapFS{"shapes.json": {Data: data}}, "shapes")
		if err != nil {
			return
		}
		for _, c := range cases[:min(len(cases), 10)] {
			r := c.Run(t.Context(), Config{})
			if strings.Contains(r.Detail, "panic") {
				t.Error(r.Detail)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		}
	})
}
