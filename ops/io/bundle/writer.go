package bundle

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"path/filepath"
	"slices"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// A Writer writes a checkpoint with one data file. What had the checkpoint's names
// before stays whole until [Writer.Finish]. It is not for concurrent use.
type Writer struct {
	fs      *files.Policy
	prefix  string
	shards  int // how many data files the index will speak of
	data    *files.Replacement
	out     *bufio.Writer
	at      int64
	entries map[string]*Entry // by key
}

// Create begins a checkpoint, whose files fs must let be written. It makes the
// directory if that alone is missing. What an earlier process that was killed left of
// a checkpoint of this prefix is removed.
func Create(fs *files.Policy, prefix string) (*Writer, error) {
	if err := makeDir(fs, prefix); err != nil {
		return nil, err
	}
	Tidy(fs, prefix)
	// The data of a checkpoint that is replaced belongs to its index, and the new
	// data needs another name: the first of two files, of which the second would be
	// empty and is not there, or the only one.
	shards := 1
	if shardsOf(fs, prefix) == 1 {
		shards = 2
	}
	f, err := fs.Replace(DataName(prefix, 0, shards))
	if err != nil {
		return nil, err
	}
	return &Writer{fs: fs, prefix: prefix, shards: shards, data: f, out: bufio.NewWriterSize(f, 256<<10), entries: map[string]*Entry{}}, nil
}

// shardsOf returns how many data files the index of a prefix speaks of; 0 if there is no
// index that can be read. A checkpoint that may be written may be replaced, whether or
// not it may be read.
func shardsOf(fs *files.Policy, prefix string) int {
	_, shards, err := openIndex(fs.Replacing(), IndexName(prefix))
	if err != nil {
		return 0
	}
	return int(shards)
}

// makeDir makes the directory that a prefix is in.
func makeDir(fs *files.Policy, prefix string) error {
	dir := filepath.Dir(prefix)
	if err := fs.Mkdir(dir); err != nil && status.CodeOf(err) != status.AlreadyExists {
		return err
	}
	return nil
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

// writeStrings returns the inverse of [readStrings].
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

// Finish completes the checkpoint, replacing one that has its names. It is there as
// soon as its index is, which is written last: whenever the process or the machine
// stops, the checkpoint that was there before or the new one is whole.
func (w *Writer) Finish() error {
	err := w.out.Flush()
	if err != nil {
		w.Discard()
		return status.FromFile(err)
	}
	old := shardsOf(w.fs, w.prefix)
	if err := w.data.Commit(); err != nil {
		if w.data.Renamed() && old != w.shards {
			_ = w.fs.Remove(DataName(w.prefix, 0, w.shards))
		}
		return err
	}
	replaced, err := writeIndex(w.fs, w.prefix, w.shards, w.entries)
	switch {
	case err != nil && !replaced:
		if old != w.shards {
			_ = w.fs.Remove(DataName(w.prefix, 0, w.shards)) // which no index speaks of
		}
	case err == nil && old != w.shards:
		_ = removeData(w.fs, w.prefix, old) // what stays the next checkpoint of this prefix replaces
	}
	return err
}

// Discard removes what was written instead.
func (w *Writer) Discard() { w.data.Discard() }

// removeData removes the data files of which an index spoke. It fails if one stays.
func removeData(fs *files.Policy, prefix string, shards int) error {
	var failed error
	for i, missing := 0, 0; i < shards && missing < 2; i++ { // a damaged index may speak of millions
		switch err := fs.Remove(DataName(prefix, i, shards)); {
		case status.CodeOf(err) == status.NotFound:
			missing++
		case err != nil:
			failed = err
		}
	}
	return failed
}

// Exists reports whether there is a checkpoint of the prefix.
func Exists(fs *files.Policy, prefix string) bool {
	info, err := fs.Stat(IndexName(prefix))
	return err == nil && info.Mode().IsRegular()
}

// Remove removes a checkpoint, or what is left of one: the index first, without which
// there is none. Another process must not be writing it. It fails if something stays.
func Remove(fs *files.Policy, prefix string) error {
	shards := shardsOf(fs, prefix)
	switch err := fs.Remove(IndexName(prefix)); {
	case err == nil:
		if err := fs.SyncDir(filepath.Dir(prefix)); err != nil {
			return err
		}
	case status.CodeOf(err) != status.NotFound:
		return err
	}
	fs.Sweep(IndexName(prefix))
	var failed error
	if shards > 2 {
		failed = removeData(fs, prefix, shards)
	}
	for n := 1; n <= 2; n++ { // those that a Writer makes
		fs.Sweep(DataName(prefix, 0, n))
		if err := removeData(fs, prefix, n); err != nil {
			failed = err
		}
	}
	if failed == nil {
		failed = fs.SyncDir(filepath.Dir(prefix))
	}
	return failed
}

// Tidy removes what is left next to a checkpoint of others of its prefix that were not
// completed, or not removed completely. Another process must not be writing one.
func Tidy(fs *files.Policy, prefix string) {
	fs.Sweep(IndexName(prefix))
	shards := shardsOf(fs, prefix)
	for n := 1; n <= 2; n++ {
		fs.Sweep(DataName(prefix, 0, n))
		if shards > 0 && n != shards {
			_ = removeData(fs, prefix, n)
		}
	}
}

// writeIndex writes the index of a checkpoint with that many data files. It says
// whether the name of the index stands for the new one, also if that fails.
func writeIndex(fs *files.Policy, prefix string, shards int, entries map[string]*Entry) (replaced bool, err error) {
	var t tableWriter
	header, err := marshal(&wire.BundleHeaderProto{NumShards: int32(shards), Version: &wire.VersionDef{Producer: version}})
	if err != nil {
		return false, status.From(err)
	}
	t.add(nil, header)
	for _, key := range sorted.Keys(entries) {
		value, err := marshal(entries[key].proto())
		if err != nil {
			return false, status.From(err)
		}
		t.add([]byte(key), value)
	}
	r, err := fs.Replace(IndexName(prefix))
	if err != nil {
		return false, err
	}
	_, _ = r.Write(t.finish()) // Commit fails with its error
	err = r.Commit()
	return r.Renamed(), err
}
