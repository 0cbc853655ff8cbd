package bundle

import (
	"io"
	"slices"

	"github.com/troupe-go/troupe/files"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A SavedReader reads a checkpoint in TensorFlow's first format: one or more
// files, each a table of slices of tensors with their elements. It holds the
// files in memory. It is not for concurrent use.
type SavedReader struct {
	mem     Memory
	pattern string
	files   []*savedFile
	tensors map[string]*SavedTensor
}

// A savedFile is one of the files.
type savedFile struct {
	contents tensor.Value
	table    *table
}

// OpenSaved opens the files that match a pattern, all of which fs must let be
// read; mem has room for them until Close. It fails with NOT_FOUND if there are
// none, and with DATA_LOSS if one is damaged.
func OpenSaved(fs *files.Policy, mem Memory, pattern string) (*SavedReader, error) {
	names, err := fs.Glob(pattern)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, status.Errorf(status.NotFound, "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for %s", pattern)
	}
	r := &SavedReader{mem: mem, pattern: pattern, tensors: map[string]*SavedTensor{}}
	for _, name := range names {
		if err := r.open(fs, name); err != nil {
			r.Close()
			return nil, status.Errorf(status.CodeOf(err), "Unsuccessful TensorSliceReader constructor: %s: %s", name, status.From(err).Message)
		}
	}
	return r, nil
}

func (r *SavedReader) open(fs *files.Policy, name string) error {
	f, err := fs.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return status.FromFile(err)
	}
	contents, err := r.mem.Alloc(tensor.Uint8, []int64{info.Size()})
	if err != nil {
		return err
	}
	file := &savedFile{contents: contents}
	r.files = append(r.files, file)
	in := &summed{r: f, stop: r.mem.Err}
	if _, err := io.ReadFull(in, tensor.Bytes(&contents)); err != nil {
		return readError(err)
	}
	if file.table, err = parseTable(tensor.Bytes(&contents)); err != nil {
		return err
	}
	meta, ok, err := file.table.lookup(nil)
	if err == nil && !ok {
		err = corrupt("Failed to find the saved tensor slices at the empty key")
	}
	if err != nil {
		return err
	}
	return parseMeta(meta, func(name string, t *SavedTensor, parts []Slice) error {
		if err := r.mem.Err(); err != nil {
			return err
		}
		known := r.tensors[name]
		if known == nil {
			known = t
			r.tensors[name] = t
		}
		if known.DType != t.DType || !slices.Equal(known.Shape, t.Shape) {
			return corrupt("tensor %q is %v%s and %v%s", name, known.DType, tensor.FormatDims(known.Shape), t.DType, tensor.FormatDims(t.Shape))
		}
		for _, s := range parts {
			known.parts = append(known.parts, savedPart{s, file})
		}
		return nil
	})
}

// Close gives the memory of the files back.
func (r *SavedReader) Close() {
	for _, f := range r.files {
		r.mem.Free(f.contents)
	}
	r.files, r.tensors = nil, nil
}

// Tensor returns what is known of a tensor. It fails with NOT_FOUND if it is not there.
func (r *SavedReader) Tensor(name string) (*SavedTensor, error) {
	if t := r.tensors[name]; t != nil {
		return t, nil
	}
	return nil, status.Errorf(status.NotFound, "Tensor name \"%s\" not found in checkpoint files %s", name, r.pattern)
}

// Read reads a tensor: all of it, or, if s is not nil, a slice, which must lie
// within the tensor's shape. Where the saved slices do not cover what is asked
// for, it fails with INVALID_ARGUMENT.
func (r *SavedReader) Read(name string, s Slice) (tensor.Value, error) {
	t, err := r.Tensor(name)
	if err != nil {
		return tensor.Value{}, err
	}
	if s == nil {
		s = all(len(t.Shape))
	}
	dims, err := s.Dims(t.Shape)
	if err != nil {
		return tensor.Value{}, err
	}
	out, err := r.mem.Alloc(t.DType, dims)
	if err != nil {
		return out, err
	}
	if err := r.fill(&out, name, t, s); err != nil {
		r.mem.Free(out)
		return tensor.Value{}, err
	}
	return out, nil
}

// fill copies the saved slices that have to do with slice s of t.
func (r *SavedReader) fill(out *tensor.Value, name string, t *SavedTensor, s Slice) error {
	covered := 0
	var seen []Slice
	for _, p := range t.parts {
		first, common, ok := intersect(p.slice, s, t.Shape)
		if !ok {
			continue
		}
		if err := r.mem.Err(); err != nil {
			return err
		}
		for _, other := range seen {
			if !disjoint(p.slice, other, t.Shape) {
				return corrupt("the slices %v and %v of tensor %q overlap", other, p.slice, name)
			}
		}
		seen = append(seen, p.slice)
		entry, ok, err := p.file.table.lookup(p.slice.key(name))
		if err == nil && !ok {
			err = corrupt("the slice %v of tensor %q has no entry", p.slice, name)
		}
		var data []byte
		if err == nil {
			data, err = values(entry)
		}
		if err != nil {
			return err
		}
		dims, _ := p.slice.Dims(t.Shape)
		saved, err := decode(data, t.DType, dims)
		if err != nil {
			return err
		}
		to, from := make([]int64, len(dims)), make([]int64, len(dims))
		for i := range dims {
			wanted, _ := s[i].within(t.Shape[i])
			held, _ := p.slice[i].within(t.Shape[i])
			to[i], from[i] = first[i]-wanted, first[i]-held
		}
		v := tensor.ValueOf(saved)
		copyRegion(out, &v, to, from, common)
		n, _ := tensor.NumElements(t.DType, common) // no more than the tensor's
		covered += n
	}
	if covered != out.NumElements() {
		return status.Invalid("Error copying slice data: the saved slices of tensor %s do not cover %v", name, s)
	}
	return nil
}
