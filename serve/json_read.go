package serve

import (
	"bytes"
	"encoding/base64"
	"strconv"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A shaped reads a value that may be nested lists, whose shape is read off the first
// item at each level.
type shaped struct {
	cursor
	dims  []int64      // -1 while the first list of a level is read
	depth int          // of elements; -1 before the first
	more  func() int64 // reads elements behind one, as many as it can, and counts them; nil: none
}

// nested reads a value below level lists, and leaf reads each element.
func (s *shaped) nested(level int, leaf func() error) error {
	if s.peek() != '[' {
		if s.depth < 0 {
			s.depth = level
		}
		if s.depth != level || len(s.dims) > level {
			return s.ragged()
		}
		return leaf()
	}
	if level >= deepest-2 {
		return s.fail("lists are nested more than %d deep", deepest-2)
	}
	if s.depth >= 0 && level >= s.depth {
		return s.ragged()
	}
	if level == len(s.dims) {
		s.dims = append(s.dims, -1)
	}
	n, err := s.list(level+1, leaf)
	if err != nil {
		return err
	}
	if s.dims[level] < 0 {
		s.dims[level] = n
	} else if s.dims[level] != n {
		return s.ragged()
	}
	return nil
}

// list reads a list whose items are below level lists, and returns how many there are.
func (s *shaped) list(level int, leaf func() error) (n int64, err error) {
	s.i++ // the bracket
	if s.peek() == ']' {
		s.i++
		return 0, nil
	}
	for {
		n++
		if s.depth == level && len(s.dims) == level && s.peek() != '[' {
			if err = leaf(); err == nil && s.more != nil {
				n += s.more()
			}
		} else {
			err = s.nested(level, leaf)
		}
		if err != nil {
			return n, err
		}
		switch s.peek() {
		case ',':
			s.i++
		case ']':
			s.i++
			return n, nil
		default:
			return n, s.fail("',' or ']' is missing")
		}
	}
}

func (s *shaped) ragged() error {
	return status.Invalid("Encountered list at unexpected size or depth: all lists of a level need the same number of items, at offset: %d", s.i)
}

// A column collects the elements of one input.
type column interface {
	// read reads elements that are nested in lists, and returns their shape.
	read(text []byte) (dims []int64, err error)
	// readAt is read of what comes next.
	readAt(c *cursor) (dims []int64, err error)
	// tensor makes a tensor of all that was read.
	tensor(dims []int64) (*tensor.Tensor, error)
}

// columnOf returns a column of a dtype. It fails with UNIMPLEMENTED for one that JSON
// has no values for.
func columnOf(dt tensor.DType) (column, error) {
	switch dt {
	case tensor.Float:
		return &typed[float32]{dt: dt, element: float32Of, many: float32sOf}, nil
	case tensor.Double:
		return &typed[float64]{dt: dt, element: float64Of, many: float64sOf}, nil
	case tensor.Int32:
		return &typed[int32]{dt: dt, element: narrowOf[int32]}, nil
	case tensor.Int16:
		return &typed[int16]{dt: dt, element: narrowOf[int16]}, nil
	case tensor.Int8:
		return &typed[int8]{dt: dt, element: narrowOf[int8]}, nil
	case tensor.Uint8:
		return &typed[uint8]{dt: dt, element: narrowOf[uint8]}, nil
	case tensor.Int64:
		return &typed[int64]{dt: dt, element: func(c *cursor) (int64, bool) {
			n, err := strconv.ParseInt(c.digits(), 10, 64)
			return n, err == nil
		}}, nil
	case tensor.Uint32:
		return &typed[uint32]{dt: dt, element: func(c *cursor) (uint32, bool) {
			n, err := strconv.ParseUint(c.digits(), 10, 32)
			return uint32(n), err == nil
		}}, nil
	case tensor.Uint64:
		return &typed[uint64]{dt: dt, element: func(c *cursor) (uint64, bool) {
			n, err := strconv.ParseUint(c.digits(), 10, 64)
			return n, err == nil
		}}, nil
	case tensor.Bool:
		return &typed[bool]{dt: dt, element: func(c *cursor) (bool, bool) {
			w := string(c.word())
			return w == "true", w == "true" || w == "false"
		}}, nil
	case tensor.String:
		return &typed[string]{dt: dt, element: stringOf}, nil
	}
	return nil, status.Errorf(status.Unimplemented, "Conversion of JSON Value: to tensor of type %v is not supported.", dt)
}

// typed is a column of elements of one Go type.
type typed[T tensor.Element] struct {
	dt      tensor.DType
	data    []T
	element func(*cursor) (x T, ok bool)
	many    func(c *cursor, to []T) []T // appends what follows an element, as far as it is simple; may be nil
}

func (t *typed[T]) read(text []byte) ([]int64, error) { return t.readAt(&cursor{b: text}) }

func (t *typed[T]) readAt(c *cursor) ([]int64, error) {
	if t.data == nil && t.dt != tensor.String {
		const most = 1 << 16 // elements that are expected; each has a comma behind it, but the last
		t.data = make([]T, 0, min(most, bytes.Count(c.b[c.i:], []byte{','})+1))
	}
	s := &shaped{cursor: *c, depth: -1}
	if t.many != nil {
		s.more = func() int64 {
			had := len(t.data)
			t.data = t.many(&s.cursor, t.data)
			return int64(len(t.data) - had)
		}
	}
	err := s.nested(0, func() error {
		from := s.i
		x, ok := t.element(&s.cursor)
		if !ok {
			s.i = from
			return s.mistyped(t.dt)
		}
		t.data = append(t.data, x)
		return nil
	})
	c.i = s.i
	return s.dims, err
}

func (t *typed[T]) tensor(dims []int64) (*tensor.Tensor, error) {
	if t.data == nil {
		t.data = []T{}
	}
	return tensor.FromSlice(t.data, dims...)
}

// mistyped returns the error of a value that is not of the type of its tensor.
func (c *cursor) mistyped(dt tensor.DType) error {
	b := c.peek()
	from := c.i
	text, err := c.skip(0)
	if err != nil {
		return err
	}
	c.i = from
	sort := "Number"
	switch {
	case b == '"':
		sort = "String"
	case b == '{':
		sort = "Object"
	case b == '[':
		sort = "Array"
	case string(text) == "null":
		sort = "Null"
	case isLiteral(text):
		sort = "Boolean"
	}
	const most = 64
	if len(text) > most {
		text = append(append([]byte(nil), text[:most]...), "..."...)
	}
	return status.Invalid("JSON Value: %s Type: %s is not of expected type: %v", text, sort, dt)
}

// stringOf reads a string, or an object whose only member b64 is one in base 64.
func stringOf(c *cursor) (string, bool) {
	if c.peek() == '{' {
		b, ok := c.base64()
		return string(b), ok
	}
	s, err := c.text()
	return s, err == nil
}

// base64 reads {"b64": "…"}.
func (c *cursor) base64() (b []byte, ok bool) {
	n := 0
	err := c.members(func(name string) error {
		n++
		text, err := c.text()
		if err != nil || name != "b64" {
			return c.fail("an object that is not a string in base 64")
		}
		if b, err = base64.StdEncoding.DecodeString(text); err != nil {
			b, err = base64.RawURLEncoding.DecodeString(text)
		}
		return err
	})
	return b, err == nil && n == 1
}

// isBase64 reports whether a value is {"b64": "…"}.
func isBase64(text []byte) bool {
	c := cursor{b: text}
	if c.peek() != '{' {
		return false
	}
	_, ok := c.base64()
	return ok
}
