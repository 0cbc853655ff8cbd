package bundle

import (
	"bytes"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/troupe-go/troupe/wire"
)

// An index is read without trust: what is there is found, and nothing else.
func FuzzIndex(f *testing.F) {
	for _, name := range []string{"types", "parts", "many"} {
		b, err := os.ReadFile(IndexName("testdata/" + name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = bytes.Clone(b) // which is the fuzzer's
		reseal(b)
		table, shards, err := parseIndex(b)
		if err != nil {
			return
		}
		_ = table.each(func(key, value []byte) error {
			_, _ = parseEntry(value, shards)
			_, _, err := table.lookup(bytes.Clone(key))
			return err
		})
	})
}

// reseal gives what may be the blocks of a table the right checksums, so that
// the fuzzer gets past them.
func reseal(b []byte) {
	if len(b) < footerSize {
		return
	}
	t := &table{file: b, blocks: map[handle]block{}}
	seal := func(h handle) bool {
		n := uint64(len(b))
		if h.at > n || h.size > n-h.at || n-h.at-h.size < trailerSize {
			return false
		}
		sum := checksum(b[h.at:][:h.size+1])
		copy(b[h.at+h.size+1:], []byte{byte(sum), byte(sum >> 8), byte(sum >> 16), byte(sum >> 24)})
		return true
	}
	_, rest, err := parseHandle(b[len(b)-footerSize:])
	if err != nil {
		return
	}
	h, _, err := parseHandle(rest)
	if err != nil || !seal(h) {
		return
	}
	index, err := t.block(h)
	if err != nil {
		return
	}
	c := cursor{block: index}
	for ok, err := c.next(); ok && err == nil; ok, err = c.next() {
		if h, _, err := parseHandle(c.value); err == nil {
			seal(h)
		}
	}
}

// An entry that is taken speaks of something that can be there.
func FuzzEntry(f *testing.F) {
	for _, p := range []*wire.BundleEntryProto{
		{Dtype: wire.DataType_DT_FLOAT, Shape: &wire.TensorShapeProto{Dim: []*wire.TensorShapeProto_Dim{{Size: 2}, {Size: 3}}}, Size: 24},
		{Dtype: wire.DataType_DT_STRING, Shape: &wire.TensorShapeProto{}, Size: 9, Offset: 7},
		{Dtype: wire.DataType_DT_INT64, Shape: &wire.TensorShapeProto{Dim: []*wire.TensorShapeProto_Dim{{Size: 6}}},
			Slices: []*wire.TensorSliceProto{sliceProto(Slice{{0, 2}}), sliceProto(Slice{{2, Whole}})}},
	} {
		b, err := proto.Marshal(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := parseEntry(b, 3)
		if err != nil {
			return
		}
		again, err := proto.Marshal(e.proto())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseEntry(again, 3); err != nil {
			t.Errorf("%+v is written such that it is not read: %v", e, err)
		}
		for _, s := range e.Parts {
			if _, err := s.Dims(e.Shape); err != nil {
				t.Error(err)
			}
		}
	})
}

// A slice's text is what it was read from, or means the same.
func FuzzSpec(f *testing.F) {
	for _, s := range []string{"4 5 0,2:-", "3 1,2", "0 -", "3 x,2", "9223372036854775807 0,1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shape, s, err := ParseSpec(text)
		if err != nil {
			return
		}
		if _, err := s.Dims(shape); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
