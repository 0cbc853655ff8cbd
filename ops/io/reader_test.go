package io_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/kernel/kerneltest"
	_ "github.com/troupe-go/troupe/ops/data"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A library is a reader with a queue of the names of files.
type library struct {
	t             *testing.T
	runner        kerneltest.Runner
	queue, reader *tensor.Tensor
}

func newLibrary(t *testing.T, op, attrs string, names ...string) *library {
	l := &library{t: t}
	l.queue = l.run("FIFOQueueV2", "component_types=[DT_STRING], shapes=[[]]")[0]
	if len(names) > 0 {
		files, err := tensor.FromSlice(names, int64(len(names)))
		if err != nil {
			t.Fatal(err)
		}
		l.run("QueueEnqueueManyV2", "", l.queue, files)
	}
	l.reader = l.run(op, attrs)[0]
	return l
}

func (l *library) attrs(op, text string) registry.Attrs {
	l.t.Helper()
	def, err := registry.Global.Lookup(op)
	if err != nil {
		l.t.Fatal(err)
	}
	var attrs registry.Attrs
	for part := range strings.SplitSeq(text, ", ") {
		if name, value, ok := strings.Cut(part, "="); ok {
			v, err := registry.ParseAttr(def.Attr(name).Kind, value)
			if err != nil {
				l.t.Fatal(err)
			}
			attrs = append(attrs, registry.NamedAttr{Name: name, Value: v})
		}
	}
	return attrs
}

func (l *library) run(op, attrs string, in ...*tensor.Tensor) []*tensor.Tensor {
	l.t.Helper()
	out, err := l.runner.Run(op, op, l.attrs(op, attrs), in...)
	if err != nil {
		l.t.Fatal(err)
	}
	return out
}

// read returns all records, in words, and then the code of the error.
func (l *library) read(upTo int64) string {
	l.run("QueueCloseV2", "", l.queue)
	var all []string
	for {
		op, in := "ReaderReadV2", []*tensor.Tensor{l.reader, l.queue}
		if upTo > 0 {
			op, in = "ReaderReadUpToV2", append(in, tensor.FromScalar(upTo))
		}
		out, err := l.runner.Run("read", op, nil, in...)
		if err != nil {
			produced := l.run("ReaderNumRecordsProducedV2", "", l.reader)[0].Value()
			finished := l.run("ReaderNumWorkUnitsCompletedV2", "", l.reader)[0].Value()
			return fmt.Sprintf("%s %v %v %v", strings.Join(all, " "), status.CodeOf(err), produced, finished)
		}
		all = append(all, fmt.Sprintf("%q=%q", out[0].Value(), out[1].Value()))
	}
}

// What the readers give is what TensorFlow's give.
func TestReaders(t *testing.T) {
	t.Chdir(t.TempDir())
	records, _ := hex.DecodeString("0500000000000000eab2043e666972737455ff23e5000000000000000029039807d8ea82a20500000000000000eab2043e74686972648cfd1075")
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write([]byte("HHaaabbbcccdFF"))
	z.Close()
	bad := bytes.Clone(records)
	bad[13] = 'X'
	long := bytes.Clone(records)
	long[5] = 0xff // a length beyond everything
	for name, b := range map[string][]byte{
		"a.txt": []byte("head\none\r\ntw\ro\n\nlast"), "b.txt": nil, "f.bin": []byte("HHaaabbbcccdFF"), "z.bin": packed.Bytes(),
		"r.rec": records, "cut.rec": records[:len(records)-3], "bad.rec": bad, "long.rec": long,
	} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	lines := `"a.txt:1"="head" "a.txt:2"="one" "a.txt:3"="tw\ro" "a.txt:4"="" "a.txt:5"="last"`
	for _, c := range []struct {
		op, attrs string
		upTo      int64
		files     string
		want      string
	}{
		{"IdentityReaderV2", "", 0, "a b", `"a"="a" "b"="b" OUT_OF_RANGE 2 2`},
		{"WholeFileReaderV2", "", 0, "b.txt a.txt none", `"b.txt"="" "a.txt"="head\none\r\ntw\ro\n\nlast" NOT_FOUND 2 2`},
		{"TextLineReaderV2", "", 0, "a.txt b.txt a.txt", lines + " " + lines + " OUT_OF_RANGE 10 3"},
		{"TextLineReaderV2", "skip_header_lines=2", 0, "a.txt", `"a.txt:3"="tw\ro" "a.txt:4"="" "a.txt:5"="last" OUT_OF_RANGE 3 1`},
		{"TextLineReaderV2", "skip_header_lines=9", 0, "a.txt", ` OUT_OF_RANGE 0 1`},
		{"TextLineReaderV2", "", 3, "b.txt a.txt", `["a.txt:1" "a.txt:2" "a.txt:3"]=["head" "one" "tw\ro"] ["a.txt:4" "a.txt:5"]=["" "last"] OUT_OF_RANGE 5 2`},
		{"FixedLengthRecordReaderV2", "header_bytes=2, record_bytes=3, footer_bytes=2", 0, "f.bin", `"f.bin:0"="aaa" "f.bin:1"="bbb" "f.bin:2"="ccc" OUT_OF_RANGE 3 1`},
		{"FixedLengthRecordReaderV2", "header_bytes=2, record_bytes=3, hop_bytes=4", 0, "f.bin", `"f.bin:0"="aaa" "f.bin:1"="bbc" "f.bin:2"="cdF" OUT_OF_RANGE 3 1`},
		{"FixedLengthRecordReaderV2", "record_bytes=3, hop_bytes=2", 0, "f.bin", `"f.bin:0"="HHa" "f.bin:1"="aaa" "f.bin:2"="abb" "f.bin:3"="bbc" "f.bin:4"="ccc" "f.bin:5"="cdF" OUT_OF_RANGE 6 1`},
		{"FixedLengthRecordReaderV2", "header_bytes=2, record_bytes=3, footer_bytes=2, encoding='ZLIB'", 0, "z.bin", `"z.bin:0"="aaa" "z.bin:1"="bbb" "z.bin:2"="ccc" OUT_OF_RANGE 3 1`},
		{"FixedLengthRecordReaderV2", "header_bytes=2, record_bytes=3, hop_bytes=4, encoding='ZLIB'", 0, "z.bin", `"z.bin:0"="aaa" "z.bin:1"="bbc" "z.bin:2"="cdF" OUT_OF_RANGE 3 1`},
		{"TFRecordReaderV2", "", 0, "r.rec", `"r.rec:0"="first" "r.rec:21"="" "r.rec:37"="third" OUT_OF_RANGE 3 1`},
		{"TFRecordReaderV2", "", 2, "r.rec r.rec", `["r.rec:0" "r.rec:21"]=["first" ""] ["r.rec:37"]=["third"] ["r.rec:0" "r.rec:21"]=["first" ""] ["r.rec:37"]=["third"] OUT_OF_RANGE 6 2`},
		{"TFRecordReaderV2", "", 0, "cut.rec", `"cut.rec:0"="first" "cut.rec:21"="" DATA_LOSS 2 0`},
		{"TFRecordReaderV2", "", 0, "bad.rec", ` DATA_LOSS 0 0`},
		{"TFRecordReaderV2", "", 0, "long.rec", ` DATA_LOSS 0 0`},
	} {
		l := newLibrary(t, c.op, c.attrs, strings.Fields(c.files)...)
		if got := l.read(c.upTo); got != c.want {
			t.Errorf("%s[%s](%s):\n%s, want\n%s", c.op, c.attrs, c.files, got, c.want)
		}
	}
}

