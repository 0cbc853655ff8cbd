package bundle

import (
	"bytes"
	"io"

	"github.com/troupe-go/troupe/tensor"
)

// A Content says what a tensor that was saved whole holds, but for what one checksum
// cannot tell apart: it is comparable.
type Content struct {
	dtype tensor.DType
	shape string
	size  int64
	crc   uint32
}

// leastContent is how many bytes are worth a comparison.
const leastContent = 4096

// Content returns the entry's content; ok is false of parts, of what has pointers, and of
// what is small.
func (e *Entry) Content() (c Content, ok bool) {
	if e.Parts != nil || e.DType.HasPointers() || e.size < leastContent {
		return c, false
	}
	return Content{e.DType, tensor.FormatDims(e.Shape), e.size, e.crc}, true
}

// Holds reports whether an entry's bytes are those of v, which has the entry's type and
// shape. It reads as many as are equal.
func (r *Reader) Holds(mem Memory, e *Entry, v tensor.Value) (bool, error) {
	s, err := r.shard(e.shard)
	if err == nil {
		err = s.holds(e)
	}
	if err != nil {
		return false, err
	}
	want, err := v.Peek().Contents()
	if err != nil {
		return false, err
	}
	in := io.NewSectionReader(s.file, e.offset, e.size)
	buf := r.buffer()
	for len(want) > 0 {
		if err := mem.Err(); err != nil {
			return false, err
		}
		n := min(len(buf), len(want))
		if _, err := io.ReadFull(in, buf[:n]); err != nil {
			return false, readError(err)
		}
		if !bytes.Equal(buf[:n], want[:n]) {
			return false, nil
		}
		want = want[n:]
	}
	return true, nil
}
