package bundle

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// A Writer writes a checkpoint with one data file. Nothing has the checkpoint's
// names before [Writer.Finish], so that what was there before stays whole until
// then. It is not for concurrent use.
type Writer struct {
	fs      *files.Policy
	prefix  string
	file    *os.File
	out     *bufio.Writer
	at      int64
	entries map[string]*Entry // by key
}

// Create begins a checkpoint, whose files fs must let be written. It makes the directory if that alone is missing.
func Create(fs *files.Policy, prefix string) (*Writer, error) {
	if err := makeDir(fs, prefix); err != nil {
		return nil, err
	}
	f, err := createBeside(fs, DataName(prefix, 0, 1))
	if err != nil {
		return nil, err
	}
	return &Writer{fs: fs, prefix: prefix, file: f, out: bufio.NewWriterSize(f, 256<<10), entries: map[string]*Entry{}}, nil
}

// makeDir makes the directory that a prefix is in.
func makeDir(fs *files.Policy, prefix string) error {
	dir := filepath.Dir(prefix)
	if err := fs.Mkdir(dir); err != nil && status.CodeOf(err) != status.AlreadyExists {
		return err
	}
	return nil
}

// createBeside makes a file of a name that begins with the given one.
func createBeside(fs *files.Policy, name string) (*os.File, error) {
	return fs.CreateNew(fmt.Sprintf("%s.tempstate%d", name, rand.Uint64()))
}

// Add adds a tensor under a name that must be new and not empty.
func (w *Writer) Add(name string, v tensor.Value) error {
	if name == "" {
		return status.Invalid("a tensor in a checkpoint needs a name")
	}
	return w.add(name, v)
}

// AddSlice adds v as the slice s of a tensor of the given shape. Slices of one
// tensor must not overlap.
func (w *Writer) AddSlice(name string, shape []int64, s Slice, v tensor.Value) error {
	dims, err := s.Dims(shape)
	if err != nil {
		return err
	}
	if !slices.Equal(dims, v.Dims()) {
		return status.Invalid("the slice %v of a tensor of shape %s is not of shape %s", s, tensor.FormatDims(shape), tensor.FormatDims(v.Dims()))
	}
	if s.full(shape) {
		return w.Add(name, v)
	}
	if name == "" {
		return status.Invalid("a tensor in a checkpoint needs a name")
	}
	e := w.entries[name]
	switch {
	case e == nil:
		e = &Entry{DType: v.DType(), Shape: slices.Clone(shape)}
	case e.Parts == nil:
		return status.Invalid("Adding duplicate key: %s", name)
	case e.DType != v.DType() || !slices.Equal(e.Shape, shape):
		return status.Invalid("slices of tensor %s are of %v%s and of %v%s", name, e.DType, tensor.FormatDims(e.Shape), v.DType(), tensor.FormatDims(shape))
	}
	for _, other := range e.Parts {
		if !disjoint(other, s, shape) {
			return status.Invalid("slices %v and %v of tensor %s overlap", other, s, name)
		}
	}
	if err := w.add(string(s.key(name)), v); err != nil {
		return err
	}
	e.Parts = append(e.Parts, s)
	w.entries[name] = e
	return nil
}

func (w *Writer) add(key string, v tensor.Value) error {
	if w.entries[key] != nil {
		return status.Invalid("Adding duplicate key: %s", key)
	}
	if dt := v.DType(); dt == tensor.Resource || dt == tensor.Variant {
		return status.Errorf(status.Unimplemented, "saving tensors of type %v is not implemented", dt)
	}
	e := &Entry{DType: v.DType(), Shape: slices.Clone(v.Dims()), offset: w.at}
	sink := &summing{w: w.out}
	var err error
	if v.DType() == tensor.String {
		err = writeStrings(sink, tensor.Of[string](&v))
	} else {
		_, err = v.Peek().WriteContentsTo(sink)
	}
	if err != nil {
		return status.FromFile(err)
	}
	e.size, e.crc = sink.n, mask(sink.sum)
	w.at += sink.n
	w.entries[key] = e
	return nil
}

// A summing writer keeps the size of what was written and its CRC-32C.
type summing struct {
	w   *bufio.Writer
	n   int64
	sum uint32
}

func (s *summing) Write(b []byte) (int, error) {
	n, err := s.w.Write(b)
	s.n += int64(n)
	s.sum = crc32.Update(s.sum, castagnoli, b[:n])
	return n, err
}

// writeStrings is the inverse of [readStrings].
func writeStrings(s *summing, text []string) error {
	var buf [binary.MaxVarintLen64]byte
	sum := uint32(0)
	for _, x := range text {
		if _, err := s.Write(binary.AppendUvarint(buf[:0], uint64(len(x)))); err != nil {
			return err
		}
		sum = crc32.Update(sum, castagnoli, appendLength(buf[:0], uint64(len(x))))
	}
	s.sum = sum // the numbers count, not their varints
	if _, err := s.Write(binary.LittleEndian.AppendUint32(buf[:0], mask(sum))); err != nil {
		return err
	}
	for _, x := range text {
		n, err := s.w.WriteString(x)
		if s.n += int64(n); err != nil {
			return err
		}
		s.sum = updateText(s.sum, x)
	}
	return nil
}

// Finish completes the checkpoint, replacing one that has its names. Files get
// these only when their contents are on the disk, the index last: whenever the
// machine stops, a checkpoint that has an index is whole.
func (w *Writer) Finish() error {
	err := w.out.Flush()
	if err == nil {
		err = w.file.Sync()
	}
	if err != nil {
		w.Discard()
		return status.FromFile(err)
	}
	if err := w.file.Close(); err != nil {
		w.Discard()
		return status.FromFile(err)
	}
	if err := w.fs.Rename(w.file.Name(), DataName(w.prefix, 0, 1)); err != nil {
		w.Discard()
		return err
	}
	return writeIndex(w.fs, w.prefix, 1, w.entries)
}

// Discard gives the checkpoint up instead.
func (w *Writer) Discard() {
	w.file.Close()
	_ = w.fs.Remove(w.file.Name()) // there is nobody to tell
}

// writeIndex writes the index of a checkpoint with that many data files.
func writeIndex(fs *files.Policy, prefix string, shards int, entries map[string]*Entry) error {
	var t tableWriter
	header, err := marshal(&wire.BundleHeaderProto{NumShards: int32(shards), Version: &wire.VersionDef{Producer: version}})
	if err != nil {
		return status.From(err)
	}
	t.add(nil, header)
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		value, err := marshal(entries[key].proto())
		if err != nil {
			return status.From(err)
		}
		t.add([]byte(key), value)
	}
	return replace(fs, IndexName(prefix), t.finish())
}

// replace writes a file in the place of what has its name, all of it or nothing.
func replace(fs *files.Policy, name string, contents []byte) error {
	f, err := createBeside(fs, name)
	if err != nil {
		return err
	}
	if _, err = f.Write(contents); err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = fs.Rename(f.Name(), name)
	}
	if err != nil {
		_ = fs.Remove(f.Name())
	}
	return status.FromFile(err)
}
