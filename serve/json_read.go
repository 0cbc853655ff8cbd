package serve

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// A cursor reads JSON, in which NaN, Infinity and -Infinity are numbers. Values are kept
// as text until their type is known; tensors are read without intermediate values.
type cursor struct {
	b []byte
	i int
}

// deepest is how deep lists and objects may be nested.
const deepest = 256

func (c *cursor) fail(format string, args ...any) error {
	return status.Invalid("JSON Parse error: %s at offset: %d", fmt.Sprintf(format, args...), c.i)
}

// peek returns the next byte that is no space; 0 at the end.
func (c *cursor) peek() byte {
	for ; c.i < len(c.b); c.i++ {
		switch c.b[c.i] {
		case ' ', '\t', '\n', '\r':
		default:
			return c.b[c.i]
		}
	}
	return 0
}

func (c *cursor) expect(b byte) error {
	if c.peek() != b {
		return c.fail("'%c' is missing", b)
	}
	c.i++
	return nil
}

// members calls do with each member of an object, whose value do must read.
func (c *cursor) members(do func(name string) error) error {
	if err := c.expect('{'); err != nil {
		return err
	}
	if c.peek() == '}' {
		c.i++
		return nil
	}
	for {
		name, err := c.text()
		if err != nil {
			return err
		}
		if err := c.expect(':'); err != nil {
			return err
		}
		if err := do(name); err != nil {
			return err
		}
		switch c.peek() {
		case ',':
			c.i++
		case '}':
			c.i++
			return nil
		default:
			return c.fail("',' or '}' is missing")
		}
	}
}

// items calls do with the number of each item of a list, which do must read.
func (c *cursor) items(do func(i int) error) error {
	if err := c.expect('['); err != nil {
		return err
	}
	if c.peek() == ']' {
		c.i++
		return nil
	}
	for i := 0; ; i++ {
		if err := do(i); err != nil {
			return err
		}
		switch c.peek() {
		case ',':
			c.i++
		case ']':
			c.i++
			return nil
		default:
			return c.fail("',' or ']' is missing")
		}
	}
}

// text reads a string.
func (c *cursor) text() (string, error) {
	if c.peek() != '"' {
		return "", c.fail("a string is missing")
	}
	from := c.i
	for c.i++; c.i < len(c.b); c.i++ {
		switch b := c.b[c.i]; {
		case b == '"':
			c.i++
			raw := c.b[from:c.i]
			if verbatim(raw) {
				return string(raw[1 : len(raw)-1]), nil
			}
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				c.i = from
				return "", c.fail("a string is malformed")
			}
			return s, nil
		case b == '\\':
			c.i++
		case b < ' ':
			return "", c.fail("a control character in a string")
		}
	}
	c.i = from
	return "", c.fail("a string does not end")
}

// verbatim reports whether a string stands for itself.
func verbatim(raw []byte) bool {
	for _, b := range raw {
		if b == '\\' {
			return false
		}
	}
	return utf8.Valid(raw)
}

// word reads a number or a literal.
func (c *cursor) word() []byte {
	c.peek()
	from := c.i
	for ; c.i < len(c.b); c.i++ {
		switch b := c.b[c.i]; {
		case b >= '0' && b <= '9', b >= 'a' && b <= 'z', b >= 'A' && b <= 'Z', b == '-', b == '+', b == '.':
		default:
			return c.b[from:c.i]
		}
	}
	return c.b[from:]
}

// skip reads a value of whatever type, and returns its text.
func (c *cursor) skip(depth int) ([]byte, error) {
	if depth > deepest {
		return nil, c.fail("lists and objects are nested more than %d deep", deepest)
	}
	b := c.peek()
	from := c.i
	var err error
	switch b {
	case '{':
		err = c.members(func(string) error { _, err := c.skip(depth + 1); return err })
	case '[':
		err = c.items(func(int) error {
			if c.number() {
				return nil
			}
			_, err := c.skip(depth + 1)
			return err
		})
	case '"':
		_, err = c.text()
	default:
		if w := c.word(); !isLiteral(w) && !isNumber(w) {
			c.i = from
			err = c.fail("a value is missing")
		}
	}
	return c.b[from:c.i], err
}

// number skips a number without an exponent that something follows which ends it. It stays
// where it is, and returns false, at anything else.
func (c *cursor) number() bool {
	c.peek()
	i, b := c.i, c.b
	if i < len(b) && b[i] == '-' {
		i++
	}
	first := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i == first || b[first] == '0' && i > first+1 {
		return false
	}
	if i < len(b) && b[i] == '.' {
		point := i
		for i++; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		}
		if i == point+1 {
			return false
		}
	}
	if i == len(b) {
		return false
	}
	switch b[i] {
	case ',', ']', ' ', '\n', '\r', '\t', '}':
		c.i = i
		return true
	}
	return false
}

func isLiteral(w []byte) bool {
	switch string(w) {
	case "true", "false", "null":
		return true
	}
	return false
}

