package lookup

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// What a column's number may be besides a column.
const (
	lineNumber = -1
	wholeLine  = -2
)

// maxLine bounds the length of a line.
const maxLine = 1 << 26

// A file is where InitializeTableFromTextFile finds keys and values.
type file struct {
	key, value int64 // columns
	lines      int64 // -1: all
	delimiter  string
	offset     int64 // of line numbers
}

func newFile(c *kernel.Construction) (kernel.Kernel, error) {
	f := &file{key: c.Int("key_index"), value: c.Int("value_index"), lines: c.Int("vocab_size"), delimiter: c.Str("delimiter"), offset: c.Int("offset")}
	if len(f.delimiter) != 1 {
		return nil, c.Errorf("delimiter should be only 1 char")
	}
	return &user{run: f.load}, nil
}

func (f *file) load(ctx *kernel.Context, t *Table, in, _ []tensor.Value) error {
	if t.kind != fixed {
		return status.Invalid("Table %s %s is not initializable", t.container, t.name)
	}
	if in[1].NumElements() != 1 || in[1].Rank() != 0 {
		return status.Invalid("filename should be a single string, but got %s", tensor.FormatDims(in[1].Dims()))
	}
	name := tensor.At0[string](&in[1])
	if name == "" {
		return status.Invalid("filename cannot be empty.")
	}
	for _, c := range []struct {
		what, type_ string
		index       int64
		dt          tensor.DType
	}{{"Key", "key", f.key, t.key}, {"Value", "value", f.value, t.value}} {
		if c.index == lineNumber && c.dt != tensor.Int64 {
			return status.Invalid("%s index for line number requires table %s dtype of int64, got %v", c.what, c.type_, c.dt)
		}
		if c.index == wholeLine && c.dt == tensor.Float {
			return status.Invalid("%s index for whole line requires string or integer table %s, got table %[2]s dtype %[3]v", c.what, c.type_, c.dt)
		}
	}
	r, err := ctx.Step.Files.Open(name)
	if err != nil {
		return err
	}
	defer r.Close()
	// The table is filled as lines are read, so that the memory limit holds.
	next := &Table{kind: fixed, key: t.key, value: t.value}
	next.budget = t.budget
	if err := f.read(ctx, next, name, bufio.NewScanner(r)); err != nil {
		next.clear()
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.filled {
		same := t.n == next.n
		next.clear()
		if !same {
			return status.Errorf(status.FailedPrecondition, "Table was already initialized with different data.")
		}
		return nil
	}
	t.content, t.filled = next.content, true
	return nil
}

func (f *file) read(ctx *kernel.Context, t *Table, name string, lines *bufio.Scanner) error {
	lines.Buffer(nil, maxLine)
	var buf []byte
	n := int64(0)
	for ; (f.lines < 0 || n < f.lines) && lines.Scan(); n++ {
		if n&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		line := strings.TrimSuffix(lines.Text(), "\r")
		var fields []string
		if last := max(f.key, f.value); last >= 0 {
			fields = strings.Split(line, f.delimiter)
			if int64(len(fields)) <= last {
				return status.Invalid("Invalid number of columns in %s line %d (%s) : expected at least %d got %d", name, n, line, last+1, len(fields))
			}
		}
		field := func(index int64, dt tensor.DType) (tensor.Value, error) {
			switch index {
			case lineNumber:
				return tensor.Scalar(n + f.offset), nil
			case wholeLine:
				return parse(line, n, dt)
			}
			return parse(fields[index], n, dt)
		}
		key, err := field(f.key, t.key)
		if err != nil {
			return err
		}
		value, err := field(f.value, t.value)
		if err != nil {
			return err
		}
		if err := t.put(&key, &value, 0, &buf); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return status.Invalid("%s line %d: %v", name, n, err)
	}
	if f.lines >= 0 && n < f.lines {
		return status.Invalid("Invalid vocab_size in %s: expected %d but got %d", name, f.lines, n)
	}
	return nil
}

// parse reads a field as a scalar of a type.
func parse(s string, line int64, dt tensor.DType) (tensor.Value, error) {
	bad := func() (tensor.Value, error) {
		return tensor.Value{}, status.Invalid("Field %s in line %d is not a valid %v.", s, line, dt)
	}
	number := strings.TrimSpace(s)
	switch dt {
	case tensor.String:
		return tensor.Scalar(s), nil
	case tensor.Int32, tensor.Int64:
		bits := 8 * dt.Size()
		x, err := strconv.ParseInt(number, 10, bits)
		if err != nil {
			return bad()
		}
		if dt == tensor.Int32 {
			return tensor.Scalar(int32(x)), nil
		}
		return tensor.Scalar(x), nil
	case tensor.Float, tensor.Double:
		x, err := strconv.ParseFloat(number, 8*dt.Size())
		if err != nil {
			return bad()
		}
		if dt == tensor.Float {
			return tensor.Scalar(float32(x)), nil
		}
		return tensor.Scalar(x), nil
	}
	return tensor.Value{}, status.Invalid("Data type %v not supported.", dt)
}
