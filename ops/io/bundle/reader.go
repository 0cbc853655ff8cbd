package bundle

import (
	"fmt"
	"io"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// IndexName returns the name of a checkpoint's index.
func IndexName(prefix string) string { return prefix + ".index" }

// DataName returns the name of data file i of n of a checkpoint.
func DataName(prefix string, i, n int) string {
	return fmt.Sprintf("%s.data-%05d-of-%05d", prefix, i, n)
}

// A Reader reads one checkpoint. It is not for concurrent use.
type Reader struct {
	// Maps, if not nil, maps large tensors that were saved whole, which are not read then:
	// they are [tensor.Value.Outside], and need the files for as long as they are used.
	Maps *files.Maps

	fs     *files.Policy
	prefix string
	table  *table
	shards int32
	open   map[int32]*shard

	piece []byte // for what is read piece by piece
}

// maxIndex bounds an index, which is held in memory.
const maxIndex = 1 << 30

// Open opens the checkpoint of a prefix, all of whose files fs must let be
// read, and verifies its index's frame. It fails
// with NOT_FOUND if there is none, and with DATA_LOSS if it is damaged.
func Open(fs *files.Policy, prefix string) (*Reader, error) {
	t, shards, err := openIndex(fs, IndexName(prefix))
	if err != nil {
		return nil, err
	}
	return &Reader{fs: fs, prefix: prefix, table: t, shards: shards, open: map[int32]*shard{}}, nil
}

func openIndex(fs *files.Policy, name string) (*table, int32, error) {
	f, err := fs.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, status.FromFile(err)
	}
	if info.Size() > maxIndex {
		return nil, 0, status.Errorf(status.ResourceExhausted, "%s has %d bytes, more than %d", name, info.Size(), maxIndex)
	}
	file := make([]byte, info.Size())
	if _, err := io.ReadFull(f, file); err != nil {
		return nil, 0, status.FromFile(err)
	}
	t, shards, err := parseIndex(file)
	if err != nil {
		return nil, 0, status.Errorf(status.CodeOf(err), "%s: %s", name, status.From(err).Message)
	}
	return t, shards, nil
}

func parseIndex(file []byte) (*table, int32, error) {
	t, err := parseTable(file)
	if err != nil {
		return nil, 0, err
	}
	header, ok, err := t.lookup(nil)
	if err == nil && !ok {
		err = corrupt("the index has no header")
	}
	if err != nil {
		return nil, 0, err
	}
	shards, err := parseHeader(header)
	return t, shards, err
}

// Close closes the files.
func (r *Reader) Close() error {
	var first error
	for _, s := range r.open {
		if err := s.file.Close(); err != nil && first == nil {
			first = status.FromFile(err)
		}
	}
	clear(r.open)
	return first
}

// Names lists the tensors in alphabetical order.
func (r *Reader) Names() ([]string, error) {
	var names []string
	err := r.table.each(func(key, _ []byte) error {
		if len(key) > 0 && key[0] != 0 { // neither the header nor a part
			names = append(names, string(key))
		}
		return nil
	})
	return names, err
}

// Entry returns what is saved under a name. It fails with NOT_FOUND if nothing is.
func (r *Reader) Entry(name string) (*Entry, error) {
	if name != "" { // that is the header's
		if e, ok, err := r.entry([]byte(name)); ok || err != nil {
			return e, err
		}
	}
	return nil, status.Errorf(status.NotFound, "Key %s not found in checkpoint", name)
}

func (r *Reader) entry(key []byte) (e *Entry, ok bool, err error) {
	value, ok, err := r.table.lookup(key)
	if ok && err == nil {
		e, err = parseEntry(value, r.shards)
	}
	if err != nil {
		return nil, false, status.Errorf(status.CodeOf(err), "%s: key %q: %s", IndexName(r.prefix), key, status.From(err).Message)
	}
	return e, ok, nil
}

// Verify makes sure that all files of the checkpoint are there and hold what the index
// says that they do. Contents are not read.
func (r *Reader) Verify() error {
	return r.table.each(func(key, value []byte) error {
		if len(key) == 0 { // the header
			return nil
		}
		e, err := parseEntry(value, r.shards)
		if err != nil {
			return status.Errorf(status.CodeOf(err), "%s: key %q: %s", IndexName(r.prefix), key, status.From(err).Message)
		}
		if e.Parts != nil { // they have entries of their own
			return nil
		}
		s, err := r.shard(e.shard)
		if err != nil {
			return err
		}
		return s.holds(e)
	})
}

// Read reads a tensor: all of it, or, if s is not nil, a slice. The slice must
// lie within the tensor's shape. Where the tensor was saved in parts that do not
// cover what is asked for, it fails with INVALID_ARGUMENT.
func (r *Reader) Read(mem Memory, name string, s Slice) (tensor.Value, error) {
	e, err := r.Entry(name)
	if err != nil {
		return tensor.Value{}, err
	}
	if s == nil {
		s = all(len(e.Shape))
	}
	v, err := r.read(mem, name, e, s)
	if err != nil && status.CodeOf(err) == status.DataLoss {
		err = status.Errorf(status.DataLoss, "tensor %q: %s", name, status.From(err).Message)
	}
	return v, err
}

