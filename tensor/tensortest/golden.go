// Package tensortest makes tensors for tests.
package tensortest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

// A Golden tensor, as the scripts in testdata record it.
type Golden struct {
	Dtype   string
	Shape   []int64
	Bytes   []byte // little-endian elements
	Strings [][]byte
}

// Tensor returns the tensor.
func (g Golden) Tensor(t *testing.T) *tensor.Tensor {
	t.Helper()
	dt, ok := tensor.ParseDType(g.Dtype)
	if !ok {
		t.Fatalf("no dtype %q", g.Dtype)
	}
	if dt != tensor.String {
		x, err := tensor.ReadTensor(dt, g.Shape, bytes.NewReader(g.Bytes))
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	var data []string
	for _, s := range g.Strings {
		data = append(data, string(s))
	}
	x, err := tensor.FromSlice(data, g.Shape...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// ReadGolden reads testdata/name into cases.
func ReadGolden(t testing.TB, name string, cases any) {
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
