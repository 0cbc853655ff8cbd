package parsing_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func TestDecompress(t *testing.T) {
	long := strings.Repeat("troupe ", 1<<18)
	for kind, pack := range map[string]func(io.Writer) io.WriteCloser{
		"GZIP": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"ZLIB": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
	} {
		packed := func(s string) string {
			var b bytes.Buffer
			w := pack(&b)
			if _, err := io.WriteString(w, s); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			return b.String()
		}
		in, err := tensor.NewTensor([]string{packed("a"), packed(""), packed(long)})
		if err != nil {
			t.Fatal(err)
		}
		attrs := registry.Attrs{{Name: "compression_type", Value: registry.StringAttr(kind)}}
		out, err := kerneltest.Run("DecodeCompressed", attrs, in)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := out[0].Value().([]string)
		if len(got) != 3 || got[0] != "a" || got[1] != "" || got[2] != long {
			t.Errorf("%s: %d strings", kind, len(got))
		}
		limited := kerneltest.Runner{Limit: 1 << 16}
		if _, err := limited.Run("op", "DecodeCompressed", attrs, in); status.CodeOf(err) != status.ResourceExhausted {
			t.Errorf("%s: more than there is room for: %v", kind, err)
		}
		for _, bad := range []string{"", "abc", packed("abc")[:12]} {
			if _, err := kerneltest.Run("DecodeCompressed", attrs, tensor.FromScalar(bad)); status.CodeOf(err) != status.DataLoss {
				t.Errorf("%s: %q: %v", kind, bad, err)
			}
		}
	}
}