// The state of a reader can be kept and set; one that has begun with an item
// cannot be set.
func TestReaderState(t *testing.T) {
	l := newLibrary(t, "IdentityReaderV2", "", "a", "b")
	l.read(0)
	state := l.run("ReaderSerializeStateV2", "", l.reader)[0]
	if got := state.Value(); got != "\x08\x02\x10\x02\x18\x02" {
		t.Errorf("the state is %q", got)
	}
	l.run("ReaderResetV2", "", l.reader)
	if got := l.run("ReaderSerializeStateV2", "", l.reader)[0].Value(); got != "" {
		t.Errorf("after a reset the state is %q", got)
	}
	l.run("ReaderRestoreStateV2", "", l.reader, state)
	if got := l.run("ReaderNumRecordsProducedV2", "", l.reader)[0].Value(); got != int64(2) {
		t.Errorf("%v records after the state was restored", got)
	}
	for _, bad := range []string{"\x08\x02\x10\x01", "\x08", "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if _, err := l.runner.Run("r", "ReaderRestoreStateV2", nil, l.reader, tensor.FromScalar(bad)); status.CodeOf(err) != status.InvalidArgument {
			t.Errorf("restored %q: %v", bad, err)
		}
	}
}

// Who reads waits for an item, others wait for the reader, and both give up with
// their contexts.
func TestReaderWaits(t *testing.T) {
	l := newLibrary(t, "IdentityReaderV2", "")
	start := func() (out []tensor.Value, done chan error, cancel func()) {
		k, _, err := kerneltest.New("read", "ReaderReadV2", nil, tensor.Resource, tensor.Resource)
		if err != nil {
			t.Fatal(err)
		}
		ctx := l.runner.Context()
		c, cancel := context.WithCancel(context.Background())
		ctx.Step.Context = c
		out, done = make([]tensor.Value, 2), make(chan error, 1)
		k.(kernel.Async).Start(ctx, []tensor.Value{tensor.ValueOf(l.reader), tensor.ValueOf(l.queue)}, out, func(err error) { done <- err })
		return out, done, cancel
	}
	_, first, giveUp := start()
	out, second, cancel := start()
	defer cancel()
	_, third, giveUpToo := start()
	giveUpToo()
	if err := <-third; !errors.Is(err, context.Canceled) {
		t.Errorf("in line: %v", err)
	}
	giveUp()
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Errorf("at the queue: %v", err)
	}
	item, _ := tensor.FromSlice([]string{"x"}, 1)
	l.run("QueueEnqueueManyV2", "", l.queue, item)
	if err := <-second; err != nil || tensor.At0[string](&out[1]) != "x" {
		t.Errorf("read %v, %v", out, err)
	}
}