// isNumber reports whether a word is a number as JSON has it, NaN or an infinity.
func isNumber(w []byte) bool {
	switch string(w) {
	case "NaN", "Infinity", "-Infinity", "Inf", "-Inf":
		return true
	}
	i := 0
	digits := func() bool {
		from := i
		for i < len(w) && w[i] >= '0' && w[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(w) && w[i] == '-' {
		i++
	}
	zero := i < len(w) && w[i] == '0'
	from := i
	if !digits() || zero && i > from+1 {
		return false
	}
	if i < len(w) && w[i] == '.' {
		if i++; !digits() {
			return false
		}
	}
	if i < len(w) && (w[i] == 'e' || w[i] == 'E') {
		if i++; i < len(w) && (w[i] == '+' || w[i] == '-') {
			i++
		}
		if !digits() {
			return false
		}
	}
	return i == len(w)
}

// isWhole reports whether a number has neither a fraction nor an exponent.
func isWhole(w []byte) bool {
	for _, b := range w {
		if b != '-' && (b < '0' || b > '9') {
			return false
		}
	}
	return true
}

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

// powers are those of ten that a float64 holds.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimal reads a number of few digits, behind which something follows that ends it: a
// whole number below 2^53 and a power of ten up to 10^22 are exact, so one division or
// multiplication rounds correctly (Clinger, "How to Read Floating Point Numbers
// Accurately", 1990). It stays where it is, and returns false, at anything else.
func (c *cursor) decimal() (float64, bool) {
	c.peek()
	x, i, ok := decimalAt(c.b, c.i)
	if ok {
		c.i = i
	}
	return x, ok
}

// decimalAt is decimal at an offset, and returns the one behind the number.
func decimalAt(b []byte, i int) (x float64, end int, ok bool) {
	n, e := uint64(0), 0
	negative := i < len(b) && b[i] == '-'
	if negative {
		i++
	}
	first := i
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		n = n*10 + uint64(b[i]-'0')
	}
	const most = 15 // digits
	if i == first || i > first+most || b[first] == '0' && i > first+1 {
		return 0, i, false
	}
	if i < len(b) && b[i] == '.' {
		point := i
		for i++; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
			n = n*10 + uint64(b[i]-'0')
		}
		if e = point + 1 - i; e == 0 || i > first+most+3 || n >= 1<<53 {
			return 0, i, false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		down := i < len(b) && b[i] == '-'
		if i < len(b) && (b[i] == '-' || b[i] == '+') {
			i++
		}
		from, x := i, 0
		for ; i < len(b) && b[i] >= '0' && b[i] <= '9' && i < from+3; i++ {
			x = x*10 + int(b[i]-'0')
		}
		if i == from {
			return 0, i, false
		}
		if down {
			x = -x
		}
		e += x
	}
	if i == len(b) || e >= len(powers) || -e >= len(powers) {
		return 0, i, false
	}
	switch b[i] {
	case ',', ']', ' ', '\n', '\r', '\t', '}':
	default:
		return 0, i, false
	}
	x = float64(n)
	if e < 0 {
		x /= powers[-e]
	} else {
		x *= powers[e]
	}
	if negative {
		x = -x
	}
	return x, i, true
}

// middle reports whether a float64 may be the middle of two float32, so that rounding it
// is not rounding what it was rounded from.
func middle(x float64) bool { return math.Float64bits(x)<<35 == 1<<63 }

func float32Of(c *cursor) (float32, bool) {
	from := c.i
	if x, ok := c.decimal(); ok && !middle(x) {
		return float32(x), true
	}
	c.i = from
	x, ok := parseFloat(c.word(), 32)
	return float32(x), ok
}

func float64Of(c *cursor) (float64, bool) {
	if x, ok := c.decimal(); ok {
		return x, true
	}
	return parseFloat(c.word(), 64)
}

// follows returns the offset of what follows a comma and perhaps a space; -1 if there is none.
func follows(b []byte, i int) int {
	switch {
	case i+1 >= len(b) || b[i] != ',':
		return -1
	case b[i+1] == ' ':
		return i + 2
	}
	return i + 1
}

func float32sOf(c *cursor, to []float32) []float32 {
	for at := follows(c.b, c.i); at >= 0; at = follows(c.b, c.i) {
		x, end, ok := decimalAt(c.b, at)
		if !ok || middle(x) {
			break
		}
		to, c.i = append(to, float32(x)), end
	}
	return to
}

func float64sOf(c *cursor, to []float64) []float64 {
	for at := follows(c.b, c.i); at >= 0; at = follows(c.b, c.i) {
		x, end, ok := decimalAt(c.b, at)
		if !ok {
			break
		}
		to, c.i = append(to, x), end
	}
	return to
}

func parseFloat(w []byte, size int) (float64, bool) {
	if !isNumber(w) {
		return 0, false
	}
	switch string(w) {
	case "NaN":
		return math.NaN(), true
	case "Infinity", "Inf":
		return math.Inf(1), true
	case "-Infinity", "-Inf":
		return math.Inf(-1), true
	}
	x, err := strconv.ParseFloat(string(w), size)
	return x, err == nil || !math.IsNaN(x) // beyond the range it is infinite
}

// digits reads a number; "" if it is none.
func (c *cursor) digits() string {
	w := c.word()
	if !isNumber(w) {
		return ""
	}
	return string(w)
}

// narrowOf reads a whole number of 32 bits, of which a narrower type takes the lowest.
func narrowOf[T int8 | int16 | int32 | uint8](c *cursor) (T, bool) {
	n, err := strconv.ParseInt(c.digits(), 10, 32)
	return T(n), err == nil
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
