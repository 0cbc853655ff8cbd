package logging_test

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel/kerneltest"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// The file that a writer makes holds the events that TensorFlow's holds, but for
// their times.
func TestSummaryWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "logs")
	var r kerneltest.Runner
	run := func(op string, in ...*tensor.Tensor) []*tensor.Tensor {
		t.Helper()
		out, err := r.Run("w", op, nil, in...)
		if err != nil {
			t.Fatalf("%s: %v", op, err)
		}
		return out
	}
	vector := func(v any) *tensor.Tensor {
		x, err := tensor.NewTensor(v)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	w := run("SummaryWriter")[0]
	step := tensor.FromScalar[int64]
	scalar := func() error {
		_, err := r.Run("s", "WriteScalarSummary", nil, w, step(3), tensor.FromScalar("a"), tensor.FromScalar(int32(7)))
		return err
	}
	if err := scalar(); status.CodeOf(err) != status.NotFound {
		t.Errorf("before it was created: %v", err)
	}
	for range 2 { // the second time it is there
		run("CreateSummaryFileWriter", w, tensor.FromScalar(dir), tensor.FromScalar(int32(10)), tensor.FromScalar(int32(100000)), tensor.FromScalar(".x"))
	}
	if err := scalar(); err != nil {
		t.Fatal(err)
	}
	run("WriteSummary", w, step(4), vector([]float32{1, 2}), tensor.FromScalar("b"), tensor.FromScalar(""))
	run("WriteHistogramSummary", w, step(5), tensor.FromScalar("h"), vector([]bool{true, false, true}))
	run("WriteRawProtoSummary", w, step(6), vector([]string{"\x0a\x02\x0a\x00", "\x0a\x02\x0a\x00"}))
	run("ImportEvent", w, tensor.FromScalar("\x10\x09"))
	run("WriteGraphSummary", w, step(1), tensor.FromScalar(""))
	for op, in := range map[string][]*tensor.Tensor{
		"ImportEvent":          {w, tensor.FromScalar("\x10")},
		"WriteRawProtoSummary": {w, step(1), tensor.FromScalar("\x0a\xff")},
		"WriteGraphSummary":    {w, step(1), vector([]string{""})},
	} {
		if _, err := r.Run("s", op, nil, in...); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("%s: %v", op, err)
		}
	}
	run("FlushSummaryWriter", w)
	run("CloseSummaryWriter", w)
	if err := scalar(); status.CodeOf(err) != status.NotFound {
		t.Errorf("after it was closed: %v", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 || !strings.HasPrefix(files[0].Name(), "events.out.tfevents.") || !strings.HasSuffix(files[0].Name(), ".x") {
		t.Fatalf("%v, %v", files, err)
	}
	b, err := os.ReadFile(filepath.Join(dir, files[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	var events []string
	for len(b) > 0 {
		n := int(binary.LittleEndian.Uint64(b))
		body := b[12 : 12+n]
		if binary.LittleEndian.Uint32(b[8:]) != wire.MaskedSum(b[:8]) || binary.LittleEndian.Uint32(b[12+n:]) != wire.MaskedSum(body) {
			t.Fatal("a sum is wrong")
		}
		if body[0] == 9 { // its time
			body = body[9:]
		}
		events = append(events, hex.EncodeToString(body))
		b = b[16+n:]
	}
	want := []string{
		"1a0d627261696e2e4576656e743a32", // of which TensorFlow also tells the program
		"10032a0a0a080a0161150000e040",
		"10042a190a170a01624212080112041202080222080000803f00000040",
		"10052a7f0a7d0a01682a7811000000000000f03f1900000000000008402100000000000000402900000000000000403228000000000000000011ea2d819997713d08996919155aed3f2b14facdbe24f03fffffffffffffef7f3a280000000000000000000000000000f03f000000000000000000000000000000400000000000000000",
		"10062a080a020a000a020a00",
		"1009",
		"10012200",
	}
	if !slices.Equal(events, want) {
		t.Errorf("got\n%s, want\n%s", strings.Join(events, "\n"), strings.Join(want, "\n"))
	}
}
