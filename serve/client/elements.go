package client

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A column reads and writes the elements of a type as JSON.
type column interface {
	// read reads a value, lists within lists, and returns its tensor. known has the
	// dimensions of the signature, for those that a list without elements does not show;
	// nil if nothing is known.
	read(c *cursor, known []int64) (*tensor.Tensor, error)
	// write appends a tensor as lists within lists.
	write(b []byte, t *tensor.Tensor) ([]byte, error)
}

// columnOf returns the column of a type; nil if JSON has no values for it.
func columnOf(dt tensor.DType) column {
	switch dt {
	case tensor.Float:
		return floats[float32]{32, func(x float32) float64 { return float64(x) }, func(x float64) float32 { return float32(x) }}
	case tensor.Double:
		return floats[float64]{64, func(x float64) float64 { return x }, func(x float64) float64 { return x }}
	case tensor.Half:
		return floats[tensor.Float16]{32, func(x tensor.Float16) float64 { return float64(x.Float32()) }, func(x float64) tensor.Float16 { return tensor.ToFloat16(float32(x)) }}
	case tensor.Bfloat16:
		return floats[tensor.BFloat16]{32, func(x tensor.BFloat16) float64 { return float64(x.Float32()) }, func(x float64) tensor.BFloat16 { return tensor.ToBFloat16(float32(x)) }}
	case tensor.Int8:
		return signed[int8]{8}
	case tensor.Int16:
		return signed[int16]{16}
	case tensor.Int32:
		return signed[int32]{32}
	case tensor.Int64:
		return signed[int64]{64}
	case tensor.Uint8:
		return unsigned[uint8]{8}
	case tensor.Uint16:
		return unsigned[uint16]{16}
	case tensor.Uint32:
		return unsigned[uint32]{32}
	case tensor.Uint64:
		return unsigned[uint64]{64}
	case tensor.Bool:
		return bools{}
	case tensor.String:
		return texts{}
	}
	return nil
}

type floats[T tensor.Element] struct {
	bits   int
	widen  func(T) float64
	narrow func(float64) T
}

func (f floats[T]) read(c *cursor, known []int64) (*tensor.Tensor, error) {
	return nested(c, known, func() (T, error) {
		x, err := strconv.ParseFloat(string(c.word()), f.bits)
		if err != nil && !math.IsInf(x, 0) {
			return f.narrow(0), c.fail("a number is missing")
		}
		return f.narrow(x), nil
	})
}

func (f floats[T]) write(b []byte, t *tensor.Tensor) ([]byte, error) {
	return lists(b, t, func(b []byte, x T) []byte {
		switch v := f.widen(x); {
		case math.IsNaN(v):
			return append(b, "NaN"...)
		case math.IsInf(v, 1):
			return append(b, "Infinity"...)
		case math.IsInf(v, -1):
			return append(b, "-Infinity"...)
		default:
			return strconv.AppendFloat(b, v, 'g', -1, f.bits)
		}
	})
}

type signed[T interface {
	tensor.Element
	int8 | int16 | int32 | int64
}] struct{ bits int }

func (s signed[T]) read(c *cursor, known []int64) (*tensor.Tensor, error) {
	return nested(c, known, func() (T, error) {
		n, err := strconv.ParseInt(string(c.word()), 10, s.bits)
		if err != nil {
			return 0, c.fail("an integer of %d bits is missing", s.bits)
		}
		return T(n), nil
	})
}

func (signed[T]) write(b []byte, t *tensor.Tensor) ([]byte, error) {
	return lists(b, t, func(b []byte, x T) []byte { return strconv.AppendInt(b, int64(x), 10) })
}

type unsigned[T interface {
	tensor.Element
	uint8 | uint16 | uint32 | uint64
}] struct{ bits int }

func (u unsigned[T]) read(c *cursor, known []int64) (*tensor.Tensor, error) {
	return nested(c, known, func() (T, error) {
		n, err := strconv.ParseUint(string(c.word()), 10, u.bits)
		if err != nil {
			return 0, c.fail("an integer of %d bits without a sign is missing", u.bits)
		}
		return T(n), nil
	})
}

