package tensor

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
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
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var text io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if text, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := json.NewDecoder(text).Decode(cases); err != nil {
		t.Fatal(err)
	}
}
