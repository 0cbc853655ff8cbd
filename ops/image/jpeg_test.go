package image_test

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Files that testdata/jpeg.py recorded, byte by byte.
func TestJpegAgainstTensorFlow(t *testing.T) {
	kerneltest.Recorded(t, "testdata/jpeg.jsonl.gz", tensor.Tolerance{})
}

func TestHostileJpeg(t *testing.T) { kerneltest.Hostile(t, "testdata/jpeg.jsonl.gz") }

// Images of random files, whole and cut, which testdata/jpegs.py recorded, byte by byte.
func TestDecodedJpegs(t *testing.T) {
	file, err := os.Open("testdata/jpegs.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<22)
	for n := 1; lines.Scan(); n++ {
		var rec struct {
			File []byte
			Asks []struct {
				Op     string
				Attrs  map[string]any
				Window []int32
				Shape  []int64
				Hash   string
				Code   int
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &rec); err != nil {
			t.Fatal(err)
		}
		for _, ask := range rec.Asks {
			in := []*tensor.Tensor{tensor.FromScalar(string(rec.File))}
			if ask.Window != nil {
				w, err := tensor.FromSlice(ask.Window, 4)
				if err != nil {
					t.Fatal(err)
				}
				in = append(in, w)
			}
			out, err := kerneltest.Run(ask.Op, attrsOf(ask.Attrs), in...)
			switch {
			case ask.Code != 0:
				if status.CodeOf(err) != status.Code(ask.Code) {
					t.Errorf("line %d: %s%v: %v, want code %d", n, ask.Op, ask.Attrs, err, ask.Code)
				}
			case err != nil:
				t.Errorf("line %d: %s%v%v: %v, want shape %v", n, ask.Op, ask.Attrs, ask.Window, err, ask.Shape)
			default:
				v := tensor.ValueOf(out[0])
				sum := sha256.Sum256(tensor.Bytes(&v))
				if got := hex.EncodeToString(sum[:])[:16]; !slices.Equal(v.Dims(), ask.Shape) || got != ask.Hash {
					t.Errorf("line %d: %s%v%v gives %s of shape %v, want %s of %v; file %.60s", n, ask.Op, ask.Attrs, ask.Window, got, v.Dims(), ask.Hash, ask.Shape, base64.StdEncoding.EncodeToString(rec.File))
				}
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func attrsOf(m map[string]any) (attrs registry.Attrs) {
	for name, x := range m {
		var v registry.AttrValue
		switch x := x.(type) {
		case bool:
			v = registry.BoolAttr(x)
		case string:
			v = registry.StringAttr(x)
		case float64:
			switch name {
			case "dtype":
				v = registry.TypeAttr(tensor.DType(x))
			case "acceptable_fraction":
				v = registry.FloatAttr(float32(x))
			default:
				v = registry.IntAttr(int64(x))
			}
		}
		attrs = attrs.With(name, v)
	}
	return attrs
}
