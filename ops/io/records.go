package io

import (
	"bufio"
	"compress/gzip"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	stdio "io"
	"os"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
	"github.com/troupe-go/troupe/wire"
)

// An opener begins with an item of a reader's queue.
type opener func(ctx *kernel.Context, item string) (records, error)

// records is what an item holds.
type records interface {
	// Next is the next record; ok is false if there is none.
	Next(ctx *kernel.Context) (key, value string, ok bool, err error)
	Close()
}

func newOpener(c *kernel.Construction) (opener, error) {
	compression := c.Str("compression_type") + c.Str("encoding")
	if compression == "NONE" && c.Op.Name == "TFRecordReaderV2" {
		compression = ""
	}
	switch compression {
	case "", "ZLIB", "GZIP":
	default:
		return nil, c.Errorf("%s is not a known compression: give ZLIB or GZIP", compression)
	}
	switch c.Op.Name {
	case "IdentityReaderV2":
		return func(_ *kernel.Context, item string) (records, error) {
			return &once{item, func(*kernel.Context) (string, error) { return item, nil }, false}, nil
		}, nil
	case "WholeFileReaderV2":
		return func(_ *kernel.Context, item string) (records, error) {
			return &once{item, func(ctx *kernel.Context) (string, error) {
				s, err := contentsOf(ctx, item)
				return s, status.FromFile(err)
			}, false}, nil
		}, nil
	case "TextLineReaderV2":
		skip := c.Int("skip_header_lines")
		if skip < 0 {
			return nil, c.Errorf("skip_header_lines must be >= 0 not %d", skip)
		}
		return func(ctx *kernel.Context, item string) (records, error) {
			f, err := openRecords(ctx, item, "")
			if err != nil {
				return nil, err
			}
			l := &lines{recordFile: f}
			for l.line < skip {
				if _, _, ok, err := l.Next(ctx); !ok || err != nil {
					break
				}
			}
			return l, nil
		}, nil
	case "FixedLengthRecordReaderV2":
		f := fixed{header: c.Int("header_bytes"), record: c.Int("record_bytes"), footer: c.Int("footer_bytes"), hop: c.Int("hop_bytes")}
		switch {
		case f.header < 0 || f.footer < 0 || f.hop < 0:
			return nil, c.Errorf("header_bytes, footer_bytes and hop_bytes must be >= 0, not %d, %d and %d", f.header, f.footer, f.hop)
		case f.record <= 0:
			return nil, c.Errorf("record_bytes must be > 0 not %d", f.record)
		case f.hop == 0:
			f.hop = f.record
		}
		return func(ctx *kernel.Context, item string) (records, error) {
			file, err := openRecords(ctx, item, compression)
			if err != nil {
				return nil, err
			}
			r := f
			r.recordFile = file
			if err := r.begin(ctx); err != nil {
				r.Close()
				return nil, err
			}
			return &r, nil
		}, nil
	default: // TFRecordReaderV2
		return func(ctx *kernel.Context, item string) (records, error) {
			f, err := openRecords(ctx, item, compression)
			if err != nil {
				return nil, err
			}
			return &framed{recordFile: f}, nil
		}, nil
	}
}

// once is a single record.
type once struct {
	key   string
	value func(ctx *kernel.Context) (string, error)
	given bool
}

func (o *once) Next(ctx *kernel.Context) (key, value string, ok bool, err error) {
	if o.given {
		return "", "", false, nil
	}
	o.given = true
	value, err = o.value(ctx)
	return o.key, value, true, err
}

// Close has nothing to do.
func (o *once) Close() {}

// broken is an item that has failed, and fails until the reader is reset.
type broken struct{ err error }

func (b broken) Next(*kernel.Context) (key, value string, ok bool, err error) {
	return "", "", false, b.err
}

// Close has nothing to do.
func (broken) Close() {}

// A recordFile is a file from which records are read.
type recordFile struct {
	name string
	file *os.File
	in   *bufio.Reader
}

func openRecords(ctx *kernel.Context, name, compression string) (recordFile, error) {
	f, err := ctx.Step.Files.Open(name)
	if err != nil {
		return recordFile{}, status.FromFile(err)
	}
	r := recordFile{name, f, bufio.NewReader(f)}
	var plain stdio.Reader
	switch compression {
	case "ZLIB":
		plain, err = zlib.NewReader(r.in)
	case "GZIP":
		plain, err = gzip.NewReader(r.in)
	}
	if err != nil {
		f.Close()
		return recordFile{}, status.Errorf(status.DataLoss, "%s: %v", name, err)
	}
	if plain != nil {
		r.in = bufio.NewReader(plain)
	}
	return r, nil
}

// Close closes the file.
func (f *recordFile) Close() { f.file.Close() }

