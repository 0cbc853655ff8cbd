package tensor

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// A golden tensor, as the scripts in testdata record it.
type golden struct {
	Dtype   string
	Shape   []int64
	Bytes   []byte // little-endian elements
	Strings [][]byte
}

func (g golden) tensor(t *testing.T) *Tensor {
	t.Helper()
	dt, ok := ParseDType(g.Dtype)
	if !ok {
		t.Fatalf("no dtype %q", g.Dtype)
	}
	if dt != String {
		x, err := ReadTensor(dt, g.Shape, bytes.NewReader(g.Bytes))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	var data []string
	for _, s := range g.Strings {
		data = append(data, string(s))
	}
	x, err := FromSlice(data, g.Shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// readGolden reads testdata/name into cases.
func readGolden(t testing.TB, name string, cases any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, cases); err != nil {
		t.Fatal(err)
	}
}
