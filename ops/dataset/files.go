package dataset

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/registry"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() {
	registry.Define("TextLineDataset").
		Input("filenames: string").Input("compression_type: string").Input("buffer_size: int64").
		Output("handle: variant").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of the lines of files, without what ends them.

filenames: The names of the files: a scalar or a vector.
compression_type: How the files are compressed: GZIP, ZLIB or not at all, as the empty string.
buffer_size: How many bytes are read ahead; nothing else depends on it.
metadata: Ignored.`)
	registry.Define("TFRecordDataset").
		Input("filenames: string").Input("compression_type: string").Input("buffer_size: int64").
		Output("handle: variant").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of the records of files in the TFRecord format.

filenames: The names of the files: a scalar or a vector.
compression_type: How the files are compressed: GZIP, ZLIB or not at all, as the empty string.
buffer_size: How many bytes are read ahead; nothing else depends on it.
metadata: Ignored.`)
	registry.Define("TFRecordDatasetV2").
		Input("filenames: string").Input("compression_type: string").Input("buffer_size: int64").
		Input("byte_offsets: int64").Output("handle: variant").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of the records of files in the TFRecord format, each from some place on.

filenames: The names of the files: a scalar or a vector.
compression_type: How the files are compressed: GZIP, ZLIB or not at all, as the empty string.
buffer_size: How many bytes are read ahead; nothing else depends on it.
byte_offsets: Where the first record of each file begins; empty for the beginnings.
metadata: Ignored.`)
	registry.Define("FixedLengthRecordDataset").
		Input("filenames: string").Input("header_bytes: int64").Input("record_bytes: int64").
		Input("footer_bytes: int64").Input("buffer_size: int64").Output("handle: variant").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of the records of files in which all records are of one length.

filenames: The names of the files: a scalar or a vector.
header_bytes: The length of what comes before the first record of a file.
record_bytes: The length of a record.
footer_bytes: The length of what comes after the last record of a file.
buffer_size: How many bytes are read ahead; nothing else depends on it.
metadata: Ignored.`)
	registry.Define("FixedLengthRecordDatasetV2").
		Input("filenames: string").Input("header_bytes: int64").Input("record_bytes: int64").
		Input("footer_bytes: int64").Input("buffer_size: int64").Input("compression_type: string").
		Output("handle: variant").
		Attr("metadata: string = ''").
		Stateful().
		Doc(`Makes a dataset of the records of files, perhaps compressed, in which all records are of one length.

filenames: The names of the files: a scalar or a vector.
header_bytes: The length of what comes before the first record of a file.
record_bytes: The length of a record.
footer_bytes: The length of what comes after the last record of a file.
buffer_size: How many bytes are read ahead; nothing else depends on it.
compression_type: How the files are compressed: GZIP, ZLIB or not at all, as the empty string.
metadata: Ignored.`)
	kernel.ForAll(newFiles(newTextLines), "TextLineDataset")
	kernel.ForAll(newFiles(newTFRecords), "TFRecordDataset", "TFRecordDatasetV2")
	kernel.ForAll(newFiles(newFixedLength), "FixedLengthRecordDataset", "FixedLengthRecordDatasetV2")
}

// A reading says how records are read from files.
type reading struct {
	names       []string
	compression string
	// open begins to read file i, of which size bytes are left, or -1 if nobody
	// knows. What it gives answers io.EOF after the last record.
	open func(r *bufio.Reader, i int, size int64, budget *tensor.Budget) (func() (string, error), error)
}

// newFiles makes a kernel whose inputs f reads.
//
//go:noinline
func newFiles(f func(in []tensor.Value) (*reading, error)) kernel.Factory {
	like := &Dataset{types: []tensor.DType{tensor.String}, shapes: []registry.Shape{{}}}
	return func(*kernel.Construction) (kernel.Kernel, error) {
		return kernel.Func(func(_ *kernel.Context, in, out []tensor.Value) error {
			if in[0].Rank() > 1 {
				return status.Invalid("`filenames` must be a scalar or a vector.")
			}
			r, err := f(in)
			if err != nil {
				return err
			}
			r.names = append([]string(nil), tensor.Of[string](&in[0])...)
			switch r.compression {
			case "", "GZIP", "ZLIB":
			default:
				return status.Invalid("Unsupported compression_type: %s", r.compression)
			}
			out[0] = variantOf(like.like(unknown, r.begin))
			return nil
		}), nil
	}
}

