package parsing

import (
	"strconv"
	"strings"

	"github.com/troupe-go/troupe/kernel"
	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

func init() { kernel.ForAll(newCSV, "DecodeCSV") }

// A csv is the kernel of DecodeCSV.
type csv struct {
	types     []tensor.DType
	delimiter byte
	quotes    bool
	missing   string
	columns   []int64 // nil: all
}

func newCSV(c *kernel.Construction) (kernel.Kernel, error) {
	k := &csv{types: c.Types("OUT_TYPE"), quotes: c.Bool("use_quote_delim"), missing: c.Str("na_value"), columns: c.Ints("select_cols")}
	d := c.Str("field_delim")
	if len(d) != 1 {
		return nil, c.Errorf("field_delim should be only 1 char")
	}
	k.delimiter = d[0]
	if len(k.columns) > 0 && len(k.columns) != len(k.types) {
		return nil, c.Errorf("select_cols should match output size")
	}
	for i, x := range k.columns {
		if x < 0 {
			return nil, c.Errorf("select_cols should be non-negative indices")
		}
		if i > 0 && x <= k.columns[i-1] {
			return nil, c.Errorf("select_cols should be strictly increasing indices")
		}
	}
	return k, nil
}

func (k *csv) Run(ctx *kernel.Context, in, out []tensor.Value) error {
	records, defaults := in[0], in[1:]
	for i := range defaults {
		if defaults[i].Rank() > 1 {
			return status.Invalid("Each record default should be at most rank 1")
		}
		if n := defaults[i].NumElements(); n > 1 {
			return status.Invalid("There should only be 1 default per field but field %d has %d", i, n)
		}
	}
	for i, dt := range k.types {
		var err error
		if out[i], err = ctx.Alloc(dt, records.Dims()); err != nil {
			return err
		}
	}
	var fields []string
	for i, record := range tensor.Of[string](&records) {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		var err error
		n := 0
		if fields, n, err = k.split(ctx, fields[:0], len(out), record); err != nil {
			return err
		}
		if n != len(out) {
			return status.Invalid("Expect %d fields but have %d in record %d", len(out), n, i)
		}
		for f, s := range fields {
			if s == "" || s == k.missing {
				if defaults[f].NumElements() != 1 {
					return status.Invalid("Field %d is required but missing in record %d!", f, i)
				}
				err = set(&out[f], i, &defaults[f])
			} else {
				err = k.parse(&out[f], i, s)
			}
			if err != nil {
				return status.Invalid("Field %d in record %d is not a valid %v: %s", f, i, k.types[f], s)
			}
		}
	}
	return nil
}

// split appends the selected fields of a record to dst, at most as many as are wanted,
// and says how many there are.
func (k *csv) split(ctx *kernel.Context, dst []string, want int, s string) (_ []string, n int, err error) {
	field, last := int64(0), s
	wanted := func() bool {
		return len(k.columns) == 0 || n < len(k.columns) && k.columns[n] == field
	}
	add := func(text string) {
		if n++; n <= want {
			dst = append(dst, text)
		}
	}
	for len(s) > 0 {
		if s[0] == '\n' || s[0] == '\r' {
			s = s[1:]
			continue
		}
		var text string
		if k.quotes && s[0] == '"' {
			if text, s, err = k.quoted(s[1:]); err != nil {
				return nil, 0, err
			}
		} else {
			text = s
			if end := strings.IndexByte(s, k.delimiter); end >= 0 {
				text, s = s[:end], s[end+1:]
			} else {
				s = ""
			}
			if k.quotes && strings.Contains(text, `"`) || strings.ContainsAny(text, "\r\n") {
				return nil, 0, status.Invalid("Unquoted fields cannot have quotes/CRLFs inside")
			}
		}
		if wanted() {
			if add(text); n == len(k.columns) {
				return dst, n, nil
			}
		}
		if field++; field%(1<<14) == 0 {
			ctx.Ask()
		}
	}
	if last != "" && last[len(last)-1] == k.delimiter && wanted() {
		add("")
	}
	return dst, n, nil
}

// quoted reads a field behind its first quote, and the delimiter.
func (k *csv) quoted(s string) (field, rest string, err error) {
	var b []byte
	for len(s) > 1 && (s[0] != '"' || s[1] != k.delimiter) {
		if s[0] != '"' {
			b, s = append(b, s[0]), s[1:]
			continue
		}
		if s[1] != '"' {
			return "", "", status.Invalid("Quote inside a string has to be escaped by another quote")
		}
		b, s = append(b, '"'), s[2:]
	}
	if s == "" || s[0] != '"' {
		return "", "", status.Invalid("Quoted field has to end with quote followed by delim or end")
	}
	return string(b), s[min(2, len(s)):], nil
}

// set sets element i of v to x, which has one element of its type.
func set(v *tensor.Value, i int, x *tensor.Value) error {
	if v.DType() == tensor.String {
		tensor.Of[string](v)[i] = tensor.Of[string](x)[0]
		return nil
	}
	n := v.DType().Size()
	copy(tensor.Bytes(v)[i*n:], tensor.Bytes(x))
	return nil
}

// parse sets element i of v to the number, or text, s.
func (k *csv) parse(v *tensor.Value, i int, s string) error {
	number := strings.Trim(s, " \t\n\v\f\r")
	switch v.DType() {
	case tensor.String:
		tensor.Of[string](v)[i] = s
	case tensor.Int32:
		x, err := strconv.ParseInt(number, 10, 32)
		tensor.Of[int32](v)[i] = int32(x)
		return err
	case tensor.Int64:
		x, err := strconv.ParseInt(number, 10, 64)
		tensor.Of[int64](v)[i] = x
		return err
	case tensor.Float:
		x, err := parseFloat(number, 32)
		tensor.Of[float32](v)[i] = float32(x)
		return err
	default:
		x, err := parseFloat(number, 64)
		tensor.Of[float64](v)[i] = x
		return err
	}
	return nil
}