func (unsigned[T]) write(b []byte, t *tensor.Tensor) ([]byte, error) {
	return lists(b, t, func(b []byte, x T) []byte { return strconv.AppendUint(b, uint64(x), 10) })
}

type bools struct{}

func (bools) read(c *cursor, known []int64) (*tensor.Tensor, error) {
	return nested(c, known, func() (bool, error) {
		switch string(c.word()) {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
		return false, c.fail("true or false is missing")
	})
}

func (bools) write(b []byte, t *tensor.Tensor) ([]byte, error) {
	return lists(b, t, strconv.AppendBool)
}

// texts are strings, which may hold any bytes: they are sent in base 64.
type texts struct{}

func (texts) read(c *cursor, known []int64) (*tensor.Tensor, error) {
	return nested(c, known, func() (text string, err error) {
		if c.peek() != '{' {
			return c.text()
		}
		err = c.members(func(name string) error {
			encoded, err := c.text()
			if err != nil {
				return err
			}
			raw, err := base64.StdEncoding.DecodeString(encoded)
			if err != nil || name != "b64" {
				return c.fail("a string in base 64 is malformed")
			}
			text = string(raw)
			return nil
		})
		return text, err
	})
}

func (texts) write(b []byte, t *tensor.Tensor) ([]byte, error) {
	return lists(b, t, func(b []byte, x string) []byte {
		b = append(b, `{"b64":"`...)
		return append(base64.StdEncoding.AppendEncode(b, []byte(x)), `"}`...)
	})
}

// nested reads lists within lists, whose shape is that of the first elements.
func nested[T tensor.Element](c *cursor, known []int64, element func() (T, error)) (*tensor.Tensor, error) {
	var data []T
	var dims []int64 // -1 until the first list of a level has ended
	var read func(level int) error
	bottom := -1 // level of the elements
	read = func(level int) error {
		if c.peek() != '[' {
			if bottom < 0 {
				bottom = level
			}
			if level != bottom {
				return c.fail("lists are ragged")
			}
			x, err := element()
			data = append(data, x)
			return err
		}
		switch {
		case level == tensor.MaxRank || bottom >= 0 && level >= bottom:
			return c.fail("lists are ragged")
		case level == len(dims):
			dims = append(dims, -1)
		}
		n := int64(0)
		err := c.series('[', ']', func() error { n++; return read(level + 1) })
		if err == nil && dims[level] >= 0 && dims[level] != n {
			err = c.fail("lists are ragged")
		}
		dims[level] = n
		return err
	}
	if err := read(0); err != nil {
		return nil, err
	}
	if bottom >= 0 && bottom != len(dims) {
		return nil, c.fail("lists are ragged")
	}
	if bottom < 0 { // there are no elements: inner dimensions are not shown
		for _, d := range known[min(len(dims), len(known)):] {
			dims = append(dims, max(0, d))
		}
	}
	if data == nil {
		data = []T{}
	}
	t, err := tensor.FromSlice(data, dims...)
	if err != nil {
		return nil, status.Errorf(status.Internal, "the reply cannot be read: %w", err)
	}
	return t, nil
}

// lists appends a tensor as lists within lists.
func lists[T tensor.Element](b []byte, t *tensor.Tensor, element func([]byte, T) []byte) ([]byte, error) {
	data, err := tensor.Data[T](t)
	if err != nil {
		return nil, err
	}
	dims := t.Dims()
	if len(dims) > deepest {
		return nil, status.Invalid("a tensor of %d dimensions", len(dims))
	}
	// Lists without elements take room that no element pays for.
	const mostEmpty = 1 << 20
	if len(data) == 0 {
		n := int64(1)
		for _, d := range dims {
			if d == 0 {
				break
			}
			if n *= d; n > mostEmpty {
				return nil, status.Invalid("a tensor of shape %s has too many lists without elements for JSON", tensor.FormatDims(dims))
			}
		}
	}
	var write func(b []byte, level int) []byte
	write = func(b []byte, level int) []byte {
		if level == len(dims) {
			b, data = element(b, data[0]), data[1:]
			return b
		}
		b = append(b, '[')
		for i := range dims[level] {
			if i > 0 {
				b = append(b, ',')
			}
			b = write(b, level+1)
		}
		return append(b, ']')
	}
	return write(b, 0), nil
}