func (r *Reader) read(mem Memory, name string, e *Entry, s Slice) (tensor.Value, error) {
	if e.Parts == nil && s.full(e.Shape) {
		return r.wholeOrMapped(mem, e)
	}
	dims, err := s.Dims(e.Shape)
	if err != nil {
		return tensor.Value{}, err
	}
	parts, err := r.parts(mem, name, e, s)
	if err != nil {
		return tensor.Value{}, err
	}
	if len(parts) == 1 && sameDims(parts[0].first, parts[0].at) && sameDims(parts[0].Shape, dims) {
		return r.wholeOrMapped(mem, parts[0].Entry)
	}
	out, err := mem.Alloc(e.DType, dims)
	if err != nil {
		return out, err
	}
	for _, p := range parts {
		v, err := r.whole(mem, p.Entry)
		if err != nil {
			mem.Free(out)
			return tensor.Value{}, err
		}
		to := make([]int64, len(dims))
		from := make([]int64, len(dims))
		for i := range dims {
			start, _ := s[i].within(e.Shape[i])
			to[i], from[i] = p.first[i]-start, p.first[i]-p.at[i]
		}
		copyRegion(&out, &v, to, from, p.dims)
		mem.Free(v)
	}
	return out, nil
}

// A part is one saved part of a tensor of which something is to be read.
type part struct {
	*Entry
	at          []int64 // the part's first element in the tensor
	first, dims []int64 // what is wanted of it, in the tensor
}

// parts finds the parts that make up slice s, and checks all that can be
// checked without reading them.
func (r *Reader) parts(mem Memory, name string, e *Entry, s Slice) ([]part, error) {
	dims, err := s.Dims(e.Shape)
	if err != nil {
		return nil, err
	}
	saved := e.Parts
	if saved == nil {
		saved = []Slice{all(len(e.Shape))}
	}
	var found []part
	var slices []Slice
	covered := 0
	for _, one := range saved {
		first, common, ok := intersect(one, s, e.Shape)
		if !ok {
			continue
		}
		if err := mem.Err(); err != nil {
			return nil, err
		}
		for _, other := range slices {
			if !disjoint(one, other, e.Shape) {
				return nil, corrupt("the parts %v and %v overlap", other, one)
			}
		}
		p, err := r.part(name, e, one)
		if err != nil {
			return nil, err
		}
		p.first, p.dims = first, common
		found, slices = append(found, p), append(slices, one)
		n, _ := tensor.NumElements(e.DType, common) // no more than the tensor's
		covered += n
	}
	if n, _ := tensor.NumElements(e.DType, dims); covered != n {
		return nil, status.Invalid("Does not have sufficient slices for partitioned tensor %s to restore in slice_spec: %v", name, s)
	}
	return found, nil
}

// part finds the entry of a part.
func (r *Reader) part(name string, e *Entry, s Slice) (part, error) {
	p := part{Entry: e, at: make([]int64, len(s))}
	for i := range s {
		p.at[i], _ = s[i].within(e.Shape[i])
	}
	if e.Parts == nil {
		return p, nil
	}
	own, ok, err := r.entry(s.key(name))
	if err != nil {
		return p, err
	}
	if !ok {
		return p, corrupt("the part %v has no entry", s)
	}
	dims, _ := s.Dims(e.Shape)
	if own.Parts != nil || own.DType != e.DType || !sameDims(own.Shape, dims) {
		return p, corrupt("the entry of the part %v is of %v%s", s, own.DType, tensor.FormatDims(own.Shape))
	}
	p.Entry = own
	f, err := r.shard(own.shard)
	if err != nil {
		return p, err
	}
	return p, f.holds(own)
}

// wholeOrMapped returns the elements of an entry, which may be mapped.
func (r *Reader) wholeOrMapped(mem Memory, e *Entry) (tensor.Value, error) {
	if r.Maps == nil || !e.maps() {
		return r.whole(mem, e)
	}
	f, err := r.shard(e.shard)
	if err != nil {
		return tensor.Value{}, err
	}
	return f.mapped(mem, e, r.Maps, r.buffer())
}

// buffer returns memory for what is read piece by piece.
func (r *Reader) buffer() []byte {
	if r.piece == nil {
		r.piece = make([]byte, 256<<10)
	}
	return r.piece
}

// whole reads the elements of an entry.
func (r *Reader) whole(mem Memory, e *Entry) (tensor.Value, error) {
	f, err := r.shard(e.shard)
	if err != nil {
		return tensor.Value{}, err
	}
	return f.read(mem, e)
}

func (r *Reader) shard(i int32) (*shard, error) {
	if s, ok := r.open[i]; ok {
		return s, nil
	}
	s, err := openShard(r.fs, DataName(r.prefix, int(i), int(r.shards)))
	if err == nil {
		r.open[i] = s
	}
	return s, err
}
