package jpeg_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/troupe-go/troupe/ops/image/jpeg"
)

// Files of which bytes are changed are decoded or refused.
func TestDamagedFiles(t *testing.T) {
	file, err := os.Open("../testdata/jpegs.jsonl.gz")
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
	rng := rand.New(rand.NewPCG(22, 10))
	decoded := 0
	for lines.Scan() {
		var rec struct{ File []byte }
		if err := json.Unmarshal(lines.Bytes(), &rec); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			b := append([]byte(nil), rec.File...)
			for range 1 + rng.IntN(3) {
				b[2+rng.IntN(len(b)-2)] = byte(rng.IntN(256))
			}
			m, err := jpeg.Open(string(b), jpeg.Options{Fancy: rng.IntN(2) == 0, Ratio: 1 << rng.IntN(4), Recover: rng.IntN(2) == 0})
			if err != nil || m.Memory() > 8<<20 {
				continue
			}
			if _, err := m.Decode(func() error { return nil }, make([]byte, m.Height*m.Width*m.Channels)); err == nil {
				decoded++
			}
		}
	}
	if decoded == 0 {
		t.Error("no file was decoded")
	}
}