// take reads n bytes, or what is left of the file. The memory grows with what
// is read, whatever n claims, and is asked of the session's limit.
func (f *recordFile) take(ctx *kernel.Context, n int64) (string, error) {
	const step = 1 << 20
	b := tensor.TextBuilder{Budget: ctx.Arena.Budget}
	defer b.Close()
	for left := n; left > 0; left = n - int64(b.Len()) {
		part := min(left, step)
		got, err := stdio.CopyN(&b, f.in, part)
		switch {
		case errors.Is(err, stdio.EOF):
			return b.Text()
		case status.CodeOf(err) == status.ResourceExhausted:
			return "", err
		case err != nil:
			return "", status.Errorf(status.DataLoss, "%s: %v", f.name, err)
		case got < part:
			return b.Text()
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
	}
	return b.Text()
}

// lines is the lines of a text file.
type lines struct {
	recordFile
	line int64
}

// Next reads a line, without its end, which is a newline and perhaps a carriage
// return in front of it.
func (l *lines) Next(ctx *kernel.Context) (key, value string, ok bool, err error) {
	long := tensor.TextBuilder{Budget: ctx.Arena.Budget} // of a line that the buffer does not hold
	defer long.Close()
	part, err := l.in.ReadSlice('\n')
	for ; errors.Is(err, bufio.ErrBufferFull); part, err = l.in.ReadSlice('\n') {
		if _, err := long.Write(part); err != nil {
			return "", "", false, err
		}
		if err := ctx.Err(); err != nil {
			return "", "", false, err
		}
	}
	if err != nil && !errors.Is(err, stdio.EOF) {
		return "", "", false, status.FromFile(err)
	}
	if _, err := long.Write(part); err != nil {
		return "", "", false, err
	}
	if long.Len() == 0 {
		return "", "", false, nil
	}
	line, err := long.Text()
	if err != nil {
		return "", "", false, err
	}
	if rest, ok := strings.CutSuffix(line, "\n"); ok {
		line = strings.TrimSuffix(rest, "\r")
	}
	l.line++
	return fmt.Sprintf("%s:%d", l.name, l.line), line, true, nil
}

// fixed is the records of a file that all have one length.
type fixed struct {
	recordFile
	header, record, footer, hop int64
	behind                      string // what has been read of the file and not been given
	count                       int64
}

// begin passes over the header.
func (f *fixed) begin(ctx *kernel.Context) error {
	_, err := f.skip(ctx, f.header)
	return err
}

// skip passes over n bytes; false if there are not so many.
func (f *fixed) skip(ctx *kernel.Context, n int64) (bool, error) {
	if k := min(n, int64(len(f.behind))); k > 0 {
		f.behind, n = f.behind[k:], n-k
	}
	for n > 0 {
		part, err := f.take(ctx, min(n, 1<<20))
		if err != nil {
			return false, err
		}
		if part == "" {
			return false, nil
		}
		n -= int64(len(part))
	}
	return true, nil
}

// Next reads ahead as far as the footer, to know whether the record belongs to
// it.
func (f *fixed) Next(ctx *kernel.Context) (key, value string, ok bool, err error) {
	if f.count > 0 {
		if ok, err := f.skip(ctx, max(f.hop-f.record, 0)); !ok || err != nil {
			return "", "", false, err
		}
	}
	if lacks := f.record + f.footer - int64(len(f.behind)); lacks > 0 {
		more, err := f.take(ctx, lacks)
		if err != nil {
			return "", "", false, err
		}
		f.behind += more
	}
	if int64(len(f.behind)) < f.record+f.footer {
		return "", "", false, nil
	}
	value = f.behind[:f.record]
	f.behind = f.behind[min(f.record, f.hop):]
	key = fmt.Sprintf("%s:%d", f.name, f.count)
	f.count++
	return key, value, true, nil
}

// framed is the records of a TFRecord file: each has its length in front, and
// checksums of that and of itself.
type framed struct {
	recordFile
	offset int64
}

func (f *framed) Next(ctx *kernel.Context) (key, value string, ok bool, err error) {
	head, err := f.take(ctx, 12)
	switch {
	case err != nil:
		return "", "", false, err
	case head == "":
		return "", "", false, nil
	case len(head) < 12:
		return "", "", false, status.Errorf(status.DataLoss, "truncated record at %d' failed with Read less bytes than requested", f.offset)
	}
	if wire.MaskedSum(head[:8]) != binary.LittleEndian.Uint32([]byte(head[8:])) {
		return "", "", false, status.Errorf(status.DataLoss, "corrupted record at %d", f.offset)
	}
	n := binary.LittleEndian.Uint64([]byte(head))
	if n > 1<<62 {
		return "", "", false, status.Errorf(status.DataLoss, "corrupted record at %d", f.offset)
	}
	if value, err = f.take(ctx, int64(n)); err != nil {
		return "", "", false, err
	}
	sum, err := f.take(ctx, 4)
	switch {
	case err != nil:
		return "", "", false, err
	case uint64(len(value)) < n || len(sum) < 4:
		return "", "", false, status.Errorf(status.DataLoss, "truncated record at %d' failed with Read less bytes than requested", f.offset)
	case wire.MaskedSum(value) != binary.LittleEndian.Uint32([]byte(sum)):
		return "", "", false, status.Errorf(status.DataLoss, "corrupted record at %d", f.offset)
	}
	key = fmt.Sprintf("%s:%d", f.name, f.offset)
	f.offset += 16 + int64(n)
	return key, value, true, nil
}
