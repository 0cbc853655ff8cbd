package datatype

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/troupe-go/troupe/sorted"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

var names = map[tensor.DType]string{
	tensor.Bool: "BOOL", tensor.String: "BYTES",
	tensor.Int8: "INT8", tensor.Int16: "INT16", tensor.Int32: "INT32", tensor.Int64: "INT64",
	tensor.Uint8: "UINT8", tensor.Uint16: "UINT16", tensor.Uint32: "UINT32", tensor.Uint64: "UINT64",
	tensor.Half: "FP16", tensor.Bfloat16: "BF16", tensor.Float: "FP32", tensor.Double: "FP64",
}

var types = func() map[string]tensor.DType {
	m := map[string]tensor.DType{}
	for dt, name := range names {
		m[name] = dt
	}
	return m
}()

// Name returns the protocol's name of a type; "" if it has none.
func Name(dt tensor.DType) string { return names[dt] }

// Config returns what model configurations of the protocol's extension call the type of a
// name: TYPE_FP32, TYPE_STRING.
func Config(name string) string {
	switch name {
	case "":
		return "TYPE_INVALID"
	case "BYTES":
		return "TYPE_STRING"
	}
	return "TYPE_" + name
}

// Parse returns the type of a name. It fails with INVALID_ARGUMENT for another word.
func Parse(name string) (tensor.DType, error) {
	dt, ok := types[name]
	if !ok {
		return 0, status.Invalid("unknown datatype '%.20s'%s", name, status.DidYouMean(name, slices.Values(sorted.Keys(types))))
	}
	return dt, nil
}

// Read reads a tensor of size bytes from r. Memory grows with the bytes that arrive. It
// fails with INVALID_ARGUMENT if the contents do not fit the shape.
func Read(r io.Reader, size int64, dt tensor.DType, shape []int64) (*tensor.Tensor, error) {
	n, err := tensor.NumElements(dt, shape)
	if err != nil {
		return nil, err
	}
	if dt == tensor.String {
		const most = 1 << 20
		b := make([]byte, 0, min(size, most))
		for int64(len(b)) < size {
			if len(b) == cap(b) {
				b = append(make([]byte, 0, min(size, 2*int64(cap(b)))), b...)
			}
			k, err := io.ReadFull(r, b[len(b):cap(b)])
			b = b[:len(b)+k]
			if err != nil {
				return nil, short(int64(len(b)), size)
			}
		}
		return strings(b, n, shape)
	}
	if want := int64(n) * int64(dt.Size()); size != want {
		return nil, status.Invalid("%d bytes for shape %s of %s, which has %d", size, tensor.FormatDims(shape), Name(dt), want)
	}
	t, err := tensor.ReadTensor(dt, shape, r)
	if err != nil {
		return nil, status.Invalid("%s", status.From(err).Message)
	}
	return t, nil
}

func short(got, want int64) error {
	return status.Invalid("the contents end after %d of %d bytes", got, want)
}

// Of returns a tensor of contents. It may keep b, which must not be changed afterwards.
func Of(b []byte, dt tensor.DType, shape []int64) (*tensor.Tensor, error) {
	n, err := tensor.NumElements(dt, shape)
	if err != nil {
		return nil, err
	}
	if dt == tensor.String {
		return strings(b, n, shape)
	}
	if want := n * dt.Size(); len(b) != want {
		return nil, status.Invalid("%d bytes for shape %s of %s, which has %d", len(b), tensor.FormatDims(shape), Name(dt), want)
	}
	return tensor.FromBytes(dt, b, shape...)
}

// strings reads n elements of BYTES.
func strings(b []byte, n int, shape []int64) (*tensor.Tensor, error) {
	if n > len(b)/4 {
		return nil, status.Invalid("%d bytes for shape %s of BYTES, which has at least %d", len(b), tensor.FormatDims(shape), 4*n)
	}
	list := make([]string, n)
	rest := string(b)
	for i := range list {
		if len(rest) < 4 {
			return nil, status.Invalid("element %d of BYTES begins after the contents", i)
		}
		k := int64(binary.LittleEndian.Uint32([]byte(rest[:4])))
		if rest = rest[4:]; k > int64(len(rest)) {
			return nil, status.Invalid("element %d of BYTES has %d bytes, of which %d are there", i, k, len(rest))
		}
		list[i], rest = rest[:k], rest[k:]
	}
	if len(rest) > 0 {
		return nil, status.Invalid("%d bytes after the last element of BYTES", len(rest))
	}
	return tensor.FromSlice(list, shape...)
}

// Contents returns the binary contents of a tensor, which may be its memory: not to be
// written.
func Contents(t *tensor.Tensor) ([]byte, error) {
	if Name(t.DType()) == "" {
		return nil, status.Invalid("the protocol has no type for %v", t.DType())
	}
	if t.DType() != tensor.String {
		return t.Contents()
	}
	v := tensor.ValueOf(t)
	size := 0
	for _, s := range tensor.Of[string](&v) {
		size += 4 + len(s)
	}
	b := make([]byte, 0, size)
	for _, s := range tensor.Of[string](&v) {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
	}
	return b, nil
}
