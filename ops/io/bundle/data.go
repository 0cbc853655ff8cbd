package bundle

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// Memory is where tensors are read into. A kernel's context is one.
type Memory interface {
	// Alloc makes a tensor of undefined elements.
	Alloc(dt tensor.DType, dims []int64) (tensor.Value, error)
	// Free gives back what Alloc made and nobody else has seen.
	Free(v tensor.Value)
	// Err is the reason to stop reading, nil while there is none.
	Err() error
}

// Heap is the garbage collector's memory, without a limit.
var Heap Memory = heap{}

type heap struct{}

func (heap) Alloc(dt tensor.DType, dims []int64) (tensor.Value, error) {
	t, err := tensor.New(dt, dims...)
	if err != nil {
		return tensor.Value{}, err
	}
	return tensor.ValueOf(t), nil
}

func (heap) Free(tensor.Value) {}
func (heap) Err() error        { return nil }

// A shard is an open data file.
type shard struct {
	file    *os.File
	size    int64
	mapping *files.Mapping // nil: it was not mapped yet
}

func openShard(fs *files.Policy, name string) (*shard, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, status.FromFile(err)
	}
	return &shard{file: f, size: info.Size()}, nil
}

// holds reports whether the file has the entry's bytes.
func (s *shard) holds(e *Entry) error {
	if e.size > s.size || e.offset > s.size-e.size {
		return status.Errorf(status.OutOfRange, "Read less bytes than requested: %d bytes at %d in %s, which has %d", e.size, e.offset, s.file.Name(), s.size)
	}
	return nil
}

// read reads a tensor that was saved whole, or a part as a tensor of its own.
func (s *shard) read(mem Memory, e *Entry) (tensor.Value, error) {
	if err := s.holds(e); err != nil {
		return tensor.Value{}, err
	}
	if e.DType == tensor.Variant {
		return tensor.Value{}, status.Errorf(status.Unimplemented, "tensors of variants in checkpoints are not implemented")
	}
	v, err := mem.Alloc(e.DType, e.Shape)
	if err != nil {
		return v, err
	}
	r := &summed{r: io.NewSectionReader(s.file, e.offset, e.size), stop: mem.Err}
	if e.DType == tensor.String {
		r.sum, err = readStrings(r, tensor.Of[string](&v), e.size)
	} else {
		err = v.ReadContents(r)
	}
	if err == nil {
		err = s.matches(e, r.sum)
	}
	if err != nil {
		mem.Free(v)
		return tensor.Value{}, readError(err)
	}
	return v, nil
}

func readError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return corrupt("a data file ends within a tensor")
	}
	return status.FromFile(err)
}

// leastMapped is how many bytes a tensor has that is mapped: less is read, as it would lie
// on pages with others that are read.
const leastMapped = 64 << 10

// maps reports whether an entry's elements can be mapped.
func (e *Entry) maps() bool {
	return files.CanMap && e.Parts == nil && e.size >= leastMapped && e.DType.AnyBits()
}

// mapped returns a tensor that was saved whole, or a part, in the file's memory. The
// checksum is that of what the file holds now; it is read by the way of a buffer, so that
// no page is mapped before it is used.
func (s *shard) mapped(mem Memory, e *Entry, maps *files.Maps, buf []byte) (tensor.Value, error) {
	if err := s.holds(e); err != nil {
		return tensor.Value{}, err
	}
	if s.mapping == nil {
		m, err := maps.Map(s.file)
		if err != nil {
			return tensor.Value{}, err
		}
		if int64(len(m.Bytes())) != s.size {
			return tensor.Value{}, corrupt("%s has changed while it was read", s.file.Name())
		}
		s.mapping = m
	}
	r := &summed{r: io.NewSectionReader(s.file, e.offset, e.size), stop: mem.Err}
	for left := e.size; left > 0; {
		n := min(left, int64(len(buf)))
		if _, err := io.ReadFull(r, buf[:n]); err != nil {
			return tensor.Value{}, readError(err)
		}
		left -= n
	}
	if err := s.matches(e, r.sum); err != nil {
		return tensor.Value{}, err
	}
	t, err := tensor.FromOutside(e.DType, s.mapping.Bytes()[e.offset:][:e.size:e.size], s.mapping, e.Shape...)
	if err != nil {
		return tensor.Value{}, err
	}
	return tensor.ValueOf(t), nil
}

// matches compares the checksum of an entry's bytes with the stored one.
func (s *shard) matches(e *Entry, sum uint32) error {
	if mask(sum) == e.crc {
		return nil
	}
	return corrupt("TensorBundle at %s (%d bytes): Checksum does not match: stored %08x vs. calculated on the restored bytes %08x",
		s.file.Name(), e.size, e.crc, mask(sum))
}

// readStep is how much is read between two looks at whether to stop.
const readStep = 4 << 20

// A summed reader keeps the CRC-32C of what was read.
type summed struct {
	r    io.Reader
	stop func() error
	sum  uint32
}

func (r *summed) Read(b []byte) (int, error) {
	if err := r.stop(); err != nil {
		return 0, err
	}
	n, err := r.r.Read(b[:min(len(b), readStep)])
	r.sum = crc32.Update(r.sum, castagnoli, b[:n])
	return n, err
}

// readStrings reads strings that take size bytes: their lengths as varints, a
// checksum, and their bytes. sum is over the lengths as numbers of 4 bytes (or 8
// if they do not fit), the checksum and the bytes.
func readStrings(r io.Reader, dst []string, size int64) (sum uint32, err error) {
	in := bufio.NewReader(r)
	left := size - 4
	lengths := make([]int, len(dst)) // size is at least as large
	var buf [binary.MaxVarintLen64]byte
	for i := range lengths {
		n, err := binary.ReadUvarint(in)
		if err != nil {
			return 0, err
		}
		if left -= int64(binary.PutUvarint(buf[:], n)); left < 0 || n > uint64(left) {
			return 0, corrupt("string %d of %d has a length of %d bytes, there are %d", i, len(dst), n, left)
		}
		lengths[i] = int(n)
		sum = crc32.Update(sum, castagnoli, appendLength(buf[:0], n))
	}
	var stored [4]byte
	if _, err := io.ReadFull(in, stored[:]); err != nil {
		return 0, err
	}
	if binary.LittleEndian.Uint32(stored[:]) != mask(sum) {
		return 0, corrupt("The length checksum does not match")
	}
	sum = crc32.Update(sum, castagnoli, stored[:])
	total := int64(0)
	for _, n := range lengths {
		if total += int64(n); total > left {
			break
		}
	}
	if total != left {
		return 0, corrupt("%d strings take %d bytes or more, there are %d", len(dst), total, left)
	}
	var text strings.Builder
	text.Grow(int(total))
	if _, err := io.CopyN(&text, in, total); err != nil {
		return 0, err
	}
	rest := text.String()
	// The strings share one piece of memory: they live and die together.
	for i, n := range lengths {
		dst[i], rest = rest[:n], rest[n:]
	}
	return updateText(sum, text.String()), nil
}

func appendLength(b []byte, n uint64) []byte {
	if n <= 1<<32-1 {
		return binary.LittleEndian.AppendUint32(b, uint32(n))
	}
	return binary.LittleEndian.AppendUint64(b, n)
}

// updateText continues a sum over a string, without a copy of all of it.
func updateText(sum uint32, s string) uint32 {
	var buf [4096]byte
	for len(s) > 0 {
		n := copy(buf[:], s)
		sum = crc32.Update(sum, castagnoli, buf[:n])
		s = s[n:]
	}
	return sum
}