// begin goes through the files. Each is open while it is read. Where a step ends in the
// middle of a record, which may be as long as memory, the file is opened again for the
// next step, and what it has given is passed over.
func (r *reading) begin(_ context.Context, p *pass) (iterator, error) {
	at := 0
	var next func() (string, error)
	var from stoppable
	seen, given := 0, 0 // records of the file: since it was opened, and in all
	closeFile := func() {
		if from.file != nil {
			from.file.Close()
			from.file, next, seen = nil, nil, 0
		}
	}
	p.finally(closeFile)
	open := func() (err error) {
		if from.file, err = p.step.Files.Open(r.names[at]); err != nil {
			return err
		}
		next, err = r.records(&from, at, p.step.Resources.Budget)
		return err
	}
	return func(ctx context.Context) (element, error) {
		from.ctx = ctx
		for {
			if err := stopped(ctx); err != nil {
				return nil, err
			}
			if at == len(r.names) {
				return nil, errEnd
			}
			var record string
			var err error
			if next == nil {
				err = open()
			}
			if err == nil {
				record, err = next()
			}
			if err == nil {
				if seen++; seen <= given {
					continue
				}
				given++
				return element{tensor.Scalar(record)}, nil
			}
			closeFile()
			if stop := stopped(ctx); stop != nil {
				return nil, stop
			}
			at, given = at+1, 0
			if err != io.EOF {
				return nil, readError(err)
			}
		}
	}, nil
}

// A stoppable is a file of which nothing is read once the context has ended.
type stoppable struct {
	file *os.File
	ctx  context.Context
}

// Read reads from the file.
func (s *stoppable) Read(p []byte) (int, error) {
	if err := stopped(s.ctx); err != nil {
		return 0, err
	}
	return s.file.Read(p)
}

// readError returns the error of a record.
func readError(err error) error {
	var e *status.Error
	switch {
	case errors.As(err, &e):
		return err
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, zlib.ErrHeader), errors.Is(err, zlib.ErrChecksum), errors.Is(err, io.ErrUnexpectedEOF):
		return status.Errorf(status.DataLoss, "the file cannot be decompressed: %v", err)
	}
	return status.FromFile(err)
}

// records begins to read an open file.
func (r *reading) records(file *stoppable, i int, budget *tensor.Budget) (func() (string, error), error) {
	var from io.Reader = file
	size := int64(-1)
	switch r.compression {
	case "":
		if info, err := file.file.Stat(); err != nil {
			return nil, status.FromFile(err)
		} else if info.Mode().IsRegular() {
			size = info.Size()
		}
	case "GZIP":
		z, err := gzip.NewReader(file)
		if err == io.EOF {
			return func() (string, error) { return "", io.EOF }, nil
		}
		if err != nil {
			return nil, readError(err)
		}
		from = z
	case "ZLIB":
		z, err := zlib.NewReader(file)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return func() (string, error) { return "", io.EOF }, nil
		}
		if err != nil {
			return nil, readError(err)
		}
		from = z
	}
	return r.open(bufio.NewReaderSize(from, 64<<10), i, size, budget)
}

// text reads n bytes; io.EOF if there are none at all. Memory grows as they come.
func text(r io.Reader, n int64, budget *tensor.Budget) (string, error) {
	b := tensor.TextBuilder{Budget: budget}
	defer b.Close()
	got, err := io.CopyN(&b, r, n)
	if err == io.EOF && got > 0 {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return "", err
	}
	return b.Text()
}

// newTextLines reads lines.
func newTextLines(in []tensor.Value) (*reading, error) {
	compression, err := scalar[string](&in[1], "compression_type")
	if err != nil {
		return nil, err
	}
	return &reading{compression: compression, open: func(r *bufio.Reader, _ int, _ int64, budget *tensor.Budget) (func() (string, error), error) {
		return func() (string, error) { return lineOf(r, budget) }, nil
	}}, bufferSize(&in[2])
}

// lineOf reads a line, without the byte that ends it and carriage returns.
func lineOf(r *bufio.Reader, budget *tensor.Budget) (string, error) {
	part, err := r.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		if err == io.EOF && len(part) > 0 {
			err = nil
		}
		return withoutReturns(string(bytes.TrimSuffix(part, []byte("\n"))), budget, err)
	}
	long := tensor.TextBuilder{Budget: budget}
	defer long.Close()
	for ; err == bufio.ErrBufferFull; part, err = r.ReadSlice('\n') {
		if _, err := long.Write(part); err != nil {
			return "", err
		}
	}
	if err != nil && err != io.EOF {
		return "", err
	}
	if _, err := long.Write(part); err != nil {
		return "", err
	}
	line, err := long.Text()
	return withoutReturns(strings.TrimSuffix(line, "\n"), budget, err)
}

// withoutReturns returns a line without carriage returns, unless there is an error.
func withoutReturns(line string, budget *tensor.Budget, err error) (string, error) {
	if err != nil || strings.IndexByte(line, '\r') < 0 {
		return line, err
	}
	n := int64(len(line))
	if err := budget.Charge(n); err != nil {
		return "", err
	}
	defer budget.Release(n)
	return strings.ReplaceAll(line, "\r", ""), nil
}

// bufferSize checks an input that sizes a buffer, which is not needed.
func bufferSize(v *tensor.Value) error {
	n, err := scalar[int64](v, "buffer_size")
	if err == nil && n < 0 {
		err = status.Invalid("`buffer_size` must be >= 0 (0 == default)")
	}
	return err
}

