package tensor

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The golden file was recorded from NumPy.
func TestPrintsAsNumPy(t *testing.T) {
	var golden []struct {
		Dtype   string
		Shape   []int64
		Bytes   []byte
		Strings [][]byte
		Text    string
	}
	b, err := os.ReadFile("testdata/print.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	for _, g := range golden {
		dt, ok := ParseDType(g.Dtype)
		if !ok {
			t.Fatalf("no dtype %q", g.Dtype)
		}
		var x *Tensor
		if dt == String {
			x, err = New(String, g.Shape...)
			for i, s := range g.Strings {
				elems[string](x)[i] = string(s)
			}
		} else {
			x, err = ReadTensor(dt, g.Shape, bytes.NewReader(g.Bytes))
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g.Text, x.String()); diff != "" {
			t.Errorf("%s %v (-want +got):\n%s", g.Dtype, g.Shape, diff)
		}
	}
}
