package serve

import (
	"context"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/troupe-go/troupe/status"
	"github.com/troupe-go/troupe/tensor"
)

// infer answers a classify or regress, and appends the reply to b.
func infer(ctx context.Context, u Use, t target, request call, b []byte) ([]byte, error) {
	key, method := t.spec.signature(), "tensorflow/serving/"+t.verb
	examples, err := readExamples(request)
	if err != nil {
		return nil, err
	}
	in, err := Examples(u.Model(), key, method, examples)
	if err != nil {
		return nil, err
	}
	out, err := u.Run(ctx, key, in)
	if err != nil {
		return nil, err
	}
	if method == MethodRegress {
		return appendRegressions(b, out, len(examples))
	}
	return appendClasses(b, out, len(examples))
}

// appendRegressions writes a number for each example.
func appendRegressions(b []byte, outputs map[string]*tensor.Tensor, n int) ([]byte, error) {
	list, err := Regressions(outputs, n)
	if err != nil {
		return nil, err
	}
	b = append(b, "{\n    \"results\": ["...)
	for i, x := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendFloat(b, float64(x), 32)
	}
	return append(b, "\n    ]\n}"...), nil
}

// appendClasses writes pairs of a label and its score for each example.
func appendClasses(b []byte, outputs map[string]*tensor.Tensor, n int) ([]byte, error) {
	list, err := Classes(outputs, n)
	if err != nil {
		return nil, err
	}
	b = append(b, "{\n    \"results\": ["...)
	for i, classes := range list {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, '[')
		for k, c := range classes {
			if k > 0 {
				b = append(b, ", "...)
			}
			b = append(appendText(append(b, '['), c.Label), ", "...)
			b = append(appendFloat(b, float64(c.Score), 32), ']')
		}
		b = append(b, ']')
	}
	return append(b, "\n    ]\n}"...), nil
}

// readExamples makes serialized Examples of a request's, each with the features of the
// context.
func readExamples(request call) ([]string, error) {
	if request.examples == nil {
		return nil, status.Invalid("When method is classify, key 'examples' is expected and was not found.")
	}
	var shared []byte
	var err error
	if request.context_ != nil {
		c := cursor{b: request.context_}
		if c.peek() != '{' {
			return nil, status.Invalid("Example context must be JSON object")
		}
		if shared, err = c.features(); err != nil {
			return nil, err
		}
	}
	c := cursor{b: request.examples}
	if c.peek() != '[' {
		return nil, status.Invalid("'examples' must be a non-empty JSON array")
	}
	var list []string
	err = c.items(func(int) error {
		if c.peek() != '{' {
			return status.Invalid("Example must be JSON object")
		}
		own, err := c.features()
		features := append(append([]byte(nil), shared...), own...)
		list = append(list, string(protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), features)))
		return err
	})
	if err == nil && len(list) == 0 {
		err = status.Invalid("'examples' must be a non-empty JSON array")
	}
	return list, err
}

// features reads an object of features, as the message Features.
func (c *cursor) features() (b []byte, err error) {
	err = c.members(func(name string) error {
		f, err := c.feature(name)
		if err != nil {
			return err
		}
		entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), name)
		entry = protowire.AppendBytes(protowire.AppendTag(entry, 2, protowire.BytesType), f)
		b = protowire.AppendBytes(protowire.AppendTag(b, 1, protowire.BytesType), entry)
		return nil
	})
	return b, err
}

// The lists of a Feature, by their numbers.
const (
	bytesList = 1
	floatList = 2
	int64List = 3
)

// feature reads a feature: a value, or a list of values of one kind.
func (c *cursor) feature(name string) ([]byte, error) {
	kind := protowire.Number(0)
	var values []byte
	element := func(int) error {
		k, v, err := c.featureValue(name)
		if err != nil {
			return err
		}
		if kind != 0 && k != kind {
			return status.Invalid("feature %s has values of several kinds", name)
		}
		kind = k
		values = append(values, v...)
		return nil
	}
	var err error
	if c.peek() == '[' {
		err = c.items(element)
	} else {
		err = element(0)
	}
	if err != nil || kind == 0 {
		return nil, err
	}
	if kind != bytesList { // packed
		values = protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), values)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, kind, protowire.BytesType), values), nil
}

// featureValue reads one value of a feature, as its list has it.
func (c *cursor) featureValue(name string) (protowire.Number, []byte, error) {
	switch b := c.peek(); {
	case b == '"', b == '{':
		s, ok := stringOf(c)
		if !ok {
			return 0, nil, status.Invalid("feature %s: neither a string nor {\"b64\": …}, at offset: %d", name, c.i)
		}
		return bytesList, protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), s), nil
	case b == '[':
		return 0, nil, status.Invalid("feature %s: Unexpected element type in list: it is a list", name)
	}
	w := c.word()
	switch {
	case string(w) == "true":
		return int64List, protowire.AppendVarint(nil, 1), nil
	case string(w) == "false":
		return int64List, protowire.AppendVarint(nil, 0), nil
	case !isNumber(w):
		return 0, nil, status.Invalid("feature %s: '%.40s' is not a value, at offset: %d", name, w, c.i)
	case isWhole(w):
		n, err := strconv.ParseInt(string(w), 10, 64)
		if err != nil {
			return 0, nil, status.Invalid("feature %s: %s is out of range for int64", name, w)
		}
		return int64List, protowire.AppendVarint(nil, uint64(n)), nil
	}
	x, ok := parseFloat(w, 32)
	if !ok {
		return 0, nil, status.Invalid("feature %s: %s is not a number", name, w)
	}
	return floatList, protowire.AppendFixed32(nil, floatBits(float32(x))), nil
}