// newTFRecords reads records that are framed by their length and checksums.
func newTFRecords(in []tensor.Value) (*reading, error) {
	compression, err := scalar[string](&in[1], "compression_type")
	if err != nil {
		return nil, err
	}
	var offsets []int64
	if len(in) > 3 {
		if in[3].Rank() > 1 {
			return nil, status.Invalid("`byte_offsets` must be a scalar or a vector.")
		}
		offsets = append(offsets, tensor.Of[int64](&in[3])...)
		if len(offsets) > 0 && len(offsets) != in[0].NumElements() {
			return nil, status.Invalid("`byte_offsets` must be of same size as `filenames`")
		}
	}
	return &reading{compression: compression, open: func(r *bufio.Reader, i int, _ int64, budget *tensor.Budget) (func() (string, error), error) {
		at := int64(0)
		if len(offsets) > 0 {
			n, err := io.CopyN(io.Discard, r, max(offsets[i], 0))
			if err != nil && err != io.EOF {
				return nil, readError(err)
			}
			at = n
		}
		return func() (string, error) {
			record, n, err := record(r, at, budget)
			at += n
			return record, err
		}, nil
	}}, bufferSize(&in[2])
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// masked returns the checksum of b as records have it.
func masked(b []byte) uint32 {
	sum := crc32.Checksum(b, castagnoli)
	return (sum>>15 | sum<<17) + 0xa282ead8
}

// record reads a record at some place of a file, and tells how many bytes it takes
// there.
func record(r io.Reader, at int64, budget *tensor.Budget) (string, int64, error) {
	var head [12]byte
	switch n, err := io.ReadFull(r, head[:]); {
	case err == io.EOF, err == io.ErrUnexpectedEOF && n < len(head): // TensorFlow, too, ends within a head
		return "", 0, io.EOF
	case err != nil:
		return "", 0, err
	}
	length := binary.LittleEndian.Uint64(head[:])
	if masked(head[:8]) != binary.LittleEndian.Uint32(head[8:]) || length > 1<<62 {
		return "", 0, status.Errorf(status.DataLoss, "corrupted record at %d", at)
	}
	data, err := text(r, int64(length)+4, budget)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return "", 0, status.Errorf(status.DataLoss, "truncated record at %d", at)
	}
	if err != nil {
		return "", 0, err
	}
	data, sum := data[:length], data[length:]
	if masked([]byte(data)) != binary.LittleEndian.Uint32([]byte(sum)) {
		return "", 0, status.Errorf(status.DataLoss, "corrupted record at %d", at)
	}
	return data, 16 + int64(length), nil
}

// newFixedLength reads records of one length.
func newFixedLength(in []tensor.Value) (*reading, error) {
	var n [3]int64
	for i, name := range [...]string{"header_bytes", "record_bytes", "footer_bytes"} {
		var err error
		if n[i], err = scalar[int64](&in[1+i], name); err != nil {
			return nil, err
		}
	}
	header, length, footer := n[0], n[1], n[2]
	switch {
	case header < 0:
		return nil, status.Invalid("`header_bytes` must be >= 0")
	case length <= 0:
		return nil, status.Invalid("`record_bytes` must be > 0")
	case footer < 0:
		return nil, status.Invalid("`footer_bytes` must be >= 0")
	}
	compression := ""
	if len(in) > 5 {
		var err error
		if compression, err = scalar[string](&in[5], "compression_type"); err != nil {
			return nil, err
		}
	}
	reading := &reading{compression: compression}
	reading.open = func(r *bufio.Reader, i int, size int64, budget *tensor.Budget) (func() (string, error), error) {
		left := int64(-1)
		if size >= 0 {
			left = size - header - footer
			if left < 0 || left%length != 0 {
				return nil, status.Invalid("Excluding the header (%d bytes) and footer (%d bytes), input file \"%s\" has body length %d bytes, which is not an exact multiple of the record length (%d bytes).",
					header, footer, reading.names[i], left, length)
			}
		}
		if _, err := io.CopyN(io.Discard, r, header); err != nil {
			return nil, readError(err)
		}
		return fixed(r, left, length, footer, budget)
	}
	return reading, bufferSize(&in[4])
}

// fixed reads records of one length up to the footer. left is how many bytes of
// records there are; negative if nobody knows, then the footer is read ahead.
func fixed(r *bufio.Reader, left, length, footer int64, budget *tensor.Budget) (func() (string, error), error) {
	if left >= 0 {
		return func() (string, error) {
			if left == 0 {
				return "", io.EOF
			}
			left -= length
			return text(r, length, budget)
		}, nil
	}
	tail, err := text(r, footer, budget) // as many bytes as the footer has, before the next record ends
	if err == io.ErrUnexpectedEOF || err == io.EOF && footer > 0 {
		return nil, status.Errorf(status.DataLoss, "the file ends within its footer")
	}
	return func() (string, error) {
		data, err := text(r, length, budget)
		if err != nil {
			return "", err
		}
		all := tail + data
		tail = all[length:]
		return all[:length], nil
	}, nil
}
