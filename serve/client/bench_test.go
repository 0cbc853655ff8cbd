package client

import (
	"fmt"
	"testing"

	"github.com/troupe-go/troupe/tensor"
)

// BenchmarkRun is a call over each protocol, with a server in the same process whose model
// returns its input: floats of 1 KB and of a picture of 600 KB.
func BenchmarkRun(b *testing.B) {
	at := serveTypes(b)
	for _, protocol := range []string{"v1", "v2", "grpc"} {
		m := open(b, at[protocol], Options{Signature: map[string]string{"v2": "float"}[protocol]})
		for _, n := range []int64{256, 224 * 224 * 3} {
			t, err := tensor.New(tensor.Float, n)
			if err != nil {
				b.Fatal(err)
			}
			in := map[string]*tensor.Tensor{"in_float": t}
			b.Run(fmt.Sprintf("%s/bytes=%d", protocol, 4*n), func(b *testing.B) {
				b.SetBytes(4 * n)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := m.Run(b.Context(), "float", in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
